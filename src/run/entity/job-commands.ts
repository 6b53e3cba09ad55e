import { digestOf, hexOf } from '../../json/digest.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { GatelineRecord } from '../records/record.ts';

/** The longest leg that a record can name. */
const MAX_LEG = 80;

/**
 * The leg under which a job on GitHub records the commands that it runs for a unit: jobs do not wait for each other, so
 * that two of them may run one command at the same time. A gate's id has no dot, so units never share one.
 */
export function legOfCommands(unit: UnitKey): string {
  const leg = unit.replace('/', '.');
  return leg.length <= MAX_LEG ? leg : hexOf(digestOf(unit));
}

/** Whether a record is of a command that a job on GitHub ran for a unit. */
export function isJobCommand(record: GatelineRecord): boolean {
  return record.kind !== 'decided' && record.command === true && record.leg !== '';
}
