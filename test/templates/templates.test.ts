import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { EXAMPLE_FILES } from '../formats/state-guide-example.ts';

const ROOT = join(import.meta.dirname, '../..');
const TEMPLATES = readdirSync(join(ROOT, 'templates'));

function pipelineIn(folder: string): Pipeline {
  const parsed = parsePipeline(readFileSync(join(ROOT, folder, 'gateline.yml'), 'utf8'), 'gateline.yml');
  expect(parsed).toMatchObject({ ok: true, warnings: [] });
  return (parsed as { pipeline: Pipeline }).pipeline;
}
const readJson = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;

describe.each([...TEMPLATES.map((name) => `templates/${name}`), 'examples/web-tests'])('%s', (folder) => {
  it('has a definition without a warning, whose files exist, and which says what each gate reads', () => {
    const { gates } = pipelineIn(folder);
    const paths = new Set(
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/')),
    );
    for (const { inputs, contract, run, with: values } of gates) {
      const schema = contract.schema && 'path' in contract.schema ? [contract.schema.path] : [];
      const prompt = typeof values['prompt'] === 'string' ? [values['prompt']] : [];
      const named = [...inputs!, ...schema, ...prompt, run!.split(' ')[1]!].filter((path) => !path.includes('*'));
      expect(named.filter((path) => !paths.has(path))).toEqual([]);
    }
    expect(paths).toContain('README.md');
  });

  it('has schemas without a mistake', () => {
    for (const { contract, id } of pipelineIn(folder).gates) {
      const { schema } = contract;
      const value = schema && ('path' in schema ? readJson(join(ROOT, folder, schema.path)) : schema.inline);
      expect(() => new Ajv2020({ strictTypes: true }).compile((value ?? true) as object), id).not.toThrow();
    }
  });
});

describe('the schemas of the state-guide template', () => {
  const schemaOf = (gate: number) => readJson(join(ROOT, `templates/state-guide/schemas/gate${gate}.schema.json`));
  it.each(EXAMPLE_FILES)('take what the guide shows for gate $gate', ({ gate, output }) => {
    expect(new Ajv2020().validate(schemaOf(gate), output)).toBe(true);
  });
  it.each<[number, unknown]>([
    [1, { testCases: [] }],
    [1, { testCases: [{ testId: 'TC_001' }] }],
    [2, { elementMappings: [{ locators: {} }] }],
    [2, {}],
  ])('refuse for gate %d what the validation of the guide refuses: %j', (gate, output) => {
    expect(new Ajv2020().validate(schemaOf(gate), output)).toBe(false);
  });
});

/** Stands for `claude` and `codex`: notes its arguments and its prompt, and answers. */
const FAKE = `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require('node:fs');
const words = process.argv.slice(2);
writeFileSync('call.json', JSON.stringify({ words, prompt: readFileSync(0, 'utf8') }));
const last = words.indexOf('--output-last-message');
if (process.env.FAKE_ANSWER === '') process.exitCode = 1;
else if (last >= 0) writeFileSync(words[last + 1], process.env.FAKE_ANSWER);
process.stdout.write(process.env.FAKE_STDOUT);
`;

function callAgent(template: 'claude-code' | 'codex', words: string, answer: string, stdout: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-template-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, 'templates', template), folder, { recursive: true });
  const [agent, program] = template === 'codex' ? ['agents/codex.mjs', 'codex'] : ['agents/claude.mjs', 'claude'];
  writeFileSync(join(folder, program), FAKE);
  chmodSync(join(folder, program), 0o755);
  const at = (name: string) => join(folder, name);
  const GATELINE = {
    GATELINE_REQUEST: at('request.json'),
    GATELINE_OUTPUT: at('output.json'),
    GATELINE_METRICS: at('metrics.json'),
    GATELINE_FEEDBACK: at('feedback.json'),
  };
  const PATH = [folder, dirname(process.execPath), process.env['PATH']].join(delimiter);
  const env = { ...process.env, ...GATELINE, PATH, FAKE_ANSWER: answer, FAKE_STDOUT: stdout };
  const { status, stderr } = spawnSync(process.execPath, [agent, ...words.split(' ')], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  const { words: args, prompt } = readJson(at('call.json')) as { words: string[]; prompt: string };
  return { status, stderr, args, prompt, ...GATELINE, folder };
}

