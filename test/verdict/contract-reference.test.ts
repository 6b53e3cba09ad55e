import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ContractSource } from '../../src/pipeline/pipeline.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { compileContract } from '../../src/verdict/compile-contract.ts';
import { contractError, resolveContract } from '../../src/verdict/contract.ts';
import { judge } from '../../src/verdict/judge.ts';
import { compileChecks } from '../../src/verdict/expression/conditions.ts';
import { isAnnotation } from '../../src/verdict/json-schema/keywords.ts';

const page = readFileSync(new URL('../../docs/reference/contract.md', import.meta.url), 'utf8');
const EXAMPLE = /<!-- example -->\n```yaml\n([^]*?)```\n```json\n([^]*?)```\n```text\n([^]*?)```/g;
const examples = [...page.matchAll(EXAMPLE)].map(([, contract, output, verdict]) => ({
  contract: parse(contract!) as {
    schema?: JsonValue;
    score?: string;
    threshold?: number;
    partial?: ContractSource['partial'];
    checks?: string[];
    result?: ContractSource['result'];
    message?: string;
  },
  output: JSON.parse(output!) as JsonValue,
  verdict: verdict!,
}));
const rows = page
  .slice(page.indexOf('<!-- checks -->'))
  .split('\n\n')[0]!
  .split('\n')
  .slice(3)
  .map((row) => /^\| `(.*)` \| `(.*)` \| (.*) \|$/.exec(row)!.slice(1) as [string, string, string]);

describe('docs/reference/contract.md', () => {
  it('has examples that are found here', () => {
    expect(examples).toHaveLength(page.split('<!-- example -->').length - 1);
    expect(examples.length).toBeGreaterThan(4);
    expect(rows.length).toBeGreaterThan(12);
  });

  it.each(examples)('shows the verdict: $verdict', async ({ contract, output, verdict }) => {
    const { schema, score, threshold = score === undefined ? 0 : 80, partial = 'block', checks = [] } = contract;
    const source: ContractSource = {
      schema: schema === undefined ? undefined : { inline: schema },
      score,
      threshold,
      partial,
      checks,
      result: contract.result,
      message: contract.message,
    };
    const compilation = await compileContract(resolveContract(source, undefined, { file: 'contract.md' }));
    if (!compilation.ok) throw contractError(compilation.problems);
    const found = await judge(compilation.compiled, output, { subject: '', metadata: {} });
    const lines = found.issues.map(({ severity, message }) => `${severity}: ${message}\n`);
    expect(`${found.status}: ${found.kind}, score ${found.score}\n${lines.join('')}`).toBe(verdict);
  });

  it.each(rows)('says of the check `%s` on `%s`: %s', async (check, output, result) => {
    const checks = await compileChecks([check]);
    if (!checks.ok) throw new Error(check);
    const [issue] = checks.run({ output: JSON.parse(output) as JsonValue, score: 100, subject: '', metadata: {} });
    expect(issue === undefined ? 'holds' : `fails: ${issue.message.slice(check.length + 2)}`).toBe(result);
  });

  it('names only keywords that are allowed without effect', () => {
    const part = page.slice(page.indexOf('**An unknown keyword is an error**'), page.indexOf('So schemas as pydantic'));
    const names = [...part.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    const judging = new Set(['format', '$ref', 'nullable', 'x-']);
    expect(names.filter((name) => !judging.has(name) && !isAnnotation(name))).toEqual([]);
  });
});
