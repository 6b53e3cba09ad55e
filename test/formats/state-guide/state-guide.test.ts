import { describe, expect, it } from 'vitest';
import type { SourceFile } from '../../../src/formats/exchange.ts';
import { readStateGuide } from '../../../src/formats/state-guide/read.ts';

const METADATA = { domain: 'demoqa_com', feature: 'student_registration', url: 'https://demoqa.com/x' };
const SLUG = 'demoqa_com-student_registration';
const gate = (number: number, more: object = {}): object => ({
  gate: number,
  agent: `Agent${number}`,
  status: 'SUCCESS',
  metadata: METADATA,
  output: { number },
  validation: { score: 95, issues: [], passed: true },
  ...more,
});
const pipeline = (completedGates: number[], more: object = {}): object => ({
  status: 'IN_PROGRESS',
  currentGate: 2,
  completedGates,
  metadata: { ...METADATA, userStory: 'As a student', acceptanceCriteria: ['A name'] },
  ...more,
});
const file = (path: string, value: object): SourceFile => ({
  path,
  bytes: Buffer.from(JSON.stringify(value)),
  modified: 0,
});
const gateFile = (number: number, more: object = {}, slug = SLUG): SourceFile =>
  file(`${slug}-gate${number}-output.json`, gate(number, more));
const pipelineFile = (completed: number[], more: object = {}): SourceFile =>
  file(`${SLUG}-pipeline.json`, pipeline(completed, more));

const refusals = (...files: SourceFile[]): string[] =>
  readStateGuide(files).problems.map(({ file: name, pointer }) => `${name} ${pointer}`);

describe('the files of the guide', () => {
  it('give the outputs of completed gates, and metadata', () => {
    const { run, problems, notMoved } = readStateGuide([
      pipelineFile([0, 1, 5]),
      gateFile(1),
      gateFile(0),
      gateFile(2),
    ]);
    expect(problems).toEqual([]);
    expect(run).toMatchObject({ slug: SLUG, keys: { metadata: { domain: 'demoqa_com', userStory: 'As a student' } } });
    expect(run.gates.map(({ gate: number, needs, output }) => [number, needs, output])).toEqual([
      [0, [], { number: 0 }],
      [1, ['gate-0'], { number: 1 }],
      [2, ['gate-1'], undefined],
      [3, ['gate-2'], undefined],
      [4, ['gate-3'], undefined],
      [5, ['gate-4'], undefined],
    ]);
    const scored = 'it is 95: the contract of the gate gives the score';
    expect(notMoved.map(({ reason }) => reason)).toEqual([
      'the guide has no file of gate 5, so it runs again',
      'it follows from what is done',
      scored,
      scored,
      'gate 2 is not completed: SUCCESS',
    ]);
  });

  it('name the gates that a new definition has after those with a file', () => {
    const later = (...files: SourceFile[]): unknown[] =>
      readStateGuide(files)
        .run.gates.filter(({ isLater }) => isLater)
        .map(({ gate: number, agent, needs }) => [number, agent, ...needs]);
    const others = [
      [4, 'ExecutionEngine', 'gate-3'],
      [5, undefined, 'gate-4'],
    ];
    expect(later(pipelineFile([2]), gateFile(2))).toEqual([[3, 'POMAgent', 'gate-2'], ...others]);
    const failed = gateFile(3, { status: 'FAILED' });
    expect(later(pipelineFile([2], { status: 'FAILED', currentGate: 3 }), gateFile(2), failed)).toEqual(others);
    expect(later(pipelineFile([], { currentGate: 4 }))).toEqual([[4, 'ExecutionEngine'], others[1]]);
    const over = { status: 'SUCCESS', currentGate: 5 };
    expect(later(pipelineFile([1], over), gateFile(1)), 'a pipeline of one gate').toEqual([]);
    expect(later(pipelineFile([1, 5], over), gateFile(1)), 'gate 5 has no file').toEqual([[5, undefined, 'gate-1']]);
    expect(later(pipelineFile([7], { currentGate: 8 }), gateFile(7))).toEqual([[8, undefined, 'gate-7']]);
    expect(later(gateFile(1)), 'no pipeline file').toEqual([]);
  });

  it('keep the issues of an output, and say that its score is not moved', () => {
    const validation = { score: 87, issues: ['2 elements have confidence < 80%'], passed: true };
    const { notMoved, run } = readStateGuide([pipelineFile([2]), gateFile(2, { validation })]);
    expect(notMoved.map(({ pointer }) => pointer)).toEqual(['/currentGate', '/validation/score']);
    expect(run.gates[0]?.issues?.map(({ message }) => message)).toEqual([
      validation.issues[0],
      "the agent's own state file says SUCCESS with a score of 87; this decides nothing",
    ]);
  });

  it('give what succeeded if there is no pipeline file', () => {
    const { run } = readStateGuide([gateFile(1), gateFile(2, { status: 'PARTIAL' })]);
    expect(run.gates.map(({ output }) => output !== undefined)).toEqual([true, false]);
  });

  it('are refused where they contradict each other', () => {
    const at = `${SLUG}-pipeline.json`;
    expect(refusals(pipelineFile([1]))).toEqual([`${at} /completedGates/0`]);
    expect(refusals(pipelineFile([1]), gateFile(1, { status: 'FAILED' }))).toEqual([`${at} /completedGates/0`]);
    const torn = { ...gateFile(1), bytes: Buffer.from('{') };
    expect(refusals(pipelineFile([1]), torn), 'it is there').toEqual([`${SLUG}-gate1-output.json `]);
    expect(refusals(pipelineFile([1, 1]), gateFile(1))).toEqual([`${at} /completedGates/1`]);
    expect(refusals(gateFile(1), file(`x/${SLUG}-gate1-output.json`, gate(1)))).toEqual([
      `x/${SLUG}-gate1-output.json /gate`,
    ]);
    expect(refusals(gateFile(1, { gate: 2 }))).toEqual([`${SLUG}-gate1-output.json /gate`]);
    expect(refusals(pipelineFile([1]), gateFile(1, { metadata: { ...METADATA, feature: 'other' } }))).toEqual([
      `${SLUG}-gate1-output.json /metadata/feature`,
    ]);
    expect(refusals(pipelineFile([1]), gateFile(1, {}, 'other'))).toEqual(['other-gate1-output.json ']);
    expect(refusals(file('notes.json', {}))).toEqual(['notes.json ']);
  });

  it('need the gate before them, and say whether they are only partial', () => {
    const { run, notes } = readStateGuide([
      pipelineFile([0, 1, 3]),
      gateFile(0),
      gateFile(1, { status: 'PARTIAL', validation: { score: 3, issues: [], passed: false } }),
      gateFile(3),
    ]);
    expect(run.gates.map(({ needs }) => needs)).toEqual([[], ['gate-0'], ['gate-1', 'gate-2'], ['gate-3'], ['gate-4']]);
    expect(notes).toEqual([
      `${SLUG}-gate1-output.json: gate 1 (Agent1) is only PARTIAL, with a score of 3; its contract decides whether it passes`,
    ]);
    expect(refusals(pipelineFile([1, 99]), gateFile(1))).toEqual([`${SLUG}-pipeline.json /completedGates/1`]);
  });

  it('are refused with a pointer to what has another shape', () => {
    expect(refusals(pipelineFile([-1]))).toEqual([`${SLUG}-pipeline.json /completedGates/0`]);
    expect(refusals(gateFile(1, { validation: { score: 101, issues: [], passed: true } }))).toEqual([
      `${SLUG}-gate1-output.json /validation/score`,
    ]);
  });
});
