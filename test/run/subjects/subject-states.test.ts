import { describe, expect, it } from 'vitest';
import { subjectGraph, type SubjectGraph } from '../../../src/pipeline/subjects/subject-set.ts';
import type { FileChange } from '../../../src/run/records/record.ts';
import { filesFor } from '../../../src/run/subjects/handed-on.ts';
import { startable, subjectStates, type KnownSubject } from '../../../src/run/subjects/subject-states.ts';

/** Subjects by id, with those that each needs. */
function graph(needs: Readonly<Record<string, readonly string[]>>): SubjectGraph {
  return subjectGraph(Object.entries(needs).map(([id, ids]) => ({ id, needs: ids, metadata: {} })));
}

const DIAMOND = graph({ d: ['b', 'c'], b: ['a'], c: ['a'], a: [], alone: [] });

/** `status: reason` of each subject. */
function states(known: Readonly<Record<string, KnownSubject['status']>>): Record<string, string> {
  const facts = Object.entries(known).map(([id, status]) => [id, { status, reason: `(${status})` }] as const);
  const found = subjectStates(DIAMOND, new Map(facts));
  return Object.fromEntries([...found].map(([id, { status, reason }]) => [id, `${status} ${reason}`.trimEnd()]));
}

describe('the subjects of a set', () => {
  it('are ready when all that they need are completed', () => {
    const none = { a: 'ready', b: 'pending waits for a', c: 'pending waits for a', d: 'pending waits for b and c' };
    expect(states({})).toEqual({ ...none, alone: 'ready' });
    expect(states({ a: 'running' })).toMatchObject({ a: 'running (running)', b: 'pending waits for a' });
    expect(states({ a: 'completed', b: 'completed' })).toMatchObject({ c: 'ready', d: 'pending waits for c' });
    expect(states({ a: 'completed', b: 'completed', c: 'completed' })).toMatchObject({ d: 'ready' });
  });

  it.each([
    ['failed', 'which failed'],
    ['paused', 'which is paused'],
    ['interrupted', 'which was interrupted'],
    ['left-out', '(left-out)'],
  ] as const)('are blocked by one that is %s, and no others are', (status, why) => {
    expect(states({ a: 'completed', b: status })).toMatchObject({
      c: 'ready',
      d: `blocked needs b, ${why}`,
      alone: 'ready',
    });
    expect(states({ a: status })).toMatchObject({
      b: `blocked needs a, ${why}`,
      d: 'blocked needs b, which is blocked and c, which is blocked',
      alone: 'ready',
    });
  });

  it('name the first of many that they wait for', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`s${index}`, []]));
    const found = subjectStates(graph({ ...many, last: Object.keys(many) }), new Map());
    expect(found.get('last')!.reason).toBe('waits for s0, s1, s2, s3, s4 and 295 more');
  });

  it('keep their own status, whatever became of what they need', () => {
    expect(states({ a: 'failed', b: 'completed', d: 'running' })).toMatchObject({
      b: 'completed (completed)',
      d: 'running (running)',
    });
  });

  it('start in the order of the set, as far as there is room', () => {
    const found = subjectStates(graph({ x: [], y: [], z: ['x'], w: [] }), new Map());
    expect(startable(found, 2)).toEqual(['x', 'y']);
    expect(startable(found, 9)).toEqual(['x', 'y', 'w']);
    expect(startable(found, 0)).toEqual([]);
    expect(startable(found, -1)).toEqual([]);
  });
});

describe('the files that a subject finds', () => {
  const made = (path: string, by: string): FileChange => ({
    path,
    before: null,
    after: { mode: '100644', blob: by.padEnd(40, '0') },
  });

  it('are those of all upstream, the later ones over the earlier', () => {
    const handed = new Map([
      ['a', [made('f', 'a'), made('g', 'a')]],
      ['b', [made('f', 'b')]],
      ['c', [made('h', 'c')]],
      ['alone', [made('i', 'alone')]],
    ]);
    expect(filesFor(DIAMOND, 'd', handed)).toEqual([made('f', 'b'), made('g', 'a'), made('h', 'c')]);
    expect(filesFor(DIAMOND, 'a', handed)).toEqual([]);
  });

  it('must not be different versions of a path by subjects that do not need each other', () => {
    const handed = new Map([
      ['b', [made('f', 'b'), made('dir', 'b')]],
      ['c', [made('f', 'c'), made('dir/x', 'c')]],
    ]);
    expect(() => filesFor(DIAMOND, 'd', handed)).toThrow(
      'subject d: subjects that do not need each other changed the same path differently: f (b and c), dir and dir/x (b and c)',
    );
    const same = new Map([
      ['b', [made('f', 'x')]],
      ['c', [made('f', 'x')]],
    ]);
    expect(filesFor(DIAMOND, 'd', same)).toEqual([made('f', 'x')]);
  });
});
