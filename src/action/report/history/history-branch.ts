import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EnginePorts } from '../../../engine/ports.ts';
import { GatelineError } from '../../../errors/gateline-error.ts';
import { seededRandom, systemClock, type Clock } from '../../../github/clock.ts';
import { timeUntil } from '../../../github/outage-budget.ts';
import { retry, type Failure, type RetryRules } from '../../../github/retry.ts';
import { isDayFile, linesByDay, newestLines, withLines } from '../../../history/branch.ts';
import { spentByEntries, unknownSpent } from '../../../history/budget.ts';
import type { GatesEntry, RunHistory } from '../../../history/entry.ts';
import { runFilter } from '../../../history/query.ts';
import { readGates } from '../../../history/read.ts';
import { badgeFile, type Badge } from '../../../report/json/badge.ts';
import { count } from '../../../report/text.ts';
import {
  RemoteBranch,
  type BranchChange,
  type BranchFiles,
  type Changed,
  type ChangeLimits,
  type RemotePlace,
} from '../../../workspace/git/remote-branch.ts';
import type { ActionInvocation } from '../../invocation.ts';
import type { Runner } from '../../runner.ts';

/** How often and how long a push is tried. */
export const PUSH_RULES: RetryRules & { readonly totalMs: number } = {
  pauseMs: 500,
  longestPauseMs: 5_000,
  longestAfterMs: 0,
  tries: 20,
  shortestTryMs: 0,
  totalMs: 60_000,
};

/** The largest file of a day, in bytes: GitHub refuses 100 MB. */
const MAX_DAY_BYTES = 50 * 1_024 * 1_024;

/** Where entries are appended, and what is needed for it. */
export interface HistoryBranch extends Omit<RemotePlace, 'folder'> {
  /** A folder for temporary files, absolute. */
  readonly temp: string;
  readonly now: Date;
  readonly clock: Clock;
  /** Numbers from 0 to below 1, for jitter. */
  readonly random: () => number;
  /** Milliseconds after which a git command is ended. */
  readonly gitTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The access that the token needs. */
type Access = 'read' | 'write';

/** A push that failed. */
class PushError extends Error implements Failure {
  override readonly name = 'PushError';
  readonly passing: boolean;

