import { CLI_VARIABLES, type Environment } from '../environment.ts';
import type { CliWorld, Screen } from './world.ts';

/** The world of the process that the command line runs in. */
export function processWorld(onDurable?: (what: string) => void): CliWorld {
  const { env, argv, stdout, stderr } = process;
  return {
    arguments: argv.slice(2),
    environment: env,
    workingDirectory: process.cwd(),
    out: screenOf(stdout, env),
    err: screenOf(stderr, env),
    now: () => new Date(),
    onInterrupt,
    ...(onDurable && { onDurable }),
  };
}

function screenOf(stream: NodeJS.WriteStream, env: Environment): Screen {
  // A reader that went away (`gateline status | head`) is no error of ours.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    write: (text) => void stream.write(text),
    interactive: stream.isTTY === true && env[CLI_VARIABLES.ci] === undefined && env[CLI_VARIABLES.terminal] !== 'dumb',
    columns: stream.columns ?? 0,
  };
}

function onInterrupt(listener: () => void): Disposable {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, listener);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}
