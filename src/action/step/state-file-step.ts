import { readJson } from '../../engine/call/content.ts';
import { openCall, secretValues } from '../../engine/call/call.ts';
import type { AboutStateFiles } from '../../engine/call/guide-files.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { gateWord } from '../../formats/state-guide/guide-words.ts';
import { checkpointMarkdown } from '../../report/markdown/checkpoint.ts';
import type { PlannedUnit } from '../../run/plan/plan.ts';
import { asRequest } from '../../run/plan/difference.ts';
import type { Request } from '../../run/plan/request.ts';
import {
  comparePositions,
  recordName,
  unitOf,
  type EndedRecord,
  type GatelineRecord,
  type StartedRecord,
} from '../../run/records/record.ts';
import { graphOf, unitsOf, type Unit } from '../../run/records/unit.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { createRedactor } from '../../untrusted/redact.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { Job } from '../job/job.ts';

/** The gate after a step, and what is known of its run. */
interface KnownGate {
  readonly planned: Pick<PlannedUnit, 'key'>;
  readonly state: RunState;
  readonly records: readonly GatelineRecord[];
  readonly ended: EndedRecord | undefined;
  readonly isAlone?: true;
}

/**
 * Writes the state file of a gate that has a result, and prints its Markdown checkpoint, if the job has state files.
 * Problems are notices: no gate fails because of a file that only shows its result.
 */
export async function showStateFile({ world: { runner } }: ActionInvocation, job: Job, step: KnownGate): Promise<void> {
  const own = step.state.units.get(step.planned.key);
  const word = gateWord(own?.status ?? 'pending');
  if (job.stateFiles === undefined || own === undefined || word === undefined) return;
  const orNotice = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
      runner.annotate('notice', `${what}: ${error.code}: ${error.message}`);
      return undefined;
    }
  };
  const unwritten = 'The state file was not written';
  const run = await orNotice(unwritten, () => runToShow(job, step));
  if (run === undefined) return;
  const { pipeline } = job.assignment;
  const graph = graphOf(unitsOf(pipeline), run.state.units.values());
  const unit = graph.get(own.key)!;
  await orNotice(unwritten, async () => {
    const { created, notices } = await job.stateFiles!.show(
      job.definition.root,
      await aboutFiles(job, step, run, unit),
    );
    for (const notice of notices) runner.annotate('notice', notice);
    for (const line of created) runner.info(`gate ${own.key}: ${line}`);
  });
  if (!job.mirror.includes('state-guide')) return;
  using _ = runner.group(`Checkpoint of gate ${own.key}`);
  runner.info(checkpointMarkdown({ unit, graph, state: run.state }));
}

async function aboutFiles(
  { ports, assignment }: Job,
  step: KnownGate,
  run: Pick<AboutStateFiles, 'state' | 'records'>,
  unit: Unit,
): Promise<AboutStateFiles> {
  const { pipeline } = assignment;
  const request = await requestOf(ports, step);
  return {
    unit,
    ...run,
    pipeline,
    metadata: request?.metadata ?? assignment.metadata,
    isDefaultSubject: request === undefined ? assignment.isDefaultSubject === true : request.subject === undefined,
    isUsersFolder: false,
    redact: createRedactor({ secrets: secretValues(pipeline, ports) }).redactText,
  };
}

/** The run as it is to be shown: `complete` reads only its own gate. */
async function runToShow(
  { ports, assignment, call }: Job,
  { state, records, isAlone }: KnownGate,
): Promise<Pick<AboutStateFiles, 'state' | 'records'>> {
  const ofRun = (all: readonly GatelineRecord[]): readonly GatelineRecord[] =>
    all.filter(({ runNumber }) => runNumber === state.runNumber);
  if (isAlone !== true) return { state, records: ofRun(records) };
  const listing = await ports.store.list(assignment.pipeline.id, assignment.subject);
  const own = new Set(records.map(recordName));
  const all = [...listing.records.filter((record) => !own.has(recordName(record))), ...records];
  const { numbers } = call.call;
  const options = { numbers, listing: { ...listing, records: all }, shows: true };
  const { journal } = await openCall(ports, assignment, () => undefined, options);
  return { state: journal.state(), records: ofRun(journal.records()) };
}

/** What the agent was asked: `complete` knows neither the metadata nor the subject that `begin` was given. */
async function requestOf({ store }: Job['ports'], { ended, records }: KnownGate): Promise<Request | undefined> {
  const claim = records.find(
    (record): record is StartedRecord =>
      ended !== undefined &&
      record.kind === 'started' &&
      unitOf(record) === unitOf(ended) &&
      comparePositions(record, ended) === 0,
  );
  if (claim === undefined) return undefined;
  try {
    return asRequest(await readJson(store, { digest: claim.request }, { what: 'the request of the claim' }));
  } catch (error) {
    if (error instanceof GatelineError && error.fault !== 'gateline') return undefined;
    throw error;
  }
}
