import { describe, expect, it } from 'vitest';
import { filesLeft, upstreamFiles } from '../../../src/run/files/files.ts';
import { foldRun } from '../../../src/run/state/fold.ts';
import type { RunState } from '../../../src/run/state/run-state.ts';
import type { FileChange } from '../../../src/run/records/record.ts';
import { unitsOf, type UnitGraph } from '../../../src/run/records/unit.ts';
import { pipelineOf } from '../../support/pipelines.ts';
import { contentOf, ended, FAILED, listing, NOW, PIPELINE, SUBJECT } from '../../support/records.ts';

/** A change of a file from one text to another; `null`: it was not or is not there. */
function change(
  path: string,
  before: string | null,
  after: string | null,
  mode: '100644' | '100755' = '100644',
): FileChange {
  return {
    path,
    before: before === null ? null : { blob: before, mode: '100644' },
    after: after === null ? null : { blob: after, mode, content: contentOf(after) },
  };
}

function graphOf(needs: Readonly<Record<string, string[]>>): UnitGraph {
  return unitsOf(pipelineOf(Object.fromEntries(Object.entries(needs).map(([id, list]) => [id, { needs: list }]))));
}

/** A run in which each gate passed and left these files. */
function stateOf(graph: UnitGraph, left: Readonly<Record<string, FileChange[]>>): RunState {
  const records = [...graph.values()].map(({ key: gate, needs }) => {
    const given = Object.fromEntries(needs.map((need) => [need, contentOf(`output of ${need}`).digest]));
    return ended({ gate, needs: given, files: left[gate] ?? [] });
  });
  return foldRun(graph, listing(records), { pipeline: PIPELINE, subject: SUBJECT }, { now: NOW });
}

/** What `key` finds then. */
function found(graph: UnitGraph, key: string, left: Readonly<Record<string, FileChange[]>>) {
  const { files, conflicts } = upstreamFiles(graph, stateOf(graph, left), key);
  return { files: files.map(({ path, after }) => [path, after?.blob ?? null]), conflicts };
}

