import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../src/json/json.ts';
import { compileSchema } from '../../src/verdict/schema.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

async function messages(schema: JsonValue, value: JsonValue): Promise<string[]> {
  const compiled = await compileSchema(schema);
  if ('problems' in compiled) throw new Error(JSON.stringify(compiled.problems));
  return compiled.validate(value).map(({ message }) => message);
}

/** `pointer: message` of everything that is wrong with a schema. */
async function problems(schema: JsonValue): Promise<string[]> {
  const compiled = await compileSchema(schema);
  return 'problems' in compiled ? compiled.problems.map(({ pointer, message }) => `${pointer}: ${message}`) : [];
}

describe('a schema is refused', () => {
  it('for every mistake by which a wrong output could pass, in any subschema', async () => {
    const schema = {
      requird: ['a'],
      properties: { a: { maxLenght: 3, type: 'strng', format: 'date-tme' }, b: 3, c: { pattern: '(?P<x>a)' } },
      patternProperties: { '[': {} },
      anyOf: [{ not: { minimum: '1' } }],
      unevaluatedItems: false,
    };
    expect(await problems(schema)).toEqual([
      '/requird: JSON Schema 2020-12 has no keyword `requird`; did you mean `required`?',
      expect.stringMatching(/^\/patternProperties: `\[` is not an ECMAScript pattern/),
      '/unevaluatedItems: `unevaluatedItems` is not supported; write `items: false` after `prefixItems`',
      '/properties/a/maxLenght: JSON Schema 2020-12 has no keyword `maxLenght`; did you mean `maxLength`?',
      '/properties/a/type: there is no type `strng`; did you mean `string`?',
      '/properties/a/format: there is no format `date-tme`; did you mean `date-time`?',
      '/properties/b: a schema is an object, true or false',
      expect.stringMatching(/^\/properties\/c\/pattern: `\(\?P<x>a\)` is not an ECMAScript pattern/),
      '/anyOf/0/not/minimum: must be number, is string',
    ]);
  });

  it.each<[JsonValue, string]>([
    [
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      '/$schema: `http://json-schema.org/draft-04/schema#` is not supported; write https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema',
    ],
    [{ other: 1 }, '/other: JSON Schema 2020-12 has no keyword `other`; a keyword of your own begins with `x-`'],
    [{ type: 'xyz' }, '/type: there is no type `xyz`; known: string, number, integer, boolean, object, array, null'],
    [{ type: null }, '/type: must be string or array, is null'],
    [{ pattern: 'a\\-b' }, '/pattern: `a\\-b` is not an ECMAScript pattern with the `u` flag: Invalid escape'],
    [{ $schema: DRAFT_07, prefixItems: [{}] }, '/prefixItems: JSON Schema draft-07 has no keyword `prefixItems`'],
    [JSON.parse('{"then": {"type": "string"}}') as JsonValue, ': strict mode: "then" without "if" is ignored'],
    [{ items: { $ref: '#/$defs/x' } }, ": can't resolve reference #/$defs/x from id #"],
    [{ $ref: 'https://example.com/s' }, ": can't resolve reference https://example.com/s from id #"],
    [{ $async: true }, '/$async: `$async` is not supported'],
    [{ $id: 'https://example.com/a', $ref: 'b' }, ": can't resolve reference b from id https://example.com/a"],
    [[], ': a schema is an object, true or false'],
    ['x', ': a schema is an object, true or false'],
  ])('%j', async (schema, problem) => {
    expect((await problems(schema))[0]).toContain(problem);
  });

  it('but not for keys outside schemas, annotations, and `x-` keywords', async () => {
    const data = { tpye: 'x', requird: 1, $ref: '#/nowhere' };
    const schema = {
      properties: { tpye: true, requird: { const: data, enum: [data], default: data, examples: [data] } },
      required: ['tpye'],
      dependentRequired: { tpye: ['requird'] },
      'x-my.own': data,
      discriminator: { propertyName: 'kind' },
      markdownDescription: '**x**',
      id: 'thing',
    };
    expect(await problems(schema)).toEqual([]);
    for (const pattern of ['^[a-z]+(-[a-z]+)*$', '^\\p{Lu}', '^[\\w.\\-]+$'])
      expect(await problems({ pattern })).toEqual([]);
  });
});

