import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import type { Digest } from '../../json/digest.ts';
import { unitKey, type Gate, type Pipeline } from '../../pipeline/pipeline.ts';
import type { EndedRecord, GatelineRecord } from '../../run/records/record.ts';
import type { Contract } from '../../verdict/contract.ts';
import type { ActionInvocation } from '../invocation.ts';
import { readRun, runSchema, type ApiRun } from '../records/earlier-runs.ts';
import { openRunRecords } from '../records/job-store.ts';
import { readContract } from '../records/read-contract.ts';
import { decisionInTitle, externalIdOf, type CheckedDecision, type CheckedFrom } from './check-run.ts';

/** A decision of a person about a gate of a run. */
interface DecidedAttempt {
  /** A gate or leg. */
  readonly gate: string;
  readonly decision: CheckedDecision['decision'] | CheckedFrom['decision'];
  /** Of the output; `undefined`: the last one. */
  readonly digest: Digest | undefined;
}

/** The attempt that the decision is about, from the records of the run. */
interface RecordedAttempt {
  readonly ended: EndedRecord;
  /** By which its output was judged, for a decision about an output; `undefined`: it cannot be read. */
  readonly contract: Contract | undefined;
}

/**
 * The attempt that a decision is about: for an approval or a rejection the output with the digest that the person
 * named, or else the last one; otherwise any attempt of the gate.
 * @throws GatelineError `DECISION_WITHOUT_ATTEMPT`
 */
export async function recordedBy(
  invocation: ActionInvocation,
  pipeline: string,
  about: ApiRun,
  { gate: name, digest, decision }: DecidedAttempt,
): Promise<RecordedAttempt> {
  const isAboutOutput = decision === 'approve' || decision === 'reject';
  const isOutput = ({ value }: EndedRecord): boolean =>
    value !== undefined && (digest === undefined || value.digest === digest);
  const store = await openRunRecords(invocation, about);
  const contractOf = async ({ contract }: EndedRecord): Promise<Contract | undefined> =>
    isAboutOutput ? readContract(store, contract) : undefined;
  const only = ({ gate, leg }: Pick<GatelineRecord, 'gate' | 'leg'>): boolean =>
    unitKey(gate, leg) === name || (!isAboutOutput && gate === name);
  for (const subject of await store.subjects(pipeline)) {
    const { records } = await store.list(pipeline, subject, { only });
    const ended = records.findLast(
      (record): record is EndedRecord => record.kind === 'ended' && (!isAboutOutput || isOutput(record)),
    );
    if (ended !== undefined) return { ended, contract: await contractOf(ended) };
  }
  const what = isAboutOutput ? `no output ${digest ?? ''}`.trimEnd() : 'no attempt';
  const message = `there is nothing to ${decision === 'from' || decision === 'retry' ? 'run again' : decision}: run ${about.id} recorded ${what} of gate ${name} of the pipeline ${pipeline}`;
  throw new GatelineError('DECISION_WITHOUT_ATTEMPT', message, {
    hint: 'Copy the command from the summary of the job that waits. With a gateline.yml, check the repository out before this step.',
  });
}

/**
 * Refuses a decision about an output that no job would look for: only gates that may wait for a person look for them. A
 * gate that inputs describe waits only with `partial: pause`, which is part of its recorded contract.
 * @param pipeline as it is defined; `undefined`: gates are described by inputs
 * @returns for the answer, that it is not known whether a job looks for it, as a sentence
 * @throws GatelineError `DECISION_UNHEARD`
 */
export function refuseUnheard(
  pipeline: Pipeline | undefined,
  { gate: name, decision }: DecidedAttempt,
  { contract }: RecordedAttempt,
): string {
  const gate = gateNamed(pipeline, name);
  const partial = gate?.contract.partial ?? contract?.partial;
  if (gate?.approval !== undefined || partial === 'pause') return '';
  if (partial === undefined)
    return ` It is not known whether gate ${name} waits for anybody, since its contract cannot be read: if it does not, no job looks for this decision.`;
  const message = `gate ${name} waits for nobody (it has no approval and no partial: pause), so no job looks for a decision to ${decision} it`;
  throw new GatelineError('DECISION_UNHEARD', message);
}

/** Whether approvals of a gate or leg are for one commit each. @param pipeline as for {@link refuseUnheard} */
export function isPerCommit(pipeline: Pipeline | undefined, name: string): boolean {
  return gateNamed(pipeline, name)?.approval?.perCommit === true;
}

function gateNamed(pipeline: Pipeline | undefined, name: string): Gate | undefined {
  return pipeline?.gates.find(({ id }) => id === name.split('/', 1)[0]);
}

const runsSchema = z.object({ workflow_runs: z.array(runSchema) }).transform(({ workflow_runs: runs }) => runs);

