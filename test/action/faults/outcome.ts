import { digestOf } from '../../../src/json/digest.ts';
import { foldRun } from '../../../src/run/state/fold.ts';
import { observePipeline } from '../../../src/run/state/observed-pipeline.ts';
import type { Content, EndedRecord, GatelineRecord } from '../../../src/run/records/record.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import { parseDocument } from '../../../src/store/github/records/artifact-document.ts';
import { parseArtifactName } from '../../../src/store/github/records/artifact-names.ts';
import type { FaultRule } from '../../support/github/faults.ts';
import type { JobReport } from '../../support/runner/session.ts';
import { messagesOf, type GateJobs, type How } from '../gate-jobs.ts';
import { RIGHT_VALUE, TIME_LIMITS, type TwoGates } from './two-gates.ts';

/** What became of the second gate when calls failed in one attempt of the run, and in the next one no more. */
export interface Outcome {
  /** In a few words, the same every time: what a table of outcomes says. */
  readonly words: string;
  /** What must never be so, and was. */
  readonly wrong: readonly string[];
  /** Calls that failed. */
  readonly hits: number;
  /** Everything that was told, for a person who looks why. */
  readonly told: readonly string[];
}

/** The attempt of the run in which calls fail. The first gate was done in the one before. */
export const FAULTY = 2;

/** Runs the second gate with these faults, and once more without any where that was red. */
export async function outcomeOf(
  gates: TwoGates,
  name: string,
  rules: readonly FaultRule[],
  how: How,
): Promise<Outcome> {
  await using jobs = await gates.jobs.fork(name, { how });
  const planned = rules.map((rule) => jobs.service.faults.add({ attempt: FAULTY, ...rule }));
  // Only what never answers is waited for: all else gets the time that it needs, however slow the machine is.
  const waits = rules.some(({ fault: { kind } }) => kind === 'hang' || kind === 'truncate');
  const call = { needs: gates.needs, machine: waits ? TIME_LIMITS : {} };
  const report = await jobs.run('code', { ...call, attempt: FAULTY });
  jobs.service.faults.clear();
  const starts = (await jobs.starts()).length;
  const wrong = [...wrongWith(jobs, report, starts)];
  const hits = planned.reduce((sum, one) => sum + one.hits, 0);
  const told = messagesOf(report);
  const isAltered = report.conclusion === 'success' && passes(jobs).length === 0 && hasEnd(jobs);
  if (report.conclusion === 'success' && !isAltered) return { words: `green${noticesIn(report)}`, wrong, hits, told };
  const lost = isOpen(jobs, FAULTY);
  const again = await jobs.run('code', { ...call, attempt: FAULTY + 1 });
  const startsAgain = (await jobs.starts()).length - starts;
  if (again.conclusion !== 'success') wrong.push(`the next attempt is red: ${messagesOf(again).join(' | ')}`);
  if (passes(jobs).length === 0) wrong.push('nobody passed in the end');
  if (startsAgain > 1) wrong.push(`${startsAgain} starts in the next attempt`);
  if (isOpen(jobs, FAULTY + 2)) wrong.push('a claim counts as held after its job');
  wrong.push(...wrongValues(jobs));
  const next = startsAgain === 0 ? 'its output kept' : 'run again';
  if (isAltered) return { words: `green, its record altered: whoever needs it is red`, wrong, hits, told };
  return { words: `red ${redAt(report)}${lost ? ', claim lost' : ''}; ${next}`, wrong, hits, told };
}

/** Which step was red first: where nothing but the post is, `post`. */
function redAt(report: JobReport): string {
  const red = report.steps.find(({ outcome }) => outcome === 'failure');
  const names: Readonly<Record<string, string>> = { gate: 'begin', done: 'complete', agent: 'agent' };
  return red === undefined ? 'nowhere' : red.stage === 'post' ? 'post' : (names[red.id] ?? red.id);
}

function noticesIn({ annotations }: JobReport): string {
  return annotations.length === 0 ? '' : ', told';
}

