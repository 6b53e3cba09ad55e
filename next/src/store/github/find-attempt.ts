import { messageOf } from '../../errors.ts';
import type { Octokit } from '../../github/octokit.ts';
import type { Digest } from '../../json/digest.ts';
import { unitKey } from '../../pipeline/pipeline.ts';
import type { Artifacts, ListedArtifact } from './artifacts.ts';
import { approvalDigest, parseArtifactName, type AttemptDocument, type AttemptReference } from './document.ts';
import { findPointer, type AttemptPointer } from './pointer.ts';
import { MAX_DOCUMENT, readAttempt } from './publish.ts';
import { explainDistrust, type ReuseScope } from './trusted-run.ts';

/** The request whose output is looked for, and what vouches for an output. */
export interface AttemptSearch {
  readonly fingerprint: Digest;
  readonly pipeline: string;
  /** A gate's id, or `gate/leg`. */
  readonly unit: string;
  readonly scope: ReuseScope;
  /** A run that a person names: outputs of its jobs are used without a pointer. */
  readonly resume?: number | undefined;
  /** What accepted comments name (`approvalDigest`): documents of earlier attempts of this run. */
  readonly approvals: ReadonlySet<string> | Promise<ReadonlySet<string>>;
  /** What is approved and so counts before what is newer (`approvalDigest`). */
  readonly preferred?: ReadonlySet<string>;
}

export interface SearchPorts {
  readonly artifacts: Artifacts;
  readonly octokit: () => Promise<Octokit>;
  readonly job: { readonly runId: number; readonly runAttempt: number };
  readonly report: (line: string) => void;
}

/** A verified document that answers the request, and why others are not used, one line each. */
export interface AttemptResult {
  readonly attempt?: { readonly document: AttemptDocument; readonly reference: AttemptReference };
  readonly notes: readonly string[];
}

/** Documents that are downloaded at most. */
const MAX_READS = 5;

/** A run whose documents may be used, as far as their digests are accepted. */
interface Source {
  readonly runId: number;
  readonly runAttempt: number;
  readonly accepts: (digest: Digest) => boolean;
}

interface Candidate extends Source {
  readonly artifact: ListedArtifact & { readonly digest: Digest };
}

/**
 * The newest document for a request: of the run that the pointer names, of the run to resume, or of an earlier attempt of
 * this run if a comment names its digest. Never fails: any doubt is a note. The caller judges the output by today's
 * contract.
 */
export async function findAttempt(ports: SearchPorts, search: AttemptSearch): Promise<AttemptResult> {
  const notes: string[] = [];
  const [pointer, approvals] = await Promise.all([findPointer(search.fingerprint), search.approvals]);
  const lists = sourcesOf(ports, { ...search, approvals }, pointer).map(async (source) => {
    try {
      return await listCandidates(ports, search, source);
    } catch (error) {
      notes.push(`run ${source.runId} is not used: ${messageOf(error)}`);
      return [];
    }
  });
  const candidates = (await Promise.all(lists)).flat();
  // A run that is resumed has used the output that is approved, by a newer document.
  const rank = ({ artifact }: Candidate): number =>
    search.preferred?.has(approvalDigest(search.fingerprint, artifact.digest))
      ? Infinity
      : Number(artifact.createdAt ?? 0);
  candidates.sort((a, b) => rank(b) - rank(a) || 0);
  for (const { runId, artifact } of candidates.slice(0, MAX_READS)) {
    const reference = { artifactId: artifact.id, digest: artifact.digest };
    try {
      const source = { job: search.unit, pipeline: search.pipeline, runId };
      const document = await readAttempt(ports.artifacts, reference, source);
      const { fingerprint, unit } = document.entry;
      const requests = [fingerprint, ...(document.otherRequests ?? [])];
      if (unit === search.unit && requests.includes(search.fingerprint))
        return { attempt: { document, reference }, notes };
      notes.push(`run ${runId}: the output of ${unit} answers another request`);
    } catch (error) {
      notes.push(messageOf(error));
    }
  }
  return { notes };
}

function sourcesOf(
  { job }: SearchPorts,
  { fingerprint, resume, approvals }: AttemptSearch & { readonly approvals: ReadonlySet<string> },
  pointer: AttemptPointer | undefined,
): Source[] {
  const sources: Source[] = [];
  const other = resume === job.runId ? undefined : resume;
  if (pointer && pointer.runId !== other) sources.push({ ...pointer, accepts: (digest) => digest === pointer.digest });
  // Any job of this run can have written its artifacts: only what a pointer or a comment names counts.
  if (other !== undefined) sources.push({ runId: other, runAttempt: 1, accepts: () => true });
  if (job.runAttempt > 1 && approvals.size > 0)
    sources.push({ ...job, accepts: (digest) => approvals.has(approvalDigest(fingerprint, digest)) });
  return sources;
}

/** Documents of the unit that a source has, by the names, sizes and digests of its artifacts. */
async function listCandidates(ports: SearchPorts, search: AttemptSearch, source: Source): Promise<Candidate[]> {
  const { artifacts, octokit, job, report } = ports;
  const { runId, accepts } = source;
  const explain = async () => explainDistrust(await octokit(), search.scope, source, report);
  // The list is read beside the look at the run, and dropped if that is not trusted.
  const [reason, listed] = await Promise.all([runId === job.runId ? undefined : explain(), artifacts.list(runId)]);
  if (reason) throw new Error(reason);
  if (listed === undefined) throw new Error('it has 1,000 artifacts or more, and the list is cut');
  const candidates = listed.flatMap(({ digest, ...artifact }) => {
    const name = parseArtifactName(artifact.name);
    const isOfUnit = name?.pipeline === search.pipeline && unitKey(name.gate, name.leg) === search.unit;
    if (!isOfUnit || digest === undefined || artifact.size > MAX_DOCUMENT || !accepts(digest)) return [];
    return [{ ...source, artifact: { ...artifact, digest } }];
  });
  if (candidates.length === 0) throw new Error(`it has no output of ${search.unit} for this request`);
  return candidates;
}
