import { GatelineError } from '../../errors/gateline-error.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';

/**
 * Refuses what is about gates where a definition has commands only, as skills do: a run of nothing would be done at
 * once.
 * @throws GatelineError `GATES_NONE`
 */
export function refuseWithoutGates({ id, gates }: Pick<Pipeline, 'id' | 'gates'>): void {
  if (gates.length > 0) return;
  throw new GatelineError('GATES_NONE', `${id} has no gates`, {
    hint: '`gateline do COMMAND` runs a command, and `gateline entities` shows what is valid.',
  });
}
