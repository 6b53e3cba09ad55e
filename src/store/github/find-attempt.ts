import { messageOf, messageWithHint } from '../../errors.ts';
import type { Github } from '../../github/octokit.ts';
import type { Digest } from '../../json/digest.ts';
import { unitKey } from '../../pipeline/pipeline.ts';
import type { Artifacts, ListedArtifact } from './artifacts.ts';
import { approvalDigest, parseArtifactName, type AttemptDocument, type DocumentReference } from './document.ts';
import { findPointer, type AttemptPointer } from './pointer.ts';
import { MAX_DOCUMENT, readAttempt } from './attempts.ts';
import { explainDistrust, type ReuseScope } from './trusted-run.ts';

/** The request whose output is searched, and which outputs may be used. */
export interface AttemptSearch {
  readonly fingerprint: Digest;
  readonly pipeline: string;
  /** A gate's id, or `gate/leg`. */
  readonly unit: string;
  readonly scope: ReuseScope;
  /** A run that a person named: its outputs are searched besides those of the run that the newest pointer names. */
  readonly resume?: number | undefined;
  /** `approvalDigest`s in accepted comments: they name documents of earlier attempts of this run. */
  readonly approvals: ReadonlySet<string> | Promise<ReadonlySet<string>>;
  /** `approvalDigest`s that the dispatch of this run approves: their documents are taken before newer ones. */
  readonly preferred?: ReadonlySet<string>;
}

export interface SearchPorts {
  readonly artifacts: Artifacts;
  readonly github: Github;
  readonly job: { readonly runId: number; readonly runAttempt: number };
}

/** A verified document that answers the request. `notes`: why others are not used, one line each. */
export interface AttemptResult {
  readonly attempt?: { readonly document: AttemptDocument; readonly reference: DocumentReference };
  readonly notes: readonly string[];
  /** The run to resume has an output for the request, but no pointer names it: any job of that run may have forged it. */
  readonly refusal?: string;
}

/** Documents that are downloaded at most. */
const MAX_READS = 5;

/** A run whose documents are searched. Only those with an accepted digest may be used. */
interface Source {
  readonly runId: number;
  readonly runAttempt: number;
  readonly accepts: (digest: Digest) => boolean;
  /** The run to resume: its documents that are not accepted are candidates too, to explain why they are not used. */
  readonly isResumed?: boolean;
}

interface Candidate {
  readonly runId: number;
  readonly isAccepted: boolean;
  readonly artifact: ListedArtifact & { readonly digest: Digest };
}

/**
 * The newest document for a request, from other runs if a pointer names its digest, and from an earlier attempt of this
 * run if a comment approves it. Never throws: any doubt becomes a note. The caller judges the output by today's contract.
 */
export async function findAttempt(ports: SearchPorts, search: AttemptSearch): Promise<AttemptResult> {
  const notes: string[] = [];
  const { fingerprint, resume } = search;
  const [approvals, ...pointers] = await Promise.all([
    search.approvals,
    findPointer(fingerprint),
    resume === undefined ? undefined : findPointer(fingerprint, resume),
  ]);
  const lists = sourcesOf(ports, { ...search, approvals }, pointers).map(async (source) => {
    try {
      return await listCandidates(ports, search, source);
    } catch (error) {
      notes.push(`run ${source.runId} is not used: ${messageWithHint(error)}`);
      return [];
    }
  });
  const candidates = (await Promise.all(lists)).flat();
  // The run to resume may have a newer document that uses the approved output.
  const rank = ({ artifact, isAccepted }: Candidate): number => {
    if (!isAccepted) return -1;
    const isPreferred = search.preferred?.has(approvalDigest(fingerprint, artifact.digest));
    return isPreferred ? Infinity : Number(artifact.createdAt ?? 0);
  };
  candidates.sort((a, b) => rank(b) - rank(a) || 0);
  for (const { runId, artifact, isAccepted } of candidates.slice(0, MAX_READS)) {
    const reference = { artifactId: artifact.id, digest: artifact.digest };
    try {
      const source = { job: search.unit, pipeline: search.pipeline, runId };
      const document = await readAttempt(ports.artifacts, reference, source);
      const { unit } = document.entry;
      const requests = [document.entry.fingerprint, ...(document.otherRequests ?? [])];
      const isAnswer = unit === search.unit && requests.includes(fingerprint);
      if (isAnswer && isAccepted) return { attempt: { document, reference }, notes };
      if (isAnswer && document.isRemembered)
        return {
          notes,
          refusal: `run ${runId} has an output of ${unit} for this request, and no cache entry names it`,
        };
      if (!isAnswer) notes.push(`run ${runId}: the output of ${unit} answers another request`);
    } catch (error) {
      notes.push(messageOf(error));
    }
  }
  return { notes };
}

function sourcesOf(
  { job }: SearchPorts,
  { fingerprint, resume, approvals, preferred }: AttemptSearch & { readonly approvals: ReadonlySet<string> },
  [pointer, ofResumed]: readonly (AttemptPointer | undefined)[],
): Source[] {
  // Any job of a run may have written its artifacts, so only those that a pointer or a person names count.
  const sources: Source[] = [];
  const other = resume === job.runId ? undefined : resume;
  // A gate has one job in a run: a pointer to an output of this run attempt is a forgery by another job.
  const isForged = pointer?.runId === job.runId && pointer.runAttempt >= job.runAttempt;
  if (pointer && !isForged && pointer.runId !== other)
    sources.push({ ...pointer, accepts: (digest) => digest === pointer.digest });
  if (other !== undefined) {
    const accepts = (digest: Digest) =>
      digest === ofResumed?.digest || Boolean(preferred?.has(approvalDigest(fingerprint, digest)));
    sources.push({ runId: other, runAttempt: 1, accepts, isResumed: true });
  }
  if (job.runAttempt > 1 && approvals.size > 0)
    sources.push({ ...job, accepts: (digest) => approvals.has(approvalDigest(fingerprint, digest)) });
  return sources;
}

/** Documents of the unit that a source has, by the names, sizes and digests of its artifacts. */
async function listCandidates(ports: SearchPorts, search: AttemptSearch, source: Source): Promise<Candidate[]> {
  const { artifacts, github, job } = ports;
  const { runId, accepts, isResumed = false } = source;
  // The list is requested at the same time as the run, and ignored if the run is not trusted.
  const [reason, listed] = await Promise.all([
    runId === job.runId ? undefined : explainDistrust(github, search.scope, source),
    artifacts.list(runId),
  ]);
  if (reason) throw new Error(reason);
  if (listed === undefined) throw new Error('it has 1,000 artifacts or more, and the list is cut');
  const candidates = listed.flatMap(({ digest, ...artifact }) => {
    const name = parseArtifactName(artifact.name);
    const isOfUnit = name?.pipeline === search.pipeline && unitKey(name.gate, name.leg) === search.unit;
    if (!isOfUnit || digest === undefined || artifact.size > MAX_DOCUMENT) return [];
    const isAccepted = accepts(digest);
    return isAccepted || isResumed ? [{ runId, isAccepted, artifact: { ...artifact, digest } }] : [];
  });
  if (candidates.length === 0) throw new Error(`it has no output of ${search.unit} for this request`);
  return candidates;
}
