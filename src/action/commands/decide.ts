import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import type { Digest } from '../../json/digest.ts';
import { forMarkdown } from '../../untrusted/escape.ts';
import {
  commitsFor,
  isPerCommit,
  newestRun,
  recordedBy,
  refuseUnheard,
  rerun,
  withoutFailedJobs,
  writeCheck,
} from '../decisions/carry-out.ts';
import {
  checkNameOf,
  fromCheckNameOf,
  titleOf,
  type CheckedDecision,
  type CheckedFrom,
} from '../decisions/check-run.ts';
import { isPersonWhoMayWrite } from '../decisions/person.ts';
import type { Dispatch } from '../event/dispatch.ts';
import { restOfStep } from '../event/rest-client.ts';
import { titleHolds } from '../event/run-title.ts';
import { isSameRepository } from '../event/trust.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { namedPipeline } from '../job/named-pipeline.ts';
import { readRun, type ApiRun } from '../records/earlier-runs.ts';

/**
 * `command: decide`: writes a check run that says what the person who started this run decided about another run: an
 * approval or a rejection of an output, or the gate to start again from. Then it runs that run's failed jobs again, or
 * all of them for `from`, which find the check run. For a job of its own, without an agent: its token may write check
 * runs.
 */
export async function execute(invocation: ActionInvocation): Promise<StepResult> {
  const { world, event } = invocation;
  const order = orderOf(event.dispatch);
  const rest = restOfStep(invocation);
  if (rest === undefined) throw refused('the step has no `github-token`');
  const { sender } = order;
  if (sender === undefined || sender.isBot || !(await isPersonWhoMayWrite(rest, sender.login)))
    throw refused(
      `${sender?.login ?? 'the user who started this run'} is not a person who may write to the repository`,
    );
  const about = await runToDecideAbout(invocation, rest, order.resume);
  const { id: pipeline, defined } = await namedPipeline(invocation, event.startedFile);
  const recorded = await recordedBy(invocation, pipeline, about, order);
  const doubt = order.decision === 'from' ? '' : refuseUnheard(defined, order, recorded);
  const newest = await newestRun(rest, about, Number(event.runId));
  const place = {
    decidingRun: Number(event.runId),
    aboutRun: about.id,
    position: { runNumber: newest.runNumber, runAttempt: newest.runAttempt + 1, n: 0 },
  };
  const isFrom = order.decision === 'from';
  const checked: CheckedDecision | CheckedFrom = isFrom
    ? { ...place, decision: 'from', gate: order.gate }
    : { ...place, decision: order.decision, fingerprint: recorded.ended.fingerprint, output: order.digest };
  await refuseUnnamed(rest, checked, order.gate);
  const name = isFrom ? fromCheckNameOf(pipeline) : checkNameOf(pipeline, order.gate);
  const isForCommit = isPerCommit(defined, order.gate);
  // All jobs of the newest run look on its own commit; decisions about an output are on those of its runs.
  await writeCheck(rest, checked, {
    name,
    commits: isFrom ? [newest.headSha] : await commitsFor(rest, about, { ...order, isForCommit }, recorded.ended),
    actor: sender.login,
    reason: order.reason,
  });
  const message = `gate ${order.gate}: ${order.decision} by ${sender.login}`;
  const next = await startAgain(invocation, rest, newest, isFrom ? 'rerun' : 'rerun-failed-jobs');
  await world.runner.appendSummary(
    `## ${forMarkdown(message)}\n\n${forMarkdown(order.reason ?? '')}\n\n${next}${forMarkdown(doubt)}\n`,
  );
  return { ok: true, title: 'Decided', message };
}

/** Runs jobs of a run again for a decision that is written down. Returns what happens next, as a sentence. */
async function startAgain(
  { world: { runner } }: ActionInvocation,
  rest: RestClient,
  run: ApiRun,
  which: 'rerun' | 'rerun-failed-jobs',
): Promise<string> {
  const jobs = which === 'rerun' ? 'all jobs' : 'the failed jobs';
  const idle = withoutFailedJobs(run, which);
  if (idle !== undefined) return `Run ${run.id} ${idle}`;
  const why = await rerun(rest, run, which);
  if (why === undefined) return `Gateline re-runs ${jobs} of run ${run.id}.`;
  const what = `The decision is written down, but ${jobs} of run ${run.id} were not run again: ${why}`;
  runner.annotate('warning', `${what} Re-run them by hand.`, { title: `Re-run ${jobs}` });
  return `Re-run ${jobs} by hand.`;
}

type DecideDispatch = Pick<Dispatch, 'sender' | 'reason'> & { readonly resume: string; readonly gate: string } & (
    | { readonly decision: CheckedDecision['decision']; readonly digest: Digest }
    | { readonly decision: 'from'; readonly digest: undefined }
  );

/** The digest is part of the run's name, so that nobody can use the decision for another output. */
function orderOf(dispatch: Dispatch | undefined): DecideDispatch {
  const { resume, decision, gate, digest, from, strategy, sender, reason } = dispatch ?? {};
  const about = { sender, reason };
  if ((decision === 'approve' || decision === 'reject') && resume !== undefined && gate !== undefined) {
    if (digest !== undefined && from === undefined) return { ...about, resume, decision, gate, digest };
  }
  const isFrom = from !== undefined && (strategy ?? 'from-checkpoint') === 'from-checkpoint';
  if (isFrom && decision === undefined && resume !== undefined)
    return { ...about, resume, decision: 'from', gate: from, digest: undefined };
  const message =
    'command decide: start the workflow with `resume`, `decision` (approve or reject), `gate` and `digest`, or with `resume` and `from`';
  throw new GatelineError('DISPATCH_INVALID', message);
}

/** @throws GatelineError `EARLIER_RUN_ABSENT`, `EARLIER_RUN_WORKFLOW`, `EARLIER_RUN_UNFINISHED` */
async function runToDecideAbout({ event }: ActionInvocation, rest: RestClient, runId: string): Promise<ApiRun> {
  const run = await readRun(rest, Number(runId));
  if (run.workflowPath !== event.startedFile || !isSameRepository(run.repository, event.repository))
    throw new GatelineError('EARLIER_RUN_WORKFLOW', `Run ${run.id} is not of the workflow ${event.startedFile}.`);
  if (run.status !== 'completed')
    throw new GatelineError('EARLIER_RUN_UNFINISHED', `Run ${run.id} has not ended: decide when it has.`);
  return run;
}

/** Without its name, nobody would believe the decision. @throws GatelineError `RUN_NAME_MISSING` */
async function refuseUnnamed(rest: RestClient, checked: CheckedDecision | CheckedFrom, gate: string): Promise<void> {
  const { title } = await readRun(rest, checked.decidingRun);
  const wanted = titleOf(checked, gate);
  if (titleHolds(title, wanted)) return;
  throw new GatelineError('RUN_NAME_MISSING', `the name of this run does not contain "${wanted}"`);
}

function refused(why: string): GatelineError {
  return new GatelineError('DECIDER_REFUSED', `command decide: ${why}`);
}
