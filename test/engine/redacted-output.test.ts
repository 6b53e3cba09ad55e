import { describe, expect, it } from 'vitest';
import { lineFor } from '../../src/cli/output/event-lines.ts';
import { decide } from '../../src/engine/decide.ts';
import { runPipeline } from '../../src/engine/run-pipeline.ts';
import type { ContractSource, Gate } from '../../src/pipeline/pipeline.ts';
import { engineWorld, type AgentScript, type EngineWorld } from '../support/engine-world.ts';
import { gateOf, pipelineOf } from '../support/pipelines.ts';

const KEY = 'sk-9f8e7d6c5b4a';

function keptTexts({ medium }: EngineWorld): string[] {
  const records = [...medium.records.values()].map(({ bytes }) => bytes);
  return [...medium.contents.values(), ...records].map((bytes) => Buffer.from(bytes as Uint8Array).toString());
}

const contract = (over: Partial<ContractSource>): Partial<Gate> => ({ contract: { ...gateOf('a').contract, ...over } });

/** Runs one gate that redacts `/login/key`, and looks through all that was kept of it. */
async function ran(script: AgentScript, gate: Partial<Gate> = {}) {
  const world = engineWorld(script);
  const pipeline = pipelineOf({ a: { ...contract({ redact: ['/login/key'] }), ...gate } });
  const { state } = await world.run(pipeline);
  for (const text of keptTexts(world)) expect(text).not.toContain(KEY);
  return { world, ended: state.units.get('a')!.ended!, pipeline };
}

