import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../src/json/json.ts';
import { NO_URI } from '../../src/verdict/json-schema/check-schema.ts';
import { compileSchema } from '../../src/verdict/json-schema/compile-schema.ts';
import { createValidator } from '../../src/verdict/json-schema/validator.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

/** What a value has against a schema, a line each. */
async function messages(schema: JsonValue, value: JsonValue): Promise<string[]> {
  const compiled = await compileSchema(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.validate(value).map(({ message }) => message);
}

/** `pointer CODE` of every problem of a schema. */
async function problems(schema: JsonValue): Promise<string[]> {
  const compiled = await compileSchema(schema);
  return compiled.ok ? [] : compiled.problems.map(({ code, pointer }) => `${pointer} ${code}`);
}

async function hints(schema: JsonValue): Promise<string> {
  const compiled = await compileSchema(schema);
  return compiled.ok ? '' : compiled.problems.map(({ message, hint }) => `${message}; ${hint ?? ''}`).join('\n');
}

describe('unknown keywords', () => {
  it('refuse the schema, wherever a schema stands, with a suggestion', async () => {
    const schema = {
      requird: ['a'],
      properties: { a: { maxLenght: 3 } },
      $defs: { d: { allOf: [{ minimun: 1 }] } },
      anyOf: [{ not: { pattren: 'x' } }],
    };
    expect(await problems(schema)).toEqual(
      expect.arrayContaining([
        '/requird CONTRACT_KEYWORD_UNKNOWN',
        '/properties/a/maxLenght CONTRACT_KEYWORD_UNKNOWN',
        '/$defs/d/allOf/0/minimun CONTRACT_KEYWORD_UNKNOWN',
        '/anyOf/0/not/pattren CONTRACT_KEYWORD_UNKNOWN',
      ]),
    );
    expect(await hints({ requird: ['a'] })).toContain('did you mean `required`?');
  });

  it('are not looked for where no schema stands', async () => {
    const data = { tpye: 'x', requird: 1, $ref: '#/nowhere' };
    const schema = {
      properties: { tpye: true, requird: { const: data, enum: [data], default: data, examples: [data] }, enum: {} },
      required: ['tpye'],
      dependentRequired: { tpye: ['requird'] },
      'x-mine': data,
    };
    expect(await problems(schema)).toEqual([]);
  });

  it('of another draft or of OpenAPI 3.0 say what to write', async () => {
    expect(await hints({ nullable: true })).toContain('OpenAPI 3.0');
    expect(await hints({ $schema: DRAFT_07, prefixItems: [{}] })).toContain('is 2020-12');
    expect(await hints({ dependencies: { a: ['b'] } })).toContain('dependentRequired');
    expect(await problems({ $schema: DRAFT_07, unevaluatedProperties: false })).toEqual([
      '/unevaluatedProperties CONTRACT_KEYWORD_UNKNOWN',
    ]);
  });

  it('do not come from the drafts meant for the other word for definitions', async () => {
    const old = { $schema: DRAFT_07, $ref: '#/$defs/a', $defs: { a: { type: 'string' } } };
    const new_ = { $ref: '#/definitions/a', definitions: { a: { type: 'string' } } };
    for (const schema of [old, new_]) {
      expect(await messages(schema, 'x')).toEqual([]);
      expect(await messages(schema, 1)).toEqual(['the output: must be a string, is 1']);
    }
  });
});

describe('schemas as tools emit them', () => {
  const pydantic = JSON.parse(readFileSync(new URL('fixtures/pydantic.json', import.meta.url), 'utf8')) as JsonValue;
  const report = { pet: { kind: 'cat' }, when: '2026-01-02T03:04:05Z', id: '6ba7b810-9dad-11d1-80b4-00c04fd430c8' };

  it("work: pydantic's", async () => {
    expect(await messages(pydantic, report)).toEqual([]);
    expect(await messages(pydantic, { ...report, pet: { kind: 'cat', lives: 10 }, took: 'long', extra: 1 })).toEqual([
      '/extra: is not allowed here',
      '/pet/lives: must be at most 9, is 10 (alternative #1 of 2 is the closest)',
      '/took: must have the format `duration`, is "long"',
    ]);
  });

  it("work: OpenAPI 3.1's and an editor's", async () => {
    const schema = {
      type: 'object',
      discriminator: { propertyName: 'kind', mapping: { a: '#/components/schemas/A' } },
      xml: { name: 'thing' },
      externalDocs: { url: 'https://example.com' },
      example: { kind: 'a' },
      deprecated: true,
      properties: {
        n: { type: 'integer', format: 'int32', readOnly: true, markdownDescription: '**n**' },
        k: { enum: ['a'], enumDescriptions: ['the a'], defaultSnippets: [{ label: 'a', body: 'a' }] },
      },
    };
    expect(await messages(schema, { n: 1, k: 'a' })).toEqual([]);
  });

  it.each(['draft-2020-12', 'draft-7'] as const)("work: zod's, as %s", async (target) => {
    const node: z.ZodType = z.object({
      name: z.string().min(1),
      get children() {
        return z.array(node);
      },
    });
    const schema = z
      .object({
        id: z.uuid(),
        at: z.iso.datetime(),
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
      at: '2026-01-02T03:04:05Z',
      kind: { t: 'b', n: 1 },
      pair: ['a', 1],
      map: { a: 1 },
      tree: { name: 'x', children: [{ name: 'y', children: [] }] },
    };
    expect(await messages(json, value)).toEqual([]);
    expect(await messages(json, { ...value, kind: { t: 'b', n: 'x' } })).toHaveLength(1);
    expect(
      await messages(json, { ...value, tree: { name: 'x', children: [{ name: '', children: [] }] } }),
    ).toHaveLength(1);
  });

  it('work: a draft-07 root that is a reference beside its definitions', async () => {
    const schema = {
      $schema: DRAFT_07,
      $id: 'https://example.com/thing.json',
      $ref: '#/definitions/Thing',
      definitions: {
        Thing: { type: 'object', properties: { a: { $ref: '#/definitions/A', description: 'x' } } },
        A: { type: 'string' },
      },
    };
    expect(await messages(schema, { a: 1 })).toEqual(['/a: must be a string, is 1']);
  });
});

describe('references', () => {
  it.each([
    'https://example.com/s.json',
    'http://127.0.0.1:1/s',
    'file:///etc/hosts',
    'other.json',
    'urn:x:y',
    '//host/x',
  ])('out of the schema are refused and never fetched: %s', async ($ref) => {
    expect(await problems({ properties: { a: { $ref } } })).toEqual(['/properties/a/$ref CONTRACT_REF_OUTSIDE']);
  });

  it('to nothing are refused with a suggestion', async () => {
    expect(await problems({ $ref: '#/$defs/tst', $defs: { test: {} } })).toEqual(['/$ref CONTRACT_REF_MISSING']);
    expect(await hints({ $ref: '#/$defs/tst', $defs: { test: {} } })).toContain('did you mean `#/$defs/test`?');
    expect(await problems({ $ref: '#anchor' })).toEqual(['/$ref CONTRACT_REF_MISSING']);
  });

  it('by id, anchor, pointer and dynamic anchor are followed inside the schema', async () => {
    const schema = {
      $id: 'https://example.com/root.json',
      properties: {
        byId: { $ref: 'part.json' },
        byAnchor: { $ref: '#here' },
        byUri: { $ref: 'https://example.com/root.json#/$defs/number' },
        dynamic: { $dynamicRef: '#node' },
        meta: { $ref: 'https://json-schema.org/draft/2020-12/schema' },
      },
      $defs: {
        part: { $id: 'part.json', type: 'string' },
        anchored: { $anchor: 'here', type: 'boolean' },
        number: { type: 'number' },
        node: { $dynamicAnchor: 'node', type: 'null' },
      },
    };
    expect(
      await messages(schema, { byId: 'a', byAnchor: true, byUri: 1, dynamic: null, meta: { type: 'string' } }),
    ).toEqual([]);
    expect(await messages(schema, { byId: 1, byAnchor: 1, byUri: '1', dynamic: 1, meta: { type: 1 } })).toHaveLength(5);
  });

  it('that never end are told apart from an output that fails', async () => {
    const compiled = await compileSchema({ $ref: '#' });
    expect(compiled.ok && (() => compiled.validate({}))).toThrow(RangeError);
  });
});

describe('a schema', () => {
  it('of an unknown draft is refused with what is supported', async () => {
    expect(await problems({ $schema: 'http://json-schema.org/draft-04/schema#' })).toEqual([
      '/$schema CONTRACT_DIALECT_UNKNOWN',
    ]);
    expect(await hints({ $schema: 'http://json-schema.org/draft-04/schema#' })).toContain('draft/2020-12/schema');
  });

  it('is 2020-12 where it does not say', async () => {
    expect(await messages({ prefixItems: [{ type: 'string' }], items: false }, ['a', 1])).toEqual([
      '/1: is not allowed here',
    ]);
  });

  it('that its meta-schema refuses is refused, with every place', async () => {
    expect(await problems({ type: 'strng', properties: { a: { minLength: -1 }, b: 3 } })).toEqual([
      '/properties/a/minLength CONTRACT_SCHEMA_INVALID',
      '/properties/b CONTRACT_SCHEMA_INVALID',
      '/type CONTRACT_SCHEMA_INVALID',
    ]);
    expect(await problems([] as never)).toEqual([' CONTRACT_SCHEMA_INVALID']);
  });

  it('with a format or a pattern that would check nothing is refused', async () => {
    expect(await problems({ format: 'date-tme', properties: { a: { pattern: '(?P<x>a)' } } })).toEqual([
      '/properties/a/pattern CONTRACT_PATTERN_INVALID',
      '/format CONTRACT_FORMAT_UNKNOWN',
    ]);
    expect(await problems({ patternProperties: { '[': {} } })).toEqual([
      '/patternProperties/[ CONTRACT_PATTERN_INVALID',
    ]);
  });

  it.each(['2020-12', 'draft-07'])('asserts formats in %s', async (draft) => {
    const $schema = draft === '2020-12' ? 'https://json-schema.org/draft/2020-12/schema' : DRAFT_07;
    for (const [format, bad] of [
      ['date', '2026-02-30'],
      ['email', 'x'],
      ['uuid', 'x'],
      ['idn-hostname', '..'],
      ['uri', 'x'],
    ]) {
      expect(await messages({ $schema, format: format! }, bad!)).toHaveLength(1);
    }
  });

  it('takes the patterns that people write', async () => {
    for (const pattern of ['^[a-z]+(-[a-z]+)*$', '^([a-z]+\\.)+[a-z]+$', '^\\p{Lu}', '^[\\w.\\-]+$']) {
      expect(await problems({ pattern })).toEqual([]);
    }
  });

  it('is not fooled by keys that every object seems to have', async () => {
    const schema = { properties: { a: {} }, required: ['toString'], additionalProperties: { type: 'string' } };
    expect(await messages(schema, { a: 1 })).toEqual(['the output: lacks `toString`']);
    expect(await messages(schema, { constructor: 1, toString: 'x' })).toEqual(['/constructor: must be a string, is 1']);
  });
});

describe('messages', () => {
  it('are plain, with the place and what was probably meant', async () => {
    const schema = {
      type: 'object',
      required: ['testCases'],
      additionalProperties: false,
      properties: {
        testCases: { type: 'array', minItems: 1, items: { $ref: '#/$defs/case' } },
        name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        tags: { uniqueItems: true },
        keys: { propertyNames: { pattern: '^[a-z]+$' } },
      },
      $defs: { case: { type: 'object', required: ['testId'], properties: { priority: { enum: ['high', 'low'] } } } },
    };
    const value = {
      testCases: [{ testID: 'x', priority: 'hihg' }],
      name: 3,
      tags: [1, 2, 1],
      keys: { Ab: 1 },
      tstCases: 1,
    };
    expect(await messages(schema, value)).toEqual([
      '/tstCases: is not allowed here; did you mean `testCases`?',
      '/testCases/0: lacks `testId` (there is `testID`)',
      '/testCases/0/priority: must be one of "high" or "low", is "hihg"; did you mean "high"?',
      '/name: must be a string or null, is 3',
      '/tags: must not contain an item twice; items 0 and 2 are the same',
      '/keys/Ab: the key itself must match the pattern `^[a-z]+$`, is "Ab"',
    ]);
  });

  it('of alternatives are those of the one that was meant', async () => {
    const alternative = (kind: string) => ({
      type: 'object',
      required: ['kind', 'n'],
      properties: { kind: { const: kind }, n: { type: 'integer', minimum: 3 } },
    });
    const schema = { oneOf: [alternative('a'), alternative('b'), { type: 'string' }] };
    expect(await messages(schema, { kind: 'b', n: 1 })).toEqual([
      '/n: must be at least 3, is 1 (alternative #2 of 3 is the closest)',
    ]);
    expect(await messages({ oneOf: [{ type: 'number' }, { minimum: 1 }] }, 2)).toEqual([
      'the output: must match exactly one of 2 alternatives, matches #1 and #2',
    ]);
  });

  it('are at most 100 and say how many there are', async () => {
    const found = await messages(
      { items: { type: 'integer' } },
      Array.from({ length: 250 }, () => 'x'),
    );
    expect(found).toHaveLength(100);
    expect(found.at(-1)).toBe('151 more problems');
  });

  it('point to the rule as it was written', async () => {
    const compiled = await compileSchema({
      $id: 'https://example.com/a',
      $defs: { 'a/b %': { $id: 'inner', properties: { x: { maximum: 1 } } } },
      properties: { p: { $ref: 'inner' } },
    });
    const [issue] = compiled.ok ? compiled.validate({ p: { x: 2 } }) : [];
    expect(issue).toMatchObject({ pointer: '/p/x', rule: '/$defs/a~1b %/properties/x/maximum' });
  });
});

describe('a schema that was validated', () => {
  it.each<[string, JsonObject]>([
    ['whole', { minimum: 'x' }],
    ['with another inside', { $defs: { inner: { $id: 'inner', minimum: 'x' } }, $ref: '#/$defs/inner' }],
  ])('is not validated by the library once more: %s', async (_, unsound) => {
    const compile = (isValidated: boolean) => createValidator(unsound, '2020-12', { base: NO_URI, isValidated });
    await expect(compile(false)).rejects.toThrow();
    expect((await compile(true)).validate(1)).toBeDefined();
    expect(await compileSchema(unsound)).toMatchObject({ ok: false });
  });
});

describe('a large value', () => {
  it('of which everything is wrong costs no more than the first hundred faults', async () => {
    const schema = { items: { type: 'integer' }, additionalProperties: false };
    const validator = await createValidator(schema, '2020-12', { base: NO_URI });
    const items = Array.from({ length: 50_000 }, (_, index) => `x${index}`);
    for (const value of [items, Object.fromEntries(items.map((key) => [key, 1]))]) {
      const found = validator.validate(value);
      expect([found.errors.length, found.total]).toEqual([100, 50_000]);
    }
  });

  it('of 100,000 distinct objects is checked for doubles in linear time', async () => {
    const value = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    expect(await messages({ uniqueItems: true }, value)).toEqual([]);
  });

  it('nested as deep as is read is judged without running out of stack', async () => {
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
    expect(await messages(schema, value)).toHaveLength(1);
  });
});

describe('a network', () => {
  it('is never asked, even where references are not refused', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      for (const $ref of [`http://127.0.0.1:${port}/s.json`, new URL('fixtures/pydantic.json', import.meta.url).href]) {
        for (const schema of [{ $ref }, { $id: `http://127.0.0.1:${port}/`, $ref: 's.json' }, { $schema: $ref }]) {
          expect(await compileSchema(schema, { refuse: false })).toMatchObject({ ok: false });
        }
      }
      expect(asked).toBe(0);
    } finally {
      server.close();
    }
  });
});