describe('schemas of tools work', () => {
  const pydantic = JSON.parse(readFileSync(new URL('fixtures/pydantic.json', import.meta.url), 'utf8')) as JsonValue;
  const report = { pet: { kind: 'cat' }, when: '2026-01-02T03:04:05', id: '6ba7b810-9dad-11d1-80b4-00c04fd430c8' };

  it("pydantic's", async () => {
    expect(await messages(pydantic, { ...report, took: 'P1DT2H0.5S' })).toEqual([]);
    expect(await messages(pydantic, { ...report, pet: { kind: 'cat', lives: 10 }, took: 'long', extra: 1 })).toEqual([
      '/extra: is not allowed here',
      '/pet/lives: must be at most 9, is 10 (alternative #1 of 2 is the closest)',
      '/took: must have the format `duration`, is "long"',
    ]);
  });

  it.each(['draft-2020-12', 'draft-7'] as const)("zod's, as %s", async (target) => {
    const node: z.ZodType = z.object({
      name: z.string().min(1),
      get children() {
        return z.array(node);
      },
    });
    const schema = z
      .object({
        id: z.uuid(),
        at: z.iso.datetime({ local: true }),
        time: z.iso.time(),
        mail: z.email().optional(),
        kind: z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b'), n: z.int() })]),
        pair: z.tuple([z.string(), z.number()]),
        map: z.record(z.string(), z.number()),
        tree: node,
      })
      .meta({ id: 'thing', title: 'Thing', description: 'a thing' });
    const json = z.toJSONSchema(schema, { target }) as JsonValue;
    const value = {
      id: '6ba7b810-9dad-41d1-80b4-00c04fd430c8',
      at: '2026-01-02T03:04',
      time: '03:04:05.123',
      kind: { t: 'b', n: 1 },
      pair: ['a', 1],
      map: { a: 1 },
      tree: { name: 'x', children: [{ name: 'y', children: [] }] },
    };
    expect(await messages(json, value)).toEqual([]);
    expect(await messages(json, { ...value, kind: { t: 'b', n: 'x' } })).toEqual([
      '/kind/n: must be a whole number, is "x" (alternative #2 of 2 is the closest)',
    ]);
    expect(await messages(json, { ...value, tree: { name: 'x', children: [{ name: '', children: [] }] } })).toEqual([
      '/tree/children/0/name: must have at least 1 character, has 0',
    ]);
  });

  it.each([
    ['time', ['03:04', '03:04:05.6', '03:04:05Z', '03:04:05+01:00'], ['24:00:00', '3:04', '03:04:05+25:00']],
    ['date-time', ['2026-01-02T03:04:05', '2026-01-02 03:04:05Z'], ['2026-02-30T00:00:00', '2026-01-02']],
    ['duration', ['P1D', '-P1DT0.5S', 'P2W', 'PT1H30M'], ['P', 'PT', '1D', 'P1S']],
    ['date', ['2026-02-28'], ['2026-02-30']],
    ['regex', ['^\\p{Lu}$'], ['(']],
    ['iri', ['https://ex\u00e4mple.com/\u00e4'], ['no scheme']],
    ['idn-hostname', ['b\u00fccher.example'], ['..']],
    ['int32', [1], [2 ** 40]],
  ] as ReadonlyArray<[string, JsonValue[], JsonValue[]]>)('format %s', async (format, good, bad) => {
    for (const $schema of ['https://json-schema.org/draft/2020-12/schema', DRAFT_07]) {
      for (const value of good) expect([value, await messages({ $schema, format }, value)]).toEqual([value, []]);
      for (const value of bad)
        expect([value, await messages({ $schema, format }, value)]).toEqual([value, [expect.any(String)]]);
    }
  });
});

