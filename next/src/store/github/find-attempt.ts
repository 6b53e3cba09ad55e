import { messageOf } from '../../errors.ts';
import type { Octokit } from '../../github/octokit.ts';
import type { Digest } from '../../json/digest.ts';
import type { Artifacts, ListedArtifact } from './artifacts.ts';
import {
  approvalDigest,
  parseArtifactName,
  type AttemptDocument,
  type AttemptReference,
  type JobRef,
} from './document.ts';
import { findPointer } from './pointer.ts';
import { MAX_DOCUMENT, readAttempt } from './publish.ts';
import { explainDistrust, type ReuseScope } from './trusted-run.ts';

/** The output of which request is looked for, and what vouches for it. */
export interface AttemptSearch {
  readonly fingerprint: Digest;
  readonly pipeline: string;
  /** A gate's id, or `gate/leg`. */
  readonly unit: string;
  readonly scope: ReuseScope;
  /** A run that a person names: outputs of its jobs are used without a pointer. */
  readonly resume?: number | undefined;
  /** What accepted comments name (`approvalDigest`): documents of earlier attempts of this run. */
  readonly approvals: ReadonlySet<string>;
}

/** A document that is verified and answers the request. `notes`: why others are not used, one line each. */
export interface AttemptResult {
  readonly attempt?: { readonly document: AttemptDocument; readonly reference: AttemptReference };
  readonly notes: readonly string[];
}

export interface SearchPorts {
  readonly artifacts: Artifacts;
  readonly octokit: () => Promise<Octokit>;
  readonly job: Pick<JobRef, 'runId' | 'runAttempt'>;
  readonly report: (line: string) => void;
}

/** Documents that are downloaded at most. */
const MAX_READS = 5;
/** An earlier output is optional: an outage must not hold up the agent. */
const WAIT_MS = 30_000;

interface Candidate {
  readonly runId: number;
  readonly artifact: ListedArtifact;
}

/**
 * The newest document for a request: of the run that the pointer names, of the run to resume, or of an earlier attempt of
 * this run if a comment names its digest. Never fails: any doubt is a note. The caller judges the output by today's
 * contract.
 */
export async function findAttempt(ports: SearchPorts, search: AttemptSearch): Promise<AttemptResult> {
  const notes: string[] = [];
  const collect = async (what: string, find: () => Promise<readonly Candidate[]>): Promise<readonly Candidate[]> => {
    try {
      return await find();
    } catch (error) {
      notes.push(`${what}: ${messageOf(error)}`);
      return [];
    }
  };
  const sources = await Promise.all([
    collect('the pointer', () => candidatesOfPointer(ports, search, notes)),
    collect(`run ${search.resume}`, () => candidatesToResume(ports, search, notes)),
    collect('earlier attempts', () => candidatesOfOwnRun(ports, search)),
  ]);
  const candidates = [...new Map(sources.flat().map((candidate) => [candidate.artifact.id, candidate])).values()];
  candidates.sort((a, b) => Number(b.artifact.createdAt ?? 0) - Number(a.artifact.createdAt ?? 0));
  if (candidates.length > MAX_READS) notes.push(`only the newest ${MAX_READS} of ${candidates.length} are read`);
  for (const { runId, artifact } of candidates.slice(0, MAX_READS)) {
    const reference = { artifactId: artifact.id, digest: artifact.digest! };
    try {
      const source = { job: search.unit, pipeline: search.pipeline, runId, waitMs: WAIT_MS };
      const document = await readAttempt(ports.artifacts, reference, source);
      const { fingerprint, unit } = document.entry;
      if (unit === search.unit && fingerprint === search.fingerprint)
        return { attempt: { document, reference }, notes };
      notes.push(`run ${runId}: its output of ${unit} answers another request`);
    } catch (error) {
      notes.push(messageOf(error));
    }
  }
  return { notes };
}

async function candidatesOfPointer(
  ports: SearchPorts,
  search: AttemptSearch,
  notes: string[],
): Promise<readonly Candidate[]> {
  const pointer = await findPointer(search.fingerprint);
  if (pointer === undefined) return [];
  if (!(await isTrusted(ports, search, pointer, notes))) return [];
  const candidates = await documentsOf(ports, search, pointer.runId);
  const match = candidates.filter(({ artifact }) => artifact.digest === pointer.digest);
  if (match.length === 0) notes.push(`run ${pointer.runId} no longer has the document that the pointer names`);
  return match.slice(0, 1);
}

async function candidatesToResume(
  ports: SearchPorts,
  search: AttemptSearch,
  notes: string[],
): Promise<readonly Candidate[]> {
  const { resume } = search;
  // Of this run only what a pointer or a comment names is used.
  if (resume === undefined || resume === ports.job.runId) return [];
  if (!(await isTrusted(ports, search, { runId: resume, runAttempt: 1 }, notes))) return [];
  const candidates = await documentsOf(ports, search, resume);
  if (candidates.length === 0) notes.push(`run ${resume} has no output of ${search.unit}`);
  return candidates;
}

/** Any job of this run can have written them: only what a comment names counts. */
async function candidatesOfOwnRun(ports: SearchPorts, search: AttemptSearch): Promise<readonly Candidate[]> {
  const { approvals, fingerprint } = search;
  if (ports.job.runAttempt === 1 || approvals.size === 0) return [];
  const candidates = await documentsOf(ports, search, ports.job.runId);
  return candidates.filter(({ artifact }) => approvals.has(approvalDigest(fingerprint, artifact.digest!)));
}

/** A pointer may name this run itself: that needs no look. */
async function isTrusted(
  { octokit, job, report }: SearchPorts,
  { scope }: AttemptSearch,
  run: { readonly runId: number; readonly runAttempt: number },
  notes: string[],
): Promise<boolean> {
  if (run.runId === job.runId) return true;
  const reason = await explainDistrust(await octokit(), scope, run, { waitMs: WAIT_MS, report });
  if (reason !== undefined) notes.push(`run ${run.runId} is not used: ${reason}`);
  return reason === undefined;
}

/** Artifacts of a run that have the name and the size of a document of the unit. */
async function documentsOf({ artifacts }: SearchPorts, search: AttemptSearch, runId: number): Promise<Candidate[]> {
  const listed = await artifacts.list(runId, WAIT_MS);
  if (listed === undefined) throw new Error(`run ${runId} has 1,000 artifacts or more: its list is cut`);
  const isOfUnit = ({ name, size, digest }: ListedArtifact): boolean => {
    const parsed = parseArtifactName(name);
    if (!parsed || digest === undefined || size > MAX_DOCUMENT || parsed.pipeline !== search.pipeline) return false;
    return (parsed.leg === '' ? parsed.gate : `${parsed.gate}/${parsed.leg}`) === search.unit;
  };
  return listed.filter(isOfUnit).map((artifact) => ({ runId, artifact }));
}
