import { fstatSync, writeSync } from 'node:fs';
import { EXIT_CODES, GatelineError } from '../errors.ts';
import { readCallerSettings, type Environment } from '../environment.ts';

/** The process of a command: arguments, variables, streams and signals. */
export interface ProcessContext {
  /** Arguments after the program's name. */
  readonly arguments: readonly string[];
  readonly environment: Environment;
  readonly workingDirectory: string;
  readonly out: OutputStream;
  readonly err: OutputStream;
  /** All of standard input. */
  readonly readStandardInput: () => Promise<Uint8Array>;
  /** Calls the listener on Ctrl-C (and SIGTERM, SIGHUP), each time. */
  readonly onInterrupt: (listener: () => void) => Disposable;
}

/** Standard output or standard error. */
export interface OutputStream {
  write(text: string): void;
  /** A terminal, and no log of CI: live progress makes sense. */
  readonly isInteractive: boolean;
  readonly hasColors: boolean;
  /** Undefined: not a terminal. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
}

const MAX_INPUT_BYTES = 64 * 1024 ** 2;

/** The context of this process. @throws GatelineError `usage` if its working folder was removed */
export function createProcessContext(environment: Environment): ProcessContext {
  const { argv, stdout, stderr } = process;
  return {
    arguments: argv.slice(2),
    environment,
    workingDirectory: workingDirectory(),
    out: createStream(
      stdout,
      1,
      environment,
      (reason) => void stderr.write(`gateline: the output cannot be written: ${reason}\n`),
    ),
    err: createStream(stderr, 2, environment, () => undefined),
    readStandardInput,
    onInterrupt,
  };
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new GatelineError('usage', 'the working folder does not exist any more', {
      hint: 'change to another folder',
      cause: error,
    });
  }
}

/** The reader has ended (`gateline status | head`) or the terminal was closed. That is no error, and a run continues. */
const READER_GONE = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

function createStream(
  stream: NodeJS.WriteStream,
  fd: 1 | 2,
  environment: Environment,
  report: (reason: string) => void,
): OutputStream {
  const { isCi, colors, terminal } = readCallerSettings(environment);
  let isBroken = false;
  const fail = (error: NodeJS.ErrnoException): void => {
    if (isBroken) return;
    isBroken = true;
    if (READER_GONE.has(error.code ?? '')) return;
    // A program that reads the file later must not take it for complete.
    process.once('exit', () => (process.exitCode = EXIT_CODES.platform));
    report(error.message);
  };
  stream.on('error', fail);
  const isFile = fstatSync(fd).isFile();
  return {
    write: (text) => {
      if (isBroken) return;
      if (isFile) writeToFile(fd, text, fail);
      else stream.write(text);
    },
    isInteractive: stream.isTTY && !isCi && terminal !== 'dumb',
    hasColors: colors ?? (stream.isTTY && !isCi && terminal !== 'dumb'),
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    get rows() {
      return stream.isTTY ? stream.rows : undefined;
    },
  };
}

/** Writes all of a text. Node's stream for a file silently drops what a nearly full disk did not accept. */
function writeToFile(fd: number, text: string, fail: (error: NodeJS.ErrnoException) => void): void {
  try {
    for (let rest = Buffer.from(text); rest.length > 0;) rest = rest.subarray(writeSync(fd, rest));
  } catch (error) {
    fail(error as NodeJS.ErrnoException);
  }
}

async function readStandardInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_INPUT_BYTES) throw new GatelineError('usage', 'standard input has more than 64 MiB');
    chunks.push(chunk);
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

/** A signal for Ctrl-C, which ends the agents and keeps what is finished. A second Ctrl-C ends the process at once. */
export function interruptOn(context: ProcessContext): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const listener = context.onInterrupt(() => {
    if (controller.signal.aborted) process.exit(130);
    context.err.write('interrupted: ending the agents (again: end at once)\n');
    controller.abort();
  });
  return { signal: controller.signal, [Symbol.dispose]: () => listener[Symbol.dispose]() };
}
