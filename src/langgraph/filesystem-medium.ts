import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { GatelineError, isSystemError } from '../errors/gateline-error.ts';
import { isFromSystem, reasonOf, unlessAbsent, writing } from '../errors/store-errors.ts';
import { digestOf, hexOf, type Digest } from '../json/digest.ts';
import { ContentFiles, contentPath } from '../store/filesystem/contents/content-files.ts';
import { atomicWrite } from '../store/filesystem/atomic-write.ts';
import { makeFolder, sweepTemporary, syncFolder } from '../store/filesystem/durable.ts';
import { claimFile, replaceFile } from '../store/filesystem/place-file.ts';
import { keepAside } from '../store/filesystem/quarantine.ts';
import { StateFolder } from '../store/filesystem/state-folder.ts';
import type { ReadFault, Read } from '../store/record-store.ts';
import { decodeId, encodeId, foldersOf, isNameOfId, isPart } from './ids.ts';
import type { CheckpointMedium, FileKind, Scope, Values } from './medium.ts';
import { RecentFiles } from './recent-files.ts';
import { MAX_FILE_BYTES } from './sealed-file.ts';

/** How often a file is written again because another process deletes its thread meanwhile. */
const ATTEMPTS = 50;

/** So many threads stay open for writing. */
const OPEN_THREADS = 1_000;

/** A deleted thread is moved to such a name, then removed. It cannot be the name of a thread. */
const DELETED = '.deleted-';

/** One thread's folder, and its values. */
interface ThreadFolder {
  readonly state: StateFolder;
  readonly contents: ContentFiles;
}

/**
 * Threads as folders: `<thread>/<step>.json`, `<thread>/writes/…`, subgraphs below `<thread>/ns/<namespace>/`, values
 * below `<thread>/content/`. Any number of processes at once.
 */
export class FilesystemMedium implements CheckpointMedium {
  readonly #root: string;
  readonly #open = new Map<string, Promise<ThreadFolder>>();
  readonly #recent = new RecentFiles();

  constructor(folder: string) {
    this.#root = resolve(folder);
  }