describe.skipIf(process.platform === 'win32')('agents of the templates for coding agents', () => {
  it('give the prompt, the request and the feedback to claude, and take its answer and cost', () => {
    const result = JSON.stringify({ type: 'result', structured_output: { critical: 0 }, total_cost_usd: 0.1 });
    const call = callAgent('claude-code', 'review Read,Glob,Grep', '-', result);
    expect(call).toMatchObject({ status: 0, stderr: '' });
    expect(readJson(call.GATELINE_OUTPUT)).toEqual({ critical: 0 });
    expect(readJson(call.GATELINE_METRICS)).toMatchObject({ type: 'result', total_cost_usd: 0.1 });
    const schema = readFileSync(join(call.folder, 'schemas/review.schema.json'), 'utf8');
    const options = ['--output-format', 'json', '--json-schema', schema, '--allowedTools', 'Read,Glob,Grep'];
    expect(call.args).toEqual(['-p', ...options, '--add-dir', call.folder]);
    expect(schema).not.toContain('$schema');
    for (const text of ['# Review', call.GATELINE_REQUEST, call.GATELINE_FEEDBACK]) expect(call.prompt).toContain(text);
  });

  it('give the prompt, the request and the feedback to codex, and take its answer and tokens', () => {
    const events = [
      { type: 'thread.started', thread_id: 't' },
      { type: 'turn.completed', usage: { input_tokens: 3, output_tokens: 2 } },
    ];
    const call = callAgent(
      'codex',
      'design read-only',
      '{"score":90}',
      events.map((event) => `${JSON.stringify(event)}\n`).join(''),
    );
    expect(call).toMatchObject({ status: 0, stderr: '' });
    expect(readJson(call.GATELINE_OUTPUT)).toEqual({ score: 90 });
    expect(readJson(call.GATELINE_METRICS)).toEqual({ session: 't', inputTokens: 3, outputTokens: 2 });
    const output = ['--output-schema', 'schemas/design.schema.json', '--output-last-message', call.GATELINE_OUTPUT];
    expect(call.args).toEqual(['exec', '--json', '--sandbox', 'read-only', ...output, '-']);
    for (const text of ['# Design', call.GATELINE_REQUEST, call.GATELINE_FEEDBACK]) expect(call.prompt).toContain(text);
  });

  it.each<['claude-code' | 'codex', string, string]>([
    [
      'claude-code',
      JSON.stringify({ type: 'result', is_error: true, result: 'Credit balance is too low' }),
      'Credit balance is too low',
    ],
    ['claude-code', 'Invalid API key', 'Invalid API key'],
    ['codex', `${JSON.stringify({ type: 'turn.failed', error: { message: 'quota exceeded' } })}\n`, 'quota exceeded'],
  ])('fail with the own words of %s: %s', (template, stdout, message) => {
    const call = callAgent(template, 'design x', '', stdout);
    expect(call.status).toBe(1);
    expect(call.stderr.trim()).toBe(message);
    expect(() => readFileSync(call.GATELINE_OUTPUT)).toThrow('ENOENT');
  });

  it.each([
    ['claude-code', 'claude'],
    ['codex', 'codex'],
  ])('say in one line that the program of %s is not installed', (template, program) => {
    const { status, stderr } = spawnSync(process.execPath, [`agents/${program}.mjs`, 'design', 'x'], {
      cwd: join(ROOT, 'templates', template),
      env: { PATH: '', GATELINE_REQUEST: 'request.json', GATELINE_OUTPUT: 'output.json' },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(new RegExp(`^${program} is not installed: npm install -g \\S+\\n$`));
  });
});
