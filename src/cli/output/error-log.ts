import { failedUnit } from '../../report/json/run-error.ts';
import { resultOf, type RunState } from '../../run/state/run-state.ts';
import type { RecordStore } from '../../store/record-store.ts';

/** The stderr of the agent whose gate stopped the run, redacted; `undefined`: it is not known. */
export async function errorLog(store: Pick<RecordStore, 'get'>, state: RunState): Promise<string | undefined> {
  const unit = failedUnit(state);
  const log = unit && resultOf(unit)?.logs.stderr;
  if (log === undefined) return undefined;
  const read = await store.get(log.digest);
  return read.state === 'present' ? new TextDecoder().decode(read.value) : undefined;
}
