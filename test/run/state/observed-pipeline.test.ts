import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { observePipeline, type Observation } from '../../../src/run/state/observed-pipeline.ts';
import { foldRun } from '../../../src/run/state/fold.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import { CONTRACT_FORMAT } from '../../../src/verdict/contract.ts';
import { gateOf } from '../../support/pipelines.ts';
import { CONTRACT, NOW, PIPELINE, SUBJECT, decided, ended, started } from '../../support/records.ts';
import { digestOf } from '../../../src/json/digest.ts';

function observe(more: Partial<Observation>): ReturnType<typeof observePipeline> {
  return observePipeline({ pipeline: PIPELINE, own: undefined, records: [], contracts: new Map(), ...more });
}

describe('a pipeline that is put together from records', () => {
  it('has each gate once, with what its newest attempt was given from', () => {
    const { pipeline, recorded } = observe({
      records: [
        started({ gate: 'b', needs: { a: digestOf('1') } }),
        started({ gate: 'b', call: 2, needs: { a: digestOf('1'), x: null } }),
        started({ gate: 'a' }),
      ],
    });
    expect(pipeline.gates.map(({ id, needs }) => [id, needs])).toEqual([
      ['a', []],
      ['x', []],
      ['b', ['a', 'x']],
    ]);
    expect([...recorded].toSorted()).toEqual(['a', 'b', 'x']);
  });

  it('has no gate for a command, which is part of no run', () => {
    const { pipeline } = observe({ records: [started({ gate: 'a' }), started({ gate: 'login', command: true })] });
    expect(pipeline.gates.map(({ id }) => id)).toEqual(['a']);
  });

  it('has the legs that left records, and needs every one of them', () => {
    const needs = { 'a/x': digestOf('1'), 'a/y': digestOf('2') };
    const { pipeline } = observe({
      records: [started({ gate: 'a', leg: 'x' }), started({ gate: 'a', leg: 'y' }), started({ gate: 'b', needs })],
    });
    expect([...unitsOf(pipeline).keys()]).toEqual(['a/x', 'a/y', 'b']);
    expect(unitsOf(pipeline).get('b')!.needs).toEqual(['a/x', 'a/y']);
  });

  it('holds a gate to the policy of the contract that it claimed', () => {
    const contract = { format: CONTRACT_FORMAT, threshold: 80, partial: 'continue', checks: [] } as const;
    const { pipeline } = observe({ records: [started({ gate: 'a' })], contracts: new Map([[CONTRACT, contract]]) });
    expect(pipeline.gates[0]!.contract).toMatchObject({ threshold: 80, partial: 'continue' });
  });

  it('keeps the gate that is defined here as it is, with its one leg', () => {
    const own = gateOf('a', { needs: ['z'], legs: [{ id: 'x', matrix: { os: 'x' } }], timeoutMinutes: 7 });
    const { pipeline, recorded } = observe({ own, records: [started({ gate: 'a', leg: 'y', needs: { q: null } })] });
    const gate = pipeline.gates.find(({ id }) => id === 'a')!;
    expect(gate).toMatchObject({ needs: ['z'], timeoutMinutes: 7, legs: [{ id: 'x', matrix: { os: 'x' } }] });
    expect([...recorded]).toEqual(['z']);
  });

  it('has no gate of another pipeline, and none that was only decided about', () => {
    const records = [
      started({ gate: 'a' }),
      { ...started({ gate: 'b' }), pipeline: 'other' },
      decided({ gate: 'c', decision: 'skip' }),
    ];
    expect(observe({ records }).pipeline.gates.map(({ id }) => id)).toEqual(['a']);
  });

  it('has its gates and legs in one order, in whichever order records come', () => {
    const records = [
      ...['design', 'code', 'audit'].flatMap((gate) => [started({ gate }), ended({ gate })]),
      started({ gate: 'test', leg: 'linux', needs: { design: null, code: null } }),
      started({ gate: 'test', leg: 'darwin', needs: { code: null, design: null } }),
      started({ gate: 'lint', needs: { test: null } }),
      started({ gate: 'lint', call: 2, needs: { audit: null } }),
    ];
    const unread = ['map', 'data'].flatMap((gate) => ['', 'x'].map((leg) => ({ gate, leg })));
    const first = observe({ records, unread });
    expect(first.pipeline.gates.map(({ id }) => id)).toEqual([
      'audit',
      'code',
      'data',
      'design',
      'lint',
      'map',
      'test',
    ]);
    expect(first.pipeline.gates.at(-1)!.legs.map(({ id }) => id)).toEqual(['darwin', 'linux']);
    fc.assert(
      fc.property(
        fc.shuffledSubarray(records, { minLength: records.length }),
        fc.shuffledSubarray(unread, { minLength: unread.length }),
        (told, hidden) => {
          expect(observe({ records: told, unread: hidden })).toEqual(first);
        },
      ),
    );
  });

  it('has gates that are expected and left nothing', () => {
    const { pipeline } = observe({ expected: ['build'] });
    const state = foldRun(
      unitsOf(pipeline),
      { records: [], problems: [] },
      { pipeline: PIPELINE, subject: SUBJECT },
      { now: NOW },
    );
    expect(state.units.get('build')).toMatchObject({ status: 'ready', done: false });
  });

  it('has no cycle, whatever the records say of their needs', () => {
    const gate = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const record = fc.record({
      gate,
      call: fc.integer({ min: 1, max: 3 }),
      leg: fc.constantFrom('', 'x'),
      needs: fc.uniqueArray(gate).map((ids) => Object.fromEntries(ids.map((id) => [id, null]))),
    });
    const own = fc.option(fc.record({ id: gate, needs: fc.uniqueArray(gate) }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), own, (told, mine) => {
        const needs = mine?.needs.filter((id) => id !== mine.id) ?? [];
        const records = told.flatMap((one) => [started(one), ended(one)]);
        const { pipeline } = observe({ records, own: mine && gateOf(mine.id, { needs }) });
        const seen = new Set<string>();
        for (const one of pipeline.gates) {
          expect(one.needs.every((id) => seen.has(id))).toBe(true);
          seen.add(one.id);
        }
        expect(seen.size).toBe(pipeline.gates.length);
        if (mine !== undefined) expect(pipeline.gates.find(({ id }) => id === mine.id)!.needs).toEqual(needs);
        expect(unitsOf(pipeline).size).toBeGreaterThanOrEqual(seen.size);
      }),
    );
  });
});
