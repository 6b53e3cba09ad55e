import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { GatelineError, messageOf } from '../errors.ts';
import { subjectSlug } from '../store/files/attempts.ts';
import { syncFolder, ignoring, withSystemErrors } from '../store/files/state-folder.ts';
import { createFile } from './create-file.ts';
import { HEAD_FIELDS, decodeDocument, encodeDocument, type StoredDocument, type StoredValue } from './document.ts';

/** A thread of a graph, and a namespace in it: `""` for the graph itself, else that of a subgraph. */
export interface Place {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
}

/** Ids of steps. Those of LangGraph are UUIDs, whose order is that of the steps. */
export const STEP_ID = /^[0-9a-z_-]{1,100}$/;

const stepId = z.string().regex(STEP_ID);
const PLACE_FIELDS = { ...HEAD_FIELDS, thread_id: z.string(), checkpoint_ns: z.string(), checkpoint_id: stepId };
const stepSchema = z.object({ ...PLACE_FIELDS, parent_checkpoint_id: stepId.optional() });
const writesSchema = z.object({ ...PLACE_FIELDS, task_id: z.string(), task_path: z.string() });

/** The head of a file with a checkpoint. Its values are the checkpoint and its metadata. */
export type StepHead = Omit<z.infer<typeof stepSchema>, keyof typeof HEAD_FIELDS>;
/** The head of a file with the writes of one call for a task. Names of values are `<index>:<channel>`. */
export type WritesHead = Omit<z.infer<typeof writesSchema>, keyof typeof HEAD_FIELDS>;

/** The content of a folder: ids of steps, and names of files with writes by the id of their step. */
export interface Listing {
  readonly steps: readonly string[];
  readonly writes: ReadonlyMap<string, readonly string[]>;
}

/** A document and its file. */
export type ThreadFile<Head> = StoredDocument<Head> & { readonly path: string };

const SUFFIX = '.json';
const DELETED = '.deleted-';

/**
 * The files of threads: steps as `<thread>/<step>.json`, beside them writes as `<step>.<task>.<n>.json`; those of a
 * subgraph in `<thread>/ns/<namespace>/`. A file never changes.
 */
