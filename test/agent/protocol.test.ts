import { describe, expect, it } from 'vitest';
import { agentErrorText } from '../../src/agent/agent-error.ts';
import type { AgentFile } from '../../src/agent/agent.ts';
import { agentEnvironment } from '../../src/agent/environment.ts';
import { parseMetrics } from '../../src/agent/metrics.ts';
import { invocationOf } from '../../src/agent/shells.ts';
import { createToolVersions } from '../../src/agent/tool-versions.ts';
import { testAttempt } from './attempt.ts';

describe('the environment of an agent', () => {
  const source = {
    caller: {},
    gate: { id: 'build', env: {} },
    otherSecrets: [],
    directory: '/w/.state/attempts/1',
    leg: '',
    attempt: 2,
    task: undefined,
    hasFeedback: false,
  };

  it('has the variables of the protocol, and only those that are set', () => {
    expect(agentEnvironment(source)).toEqual({
      GATELINE_REQUEST: '/w/.state/attempts/1/request.json',
      GATELINE_OUTPUT: '/w/.state/attempts/1/output.json',
      GATELINE_METRICS: '/w/.state/attempts/1/metrics.json',
      GATELINE_LEARNINGS: '/w/.state/attempts/1/learnings.md',
      GATELINE_ATTEMPT: '2',
      GATELINE_GATE: 'build',
    });
    expect(agentEnvironment({ ...source, leg: 'x', task: 't', hasFeedback: true, memory: ['handoff'] })).toMatchObject({
      GATELINE_LEG: 'x',
      GATELINE_TASK: 't',
      GATELINE_FEEDBACK: '/w/.state/attempts/1/feedback.json',
      GATELINE_MEMORY: '/w/.state/attempts/1/memory',
      GATELINE_HANDOFF: '/w/.state/attempts/1/memory/handoff.md',
    });
  });

  it('has the variables of the caller that a run: step would have, without secrets of other gates', () => {
    const withheld = ['INPUT_RUN', 'STATE_token', 'ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL', 'ACTIONS_CACHE_URL'];
    const more = [...withheld, 'GATELINE_TOKEN', 'GATELINE_OUTPUT', 'GITHUB_ACTION_REPOSITORY', 'OTHER'];
    const passed = { PATH: '/bin', KEY: 'k', GITHUB_ACTION: 'a', ACTIONS_ID_TOKEN_REQUEST_URL: 'u', EMPTY: '' };
    const caller = { ...Object.fromEntries(more.map((name) => [name, 'x'])), ...passed, UNSET: undefined };
    const env = agentEnvironment({ ...source, caller, otherSecrets: ['OTHER'] });
    expect(env).toMatchObject(passed);
    expect(Object.keys(env).filter((name) => env[name] === 'x' || name === 'UNSET')).toEqual([]);
  });

  it("lets the gate's env override the caller, but not the protocol", () => {
    const gate = { id: 'build', env: { A: 'gate', B: null, OTHER: 'given', GATELINE_GATE: 'forged', INPUT_X: '1' } };
    const env = agentEnvironment({ ...source, gate, caller: { A: 'caller', B: 'b' }, otherSecrets: ['OTHER'] });
    expect(env).toMatchObject({ A: 'gate', B: 'b', OTHER: 'given', GATELINE_GATE: 'build' });
    expect(env).not.toHaveProperty('INPUT_X');
  });
});

describe("an agent's own error", () => {
  const claude = { type: 'result', subtype: 'success', is_error: true, result: 'Credit balance is too low' };
  const init = { type: 'system', subtype: 'init', session_id: 's' };
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  it.each<[string, Parameters<typeof agentErrorText>, string | undefined]>([
    ['Claude Code, in the output file', [json(claude), '', 'noise'], 'Credit balance is too low'],
    ['Claude Code, printed', [undefined, JSON.stringify(claude), 'noise'], 'Credit balance is too low'],
    ['Claude Code, a list', [json([init, claude]), '', ''], 'Credit balance is too low'],
    [
      'Claude Code, a stream',
      [undefined, `${JSON.stringify(init)}\n${JSON.stringify(claude)}\n`, ''],
      'Credit balance is too low',
    ],
    [
      'Claude Code, a stream that was cut',
      [undefined, `…{"a\n${JSON.stringify(claude)}`, ''],
      'Credit balance is too low',
    ],
    [
      'its list of errors',
      [json({ type: 'result', is_error: true, subtype: 'x', errors: ['a', 'b', 1] }), '', ''],
      'a\nb',
    ],
    ['its subtype', [json({ type: 'result', is_error: true, subtype: 'error_max_turns' }), '', ''], 'error_max_turns'],
    ['Codex, an event', [undefined, '{"type":"turn.started"}\n{"type":"error","message":"quota"}\n', ''], 'quota'],
    ['Codex, a failed turn', [undefined, '{"type":"turn.failed","error":{"message":"no auth"}}\n', 'noise'], 'no auth'],
    ['an error of any service', [json({ error: 'overloaded' }), '', ''], 'overloaded'],
    ['the last lines of stderr', [json({ score: 3 }), 'x', '1\n2\n\n3\n4\n5\n6\n'], '2\n3\n4\n5\n6'],
    [
      'the error before its stack',
      [undefined, '', `/x.js:3\nthrow\n^\n\nError: no key\n${'    at f (x.js:1:2)\n'.repeat(9)}\n\nNode.js v24.1.0\n`],
      'Error: no key',
    ],
    [
      'the error before its properties',
      [
        undefined,
        '',
        `Uncaught Error [ENOENT]: no file\n    at f {\n  errno: -2,\n  code: 'ENOENT',\n  path: '/x'\n}\n`,
      ],
      "Uncaught Error [ENOENT]: no file\n  errno: -2,\n  code: 'ENOENT',\n  path: '/x'\n}",
    ],
    [
      'the last word after an error',
      [undefined, '', 'Error: busy\n    at f\nno more retries\n'],
      'Error: busy\nno more retries',
    ],
    ['stderr beside a result that is none', [json({ ...claude, is_error: false }), '', 'why'], 'why'],
    ['nothing', [Buffer.from([0xff]), 'text', ' \n'], undefined],
    ['at most 2,000 characters', [json({ error: 'x'.repeat(9_999) }), '', ''], 'x'.repeat(2_000)],
  ])('%s', (_, [output, stdout, stderr], text) => {
    expect(agentErrorText(output, stdout, stderr)).toBe(text);
  });
});

