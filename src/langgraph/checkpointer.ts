import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  TASKS,
  getCheckpointId,
  maxChannelVersion,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { GatelineError } from '../errors.ts';
import { STEP_ID, ThreadFiles, type Listing, type Place } from './thread-files.ts';
import { loadValue, loadWrites, storeValue, storeWrites } from './values.ts';

export interface CheckpointerOptions {
  /** Converts values to bytes and back. Default: LangGraph's `JsonPlusSerializer`. */
  readonly serde?: SerializerProtocol;
}

const stepIdSchema = z.string().regex(STEP_ID);
const partSchema = z.object({ thread_id: z.string().optional(), checkpoint_ns: z.string().optional() });
const placeSchema = z.object({ thread_id: z.string(), checkpoint_ns: z.string().default('') });
const objectSchema = z.record(z.string(), z.unknown());
const checkpointSchema = z.object({ v: z.number(), channel_values: objectSchema, channel_versions: objectSchema });

/**
 * A checkpointer for LangGraph graphs that stores each step as a JSON file, `<folder>/<thread>/<step>.json`, and writes of
 * a task after the step beside it, as `<step>.<task>.<n>.json`. Stored data survives the end of the process and a power
 * cut, and a kill leaves whole files or none. Several processes may use a folder and a thread at once. The file of a step
 * has all its channels, so that it can be read and copied alone.
 *
 * The id of a thread may be any text. It is also the name of its folder, as in `prd-7`, unless it is not a valid name on
 * every system: then the folder has a readable name with a digest. Ids of checkpoints consist of `0-9`, `a-z`, `_` and
 * `-`, as UUIDs do.
 *
 * All methods reject with a GatelineError: `usage` for an invalid id; `platform`, with the path and what to do, for errors
 * of the system and damaged files.
 */
export class FileCheckpointer extends BaseCheckpointSaver {
  readonly #files: ThreadFiles;
  /** The last call for each task: graphs do not await calls, and the order counts, because the last interrupt wins. */
  readonly #calls = new Map<string, Promise<void>>();

  /** @param folder path; created when something is stored for the first time */
  constructor(folder: string, { serde }: CheckpointerOptions = {}) {
    super(serde);
    this.#files = new ThreadFiles(parse(z.string().min(1), folder));
  }

