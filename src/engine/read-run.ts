import type { RunState } from '../run/state/run-state.ts';
import { openCall, type Assignment } from './call/call.ts';
import { stateNow } from './entities/gate-entities.ts';
import { noteChanges } from './plan/since-approval.ts';
import type { EnginePorts } from './ports.ts';

/**
 * The state of a subject's run, computed from its current records. Writes nothing and starts nothing.
 * @param runNumber which run; default: the newest. A run that does not exist is `initializing`.
 */
export async function readRun(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline' | 'subject'>,
  runNumber = 0,
): Promise<RunState> {
  const { pipeline } = assignment;
  const call = await openCall(ports, { metadata: pipeline.metadata, input: null, ...assignment }, () => undefined, {
    runNumber,
    shows: true,
  });
  await noteChanges(call);
  return stateNow(call);
}
