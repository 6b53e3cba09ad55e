import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import type { PreparedUnit } from '../plan/prepared-unit.ts';
import { recordAdopted } from './adopt.ts';
import { recordNotApplicable, recordReuse, takenFrom } from './record-reuse.ts';
import type { EndedRecord } from '../../run/records/record.ts';

/**
 * Records what a plan decides without an agent: an output is reused or adopted, or the gate is not applicable.
 * `undefined`: the plan is another one, and nothing is recorded.
 */
export async function recordPlanned(call: Call, unit: Unit, prepared: PreparedUnit): Promise<EndedRecord | undefined> {
  switch (prepared.planned.choice) {
    case 'reuse':
      return recordReuse(call, unit, prepared);
    case 'not-applicable':
      return recordNotApplicable(call, unit, prepared);
    case 'adopt': {
      const { verdict, exports } = prepared.judged!;
      const taken = takenFrom(call, prepared.checkpoint!, { verdict, exports });
      return recordAdopted(call, unit, prepared.work!, taken, call.assignment.keep!);
    }
    default:
      return undefined;
  }
}
