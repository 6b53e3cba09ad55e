import { z } from 'zod';
import { GatelineError } from '../../../errors/gateline-error.ts';
import { digestOf, digestSchema } from '../../../json/digest.ts';
import { parseJson } from '../../../json/parse-json.ts';
import { inParallel } from '../../../in-parallel.ts';
import type { Listing, RestClient } from '../../../github/rest/rest.ts';
import { fileIn } from '../artifacts/zip-entries.ts';

/** Selects the history to read. */
export interface HistoryRequest {
  /** The 8 hex digits that identify pipeline and subject in artifact names. */
  readonly prefix: string;
  /** This run. Its own entry does not exist yet; those of its earlier attempts are left out. */
  readonly currentRunId: number;
  /** Entries of attempts 1 to 3 and of this attempt are searched for. */
  readonly runAttempt: number;
  /** How many of the newest runs; default 20. */
  readonly runs?: number;
  /** Milliseconds for everything; default 15,000. */
  readonly budgetMs?: number;
}

/** One entry, and its run according to GitHub: the entry itself may claim anything. */
export interface HistoryDocument {
  readonly runId: number;
  readonly runAttempt: number;
  /** Parsed JSON, of any shape. */
  readonly entry: unknown;
}

/** The result of {@link readHistory}. */
export interface FoundHistory {
  /** Newest run first, at most one entry per run: the one of its last attempt. */
  readonly entries: readonly HistoryDocument[];
  /** For people, one sentence each: unreadable entries are left out of the history. */
  readonly notices: readonly string[];
}

const artifactSchema = z.object({
  id: z.int(),
  name: z.string(),
  size_in_bytes: z.int(),
  expired: z.boolean(),
  digest: z.string().nullish(),
  created_at: z.iso.datetime().nullish(),
  workflow_run: z
    .object({ id: z.int(), repository_id: z.int().nullish(), head_repository_id: z.int().nullish() })
    .nullish(),
});
const artifactsSchema = z.object({ artifacts: z.array(artifactSchema) }).transform(({ artifacts }) => artifacts);
type Artifact = z.infer<typeof artifactSchema>;

/** Where an entry is. */
interface Candidate {
  readonly artifact: Artifact;
  readonly runId: number;
  readonly runAttempt: number;
}

/** Attempts that are always searched for, whatever this run's attempt is. */
const USUAL_ATTEMPTS = [1, 2, 3];
/** Pages read per name: runs of forks, whose entries are left out, must not fill the list on their own. */
const PAGES = 3;
/** Largest entry, in bytes: four times what is ever written, to leave room for later versions. */
const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 50;
/** Parallel downloads. */
const AT_ONCE = 4;

/** The name of the artifact that contains a run's history entry. */
export function historyArtifactName(prefix: string, runAttempt: number): string {
  return `gl1.${prefix}.history.${runAttempt}.json`;
}

/**
 * The history entries of earlier runs. Listing takes 3 requests (4 from attempt 4 on), and each entry 1, so 23 for 20
 * runs. Only runs whose commit is from this repository are used, and only bytes that match GitHub's digest.
 *
 * Never throws if GitHub refuses or does not respond: the report is then shown without history, with a notice.
 * https://docs.github.com/rest/actions/artifacts
 */
export async function readHistory(rest: RestClient, request: HistoryRequest): Promise<FoundHistory> {
  const { runs = 20, budgetMs = 15_000 } = request;
  const bounded = rest.within(budgetMs);
  const notices: string[] = [];
  let candidates: readonly Candidate[];
  try {
    candidates = await findCandidates(bounded, request, notices);
  } catch (error) {
    return { entries: [], notices: [`No history is shown: ${spoken(error)}`] };
  }
  const newest = newestRuns(candidates, runs);
  const entries: HistoryDocument[] = [];
  await inParallel(AT_ONCE, newest.entries(), async ([index, candidate]) => {
    try {
      const { runId, runAttempt } = candidate;
      entries[index] = { runId, runAttempt, entry: await readEntry(bounded, candidate) };
    } catch (error) {
      notices.push(`The history of run ${candidate.runId} is left out: ${spoken(error)}`);
    }
  });
  // Skipped entries leave gaps.
  return { entries: entries.filter(() => true), notices };
}