describe('a value that a contract redacts never reaches what is kept', () => {
  it('through the output, wherever else it is in it', async () => {
    const output = { login: { key: KEY, user: 'ann' }, said: `curl -H "x: ${KEY}"`, [KEY]: 1 };
    const { world, ended } = await ran(() => ({ output }));
    expect(ended.verdict).toMatchObject({ status: 'passed', issues: [] });
    expect(keptTexts(world)).toContain('{"***":1,"login":{"key":"***","user":"ann"},"said":"curl -H \\"x: ***\\""}');
  });

  it('through logs, metrics and learnings', async () => {
    const result = { stdout: `key ${KEY}\n`, stderr: `used ${Buffer.from(KEY).toString('base64')}\n` };
    const output = { login: { key: KEY } };
    const { world, ended } = await ran(() => ({ output, metrics: { model: KEY }, learnings: `use ${KEY}`, result }));
    expect(ended.metrics).toEqual({ model: '***' });
    expect(keptTexts(world)).toEqual(expect.arrayContaining(['key ***\n', 'used ***\n', 'use ***']));
  });

  it('through the verdict, its label and its message', async () => {
    const { ended } = await ran(
      () => ({ output: { login: { key: KEY }, line: `signed in with ${KEY}`, label: `OK ${KEY}` } }),
      contract({
        redact: ['/login/key'],
        message: '/line',
        result: { pointer: '/label', pass: ['OK ***'] },
      }),
    );
    expect(ended.verdict).toMatchObject({ status: 'passed', message: 'signed in with ***', result: 'OK ***' });
  });

  it('through a file that is handed on: the gate fails', async () => {
    const script: AgentScript = ({ files }) => {
      files.set('login.txt', `key=${KEY}`);
      return { output: { login: { key: KEY } } };
    };
    const { ended } = await ran(script, { files: ['*.txt'] });
    expect(ended.verdict).toMatchObject({ kind: 'files', issues: [{ message: expect.stringContaining('login.txt') }] });
  });

  it('through an output of an agent that failed, or that is not JSON', async () => {
    const failed = await ran(() => ({ output: { login: { key: KEY } }, result: { outcome: 'exited', exitCode: 1 } }));
    expect(failed.ended).toMatchObject({ verdict: { kind: 'agent-error' }, value: { bytes: 23 } });
    const broken = await ran(() => ({ raw: `{"login": {"key": ${KEY}}}` }));
    expect(broken.ended.verdict).toMatchObject({ kind: 'malformed' });
    expect(broken.ended.verdict.advice).not.toContain('kept');
    expect(JSON.stringify(broken.ended.verdict)).not.toContain(KEY.slice(0, 5));
  });

  it.each([
    ['cut off', `{"login": {"key": "${KEY}"`, 'the document ends too early', 'line 1, column 36', '/login/key'],
    ['in single quotes', `{\n "login": {"key": '${KEY}'}}`, 'double quotes', 'line 2, column 19', '/login/key'],
    ['after a fence', '```json\n{"login": {}}\n```', 'starts with a Markdown fence', 'line 1, column 1', undefined],
    ['of a key that nobody named', `{"login": {"${KEY}": {"x": 1e}}}`, 'not a JSON number', 'line 1', '/login/***/***'],
    ['in a list', `{"login": {"key": ["${KEY}", ${KEY}]}}`, 'no JSON value', 'column 39', '/login/key/1'],
    ['with a key twice', `{"login": {"key": "${KEY}", "key": 1}}`, 'has this key twice', 'column 38', '/login/key'],
    ['with half a character', `{"login": {"key": "${KEY}\\ud800"}}`, 'half of a surrogate pair', '', '/login/key'],
  ])('through what is wrong with an output %s, which is named with its place', async (_, raw, what, where, pointer) => {
    const { ended } = await ran(() => ({ raw }));
    const { kind, issues } = ended.verdict;
    expect(kind).toBe('malformed');
    expect(issues).toHaveLength(1);
    expect(issues[0]!.message).toContain(what);
    expect(issues[0]!.message).toContain(where);
    expect(issues[0]!.pointer).toBe(pointer);
    expect(JSON.stringify(ended.verdict)).not.toContain(KEY.slice(0, 5));
  });

  it('through learnings for which the disk has no room: the attempt ends all the same, and says so', async () => {
    const world = engineWorld(() => ({ output: { login: { key: KEY } }, learnings: 'lost' }));
    const pipeline = pipelineOf({ a: contract({ redact: ['/login/key'] }) });
    world.expect(pipeline);
    const ports = world.ports();
    const put: typeof ports.store.put = async (content) => {
      if (content === 'lost') throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      return ports.store.put(content);
    };
    const { state } = await runPipeline(
      { ...ports, store: { ...ports.store, put } },
      { pipeline, subject: 'subject', metadata: {}, input: null },
      { observe: () => undefined, signal: new AbortController().signal },
    );
    const { verdict, learnings } = state.units.get('a')!.ended!;
    expect([verdict.status, verdict.issues[0]!.message, learnings]).toEqual([
      'passed',
      'the learnings were not kept: the disk is full',
      undefined,
    ]);
  });

  it('through the log of an attempt whose result cannot be stored', async () => {
    const result = { stdout: `key ${KEY}\n` };
    const world = engineWorld(() => ({ output: { login: { key: KEY } }, learnings: 'lost', result }));
    const pipeline = pipelineOf({ a: contract({ redact: ['/login/key'] }) });
    world.expect(pipeline);
    const ports = world.ports();
    const put: typeof ports.store.put = async (content) => {
      if (content === 'lost') throw new Error('no room for what was learnt');
      return ports.store.put(content);
    };
    const run = runPipeline(
      { ...ports, store: { ...ports.store, put } },
      { pipeline, subject: 'subject', metadata: {}, input: null },
      { observe: () => undefined, signal: new AbortController().signal },
    );
    await expect(run).rejects.toThrow('no room');
    expect(keptTexts(world)).toContain('key ***\n');
  });

  it('through an output that somebody supplies', async () => {
    const { world, pipeline } = await ran(() => ({ raw: '' }));
    const supplied = { decision: 'adopt', gates: ['a'], actor: 'ann', reason: 'by hand' } as const;
    const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
    await decide(world.ports(), assignment, { ...supplied, output: { login: { key: KEY } } });
    expect(keptTexts(world)).toContain('{"login":{"key":"***"}}');
    for (const text of keptTexts(world)) expect(text).not.toContain(KEY);
  });

  it('as a whole: the schema sees the mask', async () => {
    const schema = { inline: { properties: { login: { type: 'object' } } } };
    const { ended } = await ran(() => ({ output: { login: { key: KEY } } }), contract({ redact: ['/login'], schema }));
    expect(ended.verdict).toMatchObject({ kind: 'schema', issues: [{ pointer: '/login' }] });
  });
});