  /** Gets the checkpoint that `config` names, else the newest of its thread and namespace; undefined: there is none. */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.['thread_id'] === undefined) return undefined;
    const folder = this.#files.folderOf(placeOf(config));
    const listing = await this.#files.list(folder);
    const id = stepIdOf(config) ?? listing.steps.reduce((newest, step) => (step > newest ? step : newest), '');
    return id === '' ? undefined : this.#readTuple(folder, id, listing);
  }

  /**
   * Lists the checkpoints of all threads and namespaces that `config` does not exclude, the newest first.
   * @param options `before`: only older ones than this. `filter`: only those with these values in their metadata. `limit`:
   * at most this many
   */
  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const [only, before] = [stepIdOf(config), options.before && stepIdOf(options.before)];
    const steps: { folder: string; id: string; listing: Listing }[] = [];
    for (const folder of await this.#files.folders(parse(partSchema, config.configurable ?? {}))) {
      const listing = await this.#files.list(folder);
      const ids = listing.steps.filter((id) => (only ?? id) === id && (before === undefined || id < before));
      steps.push(...ids.map((id) => ({ folder, id, listing })));
    }
    let left = options.limit ?? Infinity;
    for (const { folder, id, listing } of steps.sort((a, b) => (a.id < b.id ? 1 : -1))) {
      if (left <= 0) return;
      const tuple = await this.#readTuple(folder, id, listing, options.filter);
      if (tuple === undefined) continue;
      left -= 1;
      yield tuple;
    }
  }

  /**
   * Stores a checkpoint, whose parent is the one that `config` names, if any.
   * @param newVersions versions of changed channels. A checkpoint without a parent has only these
   * @returns the config of the checkpoint
   * @throws GatelineError `usage` if the checkpoint exists and differs, or cannot be serialized
   */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions = checkpoint.channel_versions,
  ): Promise<RunnableConfig> {
    const [checkpoint_id, parent_checkpoint_id] = [parse(stepIdSchema, checkpoint.id), stepIdOf(config)];
    const step = { ...placeOf(config), checkpoint_id, parent_checkpoint_id };
    // A fork of the first checkpoint has no parent and no changed channels, but must have all channels.
    const isWhole = parent_checkpoint_id !== undefined || metadata.source === 'fork';
    const channels = Object.entries(checkpoint.channel_values);
    const changed = isWhole ? channels : channels.filter(([channel]) => Object.hasOwn(newVersions, channel));
    const stored = { ...checkpoint, channel_values: Object.fromEntries(changed) };
    const values = [storeValue(this.serde, 'checkpoint', stored), storeValue(this.serde, 'metadata', metadata)];
    await this.#files.createStep(step, await Promise.all(values));
    return configOf(step, checkpoint_id);
  }

  /**
   * Stores the writes of a task after the checkpoint that `config` names, all or none. The first value of an index wins;
   * for special channels such as interrupts and errors, the last.
   * @throws GatelineError `usage` if a value cannot be serialized
   */
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    const checkpoint_id = parse(stepIdSchema, config.configurable?.['checkpoint_id']);
    const task = { ...placeOf(config), checkpoint_id, task_id: parse(z.string(), taskId) };
    if (writes.length === 0) return;
    const [key, values] = [JSON.stringify(task), storeWrites(this.serde, writes)];
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

  /** Removes a thread, with its subgraphs. A process that still uses it creates it again. */
  override async deleteThread(threadId: string): Promise<void> {
    await this.#files.remove(parse(z.string(), threadId));
  }

  /** Reads a checkpoint; undefined: it is absent, or excluded by the filter. */
  async #readTuple(
    folder: string,
    id: string,
    listing: Listing,
    filter: Readonly<Record<string, unknown>> = {},
  ): Promise<CheckpointTuple | undefined> {
    const step = await this.#files.readStep(folder, id);
    if (step === undefined) return undefined;
    const { head, path, values } = step;
    const metadata = (await loadValue(this.serde, path, values[1], objectSchema)) as CheckpointMetadata;
    const fields = new Map<string, unknown>(Object.entries(metadata));
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
    if (!wanted.every(([key, value]) => isDeepStrictEqual(fields.get(key), value))) return undefined;
    const checkpoint = (await loadValue(this.serde, path, values[0], checkpointSchema)) as Checkpoint;
    const pendingWrites = await loadWrites(this.serde, await this.#files.readWrites(folder, id, listing));
    const tuple = { config: configOf(head, id), checkpoint, metadata, pendingWrites };
    const parent = head.parent_checkpoint_id;
    if (parent === undefined) return tuple;
    if (checkpoint.v < 4) await this.#addPendingSends(checkpoint, folder, parent, listing);
    return { ...tuple, parentConfig: configOf(head, parent) };
  }

  /** Before version 4 of checkpoints, pending sends were writes of the parent. */
  async #addPendingSends(checkpoint: Checkpoint, folder: string, parent: string, listing: Listing): Promise<void> {
    const writes = await loadWrites(this.serde, await this.#files.readWrites(folder, parent, listing));
    checkpoint.channel_values[TASKS] = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }
}

function placeOf(config: RunnableConfig): Place {
  return parse(placeSchema, config.configurable);
}

function stepIdOf(config: RunnableConfig): string | undefined {
  return parse(stepIdSchema.optional(), getCheckpointId(config) || undefined);
}

function configOf({ thread_id, checkpoint_ns }: Place, checkpoint_id: string): RunnableConfig {
  return { configurable: { thread_id, checkpoint_ns, checkpoint_id } };
}

/** Parses an argument. @throws GatelineError `usage` */
function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const message = z.prettifyError(result.error).replaceAll(/\s+/g, ' ');
  throw new GatelineError('usage', `the checkpointer cannot use its argument: ${message}`, {
    hint: 'Pass `thread_id` (a text), `checkpoint_ns` (a text) and `checkpoint_id` (a UUID) as LangGraph does.',
  });
}