  async threads(): Promise<string[]> {
    return [...new Set(idsIn(this.#root))];
  }

  async namespaces(thread: string): Promise<string[]> {
    return ['', ...idsIn(join(this.#folderOf(thread), 'ns'))];
  }

  async names(place: Scope, kind: FileKind): Promise<string[]> {
    return asked(() => readdirSync(this.#path(place, kind)), []).filter((name) => name.endsWith('.json'));
  }

  async read(place: Scope, kind: FileKind, name: string): Promise<Read<Uint8Array>> {
    const file = this.#recent.read(this.#path(place, kind, name), MAX_FILE_BYTES);
    if (file.state === 'read') return { state: 'present', value: file.bytes };
    if (file.state === 'absent') return file;
    const where = this.show(place, kind, name);
    return { state: 'unknown', problem: { code: 'UNREADABLE', where, message: file.message } };
  }

  async write(
    place: Scope,
    kind: FileKind,
    name: string,
    chunks: readonly Uint8Array[],
    values: Values,
  ): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#writeOnce(place.thread, kind, this.#path(place, kind, name), chunks, values);
      } catch (error) {
        const isGone = error instanceof GatelineError && isSystemError(error.cause, 'ENOENT');
        if (!isGone || attempt === ATTEMPTS) throw error;
        // Another process deleted the thread: it begins anew.
        this.#open.delete(place.thread);
      }
    }
  }

  async #writeOnce(
    thread: string,
    kind: FileKind,
    path: string,
    chunks: readonly Uint8Array[],
    values: Values,
  ): Promise<boolean> {
    const { state, contents } = await this.#writable(thread);
    const paths = await Promise.all([...values].map(([digest, bytes]) => this.#keep(contents, state, digest, bytes)));
    // The temporary file is in the thread's folder: if the folder is deleted now or later, it gets no name.
    const check = (): void => paths.forEach((one) => lstatSync(one));
    return state.writing(path, async () => {
      if (kind === 'writes') return claimFile(state, path, chunks, check);
      await replaceFile(state, path, chunks, check);
      return true;
    });
  }

  /** Stores a value, unless it was stored before by this process and is still there. @returns its path */
  async #keep(contents: ContentFiles, state: StateFolder, digest: Digest, bytes: Uint8Array): Promise<string> {
    const path = contentPath(state.root, digest);
    if (this.#recent.get(path)?.settled) return path;
    await contents.put(bytes);
    const status = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (status !== undefined) this.#recent.add(path, { status, bytes, settled: true });
    return path;
  }

  async value(thread: string, digest: Digest): Promise<Read<Uint8Array>> {
    const path = contentPath(this.#folderOf(thread), digest);
    const file = this.#recent.read(path, MAX_FILE_BYTES, (bytes) => digestOf(bytes) === digest);
    if (file.state === 'read') return { state: 'present', value: file.bytes };
    if (file.state === 'absent') return file;
    // Too large to be read at once; or altered: then a copy is kept aside, where that is possible.
    const { contents } = await this.#writable(thread).catch(() => this.#openThread(thread, true));
    return contents.get(digest);
  }

  async hasValue(thread: string, digest: Digest, size: number): Promise<boolean> {
    const path = contentPath(this.#folderOf(thread), digest);
    return asked(() => lstatSync(path), undefined)?.size === size;
  }

  show(place: Scope, kind: FileKind, name: string): string {
    return this.#shown(this.#path(place, kind, name));
  }

  showValue(thread: string, digest: Digest): string {
    return this.#shown(contentPath(this.#folderOf(thread), digest));
  }

  /** A path for messages. */
  #shown(path: string): string {
    return relative(this.#root, path).split(sep).join('/');
  }

  async keepAside(
    place: Scope,
    kind: FileKind,
    name: string,
    bytes: Uint8Array,
    fault: ReadFault,
  ): Promise<string | undefined> {
    try {
      const { state } = await this.#writable(place.thread);
      return state.show(await keepAside(state, this.#path(place, kind, name), hexOf(digestOf(bytes)), fault));
    } catch (error) {
      // The disk may be full or read-only. The fault is reported in any case, and the file stays.
      if (isFromSystem(error) || error instanceof GatelineError) return undefined;
      throw error;
    }
  }

  async remove(thread: string): Promise<void> {
    const folder = this.#folderOf(thread);
    this.#open.delete(thread);
    await writing(folder, async () => {
      // Out of sight at once, as a whole.
      await unlessAbsent(rename(folder, join(this.#root, `${DELETED}${randomUUID()}`)));
      if (!existsSync(dirname(folder))) return;
      await syncFolder(dirname(folder));
      await this.#sweep();
    });
  }

  /** Removes deleted threads, also those that a killed process left. */
  async #sweep(): Promise<void> {
    const deleted = asked(() => readdirSync(this.#root), []).filter((name) => name.startsWith(DELETED));
    // Another process may be removing the same.
    for (const name of deleted) await rm(join(this.#root, name), { recursive: true, force: true, maxRetries: 5 });
  }

  /** Opened once; created if it is missing. A link that leads out of the folder is refused. */
  #writable(thread: string): Promise<ThreadFolder> {
    const known = this.#open.get(thread) ?? this.#openThread(thread, false);
    if (this.#open.size >= OPEN_THREADS) this.#open.clear();
    this.#open.set(thread, known);
    known.catch(() => this.#open.delete(thread));
    return known;
  }

  async #openThread(thread: string, readOnly: boolean): Promise<ThreadFolder> {
    if (!readOnly) await writing(this.#root, () => makeFolder(this.#root));
    const state = await StateFolder.open({ root: this.#folderOf(thread), workspace: this.#root, readOnly });
    if (!readOnly) {
      await sweepTemporary(state.temporaryFolder);
      await keepOutOfCommits(state);
    }
    return { state, contents: new ContentFiles(state) };
  }

  /** A file of a place, or its folder. */
  #path({ thread, namespace }: Scope, kind: FileKind, name?: string): string {
    const below = namespace === '' ? [] : ['ns', ...foldersOf(namespace)];
    if (kind === 'writes') below.push('writes');
    if (name !== undefined) below.push(name);
    return [this.#folderOf(thread), ...below].join(sep);
  }

  /** A thread's folder. Another program may have made one that has the thread's id as its name. */
  #folderOf(thread: string): string {
    if (encodeId(thread) === thread && thread.length < 100) return `${this.#root}${sep}${thread}`;
    const [own, other] = [join(this.#root, ...foldersOf(thread)), join(this.#root, thread)];
    if (/[/\\]/.test(thread) || thread.startsWith(DELETED) || isNameOfId(thread) || !existsSync(other)) return own;
    // A file system may find a folder by other names than its own.
    if (!asked(() => readdirSync(this.#root), [] as string[]).includes(thread)) return own;
    if (!existsSync(own)) return other;
    const names = [own, other].map((one) => `\`${this.#shown(one)}\``);
    throw new GatelineError(
      'LANGGRAPH_THREAD_AMBIGUOUS',
      `Two folders are of the thread ${JSON.stringify(thread)}: ${names.join(' and ')}`,
    );
  }
}

/** A thread that another program began has no `.gitignore`. One that is there says what its user wants. */
async function keepOutOfCommits({ root, temporaryFolder }: StateFolder): Promise<void> {
  const path = join(root, '.gitignore');
  if (!existsSync(path)) await atomicWrite(path, '*\n', { temporaryFolder });
}

/** The ids that folders stand for. */
function idsIn(folder: string, start = ''): string[] {
  const entries = asked(() => readdirSync(folder, { withFileTypes: true }), []);
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return names.flatMap((name) => {
    if (isPart(name)) return idsIn(join(folder, name), `${start}${name.slice(0, -1)}`);
    if (name.startsWith(DELETED)) return [];
    return [(isNameOfId(name) ? decodeId(`${start}${name}`) : undefined) ?? name];
  });
}

/** What the system answers about a folder; `none` if there is nothing. */
function asked<T, N>(ask: () => T, none: N): T | N {
  try {
    return ask();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return none;
    if (!isFromSystem(error)) throw error;
    throw new GatelineError('LANGGRAPH_STEP_UNREADABLE', `A folder cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
