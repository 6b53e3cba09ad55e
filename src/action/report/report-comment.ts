import { commentBody } from '../../report/github/comment.ts';
import type { CommentRevision } from '../../report/github/comment-marker.ts';
import type { RunReportInput } from '../../report/github/report-input.ts';
import { createRestComments } from './rest-comments.ts';
import { revisionParser, type Picture } from './comment-step.ts';
import { syncComment, type SyncOptions } from './sync-comment.ts';
import { seededRandom } from '../../github/clock.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { JobStore } from '../records/job-store.ts';
import { linksOf } from '../event/links.ts';
import type { NameStatus } from '../../store/github/records/github-store.ts';
import { unitKey } from '../../pipeline/pipeline.ts';
import type { UnitStatus } from '../../run/state/run-state.ts';
import { comparePositions } from '../../run/records/record.ts';

/** The pipeline and subject of a comment. */
export interface CommentOf {
  readonly pipeline: string;
  readonly subject: string;
}

/**
 * Updates the pull request's comment with a report. Never throws: notices say what is missing.
 * @param draw lists the records again
 * @returns false: the pull request should have had the comment, and it could not be written
 */
export function commentReport(
  invocation: ActionInvocation,
  rest: RestClient | undefined,
  about: CommentOf,
  artifacts: Pick<JobStore['artifacts'], 'listedStatuses'>,
  draw: () => Promise<RunReportInput>,
): Promise<boolean> {
  return comment(invocation, rest, about, async () => {
    const input = await draw();
    const { statuses } = artifacts.listedStatuses(about.pipeline, about.subject);
    const revision = pictureOf(invocation.event, statuses);
    return { body: commentBody({ from: 'report', ...input, revision }), revision };
  });
}

/** Updates the comment from a gate's job while others are running, using only the names of records. */
export async function commentLive(
  invocation: ActionInvocation,
  rest: RestClient | undefined,
  about: CommentOf,
  artifacts: Pick<JobStore['artifacts'], 'statuses'>,
): Promise<void> {
  const { event } = invocation;
  // Forty jobs that end at once would each create a comment, and each sends an email to all participants.
  const spread = {
    spreadMs: 3_000,
    lateLookMs: 0,
    random: seededRandom(`${event.runId} ${event.job} ${event.runAttempt}`),
  };
  const render = async (): Promise<Picture> => {
    const { statuses } = await artifacts.statuses(about.pipeline, about.subject);
    const revision = pictureOf(event, statuses);
    const { run } = linksOf(event);
    return {
      body: commentBody({ from: 'names', ...about, revision, rows: liveRows(statuses), ...(run && { run }) }),
      revision,
    };
  };
  await comment(invocation, rest, about, render, spread);
}

async function comment(
  { world, inputs, event }: ActionInvocation,
  rest: RestClient | undefined,
  { pipeline, subject }: CommentOf,
  render: () => Promise<Picture>,
  options: SyncOptions = {},
): Promise<boolean> {
  const pull = event.pullRequest?.number;
  if (pull === undefined || inputs.comment === 'never') return true;
  if (rest === undefined) {
    world.runner.annotate('notice', 'There is no comment on the pull request: `github-token` is empty.');
    return false;
  }
  const parseRevision = revisionParser(pipeline, subject);
  const result = await syncComment(createRestComments(rest, { pull }), { render, parseRevision }, options);
  for (const notice of result.notices) world.runner.annotate('notice', notice);
  world.runner.info(`comment on pull request ${pull}: ${result.choice} (${result.reason})`);
  return result.choice !== 'skipped';
}

/**
 * Which picture these names make. Reports and jobs count alike: by name, since a report cannot read every record that
 * has one; and each record once, however many uploads it has.
 */
function pictureOf(
  { runNumber, runAttempt }: ActionInvocation['event'],
  statuses: readonly NameStatus[],
): CommentRevision {
  const records = new Set(
    statuses.map(({ gate, leg, runAttempt: at, n, kind }) => `${unitKey(gate, leg)} ${at} ${n} ${kind}`),
  );
  return { runNumber, runAttempt, records: records.size };
}

/** One gate or leg, from the names of its records. */
export interface LiveRow {
  readonly gate: string;
  readonly leg: string;
  readonly status: UnitStatus;
}

/**
 * The status of every gate with a record, from its latest one: begun and not ended is running. Sorted by gate and leg.
 */
function liveRows(statuses: readonly NameStatus[]): LiveRow[] {
  const rows: LiveRow[] = [];
  for (const records of Map.groupBy(statuses, ({ gate, leg }) => unitKey(gate, leg)).values()) {
    const work = records.filter(({ kind }) => kind !== 'decided').toSorted(byTime);
    const last = work.at(-1);
    if (last !== undefined) rows.push({ gate: last.gate, leg: last.leg, status: last.status ?? 'running' });
  }
  return rows.toSorted((a, b) => (unitKey(a.gate, a.leg) < unitKey(b.gate, b.leg) ? -1 : 1));
}

/** The end of an attempt comes after its claim. */
function byTime(a: NameStatus, b: NameStatus): number {
  const at = ({ runAttempt, n }: NameStatus) => ({ runNumber: 0, runAttempt, n });
  return comparePositions(at(a), at(b)) || Number(a.kind === 'ended') - Number(b.kind === 'ended');
}
