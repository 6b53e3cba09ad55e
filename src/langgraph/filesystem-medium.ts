import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, type BigIntStats } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { GatelineError, isSystemError } from '../errors/gateline-error.ts';
import { digestOf, hexOf, type Digest } from '../json/digest.ts';
import { ContentFiles, contentPath } from '../store/filesystem/content-files.ts';
import { makeFolder, syncFolder } from '../store/filesystem/durable.ts';
import { claimFile, replaceFile } from '../store/filesystem/place-file.ts';
import { keepAside } from '../store/filesystem/quarantine.ts';
import { isSameFile, readWholeNow } from '../store/filesystem/read-file.ts';
import { StateFolder } from '../store/filesystem/state-folder.ts';
import type { Read } from '../store/record-store.ts';
import { isFromSystem, reasonOf, writing } from '../errors/store-errors.ts';
import { decodeId, encodeId, foldersOf, isNameOfId } from './ids.ts';
import type { CheckpointMedium, Contents, Fault, Kind, Place } from './medium.ts';
import { Recent } from './recent.ts';

/** Larger files are no steps: large values are contents. */
const MAX_FILE_BYTES = 256 * 1_024 * 1_024;

/** Larger values are read in chunks. */
const MAX_VALUE_BYTES = 8 * 1_024 * 1_024;

