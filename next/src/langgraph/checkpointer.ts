import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  JsonPlusSerializer,
  TASKS,
  WRITES_IDX_MAP,
  compareWritesSortKeys,
  getCheckpointId,
  maxChannelVersion,
  writesSortKey,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
  type WritesSortKey,
} from '@langchain/langgraph-checkpoint';
import { isDeepStrictEqual } from 'node:util';
import { GatelineError } from '../errors.ts';
import type { StoredDocument, StoredValue } from './document.ts';
import { STEP_ID, ThreadFiles, stepIdsIn, type Place, type WritesHead } from './thread-files.ts';

export interface CheckpointerOptions {
  /** Converts values to bytes and back. Default: LangGraph's `JsonPlusSerializer`. */
  readonly serde?: SerializerProtocol;
}

/** What LangGraph's serializer writes in place of all of a value that JSON cannot express. */
const UNSERIALIZABLE = '"[unable to serialize';

/**
 * A checkpointer for LangGraph graphs that stores each step as one JSON file: `<folder>/<thread>/<step>.json`, with
 * what its tasks wrote beside it in `writes/`. What `put` or `putWrites` has stored survives the end of the process and a
 * power cut; a process that is killed leaves whole files or none. Several processes may use a folder and a thread at
 * once. Each file has all channels of its step: it can be read, copied or removed without the others.
 *
 * A thread may have any text as its id: `prd-7` is the name of its folder; where a text is no name on every system, a
 * readable name with a digest is. An id of a checkpoint consists of `0-9`, `a-z`, `_` and `-`, as UUIDs do.
 *
 * All methods throw a GatelineError: `usage` for an id that is no text or no id; `platform`, with the path and what to
 * do, where the system refuses or a file is damaged.
 */
export class FileCheckpointer extends BaseCheckpointSaver {
  readonly #files: ThreadFiles;
  /** The last call for each task: a graph does not wait between calls, and the last interrupt is the one that counts. */
  readonly #calls = new Map<string, Promise<void>>();

  /** @param folder path; created when something is stored for the first time */
  constructor(folder: string, { serde }: CheckpointerOptions = {}) {
    super(serde);
    if (typeof folder !== 'string' || folder === '') throw usage(`a checkpointer needs the path of a folder`);
    this.#files = new ThreadFiles(folder);
  }

