import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/json/json.ts';
import { createRedactor } from '../../src/untrusted/redact.ts';
import { contractSchema, type Contract } from '../../src/verdict/contract.ts';
import { compileContract, judge, judgeBytes } from '../../src/verdict/judge.ts';
import { failedVerdict, verdictSchema, verdictText, type Verdict } from '../../src/verdict/verdict.ts';
import { jsonValues } from './json-values.ts';

const NONE: Contract = {
  format: 'gateline-contract/1',
  threshold: 0,
  partial: 'block',
  checks: [],
  exports: [''],
  redact: [],
};
const SCORED: Contract = { ...NONE, score: '/validationResult/score', threshold: 80 };
const CONTEXTS = { subject: 'pr-1', metadata: {} };

async function verdictOn(contract: Contract, value: JsonValue): Promise<Verdict> {
  return verdictSchema.parse(await judge(await compileContract(contract), value, CONTEXTS));
}

/** The verdict as the documentation shows it. */
function textOf({ status, kind, score, issues }: Verdict): string[] {
  return [`${status}: ${kind}, score ${score}`, ...issues.map(({ severity, message }) => `${severity}: ${message}`)];
}

describe('the verdict', () => {
  const testCases = {
    type: 'array',
    minItems: 1,
    items: {
      type: 'object',
      required: ['testId', 'priority'],
      properties: { testId: { type: 'string' }, priority: { enum: ['high', 'medium', 'low'] } },
    },
  };
  const required: JsonObject = {
    type: 'object',
    required: ['testCases', 'validationResult'],
    properties: { testCases },
  };
  const pages: JsonObject = {
    oneOf: [
      {
        type: 'object',
        required: ['kind', 'url'],
        properties: { kind: { const: 'page' }, url: { type: 'string', format: 'uri' } },
      },
      {
        type: 'object',
        required: ['kind', 'rows'],
        properties: { kind: { const: 'table' }, rows: { type: 'integer', minimum: 1 } },
      },
    ],
  };
  const failed = { ...SCORED, checks: ['output.validationResult.failed == 0'] };

  it.each<[Contract, JsonValue, string[]]>([
    [NONE, null, ['passed: passed, score 100']],
    [
      { ...failed, schema: required },
      { testCases: [{ testID: 'TC_1', priority: 'urgent' }] },
      [
        'failed: schema, score 0',
        'error: the output: lacks `validationResult`',
        'error: /testCases/0: lacks `testId` (there is `testID`)',
        'error: /testCases/0/priority: must be one of "high", "medium" or "low", is "urgent"',
      ],
    ],
    [
      failed,
      { validationResult: { score: 95, failed: 3, issues: ['3 of 20 cases are flaky', 4] } },
      [
        'failed: check, score 95',
        'error: output.validationResult.failed == 0: output.validationResult.failed is 3',
        'notice: 3 of 20 cases are flaky',
      ],
    ],
    [
      { ...SCORED, partial: 'continue' },
      { validationResult: { score: 72.5 } },
      ['partial: partial, score 72.5', 'warning: the score is 72.5, below the threshold of 80'],
    ],
    [
      { ...NONE, score: '/score', threshold: 80 },
      { score: '95' },
      ['failed: score, score 0', 'error: /score: the score must be a number from 0 to 100, is "95"'],
    ],
    [SCORED, {}, ['failed: score, score 0', 'error: /validationResult/score: there is no score']],
    [
      { ...NONE, schema: pages },
      { kind: 'table', rows: 0 },
      ['failed: schema, score 0', 'error: /rows: must be at least 1, is 0 (alternative #2 of 2 is the closest)'],
    ],
    [
      { ...SCORED, checks: ["output.b == 'x'", 'score > 90', "subject == 'pr-1'", 'true'] },
      { validationResult: { score: 85 } },
      ['failed: check, score 85', "error: output.b == 'x': there is no output.b", 'error: score > 90: score is 85'],
    ],
    [
      { ...NONE, exports: ['/a', '/b/0'] },
      { a: null },
      ['failed: check, score 100', 'error: /b/0: is exported, but is not in the output'],
    ],
    [{ ...NONE, exports: ['/a', '/b/0'] }, { a: null, b: [1] }, ['passed: passed, score 100']],
    [
      { ...NONE, lists: ['/legs'] },
      { legs: 3 },
      ['failed: schema, score 0', 'error: /legs: legs are made from it, but it is not a list'],
    ],
    [{ ...NONE, lists: ['/legs'] }, { legs: ['a'] }, ['passed: passed, score 100']],
    [NONE, { validationResult: { issues: ['slow'] } }, ['passed: passed, score 100', 'notice: slow']],
  ])('of example %#', async (contract, value, text) => {
    expect(textOf(await verdictOn(contract, value))).toEqual(text);
  });

  it('is decided by schema, then label, then score, then checks', async () => {
    const contract: Contract = {
      ...SCORED,
      schema: { required: ['decision'] },
      result: { pointer: '/decision', pass: ['APPROVED', 'VERIFIED'] },
      checks: ['output.a == 1'],
    };
    const value: JsonObject = {};
    expect(await verdictOn(contract, value)).toMatchObject({ kind: 'schema' });
    value['decision'] = 'NEEDS_CHANGES';
    expect(await verdictOn(contract, value)).toMatchObject({
      kind: 'check',
      score: 0,
      result: 'NEEDS_CHANGES',
      issues: [
        { message: '/decision: the result is "NEEDS_CHANGES"; only "APPROVED" or "VERIFIED" passes', rule: 'result' },
      ],
    });
    value['decision'] = 'VERIFIED';
    expect(await verdictOn(contract, value)).toMatchObject({ kind: 'score', result: 'VERIFIED' });
    value['validationResult'] = { score: 90 };
    expect(await verdictOn(contract, value)).toMatchObject({ kind: 'check', score: 90 });
    value['a'] = 1;
    expect(await verdictOn(contract, value)).toMatchObject({ status: 'passed', score: 90, advice: '' });
  });

  it.each<[Contract, JsonValue, string, (string | undefined)?]>([
    [{ ...NONE, schema: { type: 'null' } }, 1, 'Make the output meet the schema.', ''],
    [{ ...NONE, result: { pointer: '/r', pass: ['A', 'B'] } }, {}, 'The gate passes with "A" or "B".', 'result'],
    [{ ...NONE, lists: [''] }, 1, 'Write a list of at most 256 items.', 'matrix'],
    [{ ...NONE, score: '/a' }, {}, 'Write a number from 0 to 100 at /a.', 'score'],
    [{ ...NONE, score: '' }, {}, 'Write a number from 0 to 100 at the root.', 'score'],
    [{ ...NONE, checks: ['false'] }, 1, "Make the output meet the gate's checks.", 'false'],
    [{ ...NONE, exports: ['/a'] }, 1, 'Write the parts that the gate exports.', 'exports'],
    [SCORED, { validationResult: { score: 1 } }, 'Raise the score; later gates wait, because `partial` is `block`.'],
  ])('of example %# says what to do, and which rule it broke', async (contract, value, advice, rule) => {
    const verdict = await verdictOn(contract, value);
    expect(verdict.advice).toBe(advice);
    if (rule !== '') expect(verdict.issues[0]!.rule).toBe(rule);
    expect(verdict).not.toHaveProperty('result');
  });

  it.each([
    [80, 'passed'],
    [100, 'passed'],
    [79.999, 'partial'],
    [0, 'partial'],
    [null, 'failed'],
    [true, 'failed'],
    [-1, 'failed'],
    [101, 'failed'],
    [[90], 'failed'],
    [Number.NaN, 'failed'],
  ])('for a score of %j is %s', async (score, status) => {
    expect(await verdictOn(SCORED, { validationResult: { score } })).toMatchObject({ status });
  });

  it.each([
    ['approved', 'the result is "approved"'],
    [undefined, 'there is no result'],
    [['APPROVED'], 'the result must be a string, is a list of 1'],
    ['X'.repeat(10_000), `the result is "${'X'.repeat(59)}…"`],
  ] as const)('fails for the label %j', async (decision, text) => {
    const contract: Contract = { ...NONE, result: { pointer: '/decision', pass: ['APPROVED'] } };
    const verdict = await verdictOn(contract, (decision === undefined ? {} : { decision }) as JsonValue);
    expect(verdictText(verdict)).toBe(`check: /decision: ${text}; only "APPROVED" passes`);
  });

  it('has the one-line message of an output that passed', async () => {
    const contract: Contract = { ...SCORED, message: '/summary' };
    const judged = (score: number, summary: JsonValue) => verdictOn(contract, { validationResult: { score }, summary });
    expect(await judged(90, ' all\n\n12 tests\tpass ')).toMatchObject({ message: 'all 12 tests pass', issues: [] });
    expect((await judged(90, 'x'.repeat(1_000_000))).message).toHaveLength(300);
    expect(await judged(70, 'nearly')).not.toHaveProperty('message');
    expect(await judged(90, 3)).not.toHaveProperty('message');
  });

  it("has the agent's remarks beside the score as notices: at most 20 of 500 characters", async () => {
    const issues = Array.from({ length: 30 }, (_, index) => `remark ${index} ${'x'.repeat(2_000)}`);
    const { issues: notices } = await verdictOn(SCORED, { validationResult: { score: 90, issues } });
    expect(notices).toHaveLength(21);
    expect(notices[0]!.message).toHaveLength(500);
    expect(notices.at(-1)).toEqual({ severity: 'notice', message: '10 more remarks of the agent' });
  });

  it('is valid by the schema of verdicts for any value', async () => {
    const schema: JsonObject = {
      anyOf: [
        { type: 'object', properties: { a: { $ref: '#' }, score: { type: 'number' } } },
        { type: ['array', 'null'] },
      ],
      unevaluatedProperties: { maxLength: 3 },
    };
    const checks = ['output.a == 1', "has(output, '/b/0')"];
    for (const contract of [
      { ...SCORED, schema, checks },
      { ...NONE, schema },
      { ...NONE, checks },
    ]) {
      const compiled = await compileContract(contract);
      await fc.assert(
        fc.asyncProperty(jsonValues, async (value) => {
          const verdict = verdictSchema.parse(await judge(compiled, value, CONTEXTS));
          expect(verdict.status === 'passed').toBe(verdict.kind === 'passed');
          expect(verdict.advice === '').toBe(verdict.status === 'passed');
        }),
      );
    }
  });
});

