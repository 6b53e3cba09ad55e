import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { compileContract, type CompileOptions } from '../../src/verdict/compile-contract.ts';
import { contractError, parseContract, resolveContract, type Contract } from '../../src/verdict/contract.ts';
import { judge } from '../../src/verdict/judge.ts';
import { verdictSchema, type Verdict } from '../../src/verdict/verdict.ts';
import { jsonValues } from './json-values.ts';

const NONE: Contract = { format: 'gateline-contract/1', threshold: 0, partial: 'block', checks: [] };
const SCORED: Contract = { ...NONE, score: '/validationResult/score', threshold: 80 };

async function verdict(contract: Contract, value: JsonValue, options?: CompileOptions): Promise<Verdict> {
  const compilation = await compileContract(contract, options);
  if (!compilation.ok) throw contractError(compilation.problems);
  const answer = await judge(compilation.compiled, value, { subject: 'pr-1', metadata: {} });
  return verdictSchema.parse(answer);
}

describe('the verdict on an output', () => {
  it('is passed with 100 where the contract asks for nothing', async () => {
    expect(await verdict(NONE, null)).toEqual({ status: 'passed', kind: 'passed', score: 100, issues: [], advice: '' });
  });

  it('is by its schema first, then its score, then its checks', async () => {
    const contract: Contract = { ...SCORED, schema: { required: ['a'] }, checks: ['output.a == 1'] };
    const good = { score: 90 };
    expect(await verdict(contract, {})).toMatchObject({ status: 'failed', kind: 'schema', score: 0 });
    expect(await verdict(contract, { a: 2 })).toMatchObject({ status: 'failed', kind: 'score', score: 0 });
    expect(await verdict(contract, { a: 2, validationResult: good })).toMatchObject({
      status: 'failed',
      kind: 'check',
      score: 90,
    });
    expect(await verdict(contract, { a: 1, validationResult: good })).toMatchObject({ status: 'passed', score: 90 });
  });

  it.each([
    [80, 'passed'],
    [100, 'passed'],
    [79.999, 'partial'],
    [0, 'partial'],
  ])('for a score of %d is %s', async (score, status) => {
    expect(await verdict(SCORED, { validationResult: { score } })).toMatchObject({ status, kind: status, score });
  });

  it('is by its schema, then its own result, then its score', async () => {
    const result = { pointer: '/decision', pass: ['APPROVED', 'VERIFIED'] };
    const contract: Contract = { ...SCORED, schema: { required: ['decision'] }, result };
    const found = { decision: 'NEEDS_CHANGES' };
    expect(await verdict(contract, {})).toMatchObject({ kind: 'schema' });
    expect(await verdict(contract, found)).toEqual({
      status: 'failed',
      kind: 'result',
      score: 0,
      issues: [
        {
          severity: 'error',
          message: '/decision: the result is "NEEDS_CHANGES"; only "APPROVED" or "VERIFIED" passes',
          pointer: '/decision',
          rule: 'result',
        },
      ],
      advice: 'The gate passes with "APPROVED" or "VERIFIED". Fix what keeps the agent from that result.',
      result: 'NEEDS_CHANGES',
    });
    expect(await verdict(contract, { decision: 'VERIFIED' })).toMatchObject({ kind: 'score', result: 'VERIFIED' });
    const validationResult = { score: 90 };
    expect(await verdict(contract, { decision: 'VERIFIED', validationResult })).toMatchObject({ status: 'passed' });
  });

  it.each([
    ['approved', 'the result is "approved"'],
    [undefined, 'there is no result'],
    [['APPROVED'], 'the result must be a text, is a list of 1'],
    [true, 'the result must be a text, is true'],
    ['X'.repeat(10_000), `the result is "${'X'.repeat(59)}…"`],
  ] as const)('is failed for the result %j', async (decision, said) => {
    const contract: Contract = { ...NONE, result: { pointer: '/decision', pass: ['APPROVED'] } };
    const value = (decision === undefined ? {} : { decision }) as JsonValue;
    expect(await verdict(contract, value)).toMatchObject({
      kind: 'result',
      score: 0,
      issues: [{ message: `/decision: ${said}; only "APPROVED" passes` }],
    });
  });

  it('has the message of an output that passed: one line, of bounded length', async () => {
    const contract: Contract = { ...SCORED, message: '/summary' };
    const judged = (score: number, summary: JsonValue) => verdict(contract, { validationResult: { score }, summary });
    expect(await judged(90, ' all\n\n12 tests\tpass ')).toMatchObject({ message: 'all 12 tests pass', issues: [] });
    expect((await judged(90, 'x'.repeat(1_000_000))).message).toHaveLength(300);
    expect(await judged(70, 'nearly')).not.toHaveProperty('message');
    const notice = { severity: 'notice', pointer: '/summary' };
    expect(await judged(90, 3)).toEqual(
      expect.objectContaining({
        status: 'passed',
        issues: [{ ...notice, message: '/summary: the message must be a text, is 3' }],
      }),
    );
    expect(await verdict(contract, { validationResult: { score: 90 } })).toMatchObject({
      status: 'passed',
      issues: [{ ...notice, message: '/summary: there is no message' }],
    });
  });

  it.each([undefined, null, '95', true, -1, 101, [90], { value: 90 }, Number.NaN, Number.POSITIVE_INFINITY])(
    'for a score of %j is failed: it is never made of something else',
    async (score) => {
      const value = score === undefined ? {} : { validationResult: { score } };
      expect(await verdict(SCORED, value as JsonValue)).toMatchObject({
        status: 'failed',
        kind: 'score',
        issues: [{ pointer: '/validationResult/score' }],
      });
    },
  );

  it('of a partial output says what the policy does', async () => {
    const value = { validationResult: { score: 10 } };
    for (const partial of ['block', 'continue', 'pause'] as const) {
      expect((await verdict({ ...SCORED, partial }, value)).advice).toContain(
        partial === 'block' ? 'Later gates wait' : `partial: ${partial}`,
      );
    }
  });

  it('advises to ask for presence only where a part is not there', async () => {
    const advice = async (check: string, value: JsonValue) =>
      (await verdict({ ...NONE, checks: [check] }, value)).advice;
    expect(await advice('output.failed == 0', { failed: 3 })).toBe("Make the output meet the gate's checks.");
    expect(await advice('output.failed == 0', { failed: 'none' })).not.toContain('has(');
    expect(await advice("subject == 'other'", {})).not.toContain('has(');
    expect(await advice('output.failed == 0', {})).toContain("`has(output, '/x')` tests whether a part is present.");
    expect(await advice('output.failed.unit == 0', { failed: 3 })).toContain('has(');
  });

  it('is failed where checks fail, however good the score', async () => {
    const contract: Contract = { ...SCORED, checks: ['output.failed == 0', 'score > 90', 'true'] };
    const found = await verdict(contract, { failed: 3, validationResult: { score: 85 } });
    expect(found.issues.map(({ message }) => message)).toEqual([
      'output.failed == 0: output.failed is 3',
      'score > 90: score is 85',
    ]);
  });

  it('is failed where a part that is exported is not there', async () => {
    const contract: Contract = { ...NONE, exports: ['/a', '/b/0'] };
    expect(await verdict(contract, { a: null, b: [1] })).toMatchObject({ status: 'passed' });
    expect(await verdict(contract, { a: 1 })).toMatchObject({
      kind: 'check',
      issues: [{ pointer: '/b/0', rule: 'exports' }],
    });
  });

  it("takes over the agent's own remarks beside the score, within limits", async () => {
    const issues = [...Array.from({ length: 30 }, (_, index) => `remark ${index} ${'x'.repeat(2_000)}`), 3, null];
    const found = await verdict(SCORED, { validationResult: { score: 90, issues } as JsonValue });
    expect(found.issues).toHaveLength(21);
    expect(found.issues[0]).toMatchObject({ severity: 'notice', pointer: '/validationResult/issues' });
    expect(found.issues[0]!.message).toHaveLength(500);
    expect(found.issues.at(-1)!.message).toBe('10 more remarks from the agent');
    expect((await verdict(NONE, { validationResult: { issues: ['a'] } })).issues).toMatchObject([{ message: 'a' }]);
  });

  it('is about the contract where a schema never ends', async () => {
    expect(await verdict({ ...NONE, schema: { $ref: '#' } }, {})).toMatchObject({ status: 'failed', kind: 'contract' });
  });

  it('is a sound verdict for any value', async () => {
    const contract: Contract = {
      ...SCORED,
      threshold: 50,
      schema: {
        anyOf: [
          { type: 'object', properties: { a: { $ref: '#' }, score: { type: 'number' } } },
          { type: ['array', 'null'] },
        ],
        unevaluatedProperties: { maxLength: 3 },
      },
      checks: ['output.a == 1', "has(output, '/b/0')"],
    };
    for (const candidate of [contract, { ...contract, schema: true }, { ...NONE, checks: contract.checks }]) {
      const compilation = await compileContract(candidate);
      if (!compilation.ok) throw contractError(compilation.problems);
      const { compiled } = compilation;
      fc.assert(
        fc.property(jsonValues, (value) => {
          const found = verdictSchema.parse(judge(compiled, value, { subject: '', metadata: {} }));
          expect(found.status === 'passed').toBe(found.kind === 'passed');
          expect(found.advice === '').toBe(found.status === 'passed');
        }),
      );
    }
  });
});

