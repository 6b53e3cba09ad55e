import type { Template } from './template.ts';

/** Prompts are evaluated by promptfoo; the score is how many tests passed. */
export const PROMPTFOO: Template = {
  name: 'promptfoo',
  summary: 'promptfoo evaluates prompts, and the gate passes at a pass rate',
  files: {
    'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: promptfoo
gates:
  evaluate:
    agent: promptfoo
    run: node agents/evaluate.mjs
    # Name here the keys that your providers need: secrets: [OPENAI_API_KEY]
    inputs: [agents/evaluate.mjs, promptfooconfig.yaml]
    timeout-minutes: 30
    output:
      schema: schemas/evaluate.schema.json
      # The pass rate, in percent.
      score: /score
      threshold: 80
  publish:
    needs: evaluate
    # Replace this by what may only happen with prompts that are good enough.
    run: |
      printf '{"published": true}' > "$GATELINE_OUTPUT"
    shell: sh
    inputs: []
`,
    'promptfooconfig.yaml': `description: Greetings
prompts:
  - 'Say hello to {{name}}'
# This one answers with the prompt. Replace it by the models that you use.
providers:
  - echo
tests:
  - vars: { name: Maria }
    assert:
      - { type: contains, value: Maria }
  - vars: { name: Tom }
    assert:
      - { type: icontains, value: hello to tom }
`,
    'agents/evaluate.mjs': `// Runs promptfoo, and writes what came of its tests as output and metrics.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const { GATELINE_OUTPUT, GATELINE_METRICS } = process.env;
const file = join(dirname(GATELINE_OUTPUT), 'results.json');
const options = ['--config', 'promptfooconfig.yaml', '--output', file, '--no-table', '--no-progress-bar', '--no-share'];
const { status, error } = spawnSync('npx', ['--yes', 'promptfoo@0.123.1', 'eval', ...options], {
  // Whether enough tests passed is for the gate to say.
  env: { ...process.env, PROMPTFOO_FAILED_TEST_EXIT_CODE: '0' },
  shell: process.platform === 'win32',
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (error) throw error;
if (status !== 0) process.exit(status ?? 1);

const { stats, prompts = [], results } = JSON.parse(readFileSync(file, 'utf8')).results;
const { successes: passed, failures: failed, errors } = stats;
const wrong = results.filter(({ success }) => !success).slice(0, 50);
const output = {
  score: (100 * passed) / Math.max(1, passed + failed + errors),
  passed,
  failed,
  errors,
  wrong: wrong.map(({ vars, error }) => ({ test: JSON.stringify(vars).slice(0, 200), why: String(error ?? '').slice(0, 500) })),
};
writeFileSync(GATELINE_OUTPUT, JSON.stringify(output));
const metrics = {
  model: [...new Set(prompts.map(({ provider }) => provider))].join(', ').slice(0, 200),
  inputTokens: stats.tokenUsage?.prompt ?? 0,
  outputTokens: stats.tokenUsage?.completion ?? 0,
  costUsd: prompts.reduce((sum, { metrics: { cost = 0 } = {} }) => sum + cost, 0),
};
writeFileSync(GATELINE_METRICS, JSON.stringify(metrics));
`,
    'schemas/evaluate.schema.json': `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["score", "passed", "failed", "errors", "wrong"],
  "properties": {
    "score": { "type": "number" },
    "passed": { "type": "integer" },
    "failed": { "type": "integer" },
    "errors": { "type": "integer" },
    "wrong": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["test", "why"],
        "properties": { "test": { "type": "string" }, "why": { "type": "string" } }
      }
    }
  }
}
`,
  },
};