/** Of what was read lately, so many bytes stay in memory: of files, and of values. */
const REMEMBERED_BYTES = 32 * 1_024 * 1_024;

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
  readonly #files = new Recent<{ readonly status: BigIntStats; readonly bytes: Uint8Array }>(REMEMBERED_BYTES);
  readonly #values = new Recent<{ readonly bytes: Uint8Array }>(REMEMBERED_BYTES);

  constructor(folder: string) {
    this.#root = resolve(folder);
  }

  async threads(): Promise<string[]> {
    return [...new Set(idsIn(this.#root))];
  }

  async namespaces(thread: string): Promise<string[]> {
    return ['', ...idsIn(join(this.#folderOf(thread), 'ns'))];
  }

  async names(place: Place, kind: Kind): Promise<string[]> {
    return listed(() => readdirSync(this.#placeFolder(place, kind))).filter((name) => name.endsWith('.json'));
  }

  async read(place: Place, kind: Kind, name: string): Promise<Read<Uint8Array>> {
    const path = `${this.#placeFolder(place, kind)}${sep}${name}`;
    const known = this.#files.get(path);
    // Writes are claimed, and never replaced.
    if (known !== undefined && (kind === 'writes' || isUnchanged(path, known.status)))
      return { state: 'present', value: known.bytes };
    const file = readWholeNow(path, MAX_FILE_BYTES);
    if (file.state === 'read') {
      this.#files.set(path, file);
      return { state: 'present', value: file.bytes };
    }
    if (file.state === 'absent') return file;
    const where = this.show(place, kind, name);
    return { state: 'unknown', problem: { code: 'UNREADABLE', where, message: file.message } };
  }

  async replace(place: Place, kind: Kind, name: string, chunks: readonly Uint8Array[]): Promise<void> {
    const path = `${this.#placeFolder(place, kind)}${sep}${name}`;
    const { state } = await this.#writable(place.thread);
    await state.writing(path, () => replaceFile(state, path, chunks));
  }

  async claim(place: Place, kind: Kind, name: string, chunks: readonly Uint8Array[]): Promise<boolean> {
    const path = `${this.#placeFolder(place, kind)}${sep}${name}`;
    const { state } = await this.#writable(place.thread);
    return state.writing(path, () => claimFile(state, path, chunks));
  }

  show({ thread, namespace }: Place, kind: Kind, name: string): string {
    return [...foldersOf(thread), ...below(namespace, kind), name].join('/');
  }

  async keepAside(
    place: Place,
    kind: Kind,
    name: string,
    bytes: Uint8Array,
    fault: Fault,
  ): Promise<string | undefined> {
    try {
      const { state } = await this.#writable(place.thread);
      const path = `${this.#placeFolder(place, kind)}${sep}${name}`;
      return state.show(await keepAside(state, path, hexOf(digestOf(bytes)), fault));
    } catch (error) {
      // The disk may be full or read-only. The fault is reported in any case, and the file stays.
      if (isFromSystem(error) || error instanceof GatelineError) return undefined;
      throw error;
    }
  }

  async contents(thread: string): Promise<Contents> {
    return {
      put: async (bytes) => (await this.#writable(thread)).contents.put(bytes),
      get: (digest) => this.#value(thread, digest),
    };
  }

  async remove(thread: string): Promise<void> {
    const folder = this.#folderOf(thread);
    this.#open.delete(thread);
    // Out of sight at once, as a whole; the name cannot be that of a thread.
    const doomed = join(this.#root, `.deleted-${randomUUID()}`);
    await writing(folder, async () => {
      try {
        await rename(folder, doomed);
      } catch (error) {
        if (isSystemError(error, 'ENOENT')) return;
        throw error;
      }
      await syncFolder(dirname(folder));
      await rm(doomed, { recursive: true, force: true });
    });
  }

  /** Opened once; created if it is missing. A link that leads out of the folder is refused. */
  #writable(thread: string): Promise<ThreadFolder> {
    const known = this.#open.get(thread) ?? this.#openThread(thread);
    this.#open.set(thread, known);
    known.catch(() => this.#open.delete(thread));
    return known;
  }

  async #openThread(thread: string): Promise<ThreadFolder> {
    await writing(this.#root, () => makeFolder(this.#root));
    const state = await StateFolder.open({ root: this.#folderOf(thread), workspace: this.#root });
    return { state, contents: new ContentFiles(state) };
  }

  /** A value; its digest is checked when it is read. What is wrong is put into quarantine by the thread's contents. */
  async #value(thread: string, digest: Digest): Promise<Read<Uint8Array>> {
    const key = `${thread} ${digest}`;
    const known = this.#values.get(key);
    if (known !== undefined) return { state: 'present', value: known.bytes };
    const file = readWholeNow(contentPath(this.#folderOf(thread), digest), MAX_VALUE_BYTES);
    if (file.state === 'absent') return file;
    if (file.state !== 'read' || digestOf(file.bytes) !== digest)
      return (await this.#writable(thread)).contents.get(digest);
    this.#values.set(key, file);
    return { state: 'present', value: file.bytes };
  }

  #placeFolder({ thread, namespace }: Place, kind: Kind): string {
    return [this.#folderOf(thread), ...below(namespace, kind)].join(sep);
  }

  /** A thread's folder. Another program may have made one that has the thread's id as its name. */
  #folderOf(thread: string): string {
    if (encodeId(thread) === thread && thread.length < 100) return join(this.#root, thread);
    const folder = join(this.#root, ...foldersOf(thread));
    if (/[/\\]/.test(thread) || thread.startsWith('.') || isNameOfId(thread)) return folder;
    const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
    return isThere || !listed(() => readdirSync(this.#root)).includes(thread) ? folder : join(this.#root, thread);
  }
}

/** The ids that folders stand for. Of a long id all parts but the last end in `+`. */
function idsIn(folder: string, start = ''): string[] {
  const entries = listed(() => readdirSync(folder, { withFileTypes: true }));
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return folders.flatMap(({ name }) => {
    const whole = `${start}${name}`;
    return name.endsWith('+') ? idsIn(join(folder, name), whole.slice(0, -1)) : [decodeId(whole) ?? name];
  });
}

/** What a folder lists; nothing if there is none. */
function listed<T>(list: () => T[]): T[] {
  try {
    return list();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    if (!isFromSystem(error)) throw error;
    throw new GatelineError('LANGGRAPH_STEP_UNREADABLE', `A folder cannot be listed: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

function isUnchanged(path: string, status: BigIntStats): boolean {
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return now !== undefined && isSameFile(now, status);
}

/** Folders of a place below its thread's. */
function below(namespace: string, kind: Kind): string[] {
  const folders = namespace === '' ? [] : ['ns', ...foldersOf(namespace)];
  return kind === 'writes' ? [...folders, 'writes'] : folders;
}
