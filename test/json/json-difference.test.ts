import { describe, expect, it } from 'vitest';
import { jsonDifferences } from '../../src/json/json-difference.ts';
import type { JsonValue } from '../../src/json/json.ts';

const found = (before: JsonValue | undefined, after: JsonValue | undefined) =>
  jsonDifferences(before, after).map((one) => [one.pointer, one.before, one.after]);

describe('differences of JSON values', () => {
  it('are named by pointers, as deep as both values have the same shape', () => {
    const before = { score: 10, same: [1, { a: 1 }], 'a/b': { '~': 1 }, list: [1, 2], gone: null };
    const after = { same: [1, { a: 1 }], score: 90, 'a/b': { '~': 2 }, list: [1, 3, 4], shape: {} };
    expect(found(before, after)).toEqual([
      ['/a~1b/~0', 1, 2],
      ['/gone', null, undefined],
      ['/list/1', 2, 3],
      ['/list/2', undefined, 4],
      ['/score', 10, 90],
      ['/shape', undefined, {}],
    ]);
  });

  it.each([
    ['another shape', [1], { 0: 1 }, [['', [1], { 0: 1 }]]],
    ['no value before', undefined, null, [['', undefined, null]]],
    ['no values', undefined, undefined, []],
    ['the order of names', { a: 1, b: [] }, { b: [], a: 1 }, []],
    [
      'names of every object',
      {},
      JSON.parse('{"__proto__": 1, "toString": 2}'),
      [
        ['/__proto__', undefined, 1],
        ['/toString', undefined, 2],
      ],
    ],
  ] as const)('%s', (_, before, after, expected) => {
    expect(found(before as JsonValue | undefined, after as JsonValue | undefined)).toEqual(expected);
  });
});
