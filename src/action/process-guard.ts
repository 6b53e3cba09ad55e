/** Milliseconds after the end in which what is still open (sockets of a call that was given up) may close by itself. */
const GRACE = 1_000;

/** What a guarded process tells of. */
export interface GuardedWork {
  /** Something was thrown that nobody caught, while the work was going on or after it. Must not throw. */
  readonly uncaught: (error: unknown) => void;
  /** The process is about to end and nobody said that the work is done. Must not throw and cannot wait. */
  readonly unfinished: () => void;
}

/**
 * Ends this process red unless somebody says that the work is finished. A promise that is never settled (GitHub's
 * clients leave one behind when an answer is cut off) keeps no process alive: it would end with nothing done and the code 0.
 * @returns to be called once, at the end, with whether all is well; the process ends soon after
 */
export function guardProcess({ uncaught, unfinished }: GuardedWork): (ok: boolean) => void {
  let finished = false;
  process.on('exit', () => {
    if (finished) return;
    unfinished();
    process.exitCode = 1;
  });
  process.on('uncaughtException', (error) => {
    uncaught(error);
    // After the end, what a call that was given up throws late changes nothing.
    if (finished) return;
    finished = true;
    process.exit(1);
  });
  return (ok) => {
    if (finished) return;
    finished = true;
    process.exitCode = ok ? 0 : 1;
    // What is open now was given up; nothing is worth waiting for but the log.
    setTimeout(() => process.exit(), GRACE).unref();
    process.stdout.write('', () => process.exit());
  };
}

/** A signal that is aborted when the runner wants this process to end: SIGINT first, SIGTERM 7.5 s later, SIGKILL after another 2.5 s. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => controller.abort(name));
  return controller.signal;
}