/** Runs of a workflow, of at most so many pages. @param workflow name of its file */
export async function runsOfWorkflow(
  rest: RestClient,
  workflow: string,
  query: Readonly<Record<string, string>>,
  pages: number,
): Promise<readonly ApiRun[]> {
  const path = `/repos/${rest.repository}/actions/workflows/${encodeURIComponent(workflow)}/runs`;
  return (await rest.list({ method: 'GET', path, query }, runsSchema, { pages })).items;
}

/**
 * The newest run for the same branch or pull request: it waits for the decision. Runs that only decide are left out.
 * They are of the same workflow and event as a waiting run that a person or a report started.
 * @param decidingRun id of this run
 */
export async function newestRun(rest: RestClient, about: ApiRun, decidingRun: number): Promise<ApiRun> {
  const file = about.workflowPath.split('/').at(-1)!;
  const query = { event: about.event, ...(about.headBranch !== undefined && { branch: about.headBranch }) };
  const same = (await runsOfWorkflow(rest, file, query, 1)).filter(
    (run) => run.headRepository === about.headRepository && run.id !== decidingRun && !onlyDecides(run),
  );
  return same.reduce((newest, run) => (run.runNumber > newest.runNumber ? run : newest), about);
}

/**
 * Whether a run only records a decision, by its name. In some workflows `from` runs gates in this run itself: if one of
 * them failed, the run may wait. If all passed, no gate in it waits.
 */
function onlyDecides({ event, title, status, conclusion }: ApiRun): boolean {
  const decision = event === 'workflow_dispatch' ? decisionInTitle(title) : undefined;
  if (decision === 'from') return status === 'completed' && conclusion === 'success';
  return decision !== undefined;
}

/**
 * The commits on which jobs look for a decision about an output: that of the run that it is about and, if it was
 * reused there, that of the run that made it, too. Later runs reuse it from there, and cannot know of the run in
 * between. Not for an approval of one commit, or of another subject's output: it would be one of theirs there. One
 * request for a reused output.
 * @param isForCommit the decision holds for the commit of the run only
 */
export async function commitsFor(
  rest: RestClient,
  about: ApiRun,
  { decision, isForCommit }: Pick<DecidedAttempt, 'decision'> & { readonly isForCommit: boolean },
  { source }: EndedRecord,
): Promise<readonly string[]> {
  const isOurs = source?.subject === undefined && !isForCommit;
  const madeBy = decision === 'reject' || isOurs ? source?.runId : undefined;
  if (madeBy === undefined || madeBy === String(about.id)) return [about.headSha];
  try {
    return [...new Set([about.headSha, (await readRun(rest, Number(madeBy))).headSha])];
  } catch (error) {
    // Of a run that was deleted, no commit can be looked at later either.
    if (error instanceof GatelineError && error.code === 'EARLIER_RUN_ABSENT') return [about.headSha];
    throw error;
  }
}

/** Fields of a check run besides the decision. */
interface CheckDetails {
  readonly name: string;
  /** The commits that it is written for, each time the same. */
  readonly commits: readonly string[];
  readonly actor: string;
  readonly reason: string | undefined;
}

/** Writes a decision down where the jobs that it is for look for it. */
export async function writeCheck(
  rest: RestClient,
  checked: CheckedDecision | CheckedFrom,
  { name, commits, actor, reason }: CheckDetails,
): Promise<void> {
  const body = {
    name,
    external_id: externalIdOf(checked),
    status: 'completed',
    conclusion: checked.decision === 'approve' ? 'success' : 'neutral',
    output: { title: `${checked.decision} by ${actor}`, summary: reason ?? '' },
  };
  const request = { method: 'POST', path: `/repos/${rest.repository}/check-runs`, repeatable: true } as const;
  for (const commit of commits)
    await rest.call({ ...request, body: { ...body, head_sha: commit } }, z.object({ id: z.int() }));
}

/** Which jobs of a run are run again: all, or those that failed. */
type WhichJobs = 'rerun' | 'rerun-failed-jobs';

/** The effect of a decision about a run in which no job failed; `undefined`: some did, or all are run again. */
export function withoutFailedJobs({ status, conclusion }: ApiRun, which: WhichJobs): string | undefined {
  if (which === 'rerun' || status !== 'completed' || conclusion !== 'success') return undefined;
  return 'has no failed jobs, so none runs again. The decision applies to the next run, and if you re-run all jobs of this one.';
}

/** Runs jobs of a run again. Returns why that was not possible. */
export async function rerun(rest: RestClient, run: ApiRun, which: WhichJobs): Promise<string | undefined> {
  if (run.status !== 'completed') return 'the run has not ended.';
  const path = `/repos/${rest.repository}/actions/runs/${run.id}/${which}`;
  try {
    await rest.call({ method: 'POST', path }, z.unknown());
    return undefined;
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    return error.code === 'REST_DENIED' ? `${error.message} ${error.hint}` : error.message;
  }
}
