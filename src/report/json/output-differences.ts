import type { JsonDifference } from '../../json/json-difference.ts';

/** How two outputs differ, as `--json` prints it; `null`: there is no value. */
export function outputDifferencesJson(output: readonly JsonDifference[]): object[] {
  return output.map(({ pointer, before, after }) => ({
    pointer,
    change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    before: before ?? null,
    after: after ?? null,
  }));
}