describe('what is not searched for elsewhere', () => {
  it('is named when there is too much of it', async () => {
    const keys = Array.from({ length: 130 }, (_, at) => `key-number-${at}`);
    const { ended } = await ran(() => ({ output: { login: { key: keys } } }));
    expect(ended.verdict.issues).toEqual([
      {
        severity: 'notice',
        message: '30 texts of redacted parts are too many or too long to be searched for elsewhere',
      },
    ]);
  });
});

describe('a field whose name looks like that of a secret', () => {
  it('is named if its value is stored', async () => {
    const { ended } = await ran(() => ({ output: { login: { key: KEY, password: 'hunter2' } } }));
    expect(ended.verdict).toMatchObject({
      status: 'passed',
      issues: [{ severity: 'notice', pointer: '/login/password' }],
    });
    const quiet = await ran(() => ({ output: { login: { key: KEY, password: 'hunter2' } } }), {
      ...contract({ redact: ['/login'] }),
    });
    expect(quiet.ended.verdict.issues).toEqual([]);
    expect(quiet.world.events.filter(({ type }) => type === 'notice')).toEqual([]);
  });

  it('is named with all others in one line, which a quiet run prints, too', async () => {
    const users = Array.from({ length: 21 }, () => ({ password: 'hunter2' }));
    const { world } = await ran(() => ({ output: { login: { key: KEY }, apiKey: 'abc-def', users } }));
    const [event, ...others] = world.events.filter(({ type }) => type === 'notice');
    const names = ['/apiKey', ...users.slice(0, 19).map((_, at) => `/users/${at}/password`)].join(', ');
    expect([event, others]).toEqual([
      expect.objectContaining({ unit: 'a', message: expect.stringContaining(`: ${names} and 2 more;`) }),
      [],
    ]);
    const line = lineFor(event!, (_, text) => text, { agents: false, checkpoints: false });
    expect(line).toMatch(/^note: a: names that look like those of secrets/);
    // A checkpoint lists them as issues.
    expect(lineFor(event!, (_, text) => text, { agents: true, checkpoints: true })).toBeUndefined();
  });
});

describe('a changed contract', () => {
  it('with other labels judges the output again and runs nothing', async () => {
    const world = engineWorld(() => ({ output: { decision: 'APPROVED_WITH_NOTES', line: 'two nits' } }));
    const passing = (pass: string[]) =>
      pipelineOf({ a: contract({ result: { pointer: '/decision', pass }, message: '/line' }) });
    const first = await world.run(passing(['APPROVED']));
    expect(first.state.units.get('a')).toMatchObject({ status: 'failed', ended: { verdict: { kind: 'result' } } });
    const second = await world.run(passing(['APPROVED', 'APPROVED_WITH_NOTES']));
    expect(second.state.units.get('a')).toMatchObject({
      status: 'passed',
      ended: { verdict: { result: 'APPROVED_WITH_NOTES', message: 'two nits' } },
    });
    expect(world.starts).toEqual(['a#1']);
  });

  it('that redacts what was stored runs the gate again', async () => {
    const world = engineWorld(() => ({ output: { login: { key: KEY } } }));
    await world.run(pipelineOf({ a: {} }));
    const { state } = await world.run(pipelineOf({ a: contract({ redact: ['/login/key'] }) }));
    expect(world.starts).toHaveLength(2);
    expect(state.units.get('a')).toMatchObject({ status: 'passed', reused: false, ended: { value: { bytes: 23 } } });
    const later = await world.run(pipelineOf({ a: contract({ redact: ['/login/key'] }) }));
    expect(later.state.units.get('a')).toMatchObject({ status: 'passed', reused: true });
    expect(world.starts).toHaveLength(2);
  });
});
