import { CLI_VARIABLES, type Environment } from '../environment.ts';
import type { Durable } from '../local/local-ports.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { CliWorld, Screen } from './world.ts';

/** The world of the process that the command line runs in. */
export function processWorld(environment: Environment, durable: Durable = {}): CliWorld {
  const { argv, stdout, stderr } = process;
  return {
    arguments: argv.slice(2),
    environment,
    workingDirectory: process.cwd(),
    out: screenOf(stdout, environment, (why) => void stderr.write(`gateline: OUTPUT_FAILED: ${why}\n`)),
    err: screenOf(stderr, environment, () => undefined),
    readStandardInput,
    now: () => new Date(),
    onInterrupt,
    ...durable,
  };
}

/** The reader went away (`gateline status | head`), or the terminal was closed. No error of ours, and a run goes on. */
const READER_GONE = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

function screenOf(stream: NodeJS.WriteStream, environment: Environment, tell: (why: string) => void): Screen {
  let broken = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (broken) return;
    broken = true;
    if (READER_GONE.has(error.code ?? '')) return;
    // Whoever reads the file later must not take a part for the whole.
    process.once('exit', () => (process.exitCode = EXIT_CODES.platform));
    tell(error.message);
  });
  const interactive =
    stream.isTTY === true &&
    [undefined, '', 'false'].includes(environment[CLI_VARIABLES.ci]) &&
    environment[CLI_VARIABLES.terminal] !== 'dumb';
  return {
    write: (text) => {
      if (!broken) stream.write(text);
    },
    interactive,
    get columns() {
      return stream.columns ?? 0;
    },
    get rows() {
      return stream.rows ?? 0;
    },
  };
}

async function readStandardInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
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

/** What nobody caught is a bug: tells it by `report` and ends the process, so that it is never taken for a gate's failure. */
export function onUncaught(report: (error: unknown) => number): void {
  process.on('uncaughtException', (error) => process.exit(report(error)));
}
