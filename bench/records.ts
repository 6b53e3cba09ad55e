import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { queryHistory } from '../src/history/query.ts';
import type { Entry } from '../src/run/entry.ts';
import { LogState } from '../src/run/state.ts';
import { openLog } from '../src/store/files/log.ts';
import { openStateFolder } from '../src/store/files/state-folder.ts';
import { LogBuilder } from '../test/support/log-builder.ts';
import { createPipeline } from '../test/support/pipelines.ts';
import { DIST } from './bundles.ts';
import { commitAll, createFolder, start, writeFiles } from './folders.ts';
import { compare, type Figure, type Side } from './measure.ts';

const ROUNDS = 9;
const RUNS = 50;
const GATES = Array.from({ length: 100 }, (_, n) => ({ id: `gate-${n}`, needs: n < 10 ? [] : [`gate-${n - 10}`] }));
const LINES = 100_000;
const VALUE_BYTES = 100_000_000;

/** Long logs, long histories and large values, by the time and memory that parsing the same text takes. */
export async function* measureRecords(): AsyncGenerator<Figure> {
  using place = createFolder();
  yield* measureLog(place.path);
  yield await measureHistory(join(place.path, 'history.jsonl'));
  yield measureValue(join(place.path, 'value'), join(DIST, 'cli.js'));
}

async function* measureLog(place: string): AsyncGenerator<Figure> {
  const entries = Array.from({ length: RUNS }, (_, n) => entriesOf(n + 1)).flat();
  const path = join(place, '.state', 'log.jsonl');
  writeFiles(place, { '.state/log.jsonl': entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') });
  const pipeline = createPipeline(GATES);
  const fold = (all: readonly Entry[]): void => {
    if (new LogState(pipeline, 'pr-42', all).runs.length !== RUNS) throw new Error('entries are missing');
  };
  const folder = await openStateFolder(join(place, '.state'));
  const read = async (): Promise<void> => fold(await openLog(folder).read());
  const name = `${entries.length.toLocaleString('en')} log entries`;
  yield await compare({ name: `${name} folded`, work: () => fold(entries) }, parsing(path), ROUNDS, [
    'processorMs',
    150,
  ]);
  yield await compare({ name: `${name} read and folded`, work: read }, parsing(path), ROUNDS, ['processorMs', 150]);
}

/** A run of all gates: two entries each. */
function entriesOf(run: number): Entry[] {
  const builder = new LogBuilder();
  builder.run = run;
  return builder.play(GATES.map(({ id }) => `${id}+`).join(' ')).entries;
}

function measureHistory(path: string): Promise<Figure> {
  const figures = { status: 'passed', how: 'ran', score: 95, attempts: 1, ms: 12_500, costUsd: 0.012 };
  const units = ['plan', 'design', 'code', 'test', 'review', 'learn'].map((unit) => ({ unit, ...figures }));
  const run = { v: 1, pipeline: 'web', status: 'completed', ms: 75_000, task: 'Add a wishlist to the shop', units };
  const lines = Array.from({ length: LINES }, (_, n) => {
    const started = new Date(1_700_000_000_000 + n * 60_000).toISOString();
    return `${JSON.stringify({ ...run, subject: `pr-${n % 500}`, run: n, started, ended: started })}\n`;
  });
  writeFiles(join(path, '..'), { 'history.jsonl': lines.join('') });
  const filter = { contains: 'wishlist', subject: 'pr-7', gate: 'code' };
  const query = (): void => {
    const { entries } = queryHistory(readFileSync(path, 'utf8'), filter);
    if (entries.length !== LINES / 500) throw new Error('lines are missing');
  };
  const name = `${LINES.toLocaleString('en')} history lines queried`;
  return compare({ name, work: query }, parsing(path), 5, ['processorMs', 1_000]);
}

/** What any program must do with such a file. */
function parsing(path: string): Side {
  const parse = (line: string): unknown => (line === '' ? undefined : JSON.parse(line));
  return { name: 'JSON.parse', work: () => readFileSync(path, 'utf8').split('\n').map(parse) };
}

const PRINT_MEMORY = `data:text/javascript,process.on('exit',()=>console.log(process.resourceUsage().maxRSS))`;

/** The memory of a call whose agent writes a value of 100 MB. */
function measureValue(folder: string, cli: string): Figure {
  const item = `{"id": 1, "text": "${'x'.repeat(400)}"}`;
  const bytes = VALUE_BYTES - (VALUE_BYTES % (item.length + 2));
  const write = `printf '{"items": ['; yes '${item},' | head -c ${bytes}; echo '${item}]}'`;
  const large = { run: `(${write}) > "$GATELINE_OUTPUT"`, shell: 'sh', inputs: [] };
  writeFiles(folder, { 'gateline.yml': { gates: { large } } });
  commitAll(folder);
  const memoryOf = (...args: string[]): number => {
    const lines = start(folder, process.execPath, '--import', PRINT_MEMORY, ...args)
      .trim()
      .split('\n');
    return Number(lines.at(-1)) / 1_000;
  };
  const value = memoryOf(cli, 'run', '--quiet');
  const output = start(folder, 'find', '.state/content', '-size', '+90M').trim();
  const baselineValue = memoryOf('-e', `JSON.parse(require('fs').readFileSync('${output}', 'utf8'))`);
  const names = { name: 'memory of a run with a value of 100 MB', baseline: 'JSON.parse' };
  return { ...names, value, baselineValue, unit: 'MB', ratio: value / baselineValue, goal: ['value', 1_073] };
}
