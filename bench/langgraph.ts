import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  BaseCheckpointSaver,
  WRITES_IDX_MAP,
  emptyCheckpoint,
  uuid6,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
} from '@langchain/langgraph-checkpoint';
import { createFileCheckpointer } from '../src/langgraph/index.ts';
import { createFolder } from './folders.ts';
import { compare, type Figure, type Goal } from './measure.ts';

type Config = Parameters<BaseCheckpointSaver['put']>[0];

/** Super-steps of a thread. The list of messages grows with each, by about 600 bytes. */
const STEPS = 100;
const ROUNDS = 15;
const READS = 20;
const THREAD = { configurable: { thread_id: 'thread', checkpoint_ns: '' } };
const BASELINE = 'SQLite, flushed';
const GOALS: readonly Goal[] = [
  ['ratio', 1],
  ['processorRatio', 1],
];

/** The checkpointer beside tables and statements like those of LangGraph's own saver for SQLite, on the same work. */
export async function* measureLanggraph(): AsyncGenerator<Figure> {
  using place = createFolder();
  let round = 0;
  const nextFolder = (name: string): string => join(place.path, `${name}-${(round += 1)}`);
  const store = {
    name: `LangGraph: ${STEPS} super-steps stored`,
    work: () => storeSteps(createFileCheckpointer(nextFolder('files'))),
  };
  const storeBaseline = (synchronous: 'FULL' | 'NORMAL') => async (): Promise<void> => {
    using saver = new SqliteSaver(nextFolder('sqlite'), synchronous);
    await storeSteps(saver);
  };
  yield* bothGoals(await compare(store, { name: BASELINE, work: storeBaseline('FULL') }, ROUNDS));
  yield await compare(store, { name: 'SQLite, not flushed', work: storeBaseline('NORMAL') }, ROUNDS);

  const files = createFileCheckpointer(join(place.path, 'files'));
  using sqlite = new SqliteSaver(join(place.path, 'sqlite'));
  await storeSteps(files);
  await storeSteps(sqlite);
  for (const [name, work] of [
    [`the newest of ${STEPS} checkpoints read ${READS} times`, readNewest],
    [`${STEPS} checkpoints listed`, listSteps],
  ] as const) {
    const side = { name: `LangGraph: ${name}`, work: () => work(files) };
    yield* bothGoals(await compare(side, { name: BASELINE, work: () => work(sqlite) }, ROUNDS));
  }
}

/** A line for the time, and one for the processor time. */
function* bothGoals(figure: Figure): Generator<Figure> {
  for (const goal of GOALS) yield { ...figure, goal };
}

/** As LangGraph calls a saver: the writes of a step's task and the next checkpoint side by side. */
async function storeSteps(saver: BaseCheckpointSaver): Promise<void> {
  const messages: object[] = [];
  const brief = 'b'.repeat(20_000);
  let config: Config = THREAD;
  for (let step = 0; step < STEPS; step += 1) {
    const usage = { input: step, output: 9 };
    messages.push({ role: 'assistant', id: `message-${step}`, content: 'x'.repeat(500), usage });
    const versions = { messages: step + 1, step: step + 1 };
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(step),
      channel_values: { messages: [...messages], step, brief },
      channel_versions: { ...versions, brief: 1 },
      versions_seen: { agent: { messages: step } },
    };
    const writes: PendingWrite[] = [
      ['messages', messages.slice(-1)],
      ['step', step],
    ];
    const [next] = await Promise.all([
      saver.put(config, checkpoint, { source: 'loop', step, parents: {} }, versions),
      step === 0 ? undefined : saver.putWrites(config, writes, uuid6(step), '~__pregel_pull, agent'),
    ]);
    config = next;
  }
}

async function readNewest(saver: BaseCheckpointSaver): Promise<void> {
  for (let n = 0; n < READS; n += 1) await saver.getTuple(THREAD);
}

async function listSteps(saver: BaseCheckpointSaver): Promise<void> {
  let steps = 0;
  for await (const _ of saver.list(THREAD)) steps += 1;
  if (steps !== STEPS) throw new Error(`${steps} checkpoints were listed`);
}

interface Row {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  readonly type: string;
  readonly checkpoint: Uint8Array;
  readonly metadata: Uint8Array;
  readonly pending_writes: string;
}

