import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalChunks, canonicalJson, digestOfJson } from '../../src/json/canonical-json.ts';
import { digestOf } from '../../src/json/digest.ts';
import type { JsonValue } from '../../src/json/json.ts';

describe('canonical JSON (RFC 8785)', () => {
  it('gives the result of the RFC’s own example', () => {
    const value = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    ) as JsonValue;
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by UTF-16 code units, as the RFC’s example does', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = JSON.parse(canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])))) as object;
    expect(Object.keys(sorted)).toEqual(['1', '\r', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']);
  });

  it('says the same of equal values whatever the order of their keys, and parses back', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as JsonValue);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value as JsonValue))).toBe(text);
      }),
    );
  });

  it('digests in chunks what it writes as one text', () => {
    const value = Array.from({ length: 30_000 }, (_, index) => ({ index, text: `é${index}` }));
    expect([...canonicalChunks(value)].length).toBeGreaterThan(5);
    expect(digestOfJson(value)).toBe(digestOf(canonicalJson(value)));
  });

  it('writes empty arrays and objects, also nested ones', () => {
    expect(canonicalJson([{}, [], { a: {} }])).toBe('[{},[],{"a":{}}]');
  });

  it('refuses numbers that have no JSON form', () => {
    expect(() => canonicalJson([Number.NaN])).toThrow(TypeError);
  });
});

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  );
}
