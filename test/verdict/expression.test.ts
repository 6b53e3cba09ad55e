import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { pointerOf, valueAt } from '../../src/json/pointer.ts';
import { CHECK_CONTEXTS, IF_CONTEXTS } from '../../src/pipeline/expression.ts';
import { evaluateCondition, parseCondition } from '../../src/verdict/expression.ts';
import { jsonValues } from './json-values.ts';

const evaluate = (text: string, output: JsonValue) =>
  evaluateCondition(parseCondition(text, CHECK_CONTEXTS), {
    output,
    score: 80,
    subject: 'pr-1',
    metadata: { kind: 'api' },
  });

describe('a check', () => {
  it.each<[string, JsonValue]>([
    ['output.failed == 0', { failed: 0 }],
    ['${{ output.failed == 0 }}', { failed: 0 }],
    ['output.a.b[1].c > 1.5', { a: { b: [0, { c: 2 }] } }],
    ["output['a b'] == 'X' && OUTPUT['a b'] <= 'Y'", { 'a b': 'x' }],
    ["output.text == 'it''s ''x'' and ''y'''", { text: "it's 'x' and 'y'" }],
    ["output.text == ''''", { text: "'" }],
    ['output.e == null && null == output.e', { e: null }],
    ['output.e != null', { e: 0 }],
    ['output.ok == true && (output.ok || output.nothing)', { ok: true }],
    ["has(output, '/x') && output.x > 1", { x: 2 }],
    ["!has(output, '/x') || output.x > 1", {}],
    ["has(output, '/a~1b/0') && has(output, '')", { 'a/b': [null] }],
    ["contains(output.tags, 'B') && contains(output.text, 'SS')", { tags: ['a', 'b'], text: 'passed' }],
    ["!contains(output.issues.*.severity, 'critical')", { issues: [] }],
    ['contains(output.m.*.n, 2) && contains(output.m.*.*, 1)', { m: { a: { n: 1 }, b: { n: 2 } } }],
    ["startsWith(output.text, 'PASS') && endsWith(output.text, 'ED')", { text: 'passed' }],
    ['length(output.list) == 2 && length(output.text) == 1 && LENGTH(output) == 2', { list: [1, 2], text: '👍' }],
    ['length(output.list.*.a) >= 1', { list: [{ a: 1 }] }],
    ['output.o[0] == 1', { o: { 0: 1 } }],
    ['output.list[output.at] == 2', { list: [1, 2], at: 1 }],
    ["score >= 80 && subject == 'pr-1' && metadata.kind == 'api'", {}],
    ["'10' < '9' && 'a' != 'b'", {}],
    ['output.n < 11 && output.n <= 10 && output.n >= 10 && output.n > 9', { n: 10 }],
    ['output.e == output.f && output.t == output.u', { e: null, f: null, t: true, u: true }],
    ["output.text == 'STRASSE'", { text: 'straße' }],
    ['contains(output.flags, true)', { flags: [false, true] }],
  ])('%s holds for %j', (text, output) => {
    expect(evaluate(text, output)).toMatchObject({ result: true });
  });

  it.each<[string, JsonValue, string, string?]>([
    ['output.failed == 0', { failed: 3 }, 'output.failed is 3', '/failed'],
    ['output.a > output.b', { a: 1, b: 2 }, 'output.a is 1, output.b is 2'],
    ["has(output, '/x')", {}, 'has(output, "/x") is false'],
    ['length(output.list) > 2', { list: [1] }, 'length(output.list) is 1'],
    ["output.text == 'x'", { text: 'y'.repeat(10_000) }, `output.text is "${'y'.repeat(59)}…"`, '/text'],
    ['false', {}, 'it is false'],
    ['output.n < 1 || output.n > 1 || output.n <= 0 || output.n >= 2', { n: 1 }, 'output.n is 1', '/n'],
    ['output.e == null', { e: 'null' }, 'output.e is "null"', '/e'],
    ['output.o == null', { o: {} }, 'output.o is an empty object', '/o'],
    ['output.a && output.b', { a: true, b: false }, 'output.a is true, output.b is false'],
    [
      "output.a && output['b c'] && output['it''s'] && output.d && output.e",
      { a: true, 'b c': true, "it's": true, d: true, e: false },
      "output.a is true, output['b c'] is true, output['it''s'] is true, output.d is true, and 1 more",
    ],
    ['contains(output.m.*.n, 3)', { m: { a: { n: 1 } } }, 'contains(output.m.*.n, 3) is false'],
    ["startsWith(output.text, 'b')", { text: 'ab' }, 'startsWith(output.text, "b") is false'],
    ["endsWith(output.text, 'a')", { text: 'ab' }, 'endsWith(output.text, "a") is false'],
  ])('%s is false for %j and says why', (text, output, reason, pointer) => {
    expect(evaluate(text, output)).toEqual({ result: false, reason, pointer });
  });

  it.each<[string, JsonValue, string, string?]>([
    // GitHub would let these pass.
    ['output.critical == 0', {}, 'there is no output.critical', '/critical'],
    ['output.failed <= 0', { failed: null }, 'output.failed (null) and a number (0) cannot be compared', '/failed'],
    ['output.rate >= 9', { rate: '95' }, 'output.rate (a string: "95") and a number (9) cannot be compared', '/rate'],
    ['!output.blocked', {}, 'there is no output.blocked', '/blocked'],
    [
      'output.failed == 0',
      { Failed: 0 },
      'there is no output.failed; there is `Failed` (keys are case-sensitive)',
      '/failed',
    ],
    ['output.fialed == 0', { failed: 0 }, 'there is no output.fialed; there is `failed`', '/fialed'],
    ['output.a.b.c != 1', { a: {} }, 'there is no output.a.b', '/a/b'],
    ['output.n', { n: 1 }, 'output.n (a number: 1): a condition takes true or false only', '/n'],
    ['!output.n', { n: 1 }, 'output.n (a number: 1): `!` takes true or false only', '/n'],
    ['output.rate == 9', { rate: '9' }, 'output.rate (a string: "9") and a number (9) cannot be compared', '/rate'],
    ['0 == output.a', { a: null }, 'a number (0) and output.a (null) cannot be compared', '/a'],
    ['output.l == 1', { l: [] }, 'output.l (a list: an empty list) and a number (1) cannot be compared', '/l'],
    ['output[output.t] == 1', { t: true }, 'a key is a string or a number'],
    ['output.a.b.c != 1', { a: { b: 1 } }, 'there is no output.a.b.c: output.a.b is a number', '/a/b/c'],
    ['length(output.e) > 0', { e: null }, 'length takes a string, a list or an object, and not output.e (null)', '/e'],
    [
      "startsWith(output.list, 'a')",
      { list: ['a'] },
      'startsWith takes a string, and not output.list (a list: a list of 1)',
      '/list',
    ],
    ['output.n && true', { n: 1 }, 'output.n (a number: 1): `&&` takes true or false only', '/n'],
    [
      "!contains(output.items.*.state, 'bad')",
      { items: 3 },
      'there is no output.items.*: output.items is a number',
      '/items',
    ],
    [
      "!contains(output.items.*.state, 'bad')",
      { items: [{ state: 'ok' }, {}] },
      'there is no output.items[1].state',
      '/items/1/state',
    ],
    [
      "!contains(output.tags, 'bad')",
      { tags: ['a', 1] },
      'output.tags[1] (a number: 1) and a string ("bad") cannot be compared',
      '/tags/1',
    ],
    ["!contains(output.text, 'bad')", { text: null }, 'contains takes a string, and not output.text (null)', '/text'],
    ['output.list[1] != 3', { list: [1] }, 'there is no output.list[1]: output.list has 1 item', '/list/1'],
    ["output.list['0'] == 1", { list: [1] }, "there is no output.list['0']: output.list has 1 item", '/list/0'],
    ['output == output', {}, 'output (an object: an empty object): an object cannot be compared by this operator', ''],
    [
      'output.t <= true',
      { t: false },
      'output.t (a boolean: false): a boolean cannot be compared by this operator',
      '/t',
    ],
    ['output.constructor != 1', {}, 'there is no output.constructor', '/constructor'],
    ["has(output, 'x')", { x: 1 }, "has: \"x\" is not a JSON pointer; write '/key' or '/list/0'"],
    [
      'length(output.n) > 0',
      { n: 5 },
      'length takes a string, a list or an object, and not output.n (a number: 5)',
      '/n',
    ],
  ])('%s has no result for %j', (text, output, problem, pointer) => {
    expect(evaluate(text, output)).toEqual({ problem, pointer });
  });

  it.each([
    ['outptu.x == 1', 'there is no `outptu` here; did you mean `output`?'],
    ['needs.a', 'there is no `needs` here; known here: output, score, subject, metadata'],
    ['cotains(output, 1)', 'there is no function `cotains` here; did you mean `contains`?'],
    [
      'fromJSON(output)',
      'there is no function `fromJSON` here; known here: contains, startsWith, endsWith, has, length',
    ],
    ['constructor()', 'there is no function `constructor` here'],
    ['contains(output)', "too few parameters supplied: 'contains'"],
    ['output.x == "a"', 'write text in single quotes'],
    ['output.x = 1', 'unexpected symbol'],
    ['(output.x', 'unexpected end of expression'],
    [' ', 'the expression is empty'],
  ])('%s is no condition', (text, problem) => {
    expect(parseCondition(text, CHECK_CONTEXTS)).toEqual({
      problem: expect.stringContaining(problem) as string,
    });
  });

  it('never throws, and its has() agrees with the lookup of a pointer', () => {
    const texts = ['output.a == 1', '!output.a.b', "contains(output.*.a, 'x') || output[0] > 2", 'length(output) > 1'];
    const keys = fc.array(fc.constantFrom('a', 'b', '0', '1', '~', '/', '', '__proto__', 'toString'), { maxLength: 4 });
    fc.assert(
      fc.property(jsonValues, keys, (output, path) => {
        for (const text of texts) evaluate(text, output);
        const pointer = pointerOf(path);
        expect(evaluate(`has(output, '${pointer}')`, output)).toMatchObject({
          result: valueAt(output, pointer) !== undefined,
        });
      }),
    );
  });
});