/**
 * Tables and statements like those of `SqliteSaver` (langchain-ai/langgraphjs, libs/checkpoint-sqlite), whose native
 * dependency is not installed here.
 */
class SqliteSaver extends BaseCheckpointSaver implements Disposable {
  readonly #database: DatabaseSync;
  readonly #selectNewest: StatementSync;

  /** @param synchronous `FULL`: each transaction is flushed, as each file is. `NORMAL`, which `better-sqlite3` has: none is */
  constructor(folder: string, synchronous: 'FULL' | 'NORMAL' = 'FULL') {
    super();
    mkdirSync(folder, { recursive: true });
    this.#database = new DatabaseSync(join(folder, 'checkpoints.db'));
    const key = `thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL`;
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};
      CREATE TABLE checkpoints (${key}, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
      CREATE TABLE writes (${key}, task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT,
        value BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));`);
    this.#selectNewest = this.#select('LIMIT 1');
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  override async put(config: Config, checkpoint: Checkpoint, metadata: CheckpointMetadata): Promise<Config> {
    const { thread_id, checkpoint_ns, checkpoint_id = null } = config.configurable as Record<string, string>;
    const values = [this.serde.dumpsTyped(checkpoint), this.serde.dumpsTyped(metadata)] as const;
    const [[type, bytes], [, metadataBytes]] = await Promise.all(values);
    this.#database
      .prepare('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(thread_id!, checkpoint_ns!, checkpoint.id, checkpoint_id, type, bytes, metadataBytes);
    return { configurable: { thread_id, checkpoint_ns, checkpoint_id: checkpoint.id } };
  }

  override async putWrites(config: Config, writes: PendingWrite[], task: string): Promise<void> {
    const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable as Record<string, string>;
    const statement = this.#database.prepare('INSERT OR IGNORE INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    const values = await Promise.all(writes.map(([, value]) => this.serde.dumpsTyped(value)));
    this.#database.exec('BEGIN');
    for (const [n, [channel]] of writes.entries()) {
      const index = WRITES_IDX_MAP[channel] ?? n;
      statement.run(thread_id!, checkpoint_ns!, checkpoint_id!, task, index, channel, ...values[n]!);
    }
    this.#database.exec('COMMIT');
  }

  override async getTuple(config: Config): Promise<CheckpointTuple | undefined> {
    const row = this.#selectNewest.get(...this.#place(config)) as Row | undefined;
    return row && this.#tupleOf(row);
  }

  override async *list(config: Config): AsyncGenerator<CheckpointTuple> {
    const rows = this.#select('').all(...this.#place(config)) as unknown as Row[];
    for (const row of rows) yield await this.#tupleOf(row);
  }

  override deleteThread(): Promise<void> {
    throw new Error('not measured');
  }

  #place(config: Config): [string, string] {
    const { thread_id, checkpoint_ns } = config.configurable as Record<string, string>;
    return [thread_id!, checkpoint_ns!];
  }

  #select(limit: string) {
    const columns = `'task_id', w.task_id, 'channel', w.channel, 'type', w.type, 'value', CAST(w.value AS TEXT)`;
    return this.#database.prepare(`SELECT *, (
        SELECT json_group_array(json_object(${columns})) FROM writes AS w WHERE w.thread_id = checkpoints.thread_id
          AND w.checkpoint_ns = checkpoints.checkpoint_ns AND w.checkpoint_id = checkpoints.checkpoint_id
      ) AS pending_writes
      FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? ORDER BY checkpoint_id DESC ${limit}`);
  }

  async #tupleOf(row: Row): Promise<CheckpointTuple> {
    const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id: parent } = row;
    const writes = JSON.parse(row.pending_writes) as {
      task_id: string;
      channel: string;
      type: string;
      value: string;
    }[];
    return {
      config: { configurable: { thread_id, checkpoint_ns, checkpoint_id } },
      checkpoint: (await this.serde.loadsTyped(row.type, row.checkpoint)) as Checkpoint,
      metadata: (await this.serde.loadsTyped(row.type, row.metadata)) as CheckpointMetadata,
      parentConfig: parent === null ? undefined : { configurable: { thread_id, checkpoint_ns, checkpoint_id: parent } },
      pendingWrites: await Promise.all(
        writes.map(async ({ task_id, channel, type, value }): Promise<[string, string, unknown]> => {
          return [task_id, channel, await this.serde.loadsTyped(type, value)];
        }),
      ),
    };
  }
}
