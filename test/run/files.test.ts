import { describe, expect, it } from 'vitest';
import { leftByOthers, upstreamChanges, upstreamFiles } from '../../src/run/files.ts';
import { foldRun } from '../../src/run/fold.ts';
import { unitOf, type EndedRecord, type FileChange } from '../../src/run/record.ts';
import { unitsOf, type UnitGraph } from '../../src/run/unit.ts';
import { pipelineOf } from '../support/pipelines.ts';
import { contentOf, ended, FAILED, listing, NOW, PIPELINE, SUBJECT } from '../support/records.ts';

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

/** What `key` finds, where each gate passed and left these files. */
function found(
  graph: UnitGraph,
  key: string,
  left: Readonly<Record<string, FileChange[]>>,
  touched: Readonly<Record<string, FileChange[]>> = {},
) {
  const records = [...graph.values()].map(({ key: gate, needs }) => {
    const given = Object.fromEntries(needs.map((need) => [need, contentOf(`output of ${need}`).digest]));
    return ended({ gate, needs: given, files: left[gate] ?? [], touched: touched[gate] ?? [] });
  });
  const state = foldRun(graph, listing(records), { pipeline: PIPELINE, subject: SUBJECT }, { now: NOW });
  const { files, conflicts } = upstreamFiles(graph, state, key);
  return {
    files: files.map(({ path, after }) => [path, after?.blob ?? null]),
    conflicts,
    changes: upstreamChanges(graph, Map.groupBy(records, unitOf), key),
  };
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

  it('do not hold what was touched without being handed on, though that counts as a change upstream', () => {
    const handed = change('x', null, '1');
    const touched = change('y', '0', '1');
    const of = found(DIAMOND, 'b', { a: [handed] }, { a: [touched] });
    expect(of.files).toEqual([['x', '1']]);
    expect(of.changes).toEqual([handed, touched]);
  });
});

describe('changes from upstream', () => {
  it('are all that gates upstream ever made, by attempts that failed too', () => {
    const [first, second, other] = [change('x', '0', '1'), change('x', '1', '2'), change('y', '0', '1')];
    const records = [
      ended({ gate: 'a', call: 1, verdict: FAILED, touched: [first] }),
      ended({ gate: 'a', call: 2, files: [second] }),
      ended({ gate: 'c', touched: [other] }),
    ];
    const made = Map.groupBy(records, unitOf);
    expect(upstreamChanges(DIAMOND, made, 'b')).toEqual([first, second]);
    expect(upstreamChanges(DIAMOND, made, 'd')).toEqual([first, second, other]);
    expect(upstreamChanges(DIAMOND, made, 'a')).toEqual([]);
  });
});

describe('what gates that are not upstream left behind', () => {
  const left = (key: string, records: readonly EndedRecord[], runNumber = 1) => {
    const { ofThisRun, ofOtherRuns } = leftByOthers(DIAMOND, records, key, runNumber);
    const brief = (changes: readonly FileChange[]) =>
      changes.map(({ path, before, after }) => [path, before?.blob ?? null, after?.blob ?? null]);
    return { ofThisRun: brief(ofThisRun), ofOtherRuns: brief(ofOtherRuns) };
  };

  it('is what the gate itself, later ones and unrelated ones changed, also when they failed', () => {
    const records = ['a', 'b', 'c', 'd'].map((gate) =>
      ended({ gate, verdict: FAILED, touched: [change(gate, '0', '1')] }),
    );
    expect(new Set(left('b', records).ofThisRun.map(([path]) => path))).toEqual(new Set(['b', 'c', 'd']));
    expect(new Set(left('a', records).ofThisRun.map(([path]) => path))).toEqual(new Set(['a', 'b', 'c', 'd']));
  });

  it('is told apart by the run that made it', () => {
    const old = ended({ gate: 'd', run: 1, files: [change('x', '0', '1')] });
    const now = ended({ gate: 'd', run: 2, files: [change('y', '0', '1')] });
    const reused = ended({
      gate: 'c',
      run: 2,
      how: 'reused',
      source: { runNumber: 1, runAttempt: 1, n: 1 },
      files: [change('z', '0', '1')],
    });
    expect(left('b', [old, now, reused], 2)).toEqual({
      ofThisRun: [['y', '0', '1']],
      ofOtherRuns: expect.arrayContaining([
        ['x', '0', '1'],
        ['z', '0', '1'],
      ]),
    });
  });

  it('leaves out what is as it was before', () => {
    expect(left('b', [ended({ gate: 'd', files: [change('x', '1', '1')] })]).ofThisRun).toEqual([]);
    expect(left('b', [ended({ gate: 'd', files: [change('x', '1', '1', '100755')] })]).ofThisRun).toEqual([
      ['x', '1', '1'],
    ]);
  });

  it('comes with the latest first, in whatever order the records were listed, each change once', () => {
    const first = ended({ gate: 'd', call: 1, files: [change('x', 'A', 'C')] });
    const second = ended({ gate: 'd', call: 2, files: [change('x', 'B', 'C')] });
    const third = ended({ gate: 'd', call: 3, files: [change('x', 'A', 'C')] });
    const latestFirst = [
      ['x', 'B', 'C'],
      ['x', 'A', 'C'],
    ];
    expect(left('b', [first, second]).ofThisRun).toEqual(latestFirst);
    expect(left('b', [second, first]).ofThisRun).toEqual(latestFirst);
    expect(left('b', [third, second, first]).ofThisRun).toEqual(latestFirst.toReversed());
    expect(left('b', [first, second, third]).ofThisRun).toEqual(latestFirst.toReversed());
  });
});