describe('the `if` of a gate', () => {
  const contexts = {
    subject: undefined,
    metadata: { kind: 'ui' },
    needs: { review: { status: 'passed', score: 90, output: { verdict: 'no' } } },
  };

  it('is true or false, with the values that it depends on', () => {
    expect(evaluateCondition(parseCondition("needs.review.output.verdict == 'ok'", IF_CONTEXTS), contexts)).toEqual({
      result: false,
      reason: 'needs.review.output.verdict is "no"',
      pointer: undefined,
    });
    expect(
      evaluateCondition(parseCondition("metadata.kind == 'ui' && needs.review.score > 80", IF_CONTEXTS), contexts),
    ).toMatchObject({
      result: true,
    });
  });

  it.each([
    ['needs.review.output.verdit == 1', 'there is no needs.review.output.verdit; there is `verdict`'],
    ["needs.rview.status == 'passed'", 'there is no needs.rview; there is `review`'],
    ['metadata.x', 'there is no metadata.x'],
    ['output.x == 1', 'there is no `output` here; known here: subject, metadata, needs'],
    ['subject', 'there is no subject'],
  ])('that names nothing is a problem, never false: %s', (text, problem) => {
    expect(evaluateCondition(parseCondition(text, IF_CONTEXTS), contexts)).toMatchObject({ problem });
  });
});
