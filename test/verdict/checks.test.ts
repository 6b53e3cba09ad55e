import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Evaluator, data } from '@actions/expressions';
import { CHECK_RULES, parseExpression } from '../../src/pipeline/expression.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { compileChecks, evaluateCondition } from '../../src/verdict/expression/conditions.ts';
import { valueAt } from '../../src/json/json-pointer.ts';
import { jsonValues } from './json-values.ts';

/** What a check says of an output: `undefined` when it holds. */
async function check(
  text: string,
  output: JsonValue,
): Promise<{ message: string; pointer?: string | undefined } | undefined> {
  const checks = await compileChecks([text]);
  if (!checks.ok) throw new Error(JSON.stringify(checks.problems));
  return checks.run({ output, score: 80, subject: 'pr-1', metadata: { kind: 'api' } })[0];
}

describe('a check fails, where GitHub would let it pass,', () => {
  it.each([
    ['output.critical == 0', {}, '/critical', 'there is no output.critical'],
    ['output.failed <= 0', { failed: null }, '/failed', 'output.failed (null) and a number (0) cannot be compared'],
    ['output.rate >= 0', {}, '/rate', 'there is no output.rate'],
    ['output.rate >= 90', { rate: '95' }, '/rate', 'output.rate (a string: "95") and a number (90) cannot be compared'],
    ['!output.blocked', {}, '/blocked', 'there is no output.blocked'],
  ])('%s on %j', async (text, output, pointer, message) => {
    const parsed = parseExpression(text, CHECK_RULES);
    expect(parsed.ok && officially(parsed.expression, output)).toBe(true);
    expect(await check(text, output)).toMatchObject({ pointer, message: `${text}: ${message}` });
  });

  it.each([
    ['output.a.b.c != 1', { a: {} }],
    ['output.n', { n: 1 }],
    ['output.n && true', { n: 1 }],
    ['!output.n', { n: 0 }],
    ["!contains(output.items.*.state, 'bad')", {}],
    ["!contains(output.items.*.state, 'bad')", { items: 3 }],
    ["!contains(output.items.*.state, 'bad')", { items: [{ state: 'ok' }, {}] }],
    ["!contains(output.items.*.state, 'bad')", { items: [{ state: 'ok' }, { state: 1 }] }],
    ["!contains(output.text, 'bad')", { text: null }],
    ["!startsWith(output.n, '2')", { n: 1 }],
    ["join(output.list) == ''", { list: 'x' }],
    ['output.list[1] != 3', { list: [1] }],
    ["output.list['0'] == 1", { list: [1] }],
    ["output['0'] != 1", {}],
    ['output == output', {}],
    ['output.t <= true', { t: false }],
    ['fromJSON(output.text).a != 1', { text: '{}' }],
    ["fromJSON(output.text) != 'x'", { text: '{' }],
    ['output.constructor != 1', {}],
    ["format('{1}', output.n) != ''", { n: 1 }],
    ['case(output.n, true, true)', { n: 1 }],
    ['output.Failed == 0', { failed: 0 }],
  ])('%s on %j', async (text, output) => {
    expect(await check(text, output as JsonValue)).toBeDefined();
  });
});

/** What GitHub's evaluator makes of it without a guard. */
function officially(expression: ConstructorParameters<typeof Evaluator>[0], output: Record<string, unknown>): unknown {
  const pairs = Object.entries(output).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? new data.StringData(value) : new data.Null(),
  }));
  const context = new data.Dictionary({ key: 'output', value: new data.Dictionary(...pairs) });
  const result = new Evaluator(expression, context).evaluate();
  return result instanceof data.BooleanData && result.value;
}

describe('a check holds', () => {
  it.each([
    ['output.failed == 0', { failed: 0 }],
    ['output.a.b[1].c > 1.5', { a: { b: [0, { c: 2 }] } }],
    ["output['a b'] == 'X'", { 'a b': 'x' }],
    ["output.text == 'it''s ''x'' and ''y'''", { text: "it's 'x' and 'y'" }],
    ["output.text == ''''", { text: "'" }],
    ['output.e == null', { e: null }],
    ['output.e != null', { e: 0 }],
    ["has(output, '/x') && output.x > 1", { x: 2 }],
    ["!has(output, '/x') || output.x > 1", {}],
    ["has(output, '/a~1b/0')", { 'a/b': [1] }],
    ["contains(output.tags, 'B')", { tags: ['a', 'b'] }],
    ["!contains(output.issues.*.severity, 'critical')", { issues: [] }],
    ['contains(output.m.*.n, 2)', { m: { a: { n: 1 }, b: { n: 2 } } }],
    ["join(output.list, '+') == 'a+b'", { list: ['a', 'b'] }],
    ["format('{0} of {1}', output.a, output.b) == '1 of 2'", { a: 1, b: 2 }],
    ['fromJSON(output.json)[0].a == 1', { json: '[{"a":1}]' }],
    ["toJSON(output.list) == '[]'", { list: [] }],
    ["case(output.k == 'a', output.x, output.nowhere) == 1", { k: 'a', x: 1 }],
    ['output.list[output.at] == 2', { list: [1, 2], at: 1 }],
    ["score >= 80 && subject == 'pr-1' && metadata.kind == 'api'", {}],
    ['OUTPUT.ok', { ok: true }],
  ])('%s on %j', async (text, output) => {
    expect(await check(text, output as JsonValue)).toBeUndefined();
  });
});

