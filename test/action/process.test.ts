import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobEnvironment } from '../support/github/job-environment.ts';
import { startResultsService, type ResultsService } from '../support/github/results-service.ts';
import { LogReader } from '../support/runner/log-commands.ts';
import { startStepProcess, type StepProcess } from '../support/runner/step-process.ts';

let service: ResultsService;
beforeAll(async () => {
  service = await startResultsService();
});
afterAll(() => service[Symbol.asyncDispose]());

interface StepEnd {
  readonly code: number | null;
  readonly log: LogReader;
  readonly state: Readonly<Record<string, string>>;
}

/** Starts one stage of a step with a command that behaves as named. */
async function step(
  job: JobEnvironment,
  behaviour: string,
  more: Readonly<Record<string, string>> = {},
  stage: 'main' | 'post' = 'main',
  onLine: (line: string, step: StepProcess) => void = () => undefined,
): Promise<StepEnd> {
  const files = await job.nextStep();
  const log = new LogReader(new Set());
  const started = startStepProcess({
    file: process.execPath,
    args: [join(import.meta.dirname, 'fixtures/step.ts'), stage],
    cwd: job.workspace,
    env: { ...files.env, BEHAVIOUR: behaviour, 'INPUT_JOB-STATUS': 'success', ...more },
    onLine: (line) => {
      log.read(line);
      onLine(line, started);
    },
  });
  const { code } = await started.ended;
  return { code, log, state: await files.state() };
}

async function inJob<T>(work: (job: JobEnvironment) => Promise<T>): Promise<T> {
  await using job = await service.environmentFor({ run: 7, job: 'design' });
  const done = await work(job);
  return done;
}

const main = (behaviour: string, more?: Readonly<Record<string, string>>): Promise<StepEnd> =>
  inJob((job) => step(job, behaviour, more));
const messages = ({ log }: StepEnd): string[] =>
  log.annotations.map(({ level, message, properties }) => `${level} ${properties['title'] ?? ''}: ${message}`);