  /** The checkpoint that `config` names, else the newest of its thread and namespace; undefined: there is none. */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.['thread_id'] === undefined) return undefined;
    const folder = this.#files.folderOf(placeOf(config));
    const names = await this.#files.names(folder);
    const id = stepIdOf(config) ?? stepIdsIn(names).reduce((newest, step) => (step > newest ? step : newest), '');
    return id === '' ? undefined : this.#readTuple(folder, id, names);
  }

  /**
   * The checkpoints of all threads and namespaces that `config` does not exclude, the newest first.
   * @param options `before`: only older ones than this. `filter`: only those whose metadata has these values. `limit`:
   * at most so many
   */
  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const [only, before] = [stepIdOf(config), options.before && stepIdOf(options.before)];
    const steps: { folder: string; id: string; names: readonly string[] }[] = [];
    for (const folder of await this.#files.folders(partOf(config))) {
      const names = await this.#files.names(folder);
      const ids = stepIdsIn(names).filter((id) => (only ?? id) === id && (before === undefined || id < before));
      steps.push(...ids.map((id) => ({ folder, id, names })));
    }
    let left = options.limit ?? Infinity;
    for (const { folder, id, names } of steps.sort((a, b) => (a.id < b.id ? 1 : -1))) {
      if (left <= 0) return;
      const tuple = await this.#readTuple(folder, id, names, options.filter);
      if (tuple === undefined) continue;
      left -= 1;
      yield tuple;
    }
  }

  /**
   * Stores a checkpoint. It continues the one that `config` names, if it names one.
   * @param newVersions versions of the channels that changed. A checkpoint that continues none has only these
   * @returns the config of the checkpoint
   * @throws GatelineError `usage` if the checkpoint exists and differs, or cannot be serialized
   */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions = checkpoint.channel_versions,
  ): Promise<RunnableConfig> {
    const [checkpoint_id, parent_checkpoint_id] = [expectStepId(checkpoint.id), stepIdOf(config)];
    const step = { ...placeOf(config), checkpoint_id, parent_checkpoint_id };
    // A copy of the first checkpoint continues none, and no channel of it has changed.
    const isWhole = parent_checkpoint_id !== undefined || metadata.source === 'fork';
    const channels = Object.entries(checkpoint.channel_values);
    const changed = isWhole ? channels : channels.filter(([channel]) => Object.hasOwn(newVersions, channel));
    const stored = { ...checkpoint, channel_values: Object.fromEntries(changed) };
    const values = [this.#serialize('checkpoint', stored), this.#serialize('metadata', metadata)];
    await this.#files.createStep(step, await Promise.all(values));
    return configOf(step, checkpoint_id);
  }

  /**
   * Stores what a task wrote after the checkpoint that `config` names, all of it or nothing. The first value of an index
   * holds; of an interrupt, an error and the like the last.
   * @throws GatelineError `usage` if a value cannot be serialized
   */
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    const checkpoint_id = expectStepId(config.configurable?.['checkpoint_id']);
    const task = { ...placeOf(config), checkpoint_id, task_id: expectText('task_id', taskId) };
    const values = Promise.all(
      writes.map(([channel, value], n) => {
        const index = Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel]! : n;
        return this.#serialize(`${index}:${channel}`, value);
      }),
    );
    const key = JSON.stringify(task);
    const previous = this.#calls.get(key)?.catch(() => undefined);
    const call = Promise.all([values, previous]).then(([stored]) =>
      this.#files.createWrites({ ...task, task_path: taskPath }, stored),
    );
    this.#calls.set(key, call);
    try {
      await call;
    } finally {
      if (this.#calls.get(key) === call) this.#calls.delete(key);
    }
  }

  /** Removes a thread, with its subgraphs. A process that still works on it begins it anew. */
  override async deleteThread(threadId: string): Promise<void> {
    await this.#files.remove(expectText('thread_id', threadId));
  }

  /** @param names of the files in the folder. @returns undefined: absent, or not what the filter wants */
  async #readTuple(
    folder: string,
    id: string,
    names: readonly string[],
    filter: Readonly<Record<string, unknown>> = {},
  ): Promise<CheckpointTuple | undefined> {
    const step = await this.#files.readStep(folder, id);
    if (step === undefined) return undefined;
    const { head, values } = step;
    const [stored, storedMetadata] = values;
    if (!stored || !storedMetadata) return undefined;
    const metadata = (await this.#load(storedMetadata)) as CheckpointMetadata;
    const fields = new Map<string, unknown>(Object.entries(metadata));
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
    if (!wanted.every(([key, value]) => isDeepStrictEqual(fields.get(key), value))) return undefined;
    const checkpoint = (await this.#load(stored)) as Checkpoint;
    const pendingWrites = await this.#loadWrites(await this.#files.readWrites(folder, id, names));
    const tuple = { config: configOf(head, id), checkpoint, metadata, pendingWrites };
    const parent = head.parent_checkpoint_id;
    if (parent === undefined) return tuple;
    if (checkpoint.v < 4) {
      const parentWrites = await this.#loadWrites(await this.#files.readWrites(folder, parent, names));
      this.#addPendingSends(checkpoint, parentWrites);
    }
    return { ...tuple, parentConfig: configOf(head, parent) };
  }

  /** Before version 4 of checkpoints, what is to be sent was among the writes of the parent. */
  #addPendingSends(checkpoint: Checkpoint, writes: readonly CheckpointPendingWrite[]): void {
    checkpoint.channel_values[TASKS] = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  /** The writes that hold, in the order in which LangGraph applies them. @param calls the oldest first */
  async #loadWrites(calls: readonly StoredDocument<WritesHead>[]): Promise<CheckpointPendingWrite[]> {
    const writes = new Map<string, { task: string; sortKey: WritesSortKey; value: StoredValue }>();
    for (const { head, values } of calls) {
      for (const value of values) {
        const sortKey = writesSortKey(head.task_path, head.task_id, Number.parseInt(value.name));
        const key = JSON.stringify(sortKey.slice(1));
        if (sortKey[2] < 0 || !writes.has(key)) writes.set(key, { task: head.task_id, sortKey, value });
      }
    }
    const sorted = [...writes.values()].sort((a, b) => compareWritesSortKeys(a.sortKey, b.sortKey));
    const loads = sorted.map(async ({ task, value }): Promise<CheckpointPendingWrite> => {
      return [task, value.name.slice(value.name.indexOf(':') + 1), await this.#load(value)];
    });
    return Promise.all(loads);
  }

  /** The bytes of a value as it is at the time of the call: the serializer begins before anything is awaited. */
  async #serialize(name: string, value: unknown): Promise<StoredValue> {
    const [type, array] = await this.serde.dumpsTyped(value);
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.length);
    if (type === 'json' && (bytes.length === 0 || bytes.toString('latin1', 0, 21) === UNSERIALIZABLE)) {
      throw new GatelineError('usage', `the serializer cannot write ${name} as JSON`, {
        hint: 'Keep functions, bigints, and objects that are nested thousands deep out of the state, or pass a `serde`.',
      });
    }
    return { name, type, bytes };
  }

  /** LangGraph's serializer marks all that is not plain JSON by a key `lc`, and looks for it in each value: slowly. */
  async #load({ type, bytes }: StoredValue): Promise<unknown> {
    const isPlain = type === 'json' && this.serde.constructor === JsonPlusSerializer && !bytes.includes('"lc"');
    // A serializer may hand the bytes on to the user: a copy of them, and no buffer.
    return isPlain ? JSON.parse(bytes.toString()) : this.serde.loadsTyped(type, Uint8Array.from(bytes));
  }
}

function placeOf(config: RunnableConfig): Place {
  const { thread_id, checkpoint_ns = '' } = partOf(config);
  return { thread_id: expectText('thread_id', thread_id), checkpoint_ns };
}

/** What a config says about the place. */
function partOf({ configurable = {} }: RunnableConfig): Partial<Place> {
  const names = (['thread_id', 'checkpoint_ns'] as const).filter((name) => configurable[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, expectText(name, configurable[name])]));
}

function stepIdOf(config: RunnableConfig): string | undefined {
  const id: unknown = getCheckpointId(config);
  return id === '' ? undefined : expectStepId(id);
}

function configOf({ thread_id, checkpoint_ns }: Place, checkpoint_id: string): RunnableConfig {
  return { configurable: { thread_id, checkpoint_ns, checkpoint_id } };
}

function expectText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw usage(`${name} must be a string, is ${value === null ? 'null' : typeof value}`);
}

function expectStepId(value: unknown): string {
  const id = expectText('checkpoint_id', value);
  if (STEP_ID.test(id)) return id;
  throw usage(`checkpoint_id must be a UUID, is ${JSON.stringify(id.slice(0, 100))}`);
}

function usage(message: string): GatelineError {
  return new GatelineError('usage', message, { hint: 'Pass it as `configurable` of the config, as LangGraph does.' });
}
