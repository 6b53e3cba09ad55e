import { createHash, randomUUID } from 'node:crypto';
import { readdir, rename, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digestOf, hexOf, isDigest, type Digest } from '../../../json/digest.ts';
import type { Content } from '../../../run/records/record.ts';
import { GatelineError, isSystemError } from '../../../errors/gateline-error.ts';
import { bytesOf, type Chunks } from '../../chunks.ts';
import { writeNewFile, type TryWrite } from '../../new-file.ts';
import type { Read, ReadProblem } from '../../record-store.ts';
import { isFromSystem, readFailure, reasonOf, unlessAbsent } from '../../../errors/store-errors.ts';
import { syncFile, syncFolder, writeTemporary, type TemporaryFile } from '../durable.ts';
import { keepAside, keptAside } from '../quarantine.ts';
import { chunksOf, packContent, PACKED, sizeOfPacked, unpacked, type CompressedContents } from './packed-content.ts';
import { openForReading } from '../read-file.ts';
import { Reserve } from '../reserve.ts';
import type { StateFolder } from '../state-folder.ts';

/** Where content is below the root of its state. @throws GatelineError `DIGEST_INVALID` */
export function contentPath(root: string, digest: Digest): string {
  if (!isDigest(digest)) {
    throw new GatelineError('DIGEST_INVALID', `${JSON.stringify(digest).slice(0, 100)} is not a digest`);
  }
  const hex = hexOf(digest);
  return join(root, 'content', 'sha256', hex.slice(0, 2), hex.slice(2));
}

/** The files of a folder of contents. */
export interface StoredContents {
  readonly digests: readonly Digest[];
  /** Files with other names, for messages. */
  readonly others: readonly string[];
}

/** Content as files named by digest: `content/sha256/ab/cdef…`, and `….gz` where it is compressed. */
export class ContentFiles {
  readonly #state: StateFolder;
  readonly #reserve: Reserve;

  constructor(state: StateFolder) {
    this.#state = state;
    this.#reserve = new Reserve(state);
  }

  async put(content: Uint8Array | string): Promise<Content> {
    this.#state.assertWritable();
    const bytes = Buffer.from(content);
    const digest = digestOf(bytes);
    const known = await this.check(digest);
    return known.state === 'present' && (await this.#settled(digest)) ? known.value : this.putStream([bytes]);
  }

  async putStream(chunks: Chunks): Promise<Content> {
    this.#state.assertWritable();
    const hash = createHash('sha256');
    const temporary = await this.#temporaryFrom(chunks, (chunk) => hash.update(chunk));
    try {
      const content: Content = { digest: `sha256:${hash.digest('hex')}`, bytes: temporary.bytes };
      const known = await this.check(content.digest);
      if (known.state === 'present' && (await this.#settled(content.digest))) return content;
      await this.#place(temporary.path, content.digest, known);
      return content;
    } finally {
      await temporary.discard();
    }
  }

  async get(digest: Digest): Promise<Read<Uint8Array>> {
    const whole = { bytes: Buffer.alloc(0), length: 0 };
    const read = await this.#verify(digest, (chunk, size) => {
      if (whole.length === 0) whole.bytes = Buffer.allocUnsafe(size);
      whole.length += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).copy(whole.bytes, whole.length);
    });
    return read.state === 'present' ? { state: 'present', value: whole.bytes } : read;
  }

  async check(digest: Digest): Promise<Read<Content>> {
    return this.#verify(digest, () => undefined);
  }