  constructor(message: string, passing: boolean) {
    super(message);
    this.passing = passing;
  }
}

/**
 * Appends the entries of this run to the history branch, if the step names one. In a run for a fork it does nothing.
 * Problems are notices.
 * @param badge of this run; it is kept if the run is of the default branch
 */
export async function pushHistory(
  invocation: ActionInvocation,
  own: readonly RunHistory[],
  badge?: Badge,
): Promise<void> {
  const { world, inputs, event } = invocation;
  const { historyBranch: branch } = inputs;
  if (branch === undefined || own.length === 0 || event.trust.isFork) return;
  const isDefault = event.defaultBranch !== undefined && event.ref === `refs/heads/${event.defaultBranch}`;
  const shown = isDefault ? badge : undefined;
  const problem = await onBranch(invocation, branch, (place) => appendHistory(own, place, shown));
  if (problem !== undefined)
    world.runner.annotate('notice', `The history of this run was not pushed to the branch ${branch}: ${problem}`);
}

/**
 * What other runs spent by the entries of the branch that the step names; `undefined`: it names none. If the branch
 * cannot be read, that is unknown, with a notice.
 * @param but ids of runs whose records this run reads itself
 */
export function spentOnBranch(invocation: ActionInvocation, but: ReadonlySet<string>): EnginePorts['spentSince'] {
  const { world, inputs } = invocation;
  const { historyBranch: branch } = inputs;
  if (branch === undefined) return undefined;
  return async (pipeline, time) => {
    let spent = unknownSpent('other runs');
    const read = async (place: HistoryBranch): Promise<string | undefined> =>
      readBranch(place, time, (lines) => {
        const isOther = ({ runId = '' }: GatesEntry): boolean => !but.has(runId);
        const entries = readGates([lines], { lines: 0 }, runFilter({ pipeline, since: time }));
        spent = spentByEntries([...entries].filter(isOther));
      });
    const problem = await onBranch(invocation, branch, read);
    if (problem !== undefined)
      world.runner.annotate(
        'notice',
        `The branch ${branch} was not read, so it is unknown what other runs spent: ${problem}`,
      );
    return spent;
  };
}

/** Does something with the branch of this repository. Returns why it could not be done. */
async function onBranch(
  { world, inputs, event }: ActionInvocation,
  branch: string,
  work: (place: HistoryBranch) => Promise<string | undefined>,
): Promise<string | undefined> {
  const { githubToken: token } = inputs;
  if (token === undefined) return '`github-token` is empty.';
  return work({
    url: `${event.serverUrl}/${event.repository}`,
    branch,
    authorization: basicFor(token, world.runner),
    environment: world.environment,
    temp: event.temp,
    now: world.now(),
    clock: systemClock,
    random: seededRandom([event.runId, event.runAttempt, event.checkRunId ?? event.job].join('/')),
    gitTimeoutMs: inputs.gitTimeoutSeconds * 1_000,
    signal: world.signal,
  });
}

/** As GitHub's git server takes tokens. Not to be seen in a log either. */
function basicFor(token: string, runner: Pick<Runner, 'mask'>): string {
  const encoded = Buffer.from(`x-access-token:${token}`).toString('base64');
  runner.mask(encoded);
  return `basic ${encoded}`;
}

/**
 * Appends the entries of runs to their files, once each, and pushes that. If somebody else pushes first, again on top
 * of theirs, so no line is lost. A badge replaces that of the run before.
 * @returns why it could not be done, for people
 */
export async function appendHistory(
  own: readonly RunHistory[],
  place: HistoryBranch,
  badge?: Badge,
): Promise<string | undefined> {
  return tried(place, 'write', (files) => withEntries(own, files, place, badge));
}

/**
 * Reads the lines about gates of the days from a time on, the newest first.
 * @returns why it could not be done, for people
 */
async function readBranch(
  place: HistoryBranch,
  since: string,
  take: (lines: readonly string[]) => void,
): Promise<string | undefined> {
  return tried(place, 'read', async (there) => {
    const days = there.names.filter((name) => isDayFile(name) && name >= since.slice(0, 10));
    const files: Buffer[] = [];
    for (const name of days.toSorted().toReversed()) files.push(await there.read(name));
    take(files.flatMap((file) => newestLines(file, true)));
    return undefined;
  });
}

/** Tries until it succeeds, or the time is over. */
async function tried(
  place: HistoryBranch,
  access: Access,
  edit: (files: BranchFiles) => Promise<BranchChange | undefined>,
): Promise<string | undefined> {
  const { clock, random, signal, temp } = place;
  const deadline = clock.now() + PUSH_RULES.totalMs;
  const limits = (): ChangeLimits => ({
    timeoutMs: Math.max(1, Math.min(place.gitTimeoutMs, deadline - clock.now())),
    signal,
  });
  await mkdir(temp, { recursive: true });
  const folder = await mkdtemp(join(temp, 'gateline-history-'));
  try {
    const branch = await RemoteBranch.open({ ...place, folder }, limits());
    const once = (): Promise<void> => branch.change(edit, limits()).then((changed) => requireSuccess(changed, access));
    const budget = timeUntil(deadline, clock);
    const done = await retry(once, { rules: PUSH_RULES, budget, clock, random, signal, failureOf });
    return done.ok ? undefined : done.failure.message;
  } catch (error) {
    if (error instanceof GatelineError) return `${error.message}.`;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @throws PushError */
async function withEntries(
  own: readonly RunHistory[],
  there: BranchFiles,
  { branch, now }: HistoryBranch,
  badge: Badge | undefined,
): Promise<BranchChange | undefined> {
  const { names } = there;
  if (names.length > 0 && !names.some(isDayFile))
    throw new PushError(`${branch} has other files. Name a branch of its own.`, false);
  const files = new Map<string, Buffer>();
  for (const [name, lines] of linesByDay(own)) {
    const content = withLines(names.includes(name) ? await there.read(name) : Buffer.alloc(0), lines);
    if (content === undefined) continue;
    if (content.length > MAX_DAY_BYTES) throw new PushError(`${name} would be larger than 50 MiB.`, false);
    files.set(name, content);
  }
  if (badge !== undefined) {
    const [name, content] = [badgeFile(badge), Buffer.from(`${JSON.stringify(badge)}\n`)];
    if (!names.includes(name) || !content.equals(await there.read(name))) files.set(name, content);
  }
  return files.size === 0 ? undefined : { files, message: `Add ${count(own.length, 'run')}\n`, at: now };
}

/** @throws PushError */
function requireSuccess({ state, why }: Changed, access: Access): void {
  if (state === 'pushed' || state === 'same') return;
  const said = why === '' ? '' : ` (${why})`;
  if (state !== 'refused')
    throw new PushError(state === 'moved' ? `others pushed at the same time${said}.` : `it failed${said}.`, true);
  const rules = access === 'write' ? ', and no rule may forbid pushes to this branch' : '';
  throw new PushError(
    `the server refused it. The job needs \`permissions: contents: ${access}\`${rules}${said}.`,
    false,
  );
}

/** After a command of git that failed or took too long, another try may succeed. */
function failureOf(error: unknown): Failure | undefined {
  if (error instanceof PushError) return error;
  if (!(error instanceof GatelineError)) return undefined;
  return { message: `${error.message}.`, passing: error.code === 'GIT_FAILED' || error.code === 'GIT_TIMEOUT' };
}
