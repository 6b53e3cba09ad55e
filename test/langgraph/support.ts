import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { createFileCheckpointer, type FileCheckpointer } from '../../src/langgraph/index.ts';

export type Config = Parameters<FileCheckpointer['put']>[0];

let clock = 0;

/** The config of a place, and of a checkpoint in it. */
export function at(thread_id: unknown, checkpoint_ns = '', checkpoint_id?: unknown): Config {
  return { configurable: { thread_id, checkpoint_ns, ...(checkpoint_id === undefined ? {} : { checkpoint_id }) } };
}

export function idOf(config: Config): string {
  return config.configurable?.['checkpoint_id'] as string;
}

/** Puts a checkpoint with these values. */
export function put(
  saver: FileCheckpointer,
  parent: Config,
  values: object,
  id = uuid6((clock += 1)),
): Promise<Config> {
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, clock]));
  const checkpoint = { ...emptyCheckpoint(), ts: '', id, channel_values: { ...values }, channel_versions: versions };
  return saver.put(parent, checkpoint, { source: 'loop', step: clock, parents: {} }, versions);
}

export async function valuesAt(saver: FileCheckpointer, config: Config): Promise<unknown> {
  return (await saver.getTuple(config))?.checkpoint.channel_values;
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** A folder that is not there yet; gone at the end of the block. */
export async function testFolder() {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'gateline-langgraph-')));
  const path = join(parent, 'checkpoints');
  const remove = () => rm(parent, { recursive: true, force: true, maxRetries: 5 });
  // Each checkpointer is to the others what another process is.
  return { parent, path, open: () => createFileCheckpointer(path), [Symbol.asyncDispose]: remove };
}

/** A process of a program of these tests, and what it prints. */
export class Program {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  #stderr = '';

  constructor(name: string, args: readonly string[], onLine: (line: string, program: Program) => void = () => {}) {
    this.#child = spawn(process.execPath, [join(import.meta.dirname, name), ...args]);
    this.#child.stderr!.on('data', (text: Buffer) => void (this.#stderr += text.toString()));
    createInterface(this.#child.stdout!).on('line', (line) => {
      this.lines.push(line);
      onLine(line, this);
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Waits for the end. @returns whether it was killed */
  async end(): Promise<boolean> {
    const [code, signal] = (await once(this.#child, 'close')) as [number | null, string | null];
    if (code !== 0 && signal !== 'SIGKILL') throw new Error(`exit ${code}: ${this.#stderr}`);
    return signal === 'SIGKILL';
  }
}
