import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGateState } from '../../../src/formats/state-guide/gate-state.ts';
import { pipelineStateSchema } from '../../../src/formats/state-guide/pipeline-state.ts';
import { readStateGuide } from '../../../src/formats/state-guide/read.ts';
import { writeStateGuide } from '../../../src/formats/state-guide/write.ts';
import type { JsonObject } from '../../../src/json/json.ts';
import { resultOf } from '../../../src/run/state/run-state.ts';
import { gate, pipelineOf } from '../../report/fixtures.ts';
import { drawn } from '../../support/samples.ts';
import { exported, filesOf, stories } from '../arbitrary-run.ts';
import { outputs, texts } from '../arbitrary-values.ts';

const word = texts.filter((text) => text.isWellFormed() && text !== '');
const score = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.double({ min: 0, max: 100, noNaN: true }).map(Math.abs));
const metadata = fc.record({ domain: word, feature: word, url: word });
const gateFile = fc.record({
  agent: word,
  status: fc.constantFrom('SUCCESS', 'PARTIAL', 'FAILED'),
  output: outputs,
  validation: fc.record({ score, issues: fc.array(word, { maxLength: 3 }), passed: fc.boolean() }),
});

const SLUG = 'shop-cart';
const textOf = (value: unknown): string => JSON.stringify(value, null, 2);
const nameOf = (number: number): string => `${SLUG}-gate${number}-output.json`;

describe('the files of the guide', () => {
  it('are read as they are, key by key, and completed gates give their outputs', () => {
    fc.assert(
      fc.property(metadata, fc.array(gateFile, { minLength: 1, maxLength: 5 }), (shared, files) => {
        const documents = files.map(({ agent, status, output, validation }, number) => {
          return { gate: number, agent, status, metadata: shared, output, validation };
        });
        for (const document of documents)
          expect(textOf(readGateState(structuredClone(document)))).toBe(textOf(document));
        const done = documents.filter(({ status }) => status !== 'FAILED').map((one) => one.gate);
        const story = { userStory: 'As a student', acceptanceCriteria: ['a', 'b'] };
        const pipeline = { status: 'FAILED', currentGate: 0, completedGates: done, metadata: { ...shared, ...story } };
        expect(textOf(pipelineStateSchema.parse(structuredClone(pipeline)))).toBe(textOf(pipeline));
        const { run, problems } = readStateGuide(
          filesOf([
            { path: `${SLUG}-pipeline.json`, text: textOf(pipeline) },
            ...documents.map((one) => ({ path: nameOf(one.gate), text: textOf(one) })),
          ]),
        );
        expect(problems).toEqual([]);
        expect(run.keys).toEqual({ metadata: pipeline.metadata });
        const withFile = run.gates.filter(({ isLater }) => isLater !== true);
        expect(withFile).toMatchObject(documents.map(({ gate: number, agent }) => ({ gate: number, agent })));
        expect(withFile.map(({ output }) => output)).toEqual(
          documents.map(({ gate: number, output }) => (done.includes(number) ? output : undefined)),
        );
      }),
      drawn(500),
    );
  });

  it('of completed gates are written as they were read, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(metadata, fc.array(gateFile, { minLength: 1, maxLength: 5 }), async (shared, files) => {
        const documents = files.map(({ agent, output, validation }, number) => {
          const issues = validation.issues.slice(0, 1);
          const judged = { score: validation.score, issues: issues.length === 0 ? ['x'] : issues, passed: true };
          return { gate: number, agent, status: 'SUCCESS', metadata: shared, output, validation: judged };
        });
        const written = documents.map((one) => ({ path: nameOf(one.gate), text: textOf(one) }));
        const { run } = readStateGuide(filesOf(written));
        const gates = run.gates.map(({ gate: number, agent = '', needs }) =>
          gate(`gate-${number}`, number as number, { agent, needs }),
        );
        const told = run.gates.map(({ gate: number, output }, at) => {
          const { score: points, issues } = documents[at]!.validation;
          const said = { label: '', message: '', issue: issues[0]!, attempts: 1 };
          return [`gate-${number}`, { end: 'passed' as const, score: points, output, ...said }] as const;
        });
        const again = await exported({
          pipeline: pipelineOf(gates, { id: run.pipeline!, metadata: run.keys['metadata'] as JsonObject }),
          told: Object.fromEntries(told),
          isRolledBack: false,
        });
        expect(writeStateGuide(again).slice(0, -1)).toEqual(written);
      }),
      drawn(300),
    );
  });
});

describe("a run that is exported to the guide's files", () => {
  it('is read with the same statuses, outputs and scores', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(stories({ ids: ['a', 'b', 'c', 'd'] }), async (story) => {
        const { state, graph, outputs: all, ...run } = await exported(story);
        const files = writeStateGuide({ ...run, state, graph, outputs: all });
        const { problems, run: read } = readStateGuide(filesOf(files));
        expect(problems).toEqual([]);
        const judged = files.slice(0, -1).map(({ text }) => readGateState(JSON.parse(text)));
        const words = { passed: 'SUCCESS', partial: 'PARTIAL', skipped: 'PARTIAL', failed: 'FAILED' } as const;
        const units = [...state.units.values()].filter(({ status }) => Object.hasOwn(words, status));
        expect(judged).toMatchObject(
          units.map((unit) => ({
            gate: graph.get(unit.key)!.gate.number,
            status: words[unit.status as keyof typeof words],
            output: all.get(unit.key) ?? null,
            validation: { score: resultOf(unit)?.verdict.score ?? 0, passed: unit.status === 'passed' },
          })),
        );
        const isWhole = (id: string): boolean =>
          [...state.units.values()].every(({ gate: own, done }) => own !== id || done);
        const given = units.flatMap(({ key, gate: id, leg, status }) => {
          const { number } = graph.get(key)!.gate;
          const isGiven = isWhole(id) || (leg !== '' && status === 'passed');
          const name = leg === '' ? `${number}` : `${number} ${leg}`;
          return isGiven ? [[name, all.get(key) ?? null] as const] : [];
        });
        const found = read.gates.flatMap(({ gate: number, leg, output }) => {
          return output === undefined ? [] : [[leg === undefined ? `${number}` : `${number} ${leg}`, output] as const];
        });
        expect(new Map(found)).toEqual(new Map(given));
        for (const { status } of state.units.values()) seen.add(status);
      }),
      drawn(1_000),
    );
    expect([...seen]).toEqual(expect.arrayContaining(['passed', 'partial', 'failed', 'skipped', 'running']));
  });
});
