import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { linedJson } from '../../src/json/lined-json.ts';

it('is JSON, with arrays of scalars and items of compact lists on one line', () => {
  const value: JsonObject = {
    list: [1, 'two\n', null],
    empty: [],
    none: {},
    deep: { items: [{ a: [1, 2] }, []] },
    mine: { gates: [{ gate: 'a', n: [1] }, { gate: 'b' }], text: 'x' },
  };
  const text = linedJson(value, 'mine');
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toBe(`{
  "list": [1, "two\\n", null],
  "empty": [],
  "none": {},
  "deep": {
    "items": [
      {
        "a": [1, 2]
      },
      []
    ]
  },
  "mine": {
    "gates": [
      {"gate":"a","n":[1]},
      {"gate":"b"}
    ],
    "text": "x"
  }
}`);
  const plain: JsonObject = { a: { b: 'c', d: true }, e: [{ f: 1 }] };
  expect(linedJson(plain, 'mine')).toBe(JSON.stringify(plain, null, 2));
});
