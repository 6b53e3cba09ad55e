import type { ActionParts } from '../../src/action/main.ts';
import { runMain } from '../../src/action/main.ts';
import { runPost } from '../../src/action/post.ts';
import { reportError } from '../../src/action/step/report-error.ts';
import { createRunner } from '../../src/action/runner.ts';
import { ACTION_PROGRAMS } from '../support/action-files.ts';
import { lendProcess } from '../support/runner/lent-process.ts';
import type { StepCommand, StepProcess } from '../support/runner/step-process.ts';

/** As `src/action/index.ts` has them. */
const COMMANDS: ActionParts['commands'] = {
  run: async () => (await import('../../src/action/commands/run.ts')).execute,
  begin: async () => (await import('../../src/action/commands/begin.ts')).execute,
  complete: async () => (await import('../../src/action/commands/complete.ts')).execute,
  plan: async () => (await import('../../src/action/commands/plan.ts')).execute,
  report: async () => (await import('../../src/action/commands/report.ts')).execute,
  decide: async () => (await import('../../src/action/commands/decide.ts')).execute,
  waves: async () => (await import('../../src/action/commands/waves.ts')).execute,
  set: async () => (await import('../../src/action/commands/set.ts')).execute,
  apply: async () => (await import('../../src/action/commands/apply.ts')).execute,
  comment: async () => (await import('../../src/action/commands/comment.ts')).execute,
  clean: async () => (await import('../../src/action/commands/clean.ts')).execute,
};

/**
 * Starts main or post of the action in this process, which takes a tenth of the time. All that it starts itself is a
 * process as ever. What only a process can show is not seen here: its start, its exit code, signals, and work that never
 * ends. It can be cancelled, not killed.
 */
export function startActionHere({ args: [program], env, onLine }: StepCommand): StepProcess {
  const lines = lineWriter(onLine);
  const cancelling = new AbortController();
  const ended = lendProcess({ env: { ...env }, write: lines.write }, async () => {
    const runner = createRunner(env);
    const world = {
      environment: env,
      runner,
      program: ACTION_PROGRAMS.main,
      now: () => new Date(),
      signal: cancelling.signal,
    };
    const work =
      program === ACTION_PROGRAMS.post
        ? runPost(world, async () => (await import('../../src/action/commands/settle-claim.ts')).settleClaim)
        : runMain(world, COMMANDS);
    const ok = await work.catch((error: unknown) => {
      reportError(runner, error);
      return false;
    });
    lines.end();
    return { code: ok ? 0 : 1, signal: null };
  });
  return {
    ended,
    isCancelled: () => cancelling.signal.aborted,
    cancel: async () => {
      cancelling.abort('SIGINT');
      await ended;
    },
    kill: () => {
      if (!cancelling.signal.aborted) cancelling.abort('SIGKILL');
    },
  };
}

/** Makes lines of what is written. */
function lineWriter(onLine: (line: string) => void): {
  readonly write: (text: string) => void;
  readonly end: () => void;
} {
  let rest = '';
  return {
    write: (text) => {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop()!;
      lines.forEach(onLine);
    },
    end: () => {
      if (rest !== '') onLine(rest);
    },
  };
}