describe('a Standard Schema', () => {
  const standard = z.object({ n: z.number().max(3) });

  it('judges in place of a JSON Schema, with places', async () => {
    expect(await verdict(NONE, { n: 1 }, { standard })).toMatchObject({ status: 'passed' });
    expect(await verdict(NONE, { n: 4 }, { standard })).toMatchObject({ kind: 'schema', issues: [{ pointer: '/n' }] });
  });

  it('judges beside a JSON Schema: both must be met', async () => {
    const contract: Contract = { ...NONE, schema: { required: ['m'] } };
    expect(await verdict(contract, { n: 1 }, { standard })).toMatchObject({ kind: 'schema' });
    expect(await verdict(contract, { n: 4, m: 1 }, { standard })).toMatchObject({ kind: 'schema' });
    expect(await verdict(contract, { n: 1, m: 1 }, { standard })).toMatchObject({ status: 'passed' });
  });

  it('may answer later, and changes nothing of the value', async () => {
    const later = z.object({ n: z.number().default(1) }).refine((value) => Promise.resolve(value.n === 1));
    expect(await verdict({ ...NONE, checks: ["!has(output, '/n')"] }, {}, { standard: later })).toMatchObject({
      status: 'passed',
    });
    expect(await verdict(NONE, { n: 2 }, { standard: later })).toMatchObject({ kind: 'schema' });
  });

  it('that throws is a fault of the contract', async () => {
    const throwing = z.any().refine(() => {
      throw new Error('boom');
    });
    expect(await verdict(NONE, 1, { standard: throwing })).toMatchObject({ kind: 'contract', status: 'failed' });
  });
});

