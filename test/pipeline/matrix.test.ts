import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandMatrix, legsFromList, type Legs, type MatrixEntry } from '../../src/pipeline/matrix.ts';

function legs(result: Legs) {
  if ('problem' in result) throw new Error(result.problem);
  return result.legs;
}
const expand = ({ include = [], exclude = [], ...lists }: Record<string, unknown[]>) =>
  legs(expandMatrix({ lists, include, exclude } as MatrixEntry));
const values = (matrix: Record<string, unknown[]>) => expand(matrix).map((leg) => leg.matrix);
const ids = (matrix: Record<string, unknown[]>) => expand(matrix).map((leg) => leg.id);

describe("legs are GitHub's", () => {
  it('cross product, the first key slowest', () => {
    expect(ids({ version: [10, 12], os: ['linux', 'mac'] })).toEqual(['10-linux', '10-mac', '12-linux', '12-mac']);
  });

  it("include, by the example of GitHub's documentation", () => {
    const include = [
      { color: 'green' },
      { color: 'pink', animal: 'cat' },
      { fruit: 'apple', shape: 'circle' },
      { fruit: 'banana' },
      { fruit: 'banana', animal: 'cat' },
    ];
    expect(values({ fruit: ['apple', 'pear'], animal: ['cat', 'dog'], include })).toEqual([
      { fruit: 'apple', animal: 'cat', color: 'pink', shape: 'circle' },
      { fruit: 'apple', animal: 'dog', color: 'green', shape: 'circle' },
      { fruit: 'pear', animal: 'cat', color: 'pink' },
      { fruit: 'pear', animal: 'dog', color: 'green' },
      { fruit: 'banana' },
      { fruit: 'banana', animal: 'cat' },
    ]);
  });

  it("exclude, by the example of GitHub's documentation", () => {
    const exclude = [
      { os: 'macos-latest', version: 12, environment: 'production' },
      { os: 'windows-latest', version: 16 },
    ];
    const os = ['macos-latest', 'windows-latest'];
    expect(values({ os, version: [12, 14, 16], environment: ['staging', 'production'], exclude })).toHaveLength(9);
  });

  it('an excluded leg comes back by include, and include alone makes legs', () => {
    const include = [{ a: 'x', b: 1 }];
    expect(values({ a: ['x', 'y'], exclude: [{ a: 'x' }], include })).toEqual([{ a: 'y' }, { a: 'x', b: 1 }]);
    expect(values({ include: [{ site: 'a' }, { site: 'b' }] })).toEqual([{ site: 'a' }, { site: 'b' }]);
  });

  it('values are compared without case and type, maps by the keys of the filter', () => {
    const node = [{ version: 14 }, { version: 20, env: 'X' }];
    expect(values({ os: ['Linux', 'mac'], node, exclude: [{ os: 'linux', node: { version: '20' } }] })).toEqual([
      { os: 'Linux', node: { version: 14 } },
      { os: 'mac', node: { version: 14 } },
      { os: 'mac', node: { version: 20, env: 'X' } },
    ]);
  });

  it.each([
    [
      'more combinations than can be',
      { a: Array(40).fill(1), b: Array(40).fill(1) },
      '1600 combinations are more than 1024',
    ],
    ['more legs than GitHub allows', { a: Array(20).fill(1), b: Array(20).fill(1) }, '400 legs are more than 256'],
    ['none', { a: [1], exclude: [{ a: 1 }] }, 'no leg is left'],
  ])('are refused: %s', (_title, matrix: Record<string, unknown[]>, problem) => {
    expect(() => expand(matrix)).toThrow(problem);
  });
});

describe('the id of a leg', () => {
  it('is a slug of its values, or its index', () => {
    expect(ids({ v: ['ubuntu-latest', 'Chrome', '3.10', '', true, 'x'.repeat(81), 'a b', 'A/B'] })).toEqual([
      'ubuntu-latest',
      'chrome',
      '3-10',
      'leg-3',
      'true',
      'leg-5',
      'leg-6',
      'leg-7',
    ]);
    expect(ids({ v: ['leg-1', '', 'leg-1_'] })).toEqual(['leg-1', 'leg-1__', 'leg-1_']);
    expect(ids({ v: ['Chrome'], include: [{ v: 'chrome', extra: 1 }] })).toEqual(['chrome']);
  });

  it('is unique and safe in names, for any values', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constantFrom('a', 'a-a', 'A', 'leg-1'));
    const row = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { minKeys: 1 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (include) => {
        const result = ids({ include });
        expect(new Set(result).size).toBe(include.length);
        for (const id of result) expect(id).toMatch(/^[a-z0-9_-]{1,80}$/);
      }),
    );
  });
});

it('legs from data have the items of a list as their values', () => {
  expect(legs(legsFromList(['a', 'b'], 'shard'))).toEqual([
    { id: 'a', matrix: { shard: 'a' } },
    { id: 'b', matrix: { shard: 'b' } },
  ]);
  expect(legs(legsFromList([{ x: 1, y: 'z' }, 7], ''))).toEqual([
    { id: '1-z', matrix: { x: 1, y: 'z' } },
    { id: '7', matrix: { value: 7 } },
  ]);
  expect(legs(legsFromList([{ x: 1 }], 'shard'))).toEqual([{ id: '1', matrix: { shard: { x: 1 } } }]);
  expect(legs(legsFromList([], 'shard'))).toEqual([]);
  expect(legsFromList({ a: [1] }, '')).toEqual({ problem: 'it is not a list' });
  expect(legsFromList(undefined, '')).toEqual({ problem: 'it is not in the output' });
  expect(legsFromList(Array(257).fill(1), '')).toEqual({ problem: '257 legs are more than 256' });
});
