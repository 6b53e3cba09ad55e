import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Clock } from '../../github/clock.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { readRun } from '../records/earlier-runs.ts';
import { findOldCaches, oldCachesOf } from './old-caches.ts';
import { artifactsOfRun, findOldRuns, type StoredArtifact } from './old-runs.ts';
import { readOpenPulls, type OpenPulls } from './open-pulls.ts';
import type { RequestLimit } from './request-limit.ts';

/** What is removed, and how. */
export interface Cleaning {
  readonly rest: RestClient;
  readonly limit: RequestLimit;
  /** Runs and cache entries that were used since then stay. At least 30 days ago. */
  readonly before: Date;
  /** Removes nothing. */
  readonly dryRun: boolean;
  /** Between two removals, in milliseconds: GitHub limits requests that change something. */
  readonly pauseMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Artifacts or cache entries that were removed. */
export interface Removed {
  count: number;
  bytes: number;
}

/** What {@link removeOld} did, or would do. */
export interface CleanResult {
  /** Ids of runs whose artifacts were removed. */
  readonly runs: number[];
  readonly artifacts: Removed;
  readonly caches: Removed;
  /** Runs with old artifacts that stay, by the reason. */
  readonly kept: Map<KeptReason, number>;
  /** Whether something is left that could be removed. */
  isLeft: boolean;
}

/** Why a run with old artifacts stays. */
export type KeptReason = 'of an open pull request' | 'used since then' | 'more artifacts than can be listed';

/**
 * Removes the artifacts of old runs, each run whole, and cache entries that nobody used, as far as the requests go.
 * What is left is removed the next time. An interrupted call leaves contents that no record names, and never a record
 * without its contents or its decisions.
 * @throws GatelineError `CLEAN_UNKNOWN`, and those of the REST API
 */
export async function removeOld(cleaning: Cleaning): Promise<CleanResult> {
  const result: CleanResult = {
    runs: [],
    artifacts: { count: 0, bytes: 0 },
    caches: { count: 0, bytes: 0 },
    kept: new Map(),
    isLeft: false,
  };
  try {
    const pulls = await readOpenPulls(cleaning.rest);
    // Entries of the cache first: what is found there is not compared with the artifacts of its run.
    await removeCaches(cleaning, pulls, result);
    await removeRuns(cleaning, pulls, result);
  } catch (error) {
    if (!(error instanceof GatelineError) || cleaning.limit.left > 0) throw error;
    result.isLeft = true;
  }
  result.isLeft ||= cleaning.signal.aborted;
  return result;
}

async function removeCaches(cleaning: Cleaning, pulls: OpenPulls, result: CleanResult): Promise<void> {
  const { rest, before } = cleaning;
  for (const prefix of await findOldCaches(rest, before)) {
    const entries = await oldCachesOf(rest, prefix, { before, pulls });
    for (const { id, size_in_bytes: bytes } of entries) {
      if (cleaning.signal.aborted) return;
      await remove(cleaning, `caches/${id}`, bytes, result.caches);
    }
  }
}

async function removeRuns(cleaning: Cleaning, pulls: OpenPulls, result: CleanResult): Promise<void> {
  const { rest, limit, before, signal } = cleaning;
  const found = await findOldRuns(rest, { before, pulls, limit });
  const keep = (why: KeptReason, runs = 1): void => void result.kept.set(why, (result.kept.get(why) ?? 0) + runs);
  if (found.ofOpenPulls > 0) keep('of an open pull request', found.ofOpenPulls);
  result.isLeft ||= !found.complete;
  for (const id of found.ids) {
    if (signal.aborted) return;
    const artifacts = await removable(cleaning, pulls, id);
    if (typeof artifacts === 'string') {
      keep(artifacts);
      continue;
    }
    // Only a run that is larger than all requests together is removed in parts.
    if (artifacts.length > limit.left && result.runs.length > 0) {
      result.isLeft = true;
      return;
    }
    result.runs.push(id);
    for (const { id: artifact, bytes } of artifacts) {
      if (signal.aborted) return;
      await remove(cleaning, `artifacts/${artifact}`, bytes, result.artifacts);
    }
  }
}

/** The artifacts of a run, or why it stays. */
async function removable(
  { rest, before }: Cleaning,
  pulls: OpenPulls,
  id: number,
): Promise<readonly StoredArtifact[] | KeptReason> {
  const run = await readRun(rest, id);
  if (run.pullRequests.some((pull) => pulls.holds(pull))) return 'of an open pull request';
  // A later attempt makes a run young again; one that waits for a person can be older than its artifacts.
  if (run.status !== 'completed' || !(Date.parse(run.updatedAt) < before.getTime())) return 'used since then';
  const artifacts = await artifactsOfRun(rest, id);
  if (artifacts === undefined) return 'more artifacts than can be listed';
  const isYoung = ({ createdAt }: StoredArtifact): boolean =>
    !(createdAt !== undefined && createdAt < before.getTime());
  return artifacts.some(isYoung) ? 'used since then' : artifacts;
}

/** What is gone already is not counted. @throws GatelineError also if nothing can be removed at all */
async function remove(
  { rest, dryRun, clock, pauseMs, signal }: Cleaning,
  what: string,
  bytes: number,
  removed: Removed,
): Promise<void> {
  if (!dryRun) {
    const path = `/repos/${rest.repository}/actions/${what}`;
    try {
      await rest.call({ method: 'DELETE', path }, z.undefined());
    } catch (error) {
      // GitHub also says so to a token that may not remove it.
      const isGone = error instanceof GatelineError && error.code === 'REST_NOT_FOUND';
      if (!isGone || removed.count === 0) throw error;
      return;
    }
    await clock.sleep(pauseMs, signal);
  }
  removed.count += 1;
  removed.bytes += bytes;
}
