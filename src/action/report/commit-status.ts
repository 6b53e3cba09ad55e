import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { loopsOf } from '../../run/plan/loop.ts';
import { linksOf } from '../event/links.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import type { SentBackText } from '../../report/github/report-input.ts';
import type { ReportedRun } from './run-to-report.ts';

/** GitHub's limit for the text of a status. */
const LONGEST = 140;

/**
 * Writes the commit status `gateline/<pipeline>` on the head of a pull request whose work may be sent back: the check
 * of the job itself stays red in the run that sent it back, and a later run passes. Problems are notices.
 */
export async function markCommit(
  { world, event }: ActionInvocation,
  rest: RestClient | undefined,
  { assignment, state }: ReportedRun,
  result: StepResult,
  sentBack: SentBackText | undefined,
): Promise<void> {
  const sha = event.pullRequest?.headSha;
  const isOurs = event.name === 'pull_request' || event.dispatch?.subject !== undefined;
  if (sha === undefined || !isOurs || event.trust.isFork || loopsOf(assignment.pipeline).length === 0) return;
  const context = `gateline/${assignment.pipeline.id}`;
  const isPending = !result.ok && sentBack?.isStarted === true;
  const done = [...state.units.values()].filter((unit) => unit.done).length;
  const text = isPending ? 'Sent back: continued in another run' : `${done} of ${state.units.size} gates done`;
  const body = {
    state: result.ok ? 'success' : isPending ? 'pending' : 'failure',
    context,
    description: text.slice(0, LONGEST),
    ...(linksOf(event).run && { target_url: linksOf(event).run }),
  };
  try {
    if (rest === undefined) throw new GatelineError('REST_DENIED', '`github-token` is empty.');
    await rest.call(
      { method: 'POST', path: `/repos/${rest.repository}/statuses/${sha}`, body, repeatable: true },
      z.unknown(),
    );
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    const hint =
      error.code === 'REST_DENIED' || error.code === 'REST_NOT_FOUND'
        ? ' Give the job of the report `statuses: write`.'
        : '';
    world.runner.annotate('notice', `The commit status ${context} was not written: ${error.message}${hint}`);
  }
}
