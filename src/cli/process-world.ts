import { fstatSync, writeSync } from 'node:fs';
import { CLI_VARIABLES, type Environment } from '../environment.ts';
import type { Durable } from '../local/local-ports.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { CliWorld, Screen } from './world.ts';

/** The world of the process that the command line runs in. */
export function processWorld(environment: Environment, durable: Durable = {}): CliWorld {
  const { argv, stdout, stderr } = process;
  return {
    arguments: argv.slice(2),
    program: argv[1],
    environment,
    workingDirectory: process.cwd(),
    out: screenOf(stdout, 1, environment, (why) => void stderr.write(`gateline: OUTPUT_FAILED: ${why}\n`)),
    err: screenOf(stderr, 2, environment, () => undefined),
    readStandardInput,
    now: () => new Date(),
    onInterrupt,
    ...durable,
  };
}

/**
 * The reader ended (`gateline status | head`), or the terminal was closed. This is not an error of ours, and the run
 * continues.
 */
const READER_GONE = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

function screenOf(
  stream: NodeJS.WriteStream,
  fd: 1 | 2,
  environment: Environment,
  tell: (why: string) => void,
): Screen {
  let broken = false;
  const fail = (error: NodeJS.ErrnoException): void => {
    if (broken) return;
    broken = true;
    if (READER_GONE.has(error.code ?? '')) return;
    // A program that reads the file later must not take it for complete.
    process.once('exit', () => (process.exitCode = EXIT_CODES.platform));
    tell(error.message);
  };
  stream.on('error', fail);
  const toFile = fstatSync(fd).isFile();
  const interactive =
    stream.isTTY &&
    [undefined, '', 'false'].includes(environment[CLI_VARIABLES.ci]) &&
    environment[CLI_VARIABLES.terminal] !== 'dumb';
  return {
    write: (text) => {
      if (broken) return;
      if (toFile) writeToFile(fd, text, fail);
      else stream.write(text);
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

/** Node's stream for a file silently loses what a nearly full disk did not accept. */
function writeToFile(fd: number, text: string, fail: (error: NodeJS.ErrnoException) => void): void {
  try {
    for (let rest = Buffer.from(text); rest.length > 0;) rest = rest.subarray(writeSync(fd, rest));
  } catch (error) {
    fail(error as NodeJS.ErrnoException);
  }
}

async function readStandardInput(limit: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    length += (chunk as Uint8Array).length;
    if (length > limit) throw new Error(`it has more than ${limit.toLocaleString('en')} bytes`);
    chunks.push(Buffer.from(chunk as Uint8Array));
  }
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

/**
 * An uncaught error is a bug: reports it with `report` and ends the process, so that it is not mistaken for a gate's
 * failure.
 */
export function onUncaught(report: (error: unknown) => number): void {
  process.on('uncaughtException', (error) => process.exit(report(error)));
}