describe('a contract', () => {
  const source = { schema: undefined, score: undefined, threshold: 0, partial: 'block', checks: [] } as const;
  const place = { file: 'gateline.yml', pointer: '/gates/a/output' };

  it('is resolved from its source and the text of its schema', () => {
    const resolved = resolveContract({ ...source, schema: { path: 'a.json' } }, '\ufeff{"type":"object"}', place, [
      '/a',
    ]);
    expect(resolved).toEqual({ ...NONE, schema: { type: 'object' }, exports: ['/a'] });
    expect(resolveContract({ ...source, schema: { inline: true } }, undefined, place)).toEqual({
      ...NONE,
      schema: true,
    });
    expect(parseContract(structuredClone(resolved))).toEqual(resolved);
  });

  it('says nothing of defaults, so that spelling them out changes no digest', () => {
    expect(Object.keys(resolveContract(source, undefined, place, ['']))).not.toContain('exports');
    expect(parseContract({ ...NONE, exports: ['', '/a'] })).toEqual(NONE);
  });

  it('whose schema file is missing or no JSON is refused with its place', () => {
    const of = (text: string | undefined) => () =>
      resolveContract({ ...source, schema: { path: 'a.json' } }, text, place);
    expect(of(undefined)).toThrow(
      expect.objectContaining({ code: 'CONTRACT_SCHEMA_MISSING', fault: 'user', place }) as Error,
    );
    expect(of('{"a":1,"a":2}')).toThrow(
      expect.objectContaining({ code: 'CONTRACT_SCHEMA_MALFORMED', place: { file: 'a.json', pointer: '/a' } }) as Error,
    );
  });

  it.each([
    3,
    null,
    [],
    {},
    { ...NONE, format: 'gateline-contract/2' },
    { ...NONE, score: 'a' },
    { ...NONE, extra: 1 },
    { ...NONE, threshold: 101 },
  ])('of another shape is refused: %j', (stored) => {
    expect(() => parseContract(stored)).toThrow(GatelineError);
  });

  it('with several faults names them all at once', async () => {
    const compilation = await compileContract({
      ...NONE,
      threshold: 50,
      schema: { typ: 1, items: { $ref: 'x.json' } },
      checks: ['x'],
    });
    if (compilation.ok) throw new Error('compiled');
    expect(compilation.problems.map(({ pointer }) => pointer).sort()).toEqual([
      '/checks/0',
      '/schema/items/$ref',
      '/schema/typ',
      '/threshold',
    ]);
    const error = contractError(compilation.problems, place);
    expect(error).toMatchObject({ code: 'CONTRACT_INVALID', fault: 'user', place });
    for (const { pointer } of compilation.problems) expect(error.message).toContain(pointer);
  });
});
