import { describe, expect, it } from 'vitest';
import { adjustFiles, composeFiles, planPut, type GateFiles } from '../../src/run/files.ts';

const versions = (files: Record<string, string | null>) => (path: string) => files[path] ?? null;
const readsNothing = () => false;

describe('the files of a unit', () => {
  it('remember the version before the first attempt, and each version that an attempt found', () => {
    const first = composeFiles({}, versions({}), [{ path: 'x', before: null, after: '1' }]);
    const second = composeFiles(first, versions({ x: '1' }), [{ path: 'x', before: '1', after: '2' }]);
    expect(second).toEqual({ x: { base: null, found: [null, '1'], after: '2' } });
  });

  it('exclude a file that somebody changed between two attempts, until the unit changes it again', () => {
    const first: GateFiles = { x: { base: null, found: [null], after: '1' } };
    expect(composeFiles(first, versions({ x: 'user' }), [])).toEqual({});
    expect(composeFiles(first, versions({ x: 'user' }), [{ path: 'x', before: 'user', after: '2' }])).toEqual({
      x: { base: 'user', found: ['user'], after: '2' },
    });
  });

  it('do not include a file that git ignores now: nobody deleted it', () => {
    const first: GateFiles = { x: { base: null, found: [null], after: '1' } };
    expect(composeFiles(first, versions({ x: '1' }), [{ path: 'x', before: '1', after: null, ignored: true }])).toEqual(
      {},
    );
  });

  it('have the version that another unit made of them', () => {
    const files: GateFiles = {
      x: { base: '0', found: ['0'], after: '1' },
      y: { base: null, found: [null], after: '1' },
    };
    expect(adjustFiles(files, [{ path: 'x', before: '1', after: '2' }])).toEqual({
      x: { base: '0', found: ['0', '1'], after: '2' },
      y: files['y'],
    });
    expect(adjustFiles(files, [{ path: 'x', before: 'user', after: '2' }])).toEqual({ y: files['y'] });
  });
});

describe('using an output', () => {
  const files: GateFiles = { x: { base: '0', found: ['0'], after: '1' } };

  it.each([
    ['nothing if the file is as the unit left it', '1', true, {}, { choice: 'put', changes: [], left: [] }],
    [
      'over the version that the unit found',
      '0',
      true,
      {},
      { choice: 'put', changes: [{ path: 'x', before: '0', after: '1' }], left: [] },
    ],
    [
      'nothing over a version of the user, if the output is the newest one',
      'user',
      true,
      {},
      { choice: 'put', changes: [], left: ['x'] },
    ],
    [
      'nothing at all if an older output would replace a version of the user',
      'user',
      false,
      {},
      { choice: 'run', conflict: 'x' },
    ],
    [
      'an older output over what the newest attempt left',
      '2',
      false,
      { x: { base: '0', found: ['1'], after: '2' } },
      { choice: 'put', changes: [{ path: 'x', before: '2', after: '1' }], left: [] },
    ],
  ])('writes %s', (_title, current, isNewest, newest, plan) => {
    expect(planPut({ files, newest, isNewest, hasFailed: false }, versions({ x: current }), readsNothing)).toEqual(
      plan,
    );
  });

  it('reverts a file that only the newest attempt made, if it is unchanged and no input of the unit', () => {
    const newest: GateFiles = { x: files['x']!, y: { base: null, found: [null], after: 'new' } };
    const current = versions({ x: '1', y: 'new' });
    const older = { files, newest, isNewest: false, hasFailed: false };
    expect(planPut(older, current, readsNothing)).toMatchObject({
      changes: [{ path: 'y', before: 'new', after: null }],
    });
    expect(planPut(older, current, (path) => path === 'y')).toMatchObject({ changes: [] });
    expect(planPut(older, versions({ x: '1', y: 'edited' }), readsNothing)).toMatchObject({
      changes: [],
    });
  });

  it('puts the newest output over what an attempt left that failed since', () => {
    const newest: GateFiles = {
      x: { ...files['x']!, after: 'broken' },
      y: { base: null, found: [null], after: 'new' },
    };
    const output = { files, newest, isNewest: true, hasFailed: true };
    expect(planPut(output, versions({ x: 'broken', y: 'new' }), readsNothing)).toEqual({
      choice: 'put',
      changes: [
        { path: 'x', before: 'broken', after: '1' },
        { path: 'y', before: 'new', after: null },
      ],
      left: [],
    });
    expect(planPut(output, versions({ x: 'user' }), readsNothing)).toEqual({ choice: 'put', changes: [], left: ['x'] });
  });
});