describe('messages', () => {
  it('are plain, with the pointer and the likely correction', async () => {
    const schema = {
      type: 'object',
      required: ['testCases'],
      additionalProperties: false,
      dependentRequired: { name: ['surname'] },
      properties: {
        testCases: { type: 'array', minItems: 1, items: { $ref: '#/$defs/case' } },
        name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        tags: { uniqueItems: true },
        keys: { propertyNames: { pattern: '^[a-z]+$' } },
        pair: { prefixItems: [{ const: 1 }], items: false },
        some: { contains: { type: 'number' } },
        no: { not: { type: 'number' } },
        never: false,
        if: JSON.parse('{"if": {"type": "number"}, "then": {"maximum": 3}}') as JsonObject,
      },
      $defs: { case: { type: 'object', required: ['testId'], properties: { priority: { enum: ['high', 'low'] } } } },
    };
    const value = {
      testCases: [{ testID: 'x', priority: 'hihg' }],
      name: 3,
      tags: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      keys: { Ab: 1 },
      pair: [2, 3],
      some: ['a'],
      no: 1,
      never: 1,
      if: 4,
      tstCases: 1,
    };
    expect(await messages(schema, value)).toEqual([
      '/tstCases: is not allowed here; did you mean `testCases`?',
      '/testCases/0: lacks `testId` (there is `testID`)',
      '/testCases/0/priority: must be one of "high" or "low", is "hihg"; did you mean "high"?',
      '/name: must be a string or null, is 3',
      '/tags: must not contain an item twice',
      '/keys/Ab: the key itself must match the pattern `^[a-z]+$`, is "Ab"',
      '/pair/0: must be 1, is 2',
      '/pair: must have at most 1 item, has 2',
      '/some: must have at least 1 of the items that `contains` asks for',
      '/no: must not match the schema of `not`',
      '/never: is not allowed here',
      '/if: must be at most 3, is 4',
      'the output: lacks `surname`, which `name` needs',
    ]);
  });

  it.each<[JsonObject, JsonValue, string]>([
    [{ maxLength: 2 }, '👍👍👍', 'must have at most 2 characters, has 3'],
    [{ minItems: 2 }, [1], 'must have at least 2 items, has 1'],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, 'must have at most 1 key, has 2'],
    [{ multipleOf: 3 }, 4, 'must be a multiple of 3, is 4'],
    [{ type: ['string', 'integer', 'array'] }, null, 'must be a string, a whole number or a list, is null'],
    [{ enum: ['high', 1] }, 'hihg', 'must be one of "high" or 1, is "hihg"; did you mean "high"?'],
    [{ enum: [1, 2] }, {}, 'must be one of 1 or 2, is an empty object'],
    [{ const: 'high' }, 'hihg', 'must be "high", is "hihg"'],
    [
      { contains: { type: 'null' }, maxContains: 2 },
      [1],
      'must have at least 1 and at most 2 of the items that `contains` asks for',
    ],
    [{ $schema: DRAFT_07, items: [true], additionalItems: false }, [1, 2], 'must have at most 1 item, has 2'],
    [{ $schema: DRAFT_07, dependencies: { a: ['b'] } }, { a: 1 }, 'lacks `b`, which `a` needs'],
    [{ $ref: '#x', $defs: { a: { $anchor: 'x', type: 'number' } } }, 'a', 'must be a number, is "a"'],
  ])('say what is wrong by %j with %j', async (schema, value, message) => {
    expect(await messages(schema, value)).toEqual([`the output: ${message}`]);
  });

  it('name the key that is not allowed, whichever keyword forbids it', async () => {
    const unevaluated = { allOf: [{ properties: { name: {} } }], unevaluatedProperties: false };
    expect(await messages(unevaluated, { name: 1, other: 2 })).toEqual(['/other: is not allowed here']);
    expect(await messages({ additionalProperties: false }, { name: 1 })).toEqual(['/name: is not allowed here']);
  });

  it.each<[string, JsonObject, JsonValue, string[]]>([
    [
      'that a reference leads to',
      {
        anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
        $defs: {
          a: { properties: { kind: { const: 'a' }, n: { minimum: 3 } } },
          b: { properties: { kind: { const: 'b' }, n: { $ref: '#/$defs/least' } } },
          least: { minimum: 5 },
        },
      },
      { kind: 'b', n: 1 },
      ['/n: must be at least 5, is 1 (alternative #2 of 2 is the closest)'],
    ],
    ['without a count if there is one', { anyOf: [{ minimum: 3 }] }, 1, ['the output: must be at least 3, is 1']],
    [
      'of nothing',
      { anyOf: [false] },
      1,
      ['the output: is not allowed here', 'the output: matches none of the alternatives'],
    ],
    [
      'of other kinds, one of which asks for more',
      { anyOf: [{ type: 'string', const: 'x' }, { type: 'null' }] },
      3,
      ['the output: must be null, is 3 (alternative #2 of 2 is the closest)'],
    ],
    [
      'of a part of another kind',
      { anyOf: ['string', 'null'].map((type) => ({ properties: { a: { type } } })) },
      { a: 1 },
      ['/a: must be a string, is 1 (alternative #1 of 2 is the closest)'],
    ],
    [
      'with the right discriminator rather than few mistakes',
      {
        anyOf: [
          { properties: { kind: { const: 'a' } } },
          { properties: { part: { properties: { b: { type: 'string' } } }, n: { minimum: 3 } } },
        ],
      },
      { kind: 'b', part: { b: 1 }, n: 1 },
      [
        'the output: matches none of the alternatives (alternative #2 of 2 is the closest)',
        '/part/b: must be a string, is 1',
        '/n: must be at least 3, is 1',
      ],
    ],
    [
      'of the one that was meant',
      {
        oneOf: ['a', 'b'].map((kind) => ({
          required: ['n'],
          properties: { kind: { const: kind }, n: { minimum: 3 } },
        })),
      },
      { kind: 'b', n: 1 },
      ['/n: must be at least 3, is 1 (alternative #2 of 2 is the closest)'],
    ],
    [
      'of several that match',
      { oneOf: [{ type: 'number' }, { minimum: 1 }] },
      2,
      ['the output: must match exactly one of 2 alternatives, matches #1 and #2'],
    ],
    [
      'inside alternatives',
      {
        anyOf: [
          { type: 'null' },
          { properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] }, b: { const: 1 } } },
        ],
      },
      { a: 1, b: 2 },
      [
        'the output: matches none of the alternatives (alternative #2 of 2 is the closest)',
        '/a: must be a string or null, is 1',
        '/b: must be 1, is 2',
      ],
    ],
  ])('of alternatives are those %s', async (_, schema, value, expected) => {
    expect(await messages(schema, value)).toEqual(expected);
  });

  it('are at most 100, count the rest, and point to the rule in the schema', async () => {
    const found = await messages(
      { items: { type: 'integer' } },
      Array.from({ length: 250 }, () => 'x'),
    );
    expect(found).toHaveLength(100);
    expect(found.at(-1)).toBe('151 more problems');
    const hundred = await messages(
      { items: { type: 'integer' } },
      Array.from({ length: 100 }, () => 'x'),
    );
    expect(hundred.at(-1)).toBe('/99: must be a whole number, is "x"');
    const compiled = await compileSchema({
      $defs: { 'a/b %': { properties: { x: { maximum: 1 } } } },
      properties: { p: { $ref: '#/$defs/a~1b%20%25' } },
    });
    expect('validate' in compiled && compiled.validate({ p: { x: 2 } })).toMatchObject([
      { pointer: '/p/x', rule: '/$defs/a~1b %/properties/x/maximum' },
    ]);
  });
});

