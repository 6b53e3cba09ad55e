import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { ObjectStore } from './object-store.ts';

const LINE_BREAK = 0x0a;

interface Running {
  readonly process: ChildProcessWithoutNullStreams;
  readonly chunks: AsyncIterator<Buffer>;
}

/** Reads contents of blobs sequentially through one git process, started on first use. End it by `await using`. */
export class BlobReader implements AsyncDisposable {
  readonly #store: ObjectStore;
  #git: Running | undefined;
  #rest: Buffer = Buffer.alloc(0);

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  #started(): Running {
    if (this.#git !== undefined) return this.#git;
    const process = this.#store.start(['cat-file', '--batch']);
    // It ends with the last reader; a failed read shows the error.
    process.stdin.on('error', () => undefined);
    process.on('error', () => undefined);
    process.stderr.resume();
    this.#git = { process, chunks: process.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer> };
    return this.#git;
  }

  /**
   * The content of one blob, which must be read to its end before the next one is requested.
   * @throws GatelineError `GIT_FAILED` when it is missing
   */
  async *read(id: string): AsyncGenerator<Uint8Array> {
    this.#started().process.stdin.write(`${id}\n`);
    let left = await this.#sizeOf(id);
    while (left > 0) {
      const chunk = this.#rest.length > 0 ? this.#rest : await this.#next(id);
      const mine = chunk.subarray(0, left);
      this.#rest = chunk.subarray(mine.length);
      left -= mine.length;
      yield mine;
    }
    if (this.#rest.length === 0) this.#rest = await this.#next(id);
    this.#rest = this.#rest.subarray(1);
  }

  async #sizeOf(id: string): Promise<number> {
    let end = this.#rest.indexOf(LINE_BREAK);
    while (end < 0) {
      this.#rest = Buffer.concat([this.#rest, await this.#next(id)]);
      end = this.#rest.indexOf(LINE_BREAK);
    }
    const header = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec(header) ?? [];
    if (size === undefined) throw unreadable(header);
    return Number(size);
  }

  async #next(id: string): Promise<Buffer> {
    const chunk = await this.#started().chunks.next();
    if (chunk.done === true) throw unreadable(`git cat-file ended before ${id}`);
    return chunk.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#git?.process.stdin.end();
    this.#git?.process.kill();
    await this.#git?.chunks.return?.();
  }
}

function unreadable(what: string): GatelineError {
  return new GatelineError('GIT_FAILED', `a file that was just captured cannot be read back: ${what}`, {
    hint: 'Check free space and permissions below .state, then run again.',
  });
}
