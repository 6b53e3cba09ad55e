import { GatelineError } from '../../errors/gateline-error.ts';
import type { WorkflowRun } from '../../store/github/records/run-artifacts.ts';
import { checkEarlierRun } from './earlier-runs.ts';
import type { ActionInvocation } from '../invocation.ts';
import { restOfStep } from '../event/rest-client.ts';

/**
 * The earlier run that the input `resume` names, after checking that this run may build on it.
 * @throws GatelineError `RESUME_WITHOUT_TOKEN`, `RESUME_REFUSED`, and the errors of {@link checkEarlierRun}
 */
export async function earlierRun(
  { inputs, event }: Pick<ActionInvocation, 'inputs' | 'event'>,
  runId: string,
): Promise<WorkflowRun> {
  if (event.trust.isFork) {
    throw new GatelineError('RESUME_REFUSED', `${event.name} of a fork cannot resume another run`);
  }
  const rest = restOfStep({ inputs, event });
  if (rest === undefined) {
    throw new GatelineError('RESUME_WITHOUT_TOKEN', 'resume: a token is needed to read artifacts of another run');
  }
  const request = { runId: Number(runId), currentRunId: Number(event.runId) };
  const { runNumber, runAttempt } = await checkEarlierRun(rest, request);
  return { id: runId, number: runNumber, attempt: runAttempt };
}