describe('a check that fails says', () => {
  it('what the values are', async () => {
    expect((await check('output.failed == 0', { failed: 3 }))?.message).toBe('output.failed == 0: output.failed is 3');
    const both = await check('output.a > output.b', { a: 1, b: 2 });
    expect(both?.message).toBe('output.a > output.b: output.a is 1, output.b is 2');
    expect(both?.pointer).toBeUndefined();
    expect((await check("has(output, '/x')", {}))?.message).toContain('has(output, "/x") is false');
  });

  it('long values cut short', async () => {
    const found = await check("output.text == 'x'", { text: 'y'.repeat(10_000) });
    expect(found!.message.length).toBeLessThan(150);
  });

  it('which key was probably meant', async () => {
    expect((await check('output.Failed == 0', { failed: 0 }))?.message).toContain(
      'there is `failed` (keys are case-sensitive)',
    );
    expect((await check('output.constructor != 1', {}))?.message).toContain('there is no output.constructor');
    expect((await check('output.fialed == 0', { failed: 0 }))?.message).toContain('there is `failed`');
  });
});

describe('checks that are no conditions', () => {
  it('are all named, with their place and a suggestion', async () => {
    const checks = await compileChecks(['outptu.x == 1', 'true', 'output.x = 1', 'cotains(output, 1)', '']);
    if (checks.ok) throw new Error('compiled');
    expect(checks.problems.map(({ pointer, hint }) => [pointer, hint])).toEqual([
      ['/checks/0', 'did you mean `output`?'],
      ['/checks/2', undefined],
      ['/checks/3', 'did you mean `contains`?'],
      ['/checks/4', undefined],
    ]);
  });
});

describe('checks over any output', () => {
  const texts = [
    'output.a == 1',
    '!output.a.b',
    "contains(output.*.a, 'x') || output[0] > 2",
    "join(output, ',') != output.a",
    "format('{0}', output) == fromJSON(output)",
    "startsWith(toJSON(output), '{') && output['a']",
  ];

  it('never throw', async () => {
    const checks = await compileChecks(texts);
    if (!checks.ok) throw new Error('not compiled');
    fc.assert(
      fc.property(jsonValues, (output) => {
        expect(checks.run({ output, score: 0, subject: '', metadata: {} }).length).toBeLessThanOrEqual(texts.length);
      }),
    );
  });

  it('agree on has() with the look-up of a pointer', async () => {
    const pointers = fc.array(fc.oneof(fc.constantFrom('a', 'b', '0', '1', '~', '/', ''), fc.string()), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(jsonValues, pointers, async (output, keys) => {
        const pointer = keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
        const found = await check(`has(output, '${pointer.replaceAll("'", "''")}')`, output);
        expect(found === undefined).toBe(valueAt(output, pointer) !== undefined);
      }),
    );
  });
});

describe("a gate's condition", () => {
  const contexts = {
    subject: 'pr-1',
    metadata: { kind: 'ui' },
    needs: { review: { status: 'passed', score: 90, output: { verdict: 'no' } } },
  };

  it('is true or false, with the values that it hangs on', async () => {
    expect(await evaluateCondition("needs.review.output.verdict == 'ok'", contexts)).toEqual({
      choice: false,
      reason: `needs.review.output.verdict == 'ok' is false: needs.review.output.verdict is "no"`,
    });
    expect(await evaluateCondition("metadata.kind == 'ui' && needs.review.score >= 80", contexts)).toMatchObject({
      choice: true,
    });
  });

  it.each([
    'needs.review.output.verdit == 1',
    "needs.rview.status == 'passed'",
    'metadata.nothing',
    'output.x == 1',
    '1 ==',
    'subject',
  ])('that speaks of nothing is a problem, never false: %s', async (text) => {
    expect(await evaluateCondition(text, contexts)).toEqual({ problem: expect.stringContaining(text) as string });
  });
});
