import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyCheckpoint, uuid6, type BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { createFileCheckpointer } from '../src/langgraph/index.ts';
import { compare, type Figure, type Work } from './measure.ts';

/** Super-steps of a thread. The list of messages grows with each, by about 600 bytes. */
const STEPS = 100;
const ROUNDS = 15;
const CONFIG = { configurable: { thread_id: 'thread', checkpoint_ns: '' } };

/** The official SQLite saver; installed for this benchmark only, since its native part has 27 MB. */
const SQLITE = {
  private: true,
  dependencies: {
    '@langchain/langgraph-checkpoint-sqlite': '1.0.4',
    '@langchain/langgraph-checkpoint': '1.2.2',
    '@langchain/core': '1.4.0',
  },
  overrides: { 'better-sqlite3': '13.2.0' },
};

interface Database {
  pragma(text: string): unknown;
  close(): void;
}

/** A saver on a folder, and how it is closed. */
type Open = (folder: string) => { readonly saver: BaseCheckpointSaver; readonly close: () => void };

/**
 * Gateline's checkpointer beside LangGraph's official one for SQLite, on the same work. SQLite flushes each transaction
 * (`synchronous=FULL`), as Gateline does: by default, its newest checkpoints do not survive a power cut.
 */
export async function langgraph(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-bench-'));
  try {
    const sqlite = installSqlite(join(folder, 'sqlite'));
    const gateline: Open = (path) => ({ saver: createFileCheckpointer(path), close: () => undefined });
    return await figures(folder, gateline, sqlite);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function installSqlite(folder: string): Open {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(SQLITE));
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  const require = createRequire(join(folder, 'package.json'));
  const open = require('better-sqlite3') as new (path: string) => Database;
  const { SqliteSaver } = require('@langchain/langgraph-checkpoint-sqlite') as {
    SqliteSaver: new (database: Database) => BaseCheckpointSaver & { setup(): void };
  };
  return (path) => {
    mkdirSync(path, { recursive: true });
    const database = new open(join(path, 'checkpoints.db'));
    const saver = new SqliteSaver(database);
    saver.setup();
    database.pragma('synchronous = FULL');
    return { saver, close: () => database.close() };
  };
}

async function figures(folder: string, gateline: Open, sqlite: Open): Promise<Figure[]> {
  const [own, other] = [join(folder, 'own'), join(folder, 'other')];
  const warm = [gateline(own).saver, sqlite(other).saver] as const;
  for (const saver of warm) await superSteps(saver);
  let round = 0;
  const fresh = (open: Open) => (): Promise<void> => using(open, join(folder, `puts-${(round += 1)}`), superSteps);
  const pair = (name: string, times: number, work: (saver: BaseCheckpointSaver) => Promise<unknown>) => [
    () =>
      row(
        `${name}, by a new saver`,
        repeat(times, () => using(gateline, own, work)),
        repeat(times, () => using(sqlite, other, work)),
      ),
    () =>
      row(
        name,
        repeat(times, () => work(warm[0])),
        repeat(times, () => work(warm[1])),
      ),
  ];
  const found: Figure[] = [];
  found.push(await row(`LangGraph: ${STEPS} super-steps stored`, fresh(gateline), fresh(sqlite)));
  for (const figure of pair('LangGraph: the newest checkpoint read 20 times', 20, (saver) => saver.getTuple(CONFIG)))
    found.push(await figure());
  for (const figure of pair(`LangGraph: ${STEPS} checkpoints listed`, 1, count)) found.push(await figure());
  return found;
}

function repeat(times: number, work: () => Promise<unknown>): Work {
  return async () => {
    for (let time = 0; time < times; time += 1) await work();
  };
}

function row(name: string, work: Work, baseline: Work): Promise<Figure> {
  return compare(name, work, { name: 'SqliteSaver', work: baseline }, ROUNDS);
}

async function using(open: Open, path: string, work: (saver: BaseCheckpointSaver) => Promise<unknown>): Promise<void> {
  const { saver, close } = open(path);
  await work(saver);
  close();
}

/** As LangGraph calls a saver: the writes of a step's task and the next checkpoint side by side. */
async function superSteps(saver: BaseCheckpointSaver): Promise<void> {
  const messages: object[] = [];
  const brief = 'b'.repeat(20_000);
  let config: Parameters<BaseCheckpointSaver['put']>[0] = CONFIG;
  for (let step = 0; step < STEPS; step += 1) {
    messages.push({
      role: 'assistant',
      id: `message-${step}`,
      content: 'x'.repeat(500),
      usage: { input: step, output: 9 },
    });
    const versions = { messages: step + 1, step: step + 1 };
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(step),
      channel_values: { messages: [...messages], step, brief },
      channel_versions: { ...versions, brief: 1 },
      versions_seen: { agent: { messages: step } },
    };
    const metadata = { source: 'loop', step, parents: {} } as const;
    const [next] = await Promise.all([
      saver.put(config, checkpoint, metadata, step === 0 ? { ...versions, brief: 1 } : versions),
      step === 0
        ? undefined
        : saver.putWrites(
            config,
            [
              ['messages', messages.slice(-1)],
              ['step', step],
            ],
            uuid6(step),
            '~__pregel_pull, agent',
          ),
    ]);
    config = next;
  }
}

async function count(saver: BaseCheckpointSaver): Promise<void> {
  let found = 0;
  for await (const _ of saver.list(CONFIG)) found += 1;
  if (found !== STEPS) throw new Error(`${found} checkpoints were listed`);
}
