import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GUIDE_SCHEMA_FOLDER } from '../../../scripts/write-schema.ts';
import { GUIDE_SCHEMAS } from '../../../src/formats/state-guide/guide-schemas.ts';
import type { JsonValue } from '../../../src/json/json.ts';
import { compileContract } from '../../../src/verdict/compile-contract.ts';
import { GUIDE_EXAMPLES } from './guide.ts';

async function issuesOf(gate: number, output: unknown): Promise<readonly (string | undefined)[]> {
  const compiled = await compileContract({
    format: 'gateline-contract/1',
    schema: GUIDE_SCHEMAS[gate]!,
    threshold: 0,
    partial: 'block',
    checks: [],
  } as never);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return (await compiled.compiled.validate(output as JsonValue)).map(({ pointer }) => pointer);
}

describe('the schemas of the outputs of the state guide', () => {
  it('are in the package, as they are here', () => {
    for (const [gate, schema] of GUIDE_SCHEMAS.entries())
      expect(JSON.parse(readFileSync(new URL(`gate${gate}.schema.json`, GUIDE_SCHEMA_FOLDER), 'utf8'))).toEqual(schema);
  });

  it('take its examples', async () => {
    expect(GUIDE_EXAMPLES.map(({ gate }) => gate)).toEqual([0, 1, 2, 3, 4]);
    for (const { gate, output } of GUIDE_EXAMPLES) expect(await issuesOf(gate, output), `gate ${gate}`).toEqual([]);
  });

  it('refuse what the validation functions of the guide refuse, and the output of every other gate', async () => {
    expect(await issuesOf(1, { testCases: [] })).toEqual(['/testCases']);
    expect(await issuesOf(1, { testCases: [{ testId: 'TC_001' }] })).not.toEqual([]);
    expect(await issuesOf(2, { elementMappings: [{ logicalName: 'a', locators: { fallbacks: [] } }] })).not.toEqual([]);
    for (const { gate, output } of GUIDE_EXAMPLES)
      for (const other of GUIDE_EXAMPLES)
        if (other.gate !== gate) expect(await issuesOf(other.gate, output), `${gate} as ${other.gate}`).not.toEqual([]);
  });
});
