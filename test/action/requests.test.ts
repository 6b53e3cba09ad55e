import { afterAll, expect, it } from 'vitest';
import type { EndedRecord, StartedRecord } from '../../src/run/records/record.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { GateJobs, WORKFLOW } from './gate-jobs.ts';
import { Forger, type Document } from './hostile/forgery.ts';
import { agentStep, CHECKOUT, gateAround, job, reportJob, workflowOf, type Keys } from './workflows/workflow-text.ts';

/** Gates of a run, each of which needs the one before. */
const CHAIN = 60;
const LEGS = 32;

/** The most requests of a gate that needs nothing, whatever else the run has. */
const ALONE = 15;
/** What an ancestor adds: its claim and its end, at two requests each. */
const AN_ANCESTOR = 4;

/** Requests of one job by operation, in the order in which each was first made. */
type Counts = ReadonlyMap<string, number>;

const table: string[] = [];
afterAll(() => console.log(table.join('\n')));

/** Runs a job, which must be green, and counts all requests that it makes. */
async function requestsOf(jobs: GateJobs, what: string, name: string, matrix: JsonObject = {}): Promise<Counts> {
  const before = jobs.service.calls.length;
  const needs = Object.fromEntries(needsOf(name).map((need) => [need, { result: 'success', outputs: {} }]));
  const report = await jobs.run(name, { order: { contexts: { needs, matrix } } });
  if (report.conclusion !== 'success') throw new Error(report.log.join('\n'));
  const counts = new Map<string, number>();
  for (const { operation } of jobs.service.calls.slice(before)) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  const kinds = [...counts].map(([operation, count]) => `${operation} ${count}`);
  table.push(`${what}: ${sum(counts)} requests: ${kinds.join(', ')}`);
  return counts;
}

function sum(counts: Counts): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

/** The gates that a job of the workflows below needs. */
function needsOf(gate: string): string[] {
  if (gate === 'report') return ['alone', `g${CHAIN}`];
  if (gate === 'merge') return ['legs'];
  const place = Number(/^g(\d+)$/.exec(gate)?.[1] ?? 1);
  return place === 1 ? [] : [`g${place - 1}`];
}

/** A gate whose agent is a step of its own. All gates put out the same. */
function around(gate: string, file: Keys, more: Keys = {}): Keys {
  const needs = needsOf(gate);
  const keys = { ...(needs.length > 0 && { needs }), ...more };
  const described = 'file' in file ? {} : { inputs: '[]' };
  return job([CHECKOUT, ...gateAround(agentStep('done'), { ...file, ...described }, file, keys)], keys);
}

const chained = Array.from({ length: CHAIN }, (_, index) => `g${index + 1}`);
const [DESCRIBED, DEFINED]: readonly Keys[] = [{}, { file: 'gateline.yml' }];

async function chainOf(file: Keys): Promise<GateJobs> {
  const gates = [...chained, 'alone'];
  const jobs = Object.fromEntries(gates.map((gate) => [gate, around(gate, file)]));
  const text = workflowOf({ ...jobs, report: reportJob(needsOf('report'), file) });
  const defined = Object.fromEntries(gates.map((gate) => [gate, { needs: needsOf(gate), inputs: [] }]));
  const files = { [WORKFLOW]: text, ...('file' in file && { 'gateline.yml': JSON.stringify({ gates: defined }) }) };
  return GateJobs.create(files, { how: 'here' });
}

/** Records as another gate or leg would have left them that did the same. */
function copyRecords(jobs: GateJobs, gate: string, edit: (record: StartedRecord | EndedRecord) => object): void {
  const forger = new Forger(jobs);
  const documents: Document<StartedRecord | EndedRecord>[] = [forger.claim(gate), forger.end(gate)];
  for (const document of documents) {
    const record = { ...document.record, ...edit(document.record) };
    forger.putDocument({ ...document, record });
  }
}

it.each([
  ['described by their inputs', DESCRIBED!],
  ['defined in a gateline.yml', DEFINED!],
])(
  'a gate asks GitHub for what it is built on, and not for the rest of the run: gates %s',
  async (how, file) => {
    await using jobs = await chainOf(file);
    const first = await requestsOf(jobs, `gate 1 of ${CHAIN} in a chain, ${how}`, 'g1');
    const second = await requestsOf(jobs, `gate 2 of ${CHAIN} in a chain, ${how}`, 'g2');
    for (const gate of chained.slice(2, -1)) {
      copyRecords(jobs, 'g2', ({ needs }) => ({ gate, needs: { [needsOf(gate)[0]!]: needs['g1'] } }));
    }
    const last = await requestsOf(jobs, `gate ${CHAIN} of ${CHAIN} in a chain, ${how}`, `g${CHAIN}`);
    const alone = await requestsOf(jobs, `a gate that needs nothing, beside these ${CHAIN}, ${how}`, 'alone');
    const report = await requestsOf(jobs, `the report of ${CHAIN + 1} gates, ${how}`, 'report');
    expect([sum(first), sum(second)]).toEqual([ALONE, ALONE + AN_ANCESTOR]);
    expect(sum(last)).toBe(ALONE + (CHAIN - 1) * AN_ANCESTOR);
    expect(sum(alone)).toBe(ALONE);
    const records = 2 * (CHAIN + 1);
    // Beside these: the artifact of the history, and the earlier ones.
    expect(Object.fromEntries(report)).toMatchObject({
      ListArtifacts: 1,
      GetSignedArtifactURL: records,
      GetBlob: records,
    });
  },
  120_000,
);

it('a leg of a matrix asks for no other leg, and the gate that needs them for all', async () => {
  const strategy = { matrix: { leg: Array.from({ length: LEGS }, (_, index) => index + 1) } };
  const text = workflowOf({ legs: around('legs', DESCRIBED!, { strategy }), merge: around('merge', DESCRIBED!) });
  await using jobs = await GateJobs.create({ [WORKFLOW]: text }, { how: 'here' });
  await requestsOf(jobs, `leg 1 of ${LEGS}`, 'legs', { leg: 1 });
  for (const leg of strategy.matrix.leg.slice(1, -1)) copyRecords(jobs, 'legs', () => ({ leg: String(leg) }));
  const last = await requestsOf(jobs, `leg ${LEGS} of ${LEGS}`, 'legs', { leg: LEGS });
  const merge = await requestsOf(jobs, `the gate that needs ${LEGS} legs`, 'merge');
  expect(sum(last)).toBe(ALONE);
  expect(sum(merge)).toBe(ALONE + LEGS * AN_ANCESTOR);
}, 120_000);
