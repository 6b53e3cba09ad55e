import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointerOf } from '../../../src/json/pointer.ts';
import { exportsOf } from '../../../src/run/plan/exports.ts';
import { canonicalJson } from '../../../src/json/canonical-json.ts';
import type { JsonValue } from '../../../src/json/json.ts';
import { valueAt } from '../../../src/json/json-pointer.ts';

describe('the exported part of an output', () => {
  it.each<[string, JsonValue, string[], JsonValue]>([
    ['is all of it by default', { a: 1 }, [''], { a: 1 }],
    ['is all of it where the whole is named beside a part', { a: 1, b: 2 }, ['/a', ''], { a: 1, b: 2 }],
    ['is the whole, whatever that is', 5, [''], 5],
    ['stands where it stood', { a: { b: 1, c: 2 }, d: 3 }, ['/a/b'], { a: { b: 1 } }],
    ['may be several parts', { a: { b: 1, c: 2 }, d: 3 }, ['/a/c', '/d'], { a: { c: 2 }, d: 3 }],
    ['may be parts of one part', { a: { b: 1, c: 2, d: 3 } }, ['/a/b', '/a/c'], { a: { b: 1, c: 2 } }],
    ['has items of a list by their index', { a: [1, 2, 3] }, ['/a/1'], { a: { 1: 2 } }],
    ['leaves out what is not there', { a: 1 }, ['/b', '/a'], { a: 1 }],
    ['leaves out what lies in a text', { a: 'text' }, ['/a/length'], {}],
    ['keeps null and false', { a: null, b: false }, ['/a', '/b'], { a: null, b: false }],
    ['knows escaped names', { 'a/b': 1, 'c~d': 2 }, ['/a~1b', '/c~0d'], { 'a/b': 1, 'c~d': 2 }],
    ['knows the empty name', { '': { '': 1 } }, ['//'], { '': { '': 1 } }],
    ['sees own names only', { a: 1 }, ['/constructor', '/toString', '/__proto__'], {}],
    ['is nothing where nothing is named', { a: 1 }, [], {}],
  ])('%s', (_what, value, pointers, exported) => {
    expect(JSON.parse(canonicalJson(exportsOf(value, pointers)))).toEqual(exported);
  });

  it('has a name that would change what an object is as a mere name', () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}}') as JsonValue;
    const exported = exportsOf(value, ['/__proto__/polluted']);
    expect(canonicalJson(exported)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('has each named part as it is, and leaves the output alone', () => {
    const outputs = fc.dictionary(
      fc.constantFrom('a', 'b', 'c/d', '~'),
      fc.dictionary(fc.constantFrom('x', 'y', ''), fc.jsonValue()),
      { minKeys: 1 },
    );
    fc.assert(
      fc.property(outputs, fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1 }), (output, picks) => {
        const pointers = picks.flatMap(([first, second]) => {
          const outer = Object.keys(output)[first % Object.keys(output).length]!;
          const inner = Object.keys(output[outer]!);
          return inner.length === 0 ? [] : [pointerOf([outer, inner[second % inner.length]!])];
        });
        const value = output as JsonValue;
        const before = canonicalJson(value);
        const exported = exportsOf(value, pointers);
        for (const pointer of pointers) expect(valueAt(exported, pointer)).toEqual(valueAt(value, pointer));
        expect(canonicalJson(value)).toBe(before);
      }),
    );
  });
});