describe('a contract', () => {
  it('with several problems reports them all at once', async () => {
    const broken: Contract = { ...NONE, schema: { typ: 1, items: { required: 'x' } }, checks: ['true', 'x'] };
    await expect(compileContract(broken)).rejects.toMatchObject({
      fault: 'usage',
      message: [
        '3 problems:',
        '/schema/typ: JSON Schema 2020-12 has no keyword `typ`; did you mean `type`?',
        '/schema/items/required: must be array, is string',
        '/checks/1: there is no `x` here; known here: output, score, subject, metadata',
      ].join('\n'),
    });
  });

  it.each([
    3,
    null,
    {},
    { ...NONE, format: 'gateline-contract/2' },
    { ...NONE, score: 'a' },
    { ...NONE, threshold: 101 },
  ])('of another shape is refused: %j', (stored) => {
    expect(contractSchema.safeParse(stored).success).toBe(false);
  });
});

describe('what an agent wrote', () => {
  const redactor = createRedactor({ TOKEN: 'hunter2-hunter2', PIN: '1234' });
  const judgeText = async (contract: Partial<Contract>, text: string) =>
    judgeBytes(await compileContract({ ...NONE, ...contract }), new TextEncoder().encode(text), redactor, CONTEXTS);

  it('is redacted before it is judged, with a notice for each place', async () => {
    const schema = { properties: { session: { const: '***' } } };
    const text = '{"a":["x hunter2-hunter2"],"session":{"token":"abcdefghij"},"b":"Bearer: abcdefghij","pin":1234}';
    expect(await judgeText({ schema, redact: ['/session'], checks: ["output.a[0] == 'x ***'"] }, text)).toEqual({
      value: { a: ['x ***'], session: '***', b: 'Bearer: ***', pin: 1234 },
      verdict: {
        ...(await verdictOn(NONE, null)),
        issues: [{ severity: 'notice', message: '/a/0: a secret was replaced by *** (TOKEN)', pointer: '/a/0' }],
      },
    });
  });

  it('has at most 20 notices of secrets, and 100 issues', async () => {
    const words = Array.from({ length: 120 }, () => 'hunter2-hunter2');
    const { verdict } = await judgeText({ schema: { items: { const: 1 } } }, JSON.stringify(words));
    expect(verdict.issues).toHaveLength(100);
    const { verdict: passed } = await judgeText({}, JSON.stringify(words));
    expect(passed.issues.filter(({ severity }) => severity === 'notice')).toHaveLength(20);
  });

  it.each([
    ['', 'missing', 'the document is empty'],
    ['{"a":', 'malformed', 'Unexpected end of JSON input (line 1, column 6)'],
    ['```json\n{}\n```', 'malformed', 'a Markdown fence is around the JSON (line 1, column 1)'],
    [`${'['.repeat(201)}${']'.repeat(201)}`, 'too-large', 'objects and lists are nested more than 200 deep'],
  ] as const)('%j is %s', async (text, kind, message) => {
    const { verdict, value } = await judgeText({}, text);
    expect(verdict).toEqual(failedVerdict(kind, expect.any(String) as string, [{ severity: 'error', message }]));
    expect(value).toBeUndefined();
  });

  it('is taken out of a fence only with `extract: json`, with a notice', async () => {
    const extract = 'json';
    expect(await judgeText({ extract }, 'Here:\n```json\n{"id":9007199254740993}\n```\nDone.')).toMatchObject({
      value: { id: 9007199254740992 },
      verdict: {
        status: 'passed',
        issues: [{ message: expect.stringContaining('taken out of the text') as string }, { pointer: '/id' }],
      },
    });
    expect(await judgeText({ extract }, '{"a":1}')).toMatchObject({ value: { a: 1 }, verdict: { issues: [] } });
    expect((await judgeText({ extract }, '{"a":1} {"b":2}')).verdict).toMatchObject({
      kind: 'malformed',
      issues: [
        { message: '`extract: json` takes exactly one JSON object or list; the text has 2 JSON objects or lists' },
      ],
    });
    expect((await judgeText({ extract }, '')).verdict.kind).toBe('missing');
  });
});
