import { jsonText } from '../../report/json/json-text.ts';
import type { CliWorld } from '../world.ts';

/** Writes one JSON document to standard output; docs/reference/json-output.md describes each. */
export function printJson(world: Pick<CliWorld, 'out'>, value: unknown): void {
  world.out.write(jsonText(value));
}
