import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { titleHolds } from '../event/run-title.ts';
import { isSameRepository } from '../event/trust.ts';
import type { WorkflowEvent } from '../event/event.ts';
import { readRun } from '../records/earlier-runs.ts';
import { titleOf, type ApiCheckRun, type CheckedDecision, type CheckedFrom } from './check-run.ts';
import type { CommentCommand } from './comment-command.ts';
import { readCommand } from './comment-proof.ts';
import { isPersonWhoMayWrite } from './person.ts';

/** The decision of a check run and its author, or the reason why the check run is not valid. */
export type Proof<Checked> =
  | { readonly checked: Checked; readonly actor: string; readonly reason: string }
  | { readonly why: string };

/**
 * The person behind the decision of a check run. Every job's token belongs to GitHub's app, so the app of a check run
 * proves nothing: the run that it names must be one that a person started to make this decision.
 */
export async function proveCheck<Checked extends CheckedDecision | CheckedFrom>(
  rest: RestClient,
  event: Pick<WorkflowEvent, 'startedFile' | 'repository' | 'pullRequest'>,
  check: ApiCheckRun,
  checked: Checked | undefined,
  unit: string,
): Promise<Proof<Checked>> {
  if (check.app?.slug !== 'github-actions') return { why: 'another app wrote it' };
  if (checked === undefined) return { why: 'its external id is not one of `command: decide`' };
  if (checked.comment !== undefined) return proveComment(rest, event, check, checked, unit);
  if (checked.decision === 'retry' || checked.decision === 'skip') return { why: 'it names no comment' };
  const reason = (check.output?.summary ?? '').slice(0, 4_096);
  const deciding = await readRun(rest, checked.decidingRun).catch((error: unknown) => {
    if (error instanceof GatelineError && error.code === 'EARLIER_RUN_ABSENT') return undefined;
    throw error;
  });
  // A rejection applies even if its author is no longer known.
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

/**
 * A comment decides if it is on the pull request of this run and says just this. The run that it is about must have
 * existed when it was written, so that nobody can use it for a later output.
 */
async function proveComment<Checked extends CheckedDecision | CheckedFrom>(
  rest: RestClient,
  event: Pick<WorkflowEvent, 'startedFile' | 'repository' | 'pullRequest'>,
  check: ApiCheckRun,
  checked: Checked,
  unit: string,
): Promise<Proof<Checked>> {
  const pull = event.pullRequest?.number;
  if (pull === undefined) return { why: 'this run is of no pull request' };
  const read = await readCommand(rest, checked.comment!, pull);
  if ('why' in read) return { why: read.why };
  const { command, author, at } = read;
  const which = `comment ${checked.comment}`;
  if (!says(command, checked.decision, unit)) return { why: `${which} says something else` };
  if (command.do === 'approve' && command.commit !== undefined && !check.head_sha.startsWith(command.commit))
    return { why: `${which} is about another commit` };
  const about = await readRun(rest, checked.aboutRun);
  if (about.workflowPath !== event.startedFile || !isSameRepository(about.repository, event.repository))
    return { why: `run ${about.id} is of another workflow` };
  if (!(Date.parse(about.createdAt) <= Date.parse(at))) return { why: `${which} is older than run ${about.id}` };
  return { checked, actor: author, reason: 'reason' in command ? command.reason : '' };
}

function says(command: CommentCommand, decision: (CheckedDecision | CheckedFrom)['decision'], unit: string): boolean {
  if (decision === 'from') return command.do === 'resume' && command.from === unit;
  return command.do === decision && 'gate' in command && command.gate === unit;
}
