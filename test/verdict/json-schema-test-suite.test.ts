import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { compileSchema, type CompiledSchema } from '../../src/verdict/json-schema/compile-schema.ts';
import type { Draft } from '../../src/verdict/json-schema/keywords.ts';

interface Group {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: ReadonlyArray<{ description: string; data: JsonValue; valid: boolean }>;
}
interface Suite {
  readonly drafts: Record<string, Record<string, Group[]>>;
  readonly remotes: Record<string, JsonValue>;
}

const suite = JSON.parse(
  gunzipSync(readFileSync(new URL('json-schema-test-suite/suite.json.gz', import.meta.url))).toString(),
) as Suite;

const DRAFTS: ReadonlyArray<readonly [string, Draft, number]> = [
  ['draft2020-12', '2020-12', 1_257],
  ['draft7', 'draft-07', 913],
];

/** Optional cases of `format` that the validator answers otherwise: leap seconds, which RFC 3339 allows. */
const OTHERWISE = /^optional\/format\/time\.json: .*leap second/;

/** The suite's remote schemas for one draft, by URI. */
function remotes(name: string): Record<string, JsonValue> {
  const entries = Object.entries(suite.remotes).filter(([file]) => !file.startsWith('draft') || file.startsWith(name));
  return Object.fromEntries(entries.map(([file, schema]) => [`http://localhost:1234/${file}`, schema]));
}

function answer(compiled: CompiledSchema, data: JsonValue): boolean | string {
  if (!compiled.ok) return compiled.problems.map(({ message }) => message).join('; ');
  return compiled.validate(data).length === 0;
}

/** Every case of the files that are wanted: how many, and those that came out otherwise. */
async function run(name: string, draft: Draft, formats: boolean, wanted: (file: string) => boolean) {
  const others = remotes(name);
  const wrong: string[] = [];
  let count = 0;
  for (const [file, groups] of Object.entries(suite.drafts[name]!).filter(([file]) => wanted(file))) {
    for (const group of groups) {
      const compiled = await compileSchema(group.schema, { draft, formats, others, refuse: false });
      for (const test of group.tests) {
        count += 1;
        const found = answer(compiled, test.data);
        if (found !== test.valid) wrong.push(`${file}: ${group.description}: ${test.description}: ${found}`);
      }
    }
  }
  return { count, wrong };
}

const isFormat = (file: string): boolean => file.startsWith('optional/format/');

describe.each(DRAFTS)('JSON-Schema-Test-Suite, %s', (name, draft, required) => {
  it('passes every required case', async () => {
    const { count, wrong } = await run(name, draft, false, (file) => !file.startsWith('optional/'));
    console.log(`${name}: ${count} required cases, ${wrong.length} failed, 0 skipped`);
    expect(wrong).toEqual([]);
    expect(count).toBe(required);
  });

  it('asserts formats as the optional cases say, leap seconds excepted', async () => {
    const { count, wrong } = await run(name, draft, true, isFormat);
    const excepted = wrong.filter((text) => OTHERWISE.test(text));
    console.log(`${name}: ${count} optional cases of format, ${excepted.length} come out otherwise (leap seconds)`);
    expect(wrong.filter((text) => !OTHERWISE.test(text))).toEqual([]);
    expect(excepted).toHaveLength(6);
  });

  it('names and counts the optional files that are not run', () => {
    const skipped = Object.entries(suite.drafts[name]!).filter(
      ([file]) => file.startsWith('optional/') && !isFormat(file),
    );
    const counts = skipped.map(
      ([file, groups]) => `${file} ${groups.reduce((sum, { tests }) => sum + tests.length, 0)}`,
    );
    console.log(`${name}: optional files skipped, with their cases: ${counts.join(', ')}`);
    expect(skipped.length).toBeGreaterThan(0);
  });
});
