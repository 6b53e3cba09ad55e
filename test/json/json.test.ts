import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/json/canonical-json.ts';
import { closestWord, didYouMean } from '../../src/json/did-you-mean.ts';
import { digestOf, digestOfJson } from '../../src/json/digest.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { pickPointers, POINTER_PATTERN, pointerOf, pointerSegments, valueAt } from '../../src/json/pointer.ts';

describe('canonical JSON', () => {
  it('equals the example of RFC 8785, section 3.2.3, for any order of keys', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\u{1f600}': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.values(JSON.parse(canonicalJson(value)) as object)).toEqual([
      'One',
      'Carriage Return',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
    expect(canonicalJson([1e30, 4.5, 2e-3, -0, 333333333.3333333])).toBe('[1e+30,4.5,0.002,0,333333333.3333333]');
    const reversed = Object.fromEntries(Object.entries(value).reverse());
    expect(digestOfJson(reversed)).toBe(digestOf(canonicalJson(value)));
  });

  it('parses to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value as JsonValue))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(canonicalJson({ a: undefined as never, b: [1] })).toBe('{"b":[1]}');
    expect(() => canonicalJson(Number.NaN)).toThrow(TypeError);
  });
});

describe('a JSON pointer', () => {
  it('finds only own keys and items', () => {
    const value = JSON.parse('{"a":[{"b/c":1,"~":null}],"":2,"__proto__":{"x":3}}') as JsonValue;
    const parts = ['/a/0/b~1c', '/a/0/~0', '/', '/__proto__/x', '/a/1', '/a/00', '/a/-1', '/a/length', '/toString'];
    expect(parts.map((pointer) => valueAt(value, pointer))).toEqual([1, null, 2, 3, ...Array.from({ length: 5 })]);
    expect(valueAt(value, '')).toBe(value);
    expect(['', '/a/0', '/~0~1', 'a', '/~', '/~2'].map((pointer) => POINTER_PATTERN.test(pointer))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('made of any path splits into the same path', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (path) => {
        expect(pointerSegments(pointerOf(path))).toEqual(path);
      }),
    );
  });

  it.each<readonly [readonly string[], JsonValue]>([
    [[''], { a: { b: [1, { c: 2 }], d: 3 }, e: 4 }],
    [['/a/d', '/e'], { a: { d: 3 }, e: 4 }],
    [['/a/b/1/c'], { a: { b: { 1: { c: 2 } } } }],
    [['/a/b/0', '/a/b'], { a: { b: [1, { c: 2 }] } }],
    [['/x', '/a/x'], {}],
  ])('%j of an output is exported at its place', (pointers, exported) => {
    const value: JsonValue = { a: { b: [1, { c: 2 }], d: 3 }, e: 4 };
    const before = structuredClone(value);
    expect(JSON.parse(JSON.stringify(pickPointers(value, pointers)))).toEqual(exported);
    expect(value).toEqual(before);
  });

  it('`/__proto__` picks data, not the prototype', () => {
    const value = JSON.parse('{"__proto__":{"x":1,"y":2}}') as JsonValue;
    expect(JSON.stringify(pickPointers(value, ['/__proto__/x']))).toBe('{"__proto__":{"x":1}}');
  });
});

describe('did you mean', () => {
  it.each([
    ['desing', 'design'],
    ['TEST_ID', 'test-id'],
    ['reveiw', 'review'],
    ['revew', 'review'],
    ['banana', undefined],
    ['x', undefined],
  ])('by %s is %s', (word, meant) => {
    expect(closestWord(word, ['design', 'review', 'test-id'])).toBe(meant);
  });

  it('asks with the closest candidate', () => {
    expect(didYouMean('desing', ['design'])).toBe('did you mean `design`?');
    expect(didYouMean('desing', [])).toBeUndefined();
  });
});
