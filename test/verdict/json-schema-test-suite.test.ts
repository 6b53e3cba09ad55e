import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue } from '../../src/json/json.ts';
import { compileSchema } from '../../src/verdict/schema.ts';

interface Group {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: ReadonlyArray<{ description: string; data: JsonValue; valid: boolean }>;
}

const file = new URL('json-schema-test-suite/suite.json.gz', import.meta.url);
const suite = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
  readonly drafts: Record<string, Record<string, Group[]>>;
};

const DRAFTS = [
  ['draft2020-12', 'https://json-schema.org/draft/2020-12/schema', 940],
  ['draft7', 'http://json-schema.org/draft-07/schema#', 763],
] as const;

/** What ajv answers otherwise than the specification. */
const OTHERWISE: readonly string[] = [
  'properties.json: properties whose names are Javascript object property names: __proto__ not valid',
  'unevaluatedProperties.json: unevaluatedProperties with if/then/else, then not defined: when if is false and has unevaluated properties',
  // draft-07 ignores keywords beside a `$ref`; ajv does not.
  'ref.json: ref overrides any sibling keywords: ref valid, maxItems ignored',
  'ref.json: $ref prevents a sibling $id from changing the base uri: $ref resolves to /definitions/base_foo, data does not validate',
  'ref.json: $ref prevents a sibling $id from changing the base uri: $ref resolves to /definitions/base_foo, data validates',
];

/** Why a schema of the suite is refused: it is incomplete, refers to other documents, or to what ajv lacks. */
const REFUSALS = /strict mode|is not supported|can't resolve|Maximum call stack|more than one/;

/** The number of cases, and those that come out otherwise. Schemas that are refused must be so for a known reason. */
async function run(name: string, $schema: string, isWanted: (file: string) => boolean) {
  const wrong: string[] = [];
  let count = 0;
  for (const [path, groups] of Object.entries(suite.drafts[name]!).filter(([file]) => isWanted(file))) {
    for (const { description, schema, tests } of groups) {
      const compiled = await compileSchema(isJsonObject(schema) ? { $schema, ...schema } : schema);
      if ('problems' in compiled) {
        expect(`${description}: ${compiled.problems[0]!.message}`).toMatch(REFUSALS);
        continue;
      }
      count += tests.length;
      for (const { description: test, data, valid } of tests) {
        if ((compiled.validate(data).length === 0) !== valid) wrong.push(`${path}: ${description}: ${test}`);
      }
    }
  }
  return { count, wrong };
}

describe.each(DRAFTS)('JSON-Schema-Test-Suite, %s', (name, $schema, cases) => {
  it('passes, but for known differences of ajv', async () => {
    const { count, wrong } = await run(name, $schema, (file) => !/^optional\/|^format\.json/.test(file));
    expect(wrong.filter((test) => !OTHERWISE.includes(test))).toEqual([]);
    expect(count).toBe(cases);
  });

  it('asserts formats, but for details of times, addresses and international names', async () => {
    const { count, wrong } = await run(name, $schema, (file) => /^optional\/format\/(?!idn-|iri|unknown)/.test(file));
    expect(
      wrong.filter(
        (test) => !/leap second|no time offset|weeks cannot be combined|quoted string|address-literal/.test(test),
      ),
    ).toEqual([]);
    expect(count).toBeGreaterThan(300);
  });
});
