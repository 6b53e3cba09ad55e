import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { execute as begin } from '../../../src/action/commands/begin.ts';
import { execute as complete } from '../../../src/action/commands/complete.ts';
import { settleClaim } from '../../../src/action/commands/settle-claim.ts';
import type { ActionInvocation } from '../../../src/action/invocation.ts';
import type { EndedRecord } from '../../../src/run/records/record.ts';
import type { JobEnvironment } from '../../support/github/job-environment.ts';
import { startResultsService, type ResultsService } from '../../support/github/results-service.ts';
import { headOf } from '../../support/runner/repository.ts';
import { ScratchWorkspace } from '../../support/scratch-workspace.ts';
import { stepInProcess } from '../step-in-process.ts';

const SECRET = 's3cr3t-value!';
/** The id of this pipeline is no other step's guess. */
const DEFINITION = `pipeline: own-name
gates:
  before: { run: 'true' }
  one: { secrets: [API_KEY], files: changed }
  after: { needs: before }
`;

let service: ResultsService;
let repository: ScratchWorkspace;
let job: JobEnvironment;
beforeEach(async () => {
  service = await startResultsService();
  repository = await ScratchWorkspace.create({ 'gateline.yml': DEFINITION, 'a.txt': 'a' });
  const about = { headSha: await headOf(repository.root) };
  job = await service.environmentFor({ run: 1, job: 'one', about, workspace: repository.root });
});
afterEach(async () => {
  await job[Symbol.asyncDispose]();
  await repository[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

interface Step {
  readonly invocation: ActionInvocation;
  readonly files: JobEnvironment;
}

/** A step with files of its own, and with the secret unless it says otherwise. */
async function step(
  inputs: Readonly<Record<string, string>>,
  env: Record<string, string> = { API_KEY: SECRET },
): Promise<Step> {
  const files = await job.nextStep();
  const { invocation } = await stepInProcess({ ...files, env: { ...files.env, ...env } }, { cache: 'off', ...inputs });
  return { invocation, files };
}

/** Begins the gate; its agent answers with the secret. Gives the token. */
async function begun(): Promise<{ token: string; state: Record<string, string> }> {
  const { invocation, files } = await step({ command: 'begin' });
  expect(await begin(invocation)).toMatchObject({ ok: true });
  const outputs = await files.outputs();
  await writeFile(outputs['output-file']!, JSON.stringify({ said: SECRET }));
  return { token: outputs['token']!, state: await files.state() };
}

/** Names of the records of the run's artifacts, without what tells the pipeline. */
function records(): string[] {
  return service.world.artifacts
    .map(({ name }) => name.split('.').slice(2).join('.'))
    .filter((name) => name.startsWith('one._.1.1.'));
}

/** The post step of the one that began. */
async function post(claim: string, env?: Record<string, string>): Promise<boolean> {
  const { invocation } = await step({ command: 'begin', 'job-status': 'failure' }, env);
  return (await settleClaim({ ...invocation, claim, finished: true, agentExit: undefined })).ok;
}

/** Its output is in its name, after the fingerprint. */
const FAILED_WITH_OUTPUT = /^one\._\.1\.1\.ended\.failed(?:\.[0-9a-f]{12}){2}\.json$/;

describe('a gate of a file that is completed', () => {
  it('does not look for the run that it was to go on from, and its post step knows that it has ended', async () => {
    const { token, state } = await begun();
    const { invocation } = await step({ command: 'complete', token });
    const inputs = { ...invocation.inputs, resume: '77' };
    expect(await complete({ ...invocation, inputs })).toMatchObject({ ok: true });
    expect(records()).toContainEqual(expect.stringContaining('.ended.passed.'));
    const calls = service.calls.length;
    expect(await post(state['claim']!)).toBe(true);
    expect(service.calls.length).toBe(calls);
  });

  it.each([
    ['was removed', (root: string) => rm(join(root, '.git'), { recursive: true })],
    ['cannot be read', (root: string) => writeFile(join(root, '.git/HEAD'), 'nothing')],
  ])('is on record as failed, with its output, when its repository %s in between', async (_, harm) => {
    const { token, state } = await begun();
    await harm(repository.root);
    const { invocation } = await step({ command: 'complete', token });
    expect(await complete(invocation)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^gate one: workspace: WORKSPACE_UNREADABLE/),
    });
    expect(records()).toContainEqual(expect.stringMatching(FAILED_WITH_OUTPUT));
    expect(await post(state['claim']!)).toBe(true);
  });

  it('is on record when nobody completes it and its repository is gone', async () => {
    const { state } = await begun();
    await rm(join(repository.root, '.git'), { recursive: true });
    expect(await post(state['claim']!)).toBe(true);
    expect(records()).toContainEqual(expect.stringMatching(FAILED_WITH_OUTPUT));
  });

  it('is refused without its secrets, and ended by the post step, and nothing that the agent wrote goes up', async () => {
    const { token, state } = await begun();
    const before = records();
    await expect(complete((await step({ command: 'complete', token }, {})).invocation)).rejects.toMatchObject({
      code: 'SECRET_MISSING_AT_COMPLETE',
    });
    expect(records()).toEqual(before);
    await post(state['claim']!, {});
    expect(records()).toContainEqual(expect.stringMatching(/\.ended\.failed\..*\._\.json$/));
    const stored = [...service.world.blobs.blobs.values()].map(({ content }) => content.toString()).join('\n');
    expect(stored).toContain('no-secret');
    expect(stored).not.toContain(SECRET);
  });
});

describe('a gate whose agent has ended, and whose main did not come to end its attempt', () => {
  /** How attempts ended, as their records say. */
  const kinds = (): string[] =>
    service.world.artifacts.flatMap(({ name, blob }) => {
      if (!name.includes('.ended.')) return [];
      const content = service.world.blobs.blobs.get(blob)!.content.toString();
      return [(JSON.parse(content) as { record: EndedRecord }).record.verdict.kind];
    });

  it.each<[string, Record<string, string>, number | undefined, string]>([
    ['`complete`, which was told of success', { command: 'complete', outcome: 'success' }, undefined, 'passed'],
    ['`complete`, which was told nothing', { command: 'complete' }, undefined, 'passed'],
    ['`complete`, which was told of a failure', { command: 'complete', outcome: 'failure' }, undefined, 'agent-error'],
    ['`complete`, which was told of the end', { command: 'complete', outcome: 'cancelled' }, undefined, 'cancelled'],
    ['`run`, whose agent ended well', { command: 'run' }, 0, 'passed'],
    ['`run`, whose agent failed', { command: 'run' }, 3, 'agent-error'],
    ['`run`, whose agent did not end', { command: 'run', 'job-status': 'cancelled' }, undefined, 'cancelled'],
    ['`begin`, in a job that failed', { command: 'begin' }, undefined, 'agent-error'],
    ['`begin`, in a job that was cancelled', { command: 'begin', 'job-status': 'cancelled' }, undefined, 'cancelled'],
    ['`begin`, in a job in which nothing failed', { command: 'begin', 'job-status': 'success' }, undefined, 'passed'],
  ])('is ended by the post step of %s, without asking for anything', async (_, inputs, agentExit, kind) => {
    const { token, state } = await begun();
    const calls = service.calls.length;
    const given = inputs['command'] === 'complete' ? { token, ...inputs } : inputs;
    const { invocation } = await step({ 'job-status': 'failure', ...given });
    const post = { ...invocation, claim: state['claim']!, finished: false, agentExit };
    expect((await settleClaim(post)).ok).toBe(inputs['job-status'] !== 'success');
    expect(kinds()).toEqual([kind]);
    const asked = service.calls.slice(calls).map(({ operation }) => operation);
    expect(asked.filter((operation) => /^(?:List|Get)|^actions/.test(operation))).toEqual([]);
    // The next post step finds nothing to do.
    expect(await settleClaim(post)).toEqual({ ok: true, title: '', message: '' });
  });

  it('is not ended from a listing that cannot be read, where its claim is gone from the runner', async () => {
    const { token } = await begun();
    await rm(join(job.temp, 'gateline', 'claims'), { recursive: true });
    const limits = { GATELINE_TIME_LIMITS: '0.01', API_KEY: SECRET };
    service.faults.add({ operation: 'ListArtifacts', times: Infinity, fault: { kind: 'status', status: 503 } });
    const inputs = { command: 'complete', token, 'outage-minutes': '1' };
    await expect(complete((await step(inputs, limits)).invocation)).rejects.toMatchObject({
      code: 'ARTIFACTS_OUTAGE',
      message: expect.stringMatching(/^The claim of gate one is not on this runner and cannot be read: /),
    });
    expect(kinds()).toEqual([]);
    service.faults.clear();
    expect(await complete((await step(inputs)).invocation)).toMatchObject({ ok: true });
    expect(kinds()).toEqual(['passed']);
  });
});

it('a gate that is begun without its secrets is red and on record, and has no token', async () => {
  const { invocation, files } = await step({ command: 'begin' }, {});
  expect(await begin(invocation)).toMatchObject({ ok: false, title: 'Gate failed: a secret is missing' });
  const outputs = await files.outputs();
  expect(outputs).toMatchObject({ status: 'failed', passed: 'false' });
  expect(outputs['token'] ?? '').toBe('');
  expect(records()).toContainEqual(expect.stringMatching(/\.ended\.failed\./));
});

it('a gate that is blocked has outputs and a summary', async () => {
  const { invocation, files } = await step({ command: 'begin', gate: 'after' });
  await expect(begin(invocation)).rejects.toMatchObject({ code: 'UPSTREAM_NOT_DONE' });
  expect(await files.outputs()).toMatchObject({
    decision: 'blocked',
    gate: 'after',
    status: 'blocked',
    passed: 'false',
  });
  expect(await files.summary()).toContain('**Gate blocked**');
});
