import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { legsOf, type MatrixEntry } from '../../../src/pipeline/file/matrix.ts';

function legs(matrix: MatrixEntry) {
  const result = legsOf(matrix);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.legs;
}
const rows = (matrix: MatrixEntry) => legs(matrix).map((leg) => leg.matrix);
const ids = (matrix: MatrixEntry) => legs(matrix).map((leg) => leg.id);

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
    expect(rows({ fruit: ['apple', 'pear'], animal: ['cat', 'dog'], include })).toEqual([
      { fruit: 'apple', animal: 'cat', color: 'pink', shape: 'circle' },
      { fruit: 'apple', animal: 'dog', color: 'green', shape: 'circle' },
      { fruit: 'pear', animal: 'cat', color: 'pink' },
      { fruit: 'pear', animal: 'dog', color: 'green' },
      { fruit: 'banana' },
      { fruit: 'banana', animal: 'cat' },
    ]);
  });

  it("exclude, by the example of GitHub's documentation", () => {
    const matrix = {
      os: ['macos-latest', 'windows-latest'],
      version: [12, 14, 16],
      environment: ['staging', 'production'],
      exclude: [
        { os: 'macos-latest', version: 12, environment: 'production' },
        { os: 'windows-latest', version: 16 },
      ],
    };
    expect(rows(matrix)).toHaveLength(9);
  });

  it('include alone', () => {
    expect(rows({ include: [{ site: 'a', dc: 1 }, { site: 'b' }] })).toEqual([{ site: 'a', dc: 1 }, { site: 'b' }]);
  });

  it('a leg that was excluded comes back by include as one of its own', () => {
    expect(rows({ a: ['x', 'y'], exclude: [{ a: 'x' }], include: [{ a: 'x', b: 1 }] })).toEqual([
      { a: 'y' },
      { a: 'x', b: 1 },
    ]);
  });

  it('values are compared as == compares them, maps by the keys that the filter gives', () => {
    const node = [{ version: 14 }, { version: 20, env: 'X' }];
    expect(rows({ os: ['Linux', 'mac'], node, exclude: [{ os: 'linux', node: { version: '20' } }] })).toEqual([
      { os: 'Linux', node: { version: 14 } },
      { os: 'mac', node: { version: 14 } },
      { os: 'mac', node: { version: 20, env: 'X' } },
    ]);
  });
});

describe('leg ids', () => {
  it('are the values as they stand where they can be, else with a digest', () => {
    const found = ids({ v: ['ubuntu-latest', 'Chrome', '3.10', '', true, 'x'.repeat(50)] });
    expect(found[0]).toBe('ubuntu-latest');
    expect(found[1]).toMatch(/^chrome-[0-9a-f]{6}$/);
    expect(found[2]).toMatch(/^3-10-[0-9a-f]{6}$/);
    expect(found[3]).toMatch(/^leg-[0-9a-f]{6}$/);
    expect(found[4]).toBe('true');
    expect(found[5]).toMatch(/^x{33}-[0-9a-f]{6}$/);
  });

  it('stay what they are when a value is added or includes extend a leg', () => {
    const [, chrome] = ids({ v: ['a', 'Chrome'] });
    expect(ids({ v: ['Chrome', 'b'], include: [{ v: 'Chrome', extra: 1 }] })[0]).toBe(chrome);
  });

  it('are told apart where the values join to the same text', () => {
    const found = ids({ include: [{ a: 'x-y', b: 'z' }, { a: 'x', b: 'y-z' }, { a: 1 }, { a: '1' }] });
    expect(new Set(found).size).toBe(4);
    expect(found.every((id) => /^[a-z0-9_-]{1,40}$/.test(id))).toBe(true);
  });

  it('are unique and well formed for any values', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom('a', 'a-a', 'A'),
    );
    const row = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { minKeys: 1 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (include) => {
        const result = legsOf({ include });
        if ('problems' in result) {
          expect(result.problems[0]!.message).toMatch(/^two legs are the same/);
          return;
        }
        expect(new Set(result.legs.map(({ id }) => id)).size).toBe(include.length);
        for (const { id } of result.legs) expect(id).toMatch(/^[a-z0-9_-]{1,40}$/);
      }),
    );
  });
});