describe('a value', () => {
  it('may hold an item twice unless the schema forbids it', async () => {
    expect(await messages({ uniqueItems: false }, [1, 1])).toEqual([]);
    expect(await messages({ uniqueItems: true }, [1, '1'])).toEqual([]);
    expect(await messages({ uniqueItems: true }, 'aa')).toEqual([]);
  });

  it('is judged by own keys only, not by `constructor` and the like', async () => {
    const schema = { properties: { a: {} }, required: ['toString'], additionalProperties: { type: 'string' } };
    expect(await messages(schema, { a: 1 })).toEqual(['the output: lacks `toString`']);
    expect(await messages(schema, { constructor: 1, toString: 'x' })).toEqual(['/constructor: must be a string, is 1']);
  });

  it('of 300,000 items is judged completely, valid or not', async () => {
    const compiled = await compileSchema({
      items: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    });
    if ('problems' in compiled) throw new Error('refused');
    const items = Array.from({ length: 300_000 }, (_, id) => ({ id }));
    expect(compiled.validate(items)).toEqual([]);
    expect(compiled.validate(items.map(({ id }) => ({ id: `x${id}` })))).toHaveLength(100);
    expect(await messages({ uniqueItems: true }, items.slice(0, 50_000))).toEqual([]);
  });

  it('for which a pattern takes too long fails, in the middle of the pattern', async () => {
    const compiled = await compileSchema({ properties: { a: { pattern: '^(a+)+$' } } }, 200);
    if ('problems' in compiled) throw new Error('refused');
    expect(compiled.validate({ a: `${'a'.repeat(50)}!` })).toEqual([
      { severity: 'error', message: 'the pattern `^(a+)+$` took longer than 0.2 s; make it simpler' },
    ]);
    expect(compiled.validate({ a: 'aaa' })).toEqual([]);
    expect(compiled.validate({ a: 'b' })).toHaveLength(1);
  });

  it('is distinguished from a schema that refers to itself endlessly', async () => {
    expect(await messages({ $ref: '#' }, {})).toEqual(['the schema refers to itself endlessly']);
  });

  it('nested as deep as the parser allows does not exhaust the stack', async () => {
    let value: JsonValue = { name: 1 };
    for (let depth = 0; depth < 98; depth += 1) value = { children: [value] };
    const schema = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          allOf: [{ anyOf: [{ properties: { children: { items: { $ref: '#/$defs/node' } } } }] }],
          properties: { name: { type: 'string' }, children: true },
          unevaluatedProperties: false,
        },
      },
    };
    expect((await messages(schema, value)).length).toBeGreaterThan(0);
  });

  it('makes no call to a network or a file', async () => {
    let calls = 0;
    const server = createServer((_request, response) => {
      calls += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/s.json`;
      for (const $ref of [url, new URL('fixtures/pydantic.json', import.meta.url).href]) {
        for (const schema of [{ $ref }, { $id: 'http://127.0.0.1/', $ref }, { $schema: $ref }]) {
          expect(await problems(schema as unknown as JsonObject)).toHaveLength(1);
        }
      }
      expect(calls).toBe(0);
    } finally {
      server.close();
    }
  });
});
