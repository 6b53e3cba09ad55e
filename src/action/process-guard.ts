/** Milliseconds after the end in which open handles (sockets of an abandoned call) may close by themselves. */
const GRACE = 1_000;

/** Callbacks of a guarded process. */
export interface GuardedWork {
  /** An uncaught error, during the work or after it. Must not throw. */
  readonly uncaught: (error: unknown) => void;
  /** The process is about to end although the work was not marked as finished. Must not throw and cannot wait. */
  readonly unfinished: () => void;
}

/**
 * Ends this process red unless the work is marked as finished. A promise that never settles (GitHub's clients leave one
 * behind if an answer is cut off) does not keep a process alive: it would end with nothing done and code 0.
 * @returns a function to call once, at the end, with whether the result is good; the process ends soon after
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
    // After the end, late errors of abandoned calls are ignored.
    if (finished) return;
    finished = true;
    process.exit(1);
  });
  return (ok) => {
    if (finished) return;
    finished = true;
    process.exitCode = ok ? 0 : 1;
    // Open handles belong to abandoned calls; only the log is worth waiting for.
    setTimeout(() => process.exit(), GRACE).unref();
    process.stdout.write('', () => process.exit());
  };
}

/**
 * A signal that is aborted when the runner wants this process to end: SIGINT first, SIGTERM 7.5 s later, SIGKILL after
 * another 2.5 s.
 */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => controller.abort(name));
  return controller.signal;
}