export class ThreadFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = resolve(root);
  }

  folderOf({ thread_id, checkpoint_ns }: Place): string {
    const folder = `${this.#root}${sep}${subjectSlug(thread_id)}`;
    return checkpoint_ns === '' ? folder : join(folder, 'ns', subjectSlug(checkpoint_ns));
  }

  /** The folders of all threads and namespaces, or of one thread or namespace. */
  async folders({ thread_id, checkpoint_ns }: Partial<Place>): Promise<string[]> {
    const root = this.#root;
    const threads = thread_id === undefined ? await listFolders(root) : [join(root, subjectSlug(thread_id))];
    if (checkpoint_ns === '') return threads;
    if (checkpoint_ns !== undefined) return threads.map((folder) => join(folder, 'ns', subjectSlug(checkpoint_ns)));
    const subgraphs = await Promise.all(threads.map((folder) => listFolders(join(folder, 'ns'))));
    return [...threads, ...subgraphs.flat()];
  }

  async list(folder: string): Promise<Listing> {
    const steps: string[] = [];
    const writes = new Map<string, string[]>();
    for (const name of await listNames(folder)) {
      const id = name.slice(0, name.indexOf('.'));
      if (id === '' || !name.endsWith(SUFFIX)) continue;
      if (id.length === name.length - SUFFIX.length) steps.push(id);
      else if (!writes.get(id)?.push(name)) writes.set(id, [name]);
    }
    return { steps, writes };
  }

  /** Undefined: there is no such step. @throws GatelineError `platform` with the path if its file is damaged */
  readStep(folder: string, id: string): Promise<ThreadFile<StepHead> | undefined> {
    return this.#read(folder, id + SUFFIX, stepSchema, (head) => head.checkpoint_id + SUFFIX);
  }

  /** @throws GatelineError `usage` if there is a step of that id with another content: others may continue it */
  async createStep(head: StepHead, values: readonly StoredValue[]): Promise<void> {
    const [folder, name, bytes] = [this.folderOf(head), head.checkpoint_id + SUFFIX, encodeDocument({ head, values })];
    if (await createFile(this.#root, folder, [name], bytes)) return;
    const path = join(folder, name);
    if ((await ifPresent(path, () => readFileSync(path)))?.equals(bytes)) return;
    throw new GatelineError('usage', `${path} has another content: a checkpoint that is stored cannot change`, {
      hint: 'Store the checkpoint under a new id, as `graph.updateState` does.',
      place: { file: path },
    });
  }

  /** Reads the writes of the tasks of a step, in the order of the calls. */
  async readWrites(folder: string, id: string, { writes }: Listing): Promise<ThreadFile<WritesHead>[]> {
    const names = (writes.get(id) ?? []).toSorted((a, b) => numberOf(a) - numberOf(b));
    const reads = names.map((name) => {
      return this.#read(folder, name, writesSchema, (head) => nameOfWrites(head, numberOf(name)));
    });
    return (await Promise.all(reads)).filter((file) => file !== undefined);
  }

  async createWrites(head: WritesHead, values: readonly StoredValue[]): Promise<void> {
    const names = (function* () {
      for (let n = 0; ; n += 1) yield nameOfWrites(head, n);
    })();
    await createFile(this.#root, this.folderOf(head), names, encodeDocument({ head, values }));
  }

  /** Removes a thread atomically, and the remains of removals that were killed. */
  async remove(thread_id: string): Promise<void> {
    await withSystemErrors(this.#root, async () => {
      const folder = join(this.#root, subjectSlug(thread_id));
      await rename(folder, join(this.#root, DELETED + randomUUID())).catch(ignoring('ENOENT'));
      const deleted = (await listNames(this.#root)).filter((name) => name.startsWith(DELETED));
      if (deleted.length > 0) await syncFolder(this.#root);
      for (const name of deleted) await rm(join(this.#root, name), { recursive: true, force: true, maxRetries: 5 });
    });
  }

  /** Reads a file, whose head must match its path: it may have been moved or copied. */
  async #read<Head extends Place & z.infer<z.ZodObject<typeof HEAD_FIELDS>>>(
    folder: string,
    name: string,
    schema: z.ZodType<Head>,
    nameOf: (head: Head) => string,
  ): Promise<ThreadFile<Head> | undefined> {
    const path = folder + sep + name;
    const bytes = await ifPresent(path, () => readFileSync(path));
    if (bytes === undefined) return undefined;
    try {
      const document = decodeDocument(bytes, schema);
      const place = this.folderOf(document.head) + sep + nameOf(document.head);
      if (place === path) return { ...document, path };
      throw new Error(`it is the content of ${place}`);
    } catch (cause) {
      throw damaged(path, cause);
    }
  }
}

export function damaged(path: string, cause: unknown): GatelineError {
  return new GatelineError('platform', `${path} is damaged: ${messageOf(cause)}`, {
    hint: 'Move the file away: the graph continues from the step before it, or runs the task again.',
    place: { file: path },
    cause,
  });
}

function nameOfWrites({ checkpoint_id, task_id }: WritesHead, n: number): string {
  return `${checkpoint_id}.${subjectSlug(task_id)}.${n}${SUFFIX}`;
}

/** The number of the call that a file with writes is from. */
function numberOf(name: string): number {
  return Number(/\.(\d+)\.json$/.exec(name)?.[1] ?? -1);
}

async function listNames(path: string): Promise<string[]> {
  return (await ifPresent(path, () => readdirSync(path))) ?? [];
}

async function listFolders(path: string): Promise<string[]> {
  const entries = (await ifPresent(path, () => readdirSync(path, { withFileTypes: true }))) ?? [];
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return folders.map(({ name }) => join(path, name));
}

/** Reads synchronously, which takes a tenth of the time for small files. @returns undefined if `path` is absent */
function ifPresent<T>(path: string, read: () => T): Promise<T | undefined> {
  return withSystemErrors(path, async () => {
    try {
      return read();
    } catch (error) {
      return ignoring('ENOENT')(error);
    }
  });
}