describe('main', () => {
  it('ends green when its command does', async () => {
    const end = await main('green');
    expect(messages(end)).toEqual([]);
    expect(end.log.lines).toContain('all is well');
    expect(end).toMatchObject({ code: 0, state: { finished: 'true', claim: '' } });
  });

  it('is main whatever the steps before have set', async () => {
    const end = await main('red', { STATE_started: 'true', STATE_finished: 'true', STATE_claim: 'x' });
    expect(messages(end)).toEqual(['error Gate failed: score 3']);
    expect(end).toMatchObject({ code: 1, state: { finished: 'true', claim: '' } });
  });

  it('ends red with the title of its result', async () => {
    const end = await main('red');
    expect(messages(end)).toEqual(['error Gate failed: score 3']);
    expect(end).toMatchObject({ code: 1, state: { finished: 'true', claim: '' } });
  });

  it.each(['neverEnds', 'neverEndsWhileQuoting', 'exits'])(
    'ends red when its command %s, and says why',
    async (behaviour) => {
      const end = await main(behaviour);
      expect(messages(end)).toEqual([
        expect.stringMatching(
          /^error Gateline did not finish: Gateline exited before it finished: a GitHub service dropped the connection/,
        ),
      ]);
      expect(end.code).toBe(1);
      expect(end.state).toEqual({ finished: 'false', claim: '', agent_exit: '' });
    },
  );

  it('tells an error of ours: what, where and what to do', async () => {
    const end = await main('throwsOurs');
    expect(end.log.annotations).toEqual([
      {
        level: 'error',
        message: 'SUBJECT_EMPTY: ::error::no\nSay it.',
        properties: { title: 'Gateline: configuration error', file: 'a.yml', line: '3' },
      },
    ]);
    expect(end).toMatchObject({ code: 1, state: { finished: 'true' } });
  });

  it('tells a bug as a bug', async () => {
    const end = await main('throwsOther');
    expect(messages(end)).toEqual([
      expect.stringMatching(/^error Gateline: a bug: INTERNAL: undefined is not a function\nThis is a bug in Gateline/),
    ]);
    expect(end.log.lines.join('\n')).toContain('TypeError: undefined is not a function');
    expect(end.code).toBe(1);
  });

  it('ends red on an error that nobody caught', async () => {
    const end = await main('throwsLater');
    expect(messages(end)).toEqual([expect.stringMatching(/INTERNAL: nobody waits for this/)]);
    expect(end).toMatchObject({ code: 1, state: { finished: 'false' } });
  });

  it('does not wait for what a call that was given up left open', async () => {
    expect((await main('leavesOpen')).code).toBe(0);
  });

  it('tells its command when the job is cancelled, once', async () => {
    const end = await inJob((job) =>
      step(job, 'waitsForSignal', {}, 'main', (line, running) => {
        if (line === 'waiting') void running.cancel({ interrupt: 30_000, terminate: 30_000 });
      }),
    );
    expect(messages(end)).toEqual(['error Gate cancelled: told to end']);
    expect(end.code).toBe(1);
  });

  it('tells everything that is wrong with its inputs, and runs nothing', async () => {
    const end = await main('green', { INPUT_CACHE: 'on', INPUT_SCORE: 'x', INPUT_TRESHOLD: '1' });
    expect(messages(end)).toEqual([
      expect.stringMatching(
        /^error Invalid inputs: ACTION_INPUTS_INVALID: cache: .*\ntreshold: .*did you mean `threshold`\?\nrun: .*\nscore: .*\nFix these/,
      ),
    ]);
    expect(end.code).toBe(1);
    expect(end.log.lines).not.toContain('all is well');
  });

  it('tells what of its environment is missing', async () => {
    expect(messages(await main('green', { GITHUB_RUN_ID: '', GITHUB_SHA: '' }))).toEqual([
      expect.stringMatching(/RUNNER_ENVIRONMENT: GITHUB_RUN_ID is not set \(a number\); GITHUB_SHA is not set/),
    ]);
    expect(messages(await main('green', { GITHUB_EVENT_PATH: '/no/such/file' }))).toEqual([
      expect.stringMatching(/EVENT_INVALID: the payload of the event cannot be read/),
    ]);
    const withoutState = await main('green', { GITHUB_STATE: '' });
    expect(messages(withoutState)).toEqual([expect.stringMatching(/RUNNER_FILE: GITHUB_STATE is not set/)]);
    expect(withoutState.code).toBe(1);
  });

  it('passes on notices of its inputs', async () => {
    expect(messages(await main('green', { INPUT_HISTORY: '3' }))).toEqual([
      'notice Gateline: history: does nothing with `command: run`',
    ]);
  });
});

describe('post', () => {
  /** Both stages of one step. */
  const both = (behaviour: string, status: string): Promise<StepEnd> =>
    inJob(async (job) => {
      const { state } = await step(job, behaviour);
      const states = Object.fromEntries(Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]));
      return step(job, behaviour, { ...states, 'INPUT_JOB-STATUS': status }, 'post');
    });

  it('does nothing after a main without a claim', async () => {
    const end = await both('green', 'success');
    expect(end.log.lines).toEqual([]);
    expect(end).toMatchObject({ code: 0, state: {} });
  });

  it('has a claim settled, and knows how the job ended', async () => {
    const end = await both('claims', 'cancelled');
    expect(end.log.lines).toEqual(['token-1 finished=true job=cancelled']);
    expect(end.code).toBe(0);
  });

  it('ends red when settling does', async () => {
    const end = await inJob((job) => step(job, 'red', { STATE_finished: 'true', STATE_claim: 'x' }, 'post'));
    expect(messages(end)).toEqual(['error Claim settled: x finished=true job=success']);
    expect(end.code).toBe(1);
  });

  it.each([
    ['success', 1, 'error'],
    ['failure', 0, 'warning'],
    ['cancelled', 0, 'warning'],
  ])('says that main was cut short, in a job that counts as %s: exit code %i', async (status, code, level) => {
    const end = await both('neverEnds', status);
    expect(messages(end)).toEqual([expect.stringMatching(new RegExp(`^${level} Gateline was interrupted: `))]);
    expect(end.code).toBe(code);
  });

  it('settles the claim of a main that was cut short', async () => {
    const end = await inJob((job) =>
      step(job, 'green', { STATE_finished: 'false', STATE_claim: 'token-2', 'INPUT_JOB-STATUS': 'cancelled' }, 'post'),
    );
    expect(end.log.lines).toContain('token-2 finished=false job=cancelled');
    expect(end.code).toBe(0);
  });
});
