import { messageWithHint } from '../errors.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { gateOf } from '../run/units.ts';
import { approvalDigest, type AttemptDocument } from '../store/github/document.ts';
import { readAttempt } from '../store/github/attempts.ts';
import { authorWithoutSecrets, type Job } from './job.ts';
import type { Services } from './services.ts';
import { readCommentDecisions } from './comment-decisions.ts';
import { readDispatchDecisions } from './dispatch-decisions.ts';

/**
 * Verifies the decision in a document: an agent with the token of a job can write any document, so the decision is read
 * again from its source, the event of this run or the comments on its pull request.
 * @returns why it does not count; undefined: it does, or there is none
 */
export async function verifyDecision(
  job: Job,
  services: Services,
  pipeline: Pipeline,
  document: AttemptDocument,
): Promise<string | undefined> {
  const { decision, entry } = document;
  const { unit } = entry;
  if (decision === undefined) return undefined;
  const { decision: name, actor } = decision.entry;
  try {
    if (name === 'approve') return await explainApproval(job, services, pipeline, document);
    if (name === 'skip' && actor === 'gateline') {
      const hasSecrets = pipeline.gates.some(({ id, secrets }) => id === gateOf(unit) && secrets.length > 0);
      return hasSecrets && authorWithoutSecrets(job) !== undefined ? undefined : 'this run has all secrets';
    }
    const { costSoFar } = document;
    const dispatched = await readDispatchDecisions(job, { pipeline, unit, costSoFar }, services.github);
    const isDecided = dispatched.actor === actor && dispatched.entries.some(({ decision: other }) => other === name);
    return isDecided ? undefined : `${actor} has not decided: ${name} ${unit}`;
  } catch (error) {
    return messageWithHint(error);
  }
}

/** The content that an approval covers: output, legs from it, and files. */
function contentOf({ entry, files }: AttemptDocument): string {
  const versions = files.map(({ path, after }) => `${path}\0${after}`).sort();
  return canonicalJson([entry.unit, entry.output?.digest ?? null, entry.legs ?? null, versions]);
}

async function explainApproval(
  job: Job,
  services: Services,
  pipeline: Pipeline,
  document: AttemptDocument,
): Promise<string | undefined> {
  const { unit } = document.entry;
  const { source, entry } = document.decision!;
  if (source === undefined) return 'it names no output';
  const [approved, { output }, comments] = await Promise.all([
    readAttempt(services.artifacts, source, { job: unit, pipeline: pipeline.id, runId: source.runId }),
    readDispatchDecisions(job, { pipeline, unit, costSoFar: document.costSoFar }, services.github),
    readComments(job, services, unit),
  ]);
  if (contentOf(approved) !== contentOf(document)) return 'the approval is of another output';
  const digest = approvalDigest(approved.entry.fingerprint, source.digest);
  const newest = [...(output ? [output] : []), ...comments].findLast((decision) => decision.digest === digest);
  const isApproved = newest?.decision === 'approve' && newest.actor === entry.actor;
  return isApproved ? undefined : `${entry.actor} has not approved it, or has taken that back`;
}

async function readComments({ pullRequest }: Job, { github }: Services, unit: string) {
  if (pullRequest === undefined) return [];
  const read = async () => ({ data: await readCommentDecisions(github, pullRequest.number, unit) });
  return github.read('The request for the comments', 'pull-requests: read', read);
}
