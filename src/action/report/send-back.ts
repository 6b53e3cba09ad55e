import { setTimeout as sleep } from 'node:timers/promises';
import { reworkOfRun, type RunRework } from '../../engine/rework-of-run.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { code, linkTo, said } from '../../report/markdown/markdown.ts';
import type { SentBackText } from '../../report/github/report-input.ts';
import { loopsOf } from '../../run/plan/loop.ts';
import { isSameRepository } from '../event/trust.ts';
import { numbersOf } from '../event/job-identity.ts';
import { timeLimits } from '../inputs/time-limits.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { JobContext } from '../job/job.ts';
import { codeFence } from '../../untrusted/escape.ts';
import { findRun, headOfBranch, nextRun, startCommand, startRun, type NextRun } from './next-run.ts';
import type { ReportedRun } from './run-to-report.ts';

type RunSendBack = Extract<RunRework, { choice: 'send-back' }>;

/**
 * Sends work back, if a gate with `on-fail` failed: a run on GitHub cannot go backwards, so another run of the workflow
 * is started. Never throws for a problem with GitHub: then the text says what a person has to do.
 * @returns `undefined` if there is nothing to say
 */
export async function sendBackWork(
  invocation: ActionInvocation,
  around: JobContext,
  view: ReportedRun,
  rest: RestClient | undefined,
): Promise<SentBackText | undefined> {
  const { pipeline } = around.definition;
  const { event, world } = invocation;
  if (pipeline === undefined || loopsOf(pipeline).length === 0) return undefined;
  const options = { call: { numbers: numbersOf(event) }, claims: view.claims, before: event.rework };
  const rework = await reworkOfRun(around.ports, view.assignment, view, options);
  if (rework.choice === 'none') return rework.why === undefined ? undefined : kept(invocation, rework.why);
  const refused = whyNot(invocation);
  if (refused !== undefined) return kept(invocation, refused);
  const next = nextRun(event, rework.given);
  try {
    if (rest === undefined)
      return { ...kept(invocation, '`github-token` is empty'), steps: byHand(next, event.repository) };
    const head = await headOfBranch(rest, next.branch);
    const own = event.pullRequest?.headSha ?? event.sha;
    if (head !== own)
      return kept(invocation, `${next.branch} is at ${head.slice(0, 7)} now, and this run is of ${own.slice(0, 7)}`);
    return await claimAndStart(invocation, around, rework, next, rest);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    world.runner.annotate('warning', `Work could not be sent back: ${error.message}`, { title: 'Not sent back' });
    return {
      said: `**Not sent back:** ${said(error.message)}`,
      steps: remedy(error, next, event.repository),
      isStarted: false,
    };
  }
}

/** The reason why this run cannot send work back, even if a gate would. */
function whyNot({ inputs, event, world }: ActionInvocation): string | undefined {
  const { needs, jobStatus } = inputs;
  if (event.trust.isFork) return 'runs of pull requests from forks send no work back';
  const isPull = event.name === 'pull_request' && isSameRepository(event.pullRequest?.headRepository, event.repository);
  if (!isPull && (event.trust.row !== 'branch' || !event.ref.startsWith('refs/heads/') || event.name === 'merge_group'))
    return `a run of ${event.ref} for the event ${event.name} is not one of a branch`;
  if (needs?.results === undefined)
    return 'the report needs `needs: ${{ toJSON(needs) }}` to see whether a job was cancelled';
  const isCancelled = [...needs.results.values()].some(({ result }) => result === 'cancelled');
  if (isCancelled || jobStatus === 'cancelled' || world.signal.aborted) return 'the run was cancelled';
  return undefined;
}

function kept({ world }: ActionInvocation, why: string): SentBackText {
  world.runner.annotate('notice', `Nothing is sent back: ${why}.`, { title: 'Not sent back' });
  return { said: `**Nothing is sent back:** ${said(why)}.`, isStarted: false };
}

/** The claim comes first: a report that finds it looks for the run before it starts one. */
async function claimAndStart(
  invocation: ActionInvocation,
  { store }: JobContext,
  rework: RunSendBack,
  next: NextRun,
  rest: RestClient,
): Promise<SentBackText> {
  const { runner } = invocation.world;
  const claimed = await rework.claim();
  for (const group of Map.groupBy(
    rework.decisions,
    ({ gate, leg, fingerprint }) => `${gate}/${leg} ${fingerprint}`,
  ).values()) {
    const [first, ...others] = group;
    for (const notice of await store.supersede(first!.fingerprint!, [first!, ...others]))
      runner.annotate('notice', notice);
  }
  const found = claimed === 'taken' ? await awaitRun(invocation, next, rest) : undefined;
  const { given, causes } = rework;
  const what = `${code(given.target)} is sent back by ${causes.map((cause) => code(cause)).join(' and ')}`;
  const which = `iteration ${given.iterations[given.target]!}`;
  const plain = `${given.target} is sent back by ${causes.join(' and ')}, ${which}`;
  if (found !== undefined) {
    runner.info(`${plain}: run ${found.id} does it already`);
    return { said: `${what}: ${linkTo(`run ${found.id}`, found.url)} does ${which}.`, isStarted: true };
  }
  await startRun(rest, next);
  runner.info(`${plain}: another run was started on ${next.branch}`);
  return { said: `${what}: another run does ${which}.`, isStarted: true };
}

/** The run of a claim that somebody else made: they may be about to start it, and GitHub may list it late. */
async function awaitRun({ world }: ActionInvocation, next: NextRun, rest: RestClient): ReturnType<typeof findRun> {
  const { listing } = timeLimits(world.environment, world.runner);
  const until = performance.now() + listing.shownMs;
  for (let looks = 0; ; looks += 1) {
    const found = await findRun(rest, next);
    const left = until - performance.now();
    if (found !== undefined || left <= 0 || world.signal.aborted) return found;
    if (looks === 0) world.runner.info('this work was sent back before: looking for the run that does it');
    const pause = Math.min(left, listing.longestPauseMs, listing.pauseMs * 2 ** looks);
    await sleep(pause, undefined, { signal: world.signal }).catch(() => undefined);
  }
}

/** Advice on what to change so that the next run can be started, and how to start it. */
function remedy({ code: kind }: GatelineError, next: NextRun, repository: string): string {
  const start = byHand(next, repository);
  if (kind === 'REST_DENIED' || kind === 'REST_NOT_FOUND')
    return `Give the job of the report \`actions: write\` and \`contents: read\` under \`permissions:\`. ${start}`;
  if (kind !== 'REST_REFUSED') return start;
  const inputs = ['resume', 'rework', 'subject'].map((name) => `      ${name}: { type: string }`);
  const yaml = ['on:', '  workflow_dispatch:', '    inputs:', ...inputs, ''].join('\n');
  return `Let the workflow be started with these inputs, on this branch and on the default branch:\n\n${codeFence(yaml, 'yaml')}\n\n${start}`;
}

function byHand(next: NextRun, repository: string): string {
  return `This command starts the next run:\n\n${codeFence(startCommand(next, repository), 'sh')}`;
}
