import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { orBlocked } from '../../../src/action/step/blocked-gate.ts';
import type { ActionInvocation } from '../../../src/action/invocation.ts';
import type { EngineEvent } from '../../../src/engine/ports.ts';
import { GatelineError } from '../../../src/errors/gateline-error.ts';
import { unitKey } from '../../../src/pipeline/pipeline.ts';
import { gateOf } from '../../support/pipelines.ts';
import { runnerIn } from '../../support/runner/lent-process.ts';

const JOB = { gate: gateOf('test'), key: unitKey('test', 'node-22') };
const BLOCKED = new GatelineError('UPSTREAM_NOT_DONE', 'gate test: <b>code</b> is failed: @everyone', {
  hint: 'Mend it & run again.',
});
const STARTED = { type: 'started' } as unknown as EngineEvent;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateline-blocked-'));
  for (const name of ['output', 'summary']) await writeFile(join(folder, name), '');
});
afterEach(() => rm(folder, { recursive: true }));

/** What a step leaves whose engine throws, before or after it observed this. */
async function left(error: Error, seen: EngineEvent[] = [], summary = true): Promise<Record<string, string>> {
  const environment = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') };
  const log: string[] = [];
  const runner = runnerIn(environment, (text) => void log.push(text));
  const invocation = { world: { runner }, inputs: { summary } } as unknown as ActionInvocation;
  const told: EngineEvent[] = [];
  const work = orBlocked(
    invocation,
    JOB,
    (event) => void told.push(event),
    async (observe) => {
      for (const event of seen) await observe(event);
      throw error;
    },
  );
  await expect(work).rejects.toBe(error);
  expect(told).toEqual(seen);
  const outputs = await readFile(environment.GITHUB_OUTPUT, 'utf8');
  const text = await readFile(environment.GITHUB_STEP_SUMMARY, 'utf8');
  return { outputs, summary: text, log: log.join('') };
}

it('a gate that is blocked has outputs and a summary in which nothing of others does anything, and no annotation yet', async () => {
  const { outputs, summary, log } = await left(BLOCKED);
  const lines = outputs!.split(/\r?\n/);
  for (const value of ['blocked', 'A needed gate is not done.', 'test', 'node-22', 'false'])
    expect(lines).toContain(value);
  expect(outputs).not.toContain('everyone');
  expect(summary).toContain('## Gate `test/node-22`');
  expect(summary).toContain('**Gate blocked** (`UPSTREAM_NOT_DONE`)');
  expect(summary).toContain('### Next step');
  expect(summary).not.toMatch(/<b>|[^\\]@everyone/);
  expect(log).toBe('');
});

it('says of any other error of ours that the log has it, and leaves no summary where none is wanted', async () => {
  const { outputs, summary } = await left(new GatelineError('ARTIFACTS_OUTAGE', 'no answer'), [], false);
  expect(outputs).toContain('The gate cannot run now, see the log.');
  expect(summary).toBe('');
});

it('is not told of an attempt that had begun, nor of a bug', async () => {
  expect(await left(BLOCKED, [STARTED])).toEqual({ outputs: '', summary: '', log: '' });
  expect(await left(new TypeError('oops'))).toEqual({ outputs: '', summary: '', log: '' });
});
