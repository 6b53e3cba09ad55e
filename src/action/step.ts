import { currentEnvironment } from '../environment.ts';
import { GatelineError, messageWithHint } from '../errors.ts';
import { Runner } from './runner.ts';

/**
 * Runs the work of a step, and fails the step unless the work has finished: if a response is cut off, GitHub's clients
 * leave a promise that never settles, and the process would end with exit code 0.
 * @param work returns whether the step is green
 */
export function runStep(work: (runner: Runner, signal: AbortSignal) => Promise<boolean>): void {
  const runner = new Runner(currentEnvironment());
  const controller = new AbortController();
  // The runner sends SIGINT, SIGTERM 7.5 s later, and SIGKILL after another 2.5 s.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => controller.abort());
  let isFinished = false;
  process.on('exit', () => {
    if (isFinished) return;
    runner.annotate('error', 'The step ended before its work: a service of GitHub dropped the connection.', {
      title: 'Re-run the job',
    });
    process.exitCode = 1;
  });
  const finish = (isGreen: boolean): void => {
    if (isFinished) return;
    isFinished = true;
    process.exitCode = isGreen ? 0 : 1;
    // Waits for the log only: other open handles belong to calls that were given up.
    process.stdout.write('', () => process.exit());
  };
  const fail = (error: unknown): void => {
    reportError(runner, error);
    finish(false);
  };
  process.on('uncaughtException', (error) => {
    if (!isFinished) fail(error);
  });
  work(runner, controller.signal).then(finish, fail);
}

const TITLES = {
  usage: 'The workflow or the definition must be corrected',
  failed: 'The gate did not pass',
  busy: 'Somebody else works here',
  platform: 'GitHub, git or the disk failed',
  bug: 'This is a bug of Gateline',
} as const;

function reportError(runner: Runner, error: unknown): void {
  const { fault = 'bug', place } = error instanceof GatelineError ? error : {};
  runner.annotate('error', messageWithHint(error), { title: TITLES[fault], place });
  if (fault === 'bug' && error instanceof Error) runner.info(error.stack ?? '');
}
