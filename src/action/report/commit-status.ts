import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import type { UnsatisfiedJob } from '../../report/github/needed-jobs.ts';
import type { SentBackText } from '../../report/github/report-input.ts';
import { count } from '../../report/text.ts';
import { loopsOf } from '../../run/plan/loop.ts';
import { linksOf } from '../event/links.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { gateStatuses, type GateStatus, type StatusText } from './gate-statuses.ts';
import { jobPages } from './job-pages.ts';
import type { ReportedRun } from './run-to-report.ts';

/** GitHub's limit for the text of a status. */
const LONGEST = 140;

/** A status with its context and the page that it links to. */
interface CommitStatus extends StatusText {
  readonly context: string;
  readonly url?: string | undefined;
}

/** The result of a run, as far as statuses show it. */
export interface ReportedResult {
  readonly result: StepResult;
  /** Needed jobs that are not satisfied. */
  readonly missing: readonly UnsatisfiedJob[];
  readonly sentBack: SentBackText | undefined;
}

/**
 * Writes commit statuses on the head of a pull request: `gateline/<pipeline>` if its work may be sent back, since the
 * check of the job itself stays red in the run that sent it back, and a later run passes; and with `statuses: gates`
 * `gateline/<pipeline>/<gate>` for each gate. Problems are notices.
 */
export async function markCommit(
  { world, event, inputs }: ActionInvocation,
  rest: RestClient | undefined,
  view: ReportedRun,
  reported: ReportedResult,
): Promise<void> {
  const { pipeline } = view.assignment;
  const sha = event.pullRequest?.headSha;
  const isOurs = event.name === 'pull_request' || event.dispatch?.subject !== undefined;
  if (sha === undefined || !isOurs || inputs.statuses === 'never') return;
  const ofGates = inputs.statuses === 'gates';
  if (event.trust.isFork) {
    if (ofGates)
      world.runner.annotate('notice', 'No commit status was written: the token of a run for a fork can only read.');
    return;
  }
  const isSentBack = !reported.result.ok && reported.sentBack?.isStarted === true;
  const { run } = linksOf(event);
  const own = loopsOf(pipeline).length > 0 ? [{ ...runStatus(view, reported.result.ok, isSentBack), url: run }] : [];
  const gates = ofGates ? gateStatuses(pipeline, view.state, reported.missing) : [];
  const pageOf = rest === undefined || gates.length === 0 ? undefined : await jobPages(rest, event.runId, run!);
  const statuses: readonly CommitStatus[] = [
    ...own,
    ...gates.map((gate) => ({
      ...ofGate(gate, isSentBack),
      context: `gateline/${pipeline.id}/${gate.gate}`,
      url: pageOf?.(gate.job) ?? run,
    })),
  ];
  // One after the other, as GitHub asks of writers. What refuses one refuses the rest.
  for (const [index, status] of statuses.entries()) {
    const problem = await write(rest, sha, status);
    if (problem === undefined) continue;
    const left = statuses.length - index - 1;
    const others = left === 0 ? 'was' : `and ${count(left, 'other')} were`;
    world.runner.annotate('notice', `The commit status ${status.context} ${others} not written: ${problem}`);
    return;
  }
}

function runStatus({ assignment, state }: ReportedRun, isOk: boolean, isSentBack: boolean): CommitStatus {
  const context = `gateline/${assignment.pipeline.id}`;
  if (isSentBack) return { context, ...SENT_BACK };
  const done = [...state.units.values()].filter((unit) => unit.done).length;
  const description = `${done} of ${state.units.size} gates done`;
  return { context, state: isOk ? 'success' : 'failure', description };
}

const SENT_BACK: StatusText = { state: 'pending', description: 'Sent back: continued in another run' };

/** No gate of a run counts that another run continues: which ones it does again is up to that run. */
function ofGate({ state, description }: GateStatus, isSentBack: boolean): StatusText {
  return isSentBack ? SENT_BACK : { state, description };
}

/** @returns why it was not written; `undefined` if it was */
async function write(
  rest: RestClient | undefined,
  sha: string,
  { state, context, description, url }: CommitStatus,
): Promise<string | undefined> {
  const body = { state, context, description: description.slice(0, LONGEST), ...(url && { target_url: url }) };
  try {
    if (rest === undefined) throw new GatelineError('REST_DENIED', '`github-token` is empty.');
    await rest.call(
      { method: 'POST', path: `/repos/${rest.repository}/statuses/${sha}`, body, repeatable: true },
      z.unknown(),
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    const hint =
      error.code === 'REST_DENIED' || error.code === 'REST_NOT_FOUND'
        ? ' Give the job of the report `statuses: write`.'
        : '';
    return `${error.message}${hint}`;
  }
}
