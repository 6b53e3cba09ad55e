import { z } from 'zod';
import { GatelineError } from '../../../errors/gateline-error.ts';
import { DOCUMENT_BYTES } from '../../../history/document.ts';
import { digestOfJson } from '../../../json/canonical-json.ts';
import { digestOf, digestSchema, hexOf } from '../../../json/digest.ts';
import { parseJson } from '../../../json/parse-json.ts';
import type { Listing, RestClient } from '../../../github/rest/rest.ts';
import { fileIn } from '../artifacts/zip-entries.ts';

/** Selects the history to read. */
export interface HistoryRequest {
  readonly pipeline: string;
  /** This run: its documents, also those of its earlier attempts, are left out. */
  readonly currentRunId: number;
  /** Documents of attempts 1 to 3 and of this attempt are searched for. */
  readonly runAttempt: number;
  /** The ids of the runs that a document has entries of. */
  readonly runsIn: (document: unknown) => readonly string[];
  /** Milliseconds for everything; default 15,000. */
  readonly budgetMs?: number;
}

/** The result of {@link readHistory}. */
export interface FoundHistory {
  /** Parsed JSON of any shape, the newest document first. */
  readonly documents: readonly unknown[];
  /** For people, one sentence each: unreadable documents are left out of the history. */
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

/** Where a document is. */
interface Candidate {
  readonly artifact: Artifact;
  readonly runId: number;
  readonly runAttempt: number;
}

/** Attempts that are always searched for, whatever this run's attempt is. */
const USUAL_ATTEMPTS = [1, 2, 3];
/** Artifacts listed for each name. */
const LISTED = 100;
/** Documents that are downloaded. */
const DOWNLOADS = 3;
const MAX_DEPTH = 50;

/** The highest number in a name: so many reports of one pipeline can keep a document in one run attempt. */
export const MAX_DOCUMENTS = 4;

/**
 * The name of the artifact with the history that a report keeps: `gl1.history.<8 hex of the pipeline>.<attempt>.json`.
 * REST lists by exact names only, so neither subject nor run is in it.
 * @param number of a further report of the pipeline in this run attempt: 2 to {@link MAX_DOCUMENTS}
 */
export function historyArtifactName(pipeline: string, runAttempt: number, number = 1): string {
  const hex = hexOf(digestOfJson([pipeline])).slice(0, 8);
  return `gl1.history.${hex}.${runAttempt}${number === 1 ? '' : `.${number}`}.json`;
}

/**
 * The documents of the newest reports of a pipeline, by any runs. At most 5 listings and 3 downloads, whatever the
 * number of runs: each document carries the entries of runs before it. After the newest one, only documents of runs are
 * read that no other one has an entry of. Only runs whose commit is from this repository are used, and only bytes that
 * match GitHub's digest.
 *
 * Never throws if GitHub refuses or does not respond: the report is then shown without history, with a notice.
 * https://docs.github.com/rest/actions/artifacts
 */
export async function readHistory(rest: RestClient, request: HistoryRequest): Promise<FoundHistory> {
  const bounded = rest.within(request.budgetMs ?? 15_000);
  const notices: string[] = [];
  let candidates: readonly Candidate[];
  try {
    candidates = await findCandidates(bounded, request, notices);
  } catch (error) {
    return { documents: [], notices: [`No history is shown: ${spoken(error)}`] };
  }
  const documents: unknown[] = [];
  const covered = new Set<string>();
  let downloads = 0;
  for (const candidate of candidates) {
    if (downloads === DOWNLOADS) break;
    if (covered.has(String(candidate.runId))) continue;
    downloads += 1;
    try {
      const document = await readDocument(bounded, candidate);
      documents.push(document);
      for (const run of request.runsIn(document)) covered.add(run);
    } catch (error) {
      notices.push(`The history of run ${candidate.runId} is left out: ${spoken(error)}`);
    }
  }
  return { documents, notices };
}

/** The last document of each run, the newest first. Artifact ids have no order. */
async function findCandidates(
  rest: RestClient,
  { pipeline, currentRunId, runAttempt }: HistoryRequest,
  notices: string[],
): Promise<readonly Candidate[]> {
  const attempts = [...new Set([...USUAL_ATTEMPTS, runAttempt])];
  const names = [...attempts.map((attempt) => [attempt, 1] as const), [1, 2] as const];
  const listings = await Promise.all(
    names.map(async ([attempt, number]) => {
      const name = historyArtifactName(pipeline, attempt, number);
      const { items } = await listByName(rest, name);
      // A server that does not know the filter returns everything.
      const entries = items.filter((one) => one.name === name && !one.expired && one.workflow_run?.id !== currentRunId);
      return entries.map((artifact) => ({ artifact, attempt }));
    }),
  );
  const found = listings.flat();
  notices.push(...leftOut(found.map(({ artifact }) => originOf(artifact))));
  const ours = found.flatMap(({ artifact, attempt: runAttempt }) =>
    originOf(artifact) === 'ours' ? [{ artifact, runId: artifact.workflow_run!.id, runAttempt }] : [],
  );
  const timeOf = ({ artifact }: Candidate): number => Date.parse(artifact.created_at ?? '') || 0;
  return ours.toSorted((a, b) => timeOf(b) - timeOf(a) || b.runId - a.runId || b.runAttempt - a.runAttempt);
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

/** The newest ones, as GitHub lists them. */
async function listByName(rest: RestClient, name: string): Promise<Listing<Artifact>> {
  const path = `/repos/${rest.repository}/actions/artifacts`;
  return rest.list({ method: 'GET', path, query: { name } }, artifactsSchema, { pages: 1, pageSize: LISTED });
}

/** Throws {@link GatelineError} and {@link UnfitError}. */
async function readDocument(rest: RestClient, { artifact }: Candidate): Promise<unknown> {
  const digest = digestSchema.safeParse(artifact.digest);
  if (!digest.success) throw new UnfitError('GitHub has no digest for it.');
  if (artifact.size_in_bytes > DOCUMENT_BYTES) throw new UnfitError('It is too large.');
  const stored = await rest.download(`/repos/${rest.repository}/actions/artifacts/${artifact.id}/zip`, DOCUMENT_BYTES);
  const content = await fileIn(Buffer.from(stored), artifact.name, DOCUMENT_BYTES);
  if (content === undefined) {
    const limit = DOCUMENT_BYTES.toLocaleString('en');
    throw new UnfitError(`Its zip cannot be read, or holds no ${artifact.name} of at most ${limit} bytes.`);
  }
  // For a file that was stored unchanged, the digest is that of the file, even if it arrives in a zip.
  if (digestOf(stored) !== digest.data && digestOf(content) !== digest.data) {
    throw new UnfitError('Its content is not the content that was uploaded.');
  }
  const parsed = parseJson(content, { maxBytes: DOCUMENT_BYTES, maxDepth: MAX_DEPTH });
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
