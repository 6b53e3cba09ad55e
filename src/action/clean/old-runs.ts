import { z } from 'zod';
import type { RestClient } from '../../github/rest/rest.ts';
import { parseArtifactName } from '../../store/github/records/artifact-names.ts';
import type { OpenPulls } from './open-pulls.ts';
import type { RequestLimit } from './request-limit.ts';

/** Artifacts on a page: the maximum. */
const PAGE = 100;

/** Most pages of the listing of a repository that are read, the oldest artifacts first. */
const MAX_PAGES = 60;

/** Most pages of the listing of one run. */
const RUN_PAGES = 10;

const artifactSchema = z.object({
  id: z.int().min(0),
  name: z.string(),
  size_in_bytes: z.int().min(0),
  expired: z.boolean(),
  created_at: z.iso.datetime().nullish(),
  workflow_run: z
    .object({ id: z.int(), head_branch: z.string().nullish(), head_repository_id: z.int().nullish() })
    .nullish(),
});
const pageSchema = z.object({ total_count: z.int().min(0), artifacts: z.array(artifactSchema) });
type FoundArtifact = z.infer<typeof artifactSchema>;

/** An artifact of Gateline that GitHub still has. */
export interface StoredArtifact {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  /** Milliseconds since 1970; `undefined`: GitHub does not say. */
  readonly createdAt: number | undefined;
}

/**
 * Whether an artifact belongs to a run of Gateline, so that it is removed with it: records, contents, and the page and
 * the state files about the run. The history of a run outlives it, and patches are for people.
 */
function isOfRun(name: string): boolean {
  return parseArtifactName(name) !== undefined || ABOUT_A_RUN.test(name);
}

/** Of a set, the state files of each subject have its slug. */
const ABOUT_A_RUN = /^gateline-[a-z_][a-z0-9_-]{0,39}-[0-9]{1,4}\.(?:html|(?:[a-z0-9._-]{1,80}\.)?state)$/;

/** What {@link findOldRuns} found. */
export interface FoundRuns {
  /** Ids of runs with old artifacts, the oldest first. Whether all of a run is old is not known yet. */
  readonly ids: readonly number[];
  /** How many such runs stay, since they may belong to an open pull request. */
  readonly ofOpenPulls: number;
  /** False if older artifacts than those that were looked at may exist. */
  readonly complete: boolean;
}

/**
 * Searches a repository for runs of Gateline with artifacts from before a time. GitHub lists the newest first, so the
 * listing is read from its end, until a page has no old artifact, or enough are found for the requests that are left.
 * @throws GatelineError those of the REST API
 */
export async function findOldRuns(
  rest: RestClient,
  { before, pulls, limit }: { readonly before: Date; readonly pulls: OpenPulls; readonly limit: RequestLimit },
): Promise<FoundRuns> {
  const first = await readPage(rest, 1);
  const oldest = new Map<number, number>();
  const ofOpenPulls = new Set<number>();
  let found = 0;
  const last = Math.ceil(first.total_count / PAGE);
  const lowest = Math.max(1, last - MAX_PAGES + 1);
  for (let page = last; page >= lowest; page -= 1) {
    const { artifacts } = page === 1 ? first : await readPage(rest, page);
    const old = artifacts.filter((one) => isOld(one, before));
    for (const { workflow_run: run, created_at: createdAt } of old.filter(isStored)) {
      const head = { branch: run!.head_branch ?? null, repository: run!.head_repository_id ?? null };
      if (pulls.holdsRun(head)) {
        ofOpenPulls.add(run!.id);
        continue;
      }
      found += 1;
      oldest.set(run!.id, Math.min(oldest.get(run!.id) ?? Infinity, Date.parse(createdAt!)));
    }
    if (artifacts.length > 0 && old.length === 0) return { ...ordered(oldest, ofOpenPulls), complete: true };
    if (found >= limit.left) return { ...ordered(oldest, ofOpenPulls), complete: page === 1 };
  }
  return { ...ordered(oldest, ofOpenPulls), complete: lowest === 1 };
}

function ordered(oldest: ReadonlyMap<number, number>, ofOpenPulls: ReadonlySet<number>): Omit<FoundRuns, 'complete'> {
  const ids = [...oldest].toSorted(([a, one], [b, other]) => one - other || a - b).map(([id]) => id);
  return { ids, ofOpenPulls: ofOpenPulls.size };
}

function readPage(rest: RestClient, page: number): Promise<z.infer<typeof pageSchema>> {
  const path = `/repos/${rest.repository}/actions/artifacts`;
  return rest.call({ method: 'GET', path, query: { per_page: PAGE, page } }, pageSchema);
}

function isOld({ created_at: createdAt }: FoundArtifact, before: Date): boolean {
  return createdAt !== undefined && createdAt !== null && Date.parse(createdAt) < before.getTime();
}

/** Of an expired artifact, GitHub has only the name. */
function isStored({ name, expired, workflow_run: run }: FoundArtifact): boolean {
  return !expired && run !== undefined && run !== null && isOfRun(name);
}

/**
 * The artifacts of Gateline that a run has, in the order of removal: ends, claims, then decisions, so that no output is
 * ever without a decision about it; then contents, so that no record ever names one that is gone.
 * @returns `undefined` if there are more than can be listed
 * @throws GatelineError those of the REST API
 */
export async function artifactsOfRun(rest: RestClient, id: number): Promise<readonly StoredArtifact[] | undefined> {
  const path = `/repos/${rest.repository}/actions/runs/${id}/artifacts`;
  const schema = pageSchema.transform(({ artifacts }) => artifacts);
  const { items, complete } = await rest.list({ method: 'GET', path }, schema, { pages: RUN_PAGES });
  if (!complete) return undefined;
  const stored = items.filter((one) => isStored(one) && one.workflow_run!.id === id);
  const known = stored.map(({ id: artifact, name, size_in_bytes: bytes, created_at: createdAt }) => {
    const time = Date.parse(createdAt ?? '');
    return { id: artifact, name, bytes, createdAt: Number.isNaN(time) ? undefined : time };
  });
  return known.toSorted((a, b) => turnOf(a.name) - turnOf(b.name));
}

function turnOf(name: string): number {
  const parsed = parseArtifactName(name);
  if (parsed?.holds !== 'record') return 3;
  // A record of a later version may be a decision.
  return { ended: 0, started: 1, decided: 2, unknown: 2 }[parsed.kind];
}
