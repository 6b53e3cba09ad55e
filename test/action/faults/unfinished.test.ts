import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY, plainEnvironment } from '../../support/command-line.ts';
import { startResultsService, type ResultsService } from '../../support/github/results-service.ts';
import { LogReader } from '../../support/runner/log-commands.ts';
import { startStepProcess } from '../../support/runner/step-process.ts';

const FIXTURE = 'test/action/fixtures/step.ts';
const GUARD = 'src/action/process-guard.ts';

let service: ResultsService;
let copy: string;
beforeAll(async () => {
  service = await startResultsService();
  // The same sources, but that nobody looks whether the work came to its end.
  copy = await mkdtemp(join(tmpdir(), 'gateline-unguarded-'));
  await cp(join(REPOSITORY, 'src'), join(copy, 'src'), { recursive: true });
  await mkdir(join(copy, FIXTURE, '..'), { recursive: true });
  await cp(join(REPOSITORY, FIXTURE), join(copy, FIXTURE));
  await cp(join(REPOSITORY, 'package.json'), join(copy, 'package.json'));
  await symlink(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const guard = await readFile(join(copy, GUARD), 'utf8');
  const without = guard.replace("process.on('exit', () => {", "process.on('exit', () => {\n    return;");
  expect(without).not.toBe(guard);
  await writeFile(join(copy, GUARD), without);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await rm(copy, { recursive: true, force: true });
});

/** Main and post of a step that asks GitHub's own client for something and is answered with half of it, which it never gets over. */
async function halfAnswered(root: string): Promise<{
  readonly main: number | null;
  readonly post: number | null;
  readonly finished: string | undefined;
  readonly told: readonly string[];
}> {
  await using job = await service.environmentFor({ run: 7, job: 'design' });
  const log = new LogReader(new Set());
  const stage = async (name: 'main' | 'post', state: Readonly<Record<string, string>>) => {
    const step = await job.nextStep();
    const { ended } = startStepProcess({
      file: process.execPath,
      args: [join(root, FIXTURE), name],
      cwd: job.workspace,
      env: { ...plainEnvironment(), ...step.env, ...state, BEHAVIOUR: 'asksService', 'INPUT_JOB-STATUS': 'success' },
      onLine: (line) => void log.read(line),
    });
    return { code: (await ended).code, state: await step.state() };
  };
  service.faults.clear();
  const planned = service.faults.add({ operation: 'ListArtifacts', fault: { kind: 'truncate' } });
  const main = await stage('main', {});
  expect(planned.hits).toBe(1);
  const states = Object.entries(main.state).map(([name, value]) => [`STATE_${name}`, value]);
  const post = await stage('post', Object.fromEntries(states));
  const told = log.annotations.map(({ level, properties }) => `${level} ${properties['title']}`);
  return { main: main.code, post: post.code, finished: main.state['finished'], told };
}

describe('a main whose process runs out of work before it came to its end', () => {
  it('is red, and so is its post, which says that it was cut short', async () => {
    expect(await halfAnswered(REPOSITORY)).toEqual({
      main: 1,
      post: 1,
      finished: 'false',
      told: ['error Gateline did not finish', 'error Gateline was interrupted'],
    });
  });

  it('would be green without the guard, with nothing done; its post still says so', async () => {
    expect(await halfAnswered(copy)).toEqual({
      main: 0,
      post: 1,
      finished: 'false',
      told: ['error Gateline was interrupted'],
    });
  });
});