describe('metrics', () => {
  const file = (value: unknown): AgentFile => ({
    state: 'present',
    bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  });
  const usage = { input_tokens: 1, cache_creation_input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 5 };
  const result = { type: 'result', session_id: 's', total_cost_usd: 0.25, usage, modelUsage: { 'claude-x': {} } };
  const init = { type: 'system', subtype: 'init', model: 'claude-y', session_id: 'i' };
  const totals = { session: 's', inputTokens: 111, outputTokens: 5, costUsd: 0.25 };
  const list = [init, {}, 1, { type: 'user' }, result];
  const stream = [init, { type: 'user' }, result].map((line) => JSON.stringify(line)).join('\n');
  const wrong = { ...result, usage: { input_tokens: 'x', output_tokens: 1e12 } };
  it.each<[string, AgentFile, object, RegExp?]>([
    [
      'our fields',
      file({ model: 'm', inputTokens: 3, tools: ['bash'] }),
      { model: 'm', inputTokens: 3, tools: ['bash'] },
    ],
    ['claude --output-format json', file(result), { model: 'claude-x', ...totals }],
    ['the execution file of the action', file(list), { model: 'claude-y', ...totals }],
    ['stream-json', file(stream), { model: 'claude-y', ...totals }],
    ['a session that never came to a result', file([init]), { model: 'claude-y', session: 'i' }],
    ['wrong fields, without the others', file({ model: 'm', costUsd: -1, cost: 2 }), { model: 'm' }, /costUsd, cost$/],
    ['wrong values of Claude Code', file(wrong), { model: 'claude-x', session: 's', costUsd: 0.25 }, /outputTokens$/],
  ])('%s', (_, input, metrics, notice) => {
    expect(parseMetrics(input)).toEqual({ metrics, ...(notice && { notice: expect.stringMatching(notice) }) });
  });

  it.each<[string, AgentFile, RegExp]>([
    ['no JSON', file('model: m'), /^the metrics are ignored: /],
    ['no object', file('[1]'), /no JSON object/],
    ['too many bytes', { state: 'too-large', size: 9 }, /9 bytes/],
    ['a link', { state: 'refused', reason: 'it is a link' }, /it is a link/],
  ])('are ignored with a notice: %s', (_, input, notice) => {
    expect(parseMetrics(input)).toEqual({ notice: expect.stringMatching(notice) });
    expect(parseMetrics({ state: 'absent' })).toEqual({});
  });
});

describe('tool versions', () => {
  it('are determined once, and name a missing tool', async () => {
    await using attempt = await testAttempt();
    const toolVersion = createToolVersions({
      workingDirectory: attempt.directory,
      env: process.env,
      timeLimitMs: 3_000,
    });
    const count = "echo 1 >> calls; wc -l < calls | tr -d ' '";
    expect(await Promise.all([toolVersion(count), toolVersion(count)])).toEqual(['1', '1']);
    expect(await toolVersion('echo v2 >&2')).toBe('v2');
    await expect(toolVersion('gateline-no-such-tool --version')).rejects.toThrow(/tools: `gateline-no.*not found/);
    await expect(toolVersion('sleep 60; true')).rejects.toThrow(/longer than 3 seconds/);
  });
});

describe('shells of Windows', () => {
  it.each([
    ['bash', 'x', { programs: ['C:\\Program Files\\Git\\bin\\bash.exe', 'bash'] }],
    ['pwsh', 'x', { args: ['-NoLogo', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', '/d/command.ps1'] }],
    ['powershell', 'x', { content: expect.stringMatching(/^\ufeff\$ErrorActionPreference = 'stop'\nx\nif .*exit/) }],
    ['cmd', 'a\nb', { content: '@echo off\r\na\r\nb\r\n', verbatim: true }],
  ])('%s', (shell, command, expected) => {
    expect(invocationOf(shell, command, '/d', 'win32')).toMatchObject(expected);
  });
});
