import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENT_VARIABLES, CLI_VARIABLES } from '../../src/environment.ts';
import { metricsSchema } from '../../src/run/records/metrics.ts';
import { VERDICT_KINDS, verdictSchema } from '../../src/verdict/verdict.ts';
import { testAttempt } from './attempt.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/agent-protocol.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, lang, text]) => ({ lang: lang!, text: text! }));
const json = blocks
  .filter(({ lang }) => lang === 'json')
  .map(({ text }) => JSON.parse(text) as Record<string, unknown>);
const [request, metrics, feedback] = json as [
  Record<string, unknown>,
  Record<string, unknown>,
  Record<string, unknown>,
];
const SHELLS: Record<string, string> = { bash: 'bash', python: 'python', js: 'node' };
const examples = blocks.filter(({ lang }) => lang in SHELLS);

describe('docs/agent-protocol.md', () => {
  it('names every variable of the protocol, and no other', () => {
    const named = new Set(page.match(/GATELINE_[A-Z]+/g));
    expect([...named].sort()).toEqual([...Object.values(AGENT_VARIABLES), CLI_VARIABLES.workspace].sort());
  });

  it('names only kinds of verdict that there are, and shows a verdict and metrics as they are', () => {
    expect(verdictSchema.parse(feedback)).toEqual(feedback);
    expect(metricsSchema.parse(metrics)).toEqual(metrics);
    const section = page.slice(page.indexOf('## How it ends'), page.indexOf('## Examples'));
    const kinds = [
      'agent-error',
      'timeout',
      'cancelled',
      'not-started',
      'missing',
      'malformed',
      'schema',
      'score',
      'check',
    ];
    for (const kind of kinds) {
      expect(VERDICT_KINDS).toContain(kind);
      expect(section).toContain(`\`${kind}\``);
    }
  });

  it('has an example for each of three languages', () => {
    expect(examples.map(({ lang }) => lang)).toEqual(Object.keys(SHELLS));
  });

  it.each(examples)('the $lang example runs, on a first attempt and with feedback', async ({ lang, text }) => {
    await using attempt = await testAttempt();
    const at = (name: string): string => join(attempt.directory, name);
    for (const number of [1, 2]) {
      const needs = { data: { digest: 'sha256:…', bytes: 14, file: at('need-data.json') } };
      await writeFile(at('need-data.json'), '{"users":[1,2]}');
      await writeFile(at('request.json'), JSON.stringify({ ...request, attempt: number, needs }, null, 1));
      await writeFile(at('feedback.json'), JSON.stringify(feedback));
      const env = {
        ...attempt.task('').env,
        [AGENT_VARIABLES.request]: at('request.json'),
        [AGENT_VARIABLES.output]: at('output.json'),
        [AGENT_VARIABLES.metrics]: at('metrics.json'),
        [AGENT_VARIABLES.learnings]: at('learnings.md'),
        ...(number > 1 && { [AGENT_VARIABLES.feedback]: at('feedback.json') }),
        [AGENT_VARIABLES.attempt]: String(number),
        [AGENT_VARIABLES.gate]: 'design',
      };
      const result = await attempt.run(text, { shell: SHELLS[lang]!, env });
      expect(result).toMatchObject({ outcome: 'exited', exitCode: 0, stderr: '' });
      expect(result.stdout.includes('must be a string')).toBe(number > 1);
      expect(JSON.parse(await readFile(at('output.json'), 'utf8'))).toEqual({
        gate: request['gate'],
        attempt: number,
      });
      expect(metricsSchema.parse(JSON.parse(await readFile(at('metrics.json'), 'utf8'))).tools).toHaveLength(1);
    }
  });
});
