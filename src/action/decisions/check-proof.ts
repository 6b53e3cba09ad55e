import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { titleHolds } from '../event/run-title.ts';
import { isSameRepository } from '../event/trust.ts';
import type { WorkflowEvent } from '../event/event.ts';
import { readRun } from '../records/earlier-runs.ts';
import { titleOf, type ApiCheckRun, type CheckedDecision, type CheckedFrom } from './check-run.ts';
import { isPersonWhoMayWrite } from './person.ts';

/** What a check run decides and who decided it, or why it decides nothing. */
export type Proof<Checked> =
  | { readonly checked: Checked; readonly actor: string; readonly reason: string }
  | { readonly why: string };

/**
 * Who decided what a check run says. That an app of GitHub wrote it proves nothing, since every job's token is of that
 * app: the run that it names must be one that a person started to make just this decision.
 */
export async function proveCheck<Checked extends CheckedDecision | CheckedFrom>(
  rest: RestClient,
  event: Pick<WorkflowEvent, 'startedFile' | 'repository'>,
  check: ApiCheckRun,
  checked: Checked | undefined,
  unit: string,
): Promise<Proof<Checked>> {
  if (check.app?.slug !== 'github-actions') return { why: 'another app wrote it' };
  if (checked === undefined) return { why: 'its external id is not one of `command: decide`' };
  const reason = (check.output?.summary ?? '').slice(0, 4_096);
  const deciding = await readRun(rest, checked.decidingRun).catch((error: unknown) => {
    if (error instanceof GatelineError && error.code === 'EARLIER_RUN_ABSENT') return undefined;
    throw error;
  });
  // A rejection applies although it is no longer known who made it.
  if (deciding === undefined)
    return checked.decision === 'reject'
      ? { checked, actor: 'unknown', reason }
      : { why: `its run ${checked.decidingRun} cannot be found` };
  const { login, isBot } = deciding.actor ?? { login: 'unknown', isBot: true };
  const which = `run ${deciding.id}`;
  if (deciding.event !== 'workflow_dispatch') return { why: `${which} was not started by a person` };
  if (deciding.workflowPath !== event.startedFile || !isSameRepository(deciding.repository, event.repository))
    return { why: `${which} is of another workflow` };
  if (!titleHolds(deciding.title, titleOf(checked, unit))) return { why: `the name of ${which} does not say so` };
  if (isBot || !(await isPersonWhoMayWrite(rest, login))) return { why: `${login} may not decide` };
  return { checked, actor: login, reason };
}