async function findCandidates(
  rest: RestClient,
  { prefix, currentRunId, runAttempt, runs = 20 }: HistoryRequest,
  notices: string[],
): Promise<readonly Candidate[]> {
  const attempts = [...new Set([...USUAL_ATTEMPTS, runAttempt])];
  const listings = await Promise.all(
    attempts.map(async (attempt) => {
      const name = historyArtifactName(prefix, attempt);
      const { items } = await listByName(rest, name, runs);
      // A server that does not know the filter returns everything.
      const entries = items.filter((one) => one.name === name && !one.expired && one.workflow_run?.id !== currentRunId);
      return entries.map((artifact) => ({ artifact, attempt }));
    }),
  );
  const found = listings.flat();
  notices.push(...leftOut(found.map(({ artifact }) => originOf(artifact))));
  return found.flatMap(({ artifact, attempt: runAttempt }) =>
    originOf(artifact) === 'ours' ? [{ artifact, runId: artifact.workflow_run!.id, runAttempt }] : [],
  );
}

type CommitOrigin = 'ours' | 'fork' | 'unknown';

/**
 * Whether the run's commit is from this repository or from a fork. If the service does not say, it is treated as
 * neither.
 */
function originOf({ workflow_run: run }: Artifact): CommitOrigin {
  if (typeof run?.repository_id !== 'number' || typeof run.head_repository_id !== 'number') return 'unknown';
  return run.head_repository_id === run.repository_id ? 'ours' : 'fork';
}

/** How many entries are ignored, and why. */
function leftOut(origins: readonly CommitOrigin[]): string[] {
  const of = (origin: CommitOrigin): number => origins.filter((one) => one === origin).length;
  const parts = [
    ...(of('fork') > 0 ? [`${of('fork')} of forks`] : []),
    ...(of('unknown') > 0 ? [`${of('unknown')} of an unknown repository`] : []),
  ];
  return parts.length === 0 ? [] : [`History entries that are left out: ${parts.join(', ')}.`];
}

/** Newest first, as GitHub lists them; further pages are read only until there are enough usable entries. */
async function listByName(rest: RestClient, name: string, runs: number): Promise<Listing<Artifact>> {
  const path = `/repos/${rest.repository}/actions/artifacts`;
  const pageSize = Math.min(100, Math.max(30, runs));
  return rest.list({ method: 'GET', path, query: { name } }, artifactsSchema, {
    pages: PAGES,
    pageSize,
    enough: (items) => items.filter((artifact) => originOf(artifact) === 'ours').length >= runs,
  });
}

/** The last attempt of each run, newest run first. Artifact ids have no order. */
function newestRuns(candidates: readonly Candidate[], runs: number): readonly Candidate[] {
  const last = new Map<number, Candidate>();
  for (const candidate of candidates) {
    const known = last.get(candidate.runId);
    if (known === undefined || known.runAttempt < candidate.runAttempt) last.set(candidate.runId, candidate);
  }
  const timeOf = ({ artifact }: Candidate) => Date.parse(artifact.created_at ?? '') || 0;
  return [...last.values()].toSorted((a, b) => timeOf(b) - timeOf(a) || b.runId - a.runId).slice(0, runs);
}

/** Throws {@link GatelineError} and {@link UnfitError}. */
async function readEntry(rest: RestClient, { artifact }: Candidate): Promise<unknown> {
  const digest = digestSchema.safeParse(artifact.digest);
  if (!digest.success) throw new UnfitError('GitHub has no digest for it.');
  if (artifact.size_in_bytes > MAX_BYTES) throw new UnfitError('It is too large.');
  const stored = await rest.download(`/repos/${rest.repository}/actions/artifacts/${artifact.id}/zip`, MAX_BYTES);
  const content = await fileIn(Buffer.from(stored), artifact.name, MAX_BYTES);
  if (content === undefined) {
    const limit = MAX_BYTES.toLocaleString('en');
    throw new UnfitError(`Its zip cannot be read, or holds no ${artifact.name} of at most ${limit} bytes.`);
  }
  // For a file that was stored unchanged, the digest is that of the file, even if it arrives in a zip.
  if (digestOf(stored) !== digest.data && digestOf(content) !== digest.data) {
    throw new UnfitError('Its content is not the content that was uploaded.');
  }
  const parsed = parseJson(content, { maxBytes: MAX_BYTES, maxDepth: MAX_DEPTH });
  if (!parsed.ok) throw new UnfitError(`It is not JSON: ${parsed.issue.message}.`);
  return parsed.value;
}

/** An artifact that is not an entry. */
class UnfitError extends Error {
  override readonly name = 'UnfitError';
}

/** The error, for a notice. Bugs are rethrown. */
function spoken(error: unknown): string {
  if (error instanceof UnfitError || error instanceof GatelineError) return error.message;
  throw error;
}