const DIAMOND = graphOf({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'], e: ['d'] });

describe('files from upstream', () => {
  it('are those of all gates upstream, sorted, and of no other one', () => {
    const left = {
      a: [change('z', null, '1')],
      b: [change('y', null, '2')],
      c: [change('x', null, '3')],
      e: [change('w', null, '4')],
    };
    expect(found(DIAMOND, 'd', left).files).toEqual([
      ['x', '3'],
      ['y', '2'],
      ['z', '1'],
    ]);
    expect(found(DIAMOND, 'b', left).files).toEqual([['z', '1']]);
    expect(found(DIAMOND, 'a', left).files).toEqual([]);
  });

  it('stand as the later gate left them, deletions too', () => {
    expect(found(DIAMOND, 'd', { a: [change('x', null, '1')], b: [change('x', '1', '2')] }).files).toEqual([
      ['x', '2'],
    ]);
    expect(found(DIAMOND, 'd', { a: [change('x', null, '1')], b: [change('x', '1', null)] }).files).toEqual([
      ['x', null],
    ]);
  });

  it('are in conflict where gates that do not need each other left them differently', () => {
    const { conflicts } = found(DIAMOND, 'd', { b: [change('x', null, '1')], c: [change('x', null, '2')] });
    expect(conflicts).toEqual([{ path: 'x', gates: ['b', 'c'] }]);
    expect(found(DIAMOND, 'd', { b: [change('x', null, '1')], c: [change('x', '0', null)] }).conflicts.length).toBe(1);
    expect(
      found(DIAMOND, 'd', { b: [change('x', null, '1')], c: [change('x', null, '1', '100755')] }).conflicts.length,
    ).toBe(1);
  });

  it('are not in conflict where both left the same, nor after a gate that found both', () => {
    expect(found(DIAMOND, 'd', { b: [change('x', null, '1')], c: [change('x', '0', '1')] }).conflicts).toEqual([]);
    const settled = { b: [change('x', null, '1')], c: [change('x', null, '2')], d: [change('x', '2', '3')] };
    expect(found(DIAMOND, 'e', settled)).toMatchObject({ files: [['x', '3']], conflicts: [] });
  });

  it.each([{ order: ['a', 'b', 'c', 'd'] }, { order: ['b', 'a', 'c', 'd'] }, { order: ['b', 'c', 'a', 'd'] }])(
    'are in conflict whatever the order of the file: $order',
    ({ order }) => {
      const needs: Record<string, string[]> = { a: [], b: [], c: ['b'], d: ['a', 'c'] };
      const graph = graphOf(Object.fromEntries(order.map((id) => [id, needs[id]!])));
      const left = { a: [change('x', '0', '1')], b: [change('x', '0', '1')], c: [change('x', '1', '2')] };
      expect(found(graph, 'd', left).conflicts).toMatchObject([{ path: 'x' }]);
    },
  );

  it('of legs of one gate are in conflict like those of any two gates', () => {
    const legs = ['x', 'y'].map((id) => ({ id, matrix: {} }));
    const graph = unitsOf(pipelineOf({ m: { legs }, z: { needs: ['m'] } }));
    const records = legs.map(({ id }) => ended({ gate: 'm', leg: id, files: [change('f', null, id)] }));
    const state = foldRun(graph, listing(records), { pipeline: PIPELINE, subject: SUBJECT }, { now: NOW });
    expect(upstreamFiles(graph, state, 'z').conflicts).toEqual([{ path: 'f', gates: ['m/x', 'm/y'] }]);
  });

  it('are in conflict where one left a file and another one a folder of that name', () => {
    const { conflicts } = found(DIAMOND, 'd', { b: [change('x', null, '1')], c: [change('x/y/z', null, '2')] });
    expect(conflicts).toEqual([{ path: 'x and x/y/z', gates: ['b', 'c'] }]);
    expect(found(DIAMOND, 'd', { b: [change('x', '1', null)], c: [change('x/y', null, '2')] }).conflicts).toEqual([]);
    // One that knew of the file made way for the folder.
    const left = { a: [change('x', null, '1')], b: [change('x', '1', null), change('x/y', null, '2')] };
    expect(found(DIAMOND, 'd', left)).toEqual({
      files: [
        ['x', null],
        ['x/y', '2'],
      ],
      conflicts: [],
    });
  });

  it('are those of gates that are done, and only what they handed on', () => {
    const records = [
      ended({ gate: 'a', verdict: FAILED, files: [change('x', null, '1')] }),
      ended({ gate: 'b', needs: { a: contentOf('output of a').digest }, files: [change('y', null, '1')] }),
    ];
    const state = foldRun(DIAMOND, listing(records), { pipeline: PIPELINE, subject: SUBJECT }, { now: NOW });
    expect(upstreamFiles(DIAMOND, state, 'd').files).toEqual([]);
    const touched = listing([ended({ gate: 'a', files: [], touched: [change('x', null, '1')] })]);
    const other = foldRun(DIAMOND, touched, { pipeline: PIPELINE, subject: SUBJECT }, { now: NOW });
    expect(upstreamFiles(DIAMOND, other, 'b').files).toEqual([]);
  });
});

describe('files that some gates left', () => {
  it('are those of these gates alone, with every step of each path', () => {
    const [first, second, third] = [change('x', null, '1'), change('x', '1', '2'), change('x', '2', '3')];
    const state = stateOf(DIAMOND, { a: [first], b: [second], d: [third, change('y', null, '1')] });
    const some = filesLeft(DIAMOND, state, ['a', 'b']);
    expect(some.files).toEqual([second]);
    expect([...some.steps]).toEqual([['x', [first, second]]]);
    const all = filesLeft(DIAMOND, state, DIAMOND.keys());
    expect(all.files.map(({ path }) => path)).toEqual(['x', 'y']);
    expect(all.steps.get('x')).toEqual([first, second, third]);
    expect(filesLeft(DIAMOND, state, []).files).toEqual([]);
  });
});