  /** @throws GatelineError `STORE_READ_FAILED` */
  async all(): Promise<StoredContents> {
    const folder = join(this.#state.root, 'content', 'sha256');
    const digests = new Set<Digest>();
    const others: string[] = [];
    for (const first of await this.#namesIn(folder)) {
      for (const name of /^[0-9a-f]{2}$/.test(first) ? await this.#namesIn(join(folder, first)) : ['']) {
        const digest = `sha256:${first}${name.endsWith(PACKED) ? name.slice(0, -PACKED.length) : name}`;
        if (isDigest(digest)) digests.add(digest);
        // Left by file managers.
        else if (!name.startsWith('.')) others.push(this.#state.show(join(folder, first, name)));
      }
    }
    return { digests: [...digests], others };
  }

  async #namesIn(folder: string): Promise<string[]> {
    const names = await unlessAbsent(readdir(folder)).catch((error: unknown) => {
      throw readFailure(this.#state.show(folder), error);
    });
    return names ?? [];
  }

  /** Compresses contents that nobody stored since a time; see {@link packContent}. */
  async pack(before: Date, signal?: AbortSignal): Promise<CompressedContents> {
    this.#state.assertWritable();
    const compressed = { contents: 0, bytes: 0 };
    for (const digest of (await this.all()).digests) {
      if (signal?.aborted) break;
      const saved = await packContent(this.#state, this.#path(digest), { digest, before, signal });
      compressed.contents += saved > 0 ? 1 : 0;
      compressed.bytes += saved;
    }
    return compressed;
  }

  async copyTo(digest: Digest, path: string, mode: number): Promise<Read<Content>> {
    const file = await this.#open(digest);
    if (file.state !== 'open') return file.read;
    const hash = createHash('sha256');
    const chunks = async function* () {
      for await (const chunk of file.chunks) {
        hash.update(chunk);
        yield chunk;
      }
    };
    let actual: Digest | undefined;
    try {
      const copied = await writeNewFile(
        path,
        mode,
        chunks(),
        () => (actual = `sha256:${hash.digest('hex')}`) === digest,
      );
      if (copied) return { state: 'present', value: { digest, bytes: file.size } };
    } catch (error) {
      // A write that the disk refuses arrives as a GatelineError. This is a refused read.
      if (isFromSystem(error))
        return { state: 'unknown', problem: this.#problem(digest, 'UNREADABLE', reasonOf(error)) };
      throw error;
    } finally {
      await file.handle.close();
    }
    return this.#altered(file.path, digest, actual ?? digest);
  }

  #path(digest: Digest): string {
    return contentPath(this.#state.root, digest);
  }

  /** Errors thrown by the chunks are the caller's and are rethrown unchanged. */
  async #temporaryFrom(chunks: Chunks, see: (chunk: Uint8Array) => void): Promise<TemporaryFile> {
    const thrown: unknown[] = [];
    const seen = async function* () {
      try {
        for await (const chunk of bytesOf(chunks)) {
          see(chunk);
          yield chunk;
        }
      } catch (error) {
        thrown.push(error);
        throw error;
      }
    };
    const { temporaryFolder } = this.#state;
    try {
      await this.#state.folder(temporaryFolder);
      const attempt: TryWrite = (write) => this.#reserve.using(write);
      return await writeTemporary(temporaryFolder, seen(), { flush: false, attempt });
    } catch (error) {
      throw thrown.includes(error) ? error : await this.#state.refused(join(temporaryFolder, '*.tmp'), error);
    }
  }

  /**
   * Content that is there is stored anew: it is not old any more, and the process that wrote it may not have flushed
   * its name yet. False if it was removed meanwhile.
   */
  async #settled(digest: Digest): Promise<boolean> {
    const path = this.#path(digest);
    const now = new Date();
    try {
      await utimes(path, now, now);
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return false;
      // Of another user: who may not change it may not remove it either.
      if (!isFromSystem(error)) throw error;
    }
    await this.#state.writing(path, () => syncFolder(dirname(path)));
    return true;
  }

  /** Moves flushed bytes to their place. A wrong file there is moved to quarantine first. */
  async #place(temporary: string, digest: Digest, known: Read<Content>): Promise<void> {
    const path = this.#path(digest);
    await this.#state.writing(path, async () => {
      const isInTheWay = known.state === 'unknown' && known.problem.where === this.#state.show(path);
      if (isInTheWay && known.problem.quarantine === undefined)
        await keepAside(this.#state, path, randomUUID(), known.problem);
      await this.#reserve.using(() => syncFile(temporary));
      try {
        await this.#reserve.using(() => this.#rename(temporary, path));
      } catch (error) {
        if (!isSystemError(error, 'ENOENT')) throw error;
        // An existing folder was removed by another process: create it again, once.
        this.#state.forgetFolders();
        await this.#rename(temporary, path);
      }
      await syncFolder(dirname(path));
    });
    this.#state.onDurable(`content ${digest}`);
  }

  async #rename(temporary: string, path: string): Promise<void> {
    await this.#state.folder(dirname(path));
    await rename(temporary, path);
  }

  async #verify(digest: Digest, take: (chunk: Uint8Array, size: number) => void): Promise<Read<Content>> {
    const file = await this.#open(digest);
    if (file.state !== 'open') return file.read;
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of file.chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        take(chunk, file.size);
      }
    } catch (error) {
      if (!isFromSystem(error)) throw error;
      return { state: 'unknown', problem: this.#problem(digest, 'UNREADABLE', reasonOf(error)) };
    } finally {
      await file.handle.close();
    }
    const actual: Digest = `sha256:${hash.digest('hex')}`;
    const isWhole = actual === digest && bytes === file.size;
    return isWhole ? { state: 'present', value: { digest, bytes } } : this.#altered(file.path, digest, actual);
  }

  /** The plain bytes, else the compressed ones. A process may compress them while this one looks. */
  async #open(digest: Digest) {
    const path = this.#path(digest);
    const plain = await openForReading(path);
    if (plain.state === 'open') {
      const { handle, status } = plain;
      return { state: 'open' as const, path, handle, size: Number(status.size), chunks: chunksOf(handle) };
    }
    const file = plain.state === 'absent' ? await openForReading(path + PACKED) : plain;
    if (file.state === 'open') {
      const { handle } = file;
      const size = await sizeOfPacked(handle);
      return { state: 'open' as const, path: path + PACKED, handle, size, chunks: unpacked(handle, size) };
    }
    if (file.state === 'absent') return { state: 'closed' as const, read: file };
    const wrong = plain.state === 'absent' ? path + PACKED : path;
    const obstacle = await this.#state.obstacleTo(wrong);
    const why = obstacle === undefined ? file.message : `${obstacle.what}; move it away: \`${obstacle.command}\``;
    const problem: ReadProblem = { code: 'UNREADABLE', where: this.#state.show(wrong), message: why };
    const read = { state: 'unknown', problem } as const;
    return { state: 'closed' as const, read };
  }

  async #altered(path: string, digest: Digest, actual: Digest): Promise<Exclude<Read<never>, { state: 'present' }>> {
    const message = `these bytes have the digest ${actual}`;
    const problem: ReadProblem = { code: 'CONTENT_ALTERED', where: this.#state.show(path), message };
    try {
      const keep = this.#state.readOnly ? keptAside : keepAside;
      const target = await keep(this.#state, path, hexOf(actual), problem);
      if (target === undefined) return { state: 'unknown', problem };
      return { state: 'unknown', problem: { ...problem, quarantine: this.#state.show(target) } };
    } catch (error) {
      if (!isFromSystem(error) && !(error instanceof GatelineError)) throw error;
      return {
        state: 'unknown',
        problem: {
          ...problem,
          message: `${problem.message} (they could not be moved to quarantine: ${reasonOf(error)})`,
        },
      };
    }
  }

  #problem(digest: Digest, code: ReadProblem['code'], message: string): ReadProblem {
    return { code, where: this.#state.show(this.#path(digest)), message };
  }
}