function* wrongWith(jobs: GateJobs, report: JobReport, starts: number): Generator<string> {
  const green = report.conclusion === 'success';
  const passed = passes(jobs).filter(({ runAttempt }) => runAttempt === FAULTY);
  const altered = green && passed.length === 0 && hasEnd(jobs);
  if (green && passed.length !== 1 && !altered) yield `green with ${passed.length} records that passed`;
  if (green && starts !== 1) yield `green with ${starts} starts`;
  if (starts > 1) yield `${starts} starts in one attempt`;
  const names = jobs.service.world.artifacts
    .filter(({ finalized }) => finalized)
    .map(({ name }) => parseArtifactName(name));
  const claims = names.filter((one) => one?.holds === 'record' && one.kind === 'started' && one.runAttempt === FAULTY);
  if (starts > claims.length) yield 'a start without a claim';
  for (const { code, outcome, id, stage } of report.steps) {
    if (outcome === 'failure' && code !== 1) yield `${stage} of ${id} ended with ${code}`;
  }
  if (!green && !report.annotations.some(({ level }) => level === 'error')) yield 'red without a word';
  yield* wrongValues(jobs);
}

/** Whether the attempt ended, by its artifact's name alone: what the service keeps may not be what it was sent. */
function hasEnd(jobs: GateJobs): boolean {
  return jobs.service.world.artifacts.some(({ name }) => /\.code\._\.2\.1\.ended\.passed\..*\.json$/.test(name));
}

function endsOfCode(jobs: GateJobs): EndedRecord[] {
  return jobs.records().filter((record): record is EndedRecord => record.kind === 'ended' && record.gate === 'code');
}

/** Ends that passed and whose output is there: what whoever needs the gate could build on. */
function passes(jobs: GateJobs): EndedRecord[] {
  return endsOfCode(jobs).filter(
    ({ verdict, value }) => verdict.status === 'passed' && valueIn(jobs, value) !== undefined,
  );
}

/** Whether the gate counts as running for somebody in that attempt, or was lost: a claim that nobody ended. */
function isOpen(jobs: GateJobs, attempt: number): boolean {
  const own = jobs.records().filter(({ gate, runAttempt }) => gate === 'code' && runAttempt <= attempt);
  const state = statusOf(own, attempt);
  return state === 'running' || (state === 'lost' && attempt === FAULTY);
}

function statusOf(records: readonly GatelineRecord[], attempt: number): string {
  const [first] = records;
  if (first === undefined) return 'pending';
  const contracts = new Map<never, never>();
  const { pipeline, subject, runNumber } = first;
  const observed = observePipeline({ pipeline, own: undefined, records, contracts });
  const told = { now: new Date().toISOString(), supersededBefore: { runNumber, runAttempt: attempt + 1 } };
  const free = { ...observed.pipeline, gates: observed.pipeline.gates.map((gate) => ({ ...gate, needs: [] })) };
  const state = foldRun(
    unitsOf(free),
    { records: records.map(withoutNeeds), problems: [] },
    { pipeline, subject, runNumber },
    told,
  );
  return state.units.get('code')?.status ?? 'pending';
}

function withoutNeeds(record: GatelineRecord): GatelineRecord {
  return record.kind === 'decided' ? record : { ...record, needs: {} };
}

/** Outputs that passed and are not what they should be. */
function* wrongValues(jobs: GateJobs): Generator<string> {
  for (const { value } of passes(jobs)) {
    const text = valueIn(jobs, value);
    if (text !== JSON.stringify(RIGHT_VALUE)) yield `a stale value: ${text}`;
  }
}

/** The text of an output: in any record, or in an artifact of its own. */
function valueIn(jobs: GateJobs, value: Content | undefined): string | undefined {
  const { artifacts, blobs } = jobs.service.world;
  for (const { name, blob } of artifacts.filter(({ finalized }) => finalized)) {
    const content = blobs.blobs.get(blob)!.content;
    const { holds } = parseArtifactName(name) ?? {};
    if (holds === 'value' && digestOf(content) === value?.digest) return content.toString();
    const parsed = holds === 'record' ? parseDocument(content) : undefined;
    const text = parsed !== undefined && 'record' in parsed ? parsed.contents.get(value!.digest) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}
