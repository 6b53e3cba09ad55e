import {
  BaseCheckpointSaver,
  TASKS,
  WRITES_IDX_MAP,
  maxChannelVersion,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint';
import type { RunnableConfig } from '@langchain/core/runnables';
import { isDeepStrictEqual } from 'node:util';
import { GatelineError } from '../errors/gateline-error.ts';
import { checkpointOf, configOf, placeOf } from './configs.ts';
import { checkedId, encodeId } from './ids.ts';
import type { CheckpointMedium, Scope } from './medium.ts';
import type { Stored } from './sealed-file.ts';
import { fileOfStep, storedJson, type Step } from './steps.ts';
import { ThreadFiles, type TaskWrite } from './thread-files.ts';
import { Turns } from './turns.ts';
import { KeptValues, expectValue, loadValue, type ThreadValues } from './values.ts';

/** A step of a thread, for people and as JSON. */
export interface ThreadStep {
  readonly namespace: string;
  readonly checkpoint: string;
  /** Why the step cannot be read; then nothing below is known. */
  readonly problem?: string;
  readonly parent?: string;
  readonly at?: string;
  readonly source?: CheckpointMetadata['source'];
  readonly step?: number;
  /** Size in bytes of each channel's value, as it is stored. */
  readonly channels?: Readonly<Record<string, number>>;
  /** What tasks wrote after the step, in the order in which it applies. */
  readonly writes?: readonly { readonly task: string; readonly channel: string }[];
}

/** A checkpointer for LangGraph graphs. Made by `createFileCheckpointer` or `createMemoryCheckpointer`. */
export class GatelineSaver extends BaseCheckpointSaver {
  readonly #medium: CheckpointMedium;
  readonly #files: ThreadFiles;
  readonly #turns = new Turns();

  constructor(medium: CheckpointMedium, serde?: SerializerProtocol) {
    super(serde);
    if (!isObject(medium) || !('threads' in medium))
      throw new GatelineError(
        'LANGGRAPH_ARGUMENT_REFUSED',
        'A GatelineSaver is made by createFileCheckpointer(folder) or createMemoryCheckpointer(), not by `new`',
      );
    this.#medium = medium;
    this.#files = new ThreadFiles(medium);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.['thread_id'] === undefined) return undefined;
    const place = placeOf(config);
    const id =
      checkpointOf(config) ??
      (await this.#files.stepIds(place)).reduce((newest, one) => (one > newest ? one : newest), '');
    if (id === '') return undefined;
    return this.#reading(place, checkedId('checkpoint_id', id), async (step) => {
      const [metadata, names] = await Promise.all([this.#metadata(place, step), this.#files.writeNames(place)]);
      return this.#tupleOf(place, step, metadata, names);
    });
  }

  /** Newest first, over all threads and namespaces that `config` leaves open. */
  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { filter = {}, before, limit = Infinity } = options;
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
    const end: unknown = before?.configurable?.['checkpoint_id'];
    let left = limit;
    const names = this.#writeNames();
    for (const { place, id } of await this.#steps(config)) {
      if (typeof end === 'string' && id >= end) continue;
      if (left <= 0) return;
      const tuple = await this.#reading(place, id, async (step) => {
        const metadata = await this.#metadata(place, step);
        if (!wanted.every(([key, value]) => isDeepStrictEqual(ownOf(metadata, key), value))) return undefined;
        const ofPlace = await names(place);
        const own = [id, step.parent ?? id].flatMap((one) => ofPlace.get(encodeId(one)) ?? []);
        return this.#tupleOf(place, step, metadata, own);
      });
      if (tuple === undefined) continue;
      left -= 1;
      yield tuple;
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions = checkpoint.channel_versions,
  ): Promise<RunnableConfig> {
    const place = placeOf(config);
    const id = checkedId('checkpoint_id', checkpoint.id);
    const parent = checkpointOf(config);
    if (!isObject(metadata))
      throw new GatelineError('LANGGRAPH_ARGUMENT_REFUSED', `put takes metadata, not ${JSON.stringify(metadata)}`);
    const { channel_values: values, ...head } = checkpoint;
    const isNew = (channel: string): boolean => Object.hasOwn(newVersions, channel);
    // A copied checkpoint is put without a parent. Else, without one, there is nothing that a value is unchanged from.
    const isWhole = parent !== undefined || metadata.source === 'fork';
    const channels = Object.keys(values).filter((channel) => isWhole || isNew(channel));
    // All of it before anything is awaited: the caller may change its objects then.
    const headBytes = storedJson(head);
    const kept = new KeptValues(this.serde);
    const stored = Promise.all([
      kept.keep(metadata, 'the metadata'),
      ...channels.map(async (channel): Promise<[string, Stored]> => {
        return [channel, await kept.keep(values[channel], `the channel ${channel}`, !isNew(channel))];
      }),
    ]);
    await this.#turns.take([place.thread, place.namespace, id], stored, ([keptMetadata, ...entries]) => {
      const step = { parent, metadata: keptMetadata, values: new Map(entries) };
      const file = fileOfStep(step, headBytes, { ...place, checkpoint: id });
      return this.#files.putStep(place, id, file, kept.large);
    });
    return configOf(place, id);
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    const place = placeOf(config);
    const checkpoint = checkedId('checkpoint_id', config.configurable?.['checkpoint_id']);
    const task = checkedId('task_id', taskId);
    if (writes.length === 0) return;
    const kept = new KeptValues(this.serde);
    const stored = Promise.all(
      writes.map(async ([channel, value], at): Promise<TaskWrite> => {
        const index = Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel]! : at;
        return { task, path: taskPath, index, channel, value: await kept.keep(value, `the channel ${channel}`) };
      }),
    );
    await this.#turns.take([place.thread, place.namespace, checkpoint, task], stored, (all) =>
      this.#files.addWrites(place, checkpoint, all, kept.large),
    );
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#medium.remove(checkedId('thread_id', threadId));
  }

  /**
   * All steps of a thread and of its subgraphs, newest first. A step that cannot be read is among them, with the
   * reason.
   */
  async steps(threadId: string): Promise<ThreadStep[]> {
    const thread = checkedId('thread_id', threadId);
    const steps: ThreadStep[] = [];
    const names = this.#writeNames();
    for (const { place, id } of await this.#steps({ configurable: { thread_id: thread } })) {
      const shown = { namespace: place.namespace, checkpoint: id };
      try {
        const known = await this.#reading(place, id, async (step) => this.#shown(place, step, await names(place)));
        if (known !== undefined) steps.push({ ...shown, ...known });
      } catch (error) {
        if (!(error instanceof GatelineError)) throw error;
        steps.push({ ...shown, problem: error.message });
      }
    }
    return steps;
  }

  /** Names of writes by step, of each place listed once. */
  #writeNames(): (place: Scope) => Promise<ReadonlyMap<string, string[]>> {
    const known = new Map<Scope, Promise<ReadonlyMap<string, string[]>>>();
    return (place) => {
      const found = known.get(place) ?? this.#files.writeNames(place).then((all) => Map.groupBy(all, stepNameOf));
      known.set(place, found);
      return found;
    };
  }

  async #shown(place: Scope, step: Step, names: ReadonlyMap<string, string[]>): Promise<Partial<ThreadStep>> {
    const { source, step: number } = await this.#metadata(place, step);
    const writes = await this.#files.writes(place, step.head.id, names.get(encodeId(step.head.id)) ?? []);
    for (const value of [...step.values.values(), ...writes.map(({ value }) => value)])
      await expectValue(this.#values(place), value, step.head.id);
    const sizes = [...step.values].map(([name, value]) => [name, 'bytes' in value ? value.bytes.length : value.size]);
    return {
      ...(step.parent === undefined ? {} : { parent: step.parent }),
      at: step.head.ts,
      source,
      step: number,
      channels: Object.fromEntries(sizes) as Record<string, number>,
      writes: writes.map(({ task, channel }) => ({ task, channel })),
    };
  }

  /** Reads a step. Where a value is missing, another process may be deleting the thread: then there is no step soon. */
  async #reading<T>(place: Scope, id: string, read: (step: Step) => Promise<T>, attempts = 3): Promise<T | undefined> {
    const step = await this.#files.step(place, id);
    if (step === undefined) return undefined;
    try {
      return await read(step);
    } catch (error) {
      const isMissing = error instanceof GatelineError && error.code === 'LANGGRAPH_VALUE_MISSING';
      if (!isMissing || attempts === 1) throw error;
      return this.#reading(place, id, read, attempts - 1);
    }
  }

  async #tupleOf(
    place: Scope,
    { head, parent, values }: Step,
    metadata: CheckpointMetadata,
    names: readonly string[],
  ): Promise<CheckpointTuple> {
    const loads = this.#values(place);
    const [loaded, pendingWrites] = await Promise.all([
      Promise.all(
        [...values].map(async ([channel, value]) => [channel, await loadValue(loads, value, head.id)] as const),
      ),
      this.#pendingWrites(place, head.id, names),
    ]);
    const checkpoint: Checkpoint = { ...head, channel_values: Object.fromEntries(loaded) };
    if (head.v < 4 && parent !== undefined) await this.#addPendingSends(place, checkpoint, parent, names);
    return {
      config: configOf(place, head.id),
      checkpoint,
      metadata,
      pendingWrites,
      ...(parent === undefined ? {} : { parentConfig: configOf(place, parent) }),
    };
  }

  /** Before version 4 of checkpoints, what is to be sent was among the writes of the parent. */
  async #addPendingSends(
    place: Scope,
    checkpoint: Checkpoint,
    parent: string,
    names: readonly string[],
  ): Promise<void> {
    const writes = await this.#pendingWrites(place, parent, names);
    checkpoint.channel_values[TASKS] = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  async #pendingWrites(place: Scope, checkpoint: string, names: readonly string[]): Promise<CheckpointPendingWrite[]> {
    const writes = await this.#files.writes(place, checkpoint, names);
    const values = this.#values(place);
    return Promise.all(
      writes.map(async ({ task, channel, value }): Promise<CheckpointPendingWrite> => {
        return [task, channel, await loadValue(values, value, checkpoint)];
      }),
    );
  }

  async #metadata(place: Scope, step: Step): Promise<CheckpointMetadata> {
    return (await loadValue(this.#values(place), step.metadata, step.head.id)) as CheckpointMetadata;
  }

  /** Places and ids of all steps that a config leaves open, newest first. */
  async #steps(config: RunnableConfig): Promise<{ readonly place: Scope; readonly id: string }[]> {
    const { thread_id: thread, checkpoint_ns: namespace } = config.configurable ?? {};
    const only = checkpointOf(config);
    const threads = thread === undefined ? await this.#medium.threads() : [checkedId('thread_id', thread)];
    const found = threads.map(async (one) => {
      const namespaces =
        namespace === undefined ? await this.#medium.namespaces(one) : [checkedId('checkpoint_ns', namespace)];
      const places = namespaces.map((name) => ({ thread: one, namespace: name }));
      const ids = places.map(async (place) => (await this.#files.stepIds(place)).map((id) => ({ place, id })));
      return (await Promise.all(ids)).flat();
    });
    const steps = (await Promise.all(found)).flat().filter(({ id }) => only === undefined || id === only);
    return steps.toSorted((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
  }

  #values({ thread }: Scope): ThreadValues {
    return { serde: this.serde, medium: this.#medium, thread };
  }
}

function stepNameOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A property that is not inherited. */
function ownOf(object: object | undefined, key: string): unknown {
  return object !== undefined && Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
}
