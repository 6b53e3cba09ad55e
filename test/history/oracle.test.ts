import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dailySummaries } from '../../src/history/statistics/daily.ts';
import {
  parseGatesEntry,
  parseHistoryEntry,
  type GateOutcome,
  type GatesEntry,
  type HistoryEntry,
} from '../../src/history/entry.ts';
import { entryLine, gatesLine } from '../../src/history/entry-line.ts';
import { gatesOf, queryGates, queryRuns, runsOf, type HistoryFilter } from '../../src/history/query.ts';
import { soundEntry, soundGates } from '../../src/history/sound.ts';
import { gateStatistics, runStatistics } from '../../src/history/statistics/statistics.ts';
import { HistoryFiles } from '../../src/store/filesystem/history/history-files.ts';
import { COMMAND_LINE, plainEnvironment } from '../support/command-line.ts';
import { drawn, numbersFrom, SEED } from '../support/samples.ts';

const RUNS = 2_000;
const GATES = ['data', 'design', 'dom', 'pom', 'execute', 'learn'];
const STATUSES = ['completed', 'completed', 'completed', 'error', 'paused', 'rollback'] as const;

let root: string;
let database: DatabaseSync;
const random = numbersFrom(SEED);
const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

function runOf(number: number): { entry: HistoryEntry; gates: GatesEntry } {
  const started = new Date(Date.UTC(2026, 0, 1) + Math.floor((number + random()) * 250_000)).toISOString();
  const identity = {
    pipeline: one(['build', 'deliver', 'web_tests']),
    subject: `pr-${number % 500}`,
    run: 1 + Math.floor(number / 500),
    attempt: 1,
    started,
  };
  const status = one(STATUSES);
  const gates = GATES.map((gate): GateOutcome => {
    const reused = random() < 0.2;
    const passed = random() < 0.9;
    return {
      gate,
      leg: gate === 'execute' ? one(['chrome', 'firefox']) : '',
      status: passed ? 'passed' : one(['failed', 'partial']),
      ...(!passed && { kind: one(['schema', 'cancelled', 'check']) }),
      attempts: reused ? 0 : 1,
      ...(reused ? { reused: true } : { first: passed }),
      ms: Math.floor(random() * 100_000),
      tokens: Math.floor(random() * 1_000),
      fingerprint: Math.floor(random() * RUNS * 4)
        .toString(16)
        .padStart(12, '0'),
      contract: one(['00000000000a', '00000000000b']),
    };
  });
  return {
    entry: {
      format: 'gateline-history/2',
      ...identity,
      status,
      ended: started,
      ms: Math.floor(random() * 1_000_000),
      gates: 6,
      passed: 5,
      failed: 1,
      skipped: 0,
      reused: 0,
      tokens: Math.floor(random() * 10_000),
      task: `Implement feature ${number} 100%`,
      ...(random() < 0.5 && { set: 'second' }),
      ...(status === 'error' && { failure: { gate: 'dom', kind: 'schema', message: 'an Element is missing' } }),
    },
    gates: { format: 'gateline-history-gates/2', ...identity, gates, left: 0 },
  };
}

beforeAll(() => {
  root = join(mkdtempSync(join(tmpdir(), 'gateline-history-')), '.state');
  mkdirSync(join(root, 'history'), { recursive: true });
  writeFileSync(join(root, '../gateline.yml'), "gates: { a: { run: 'true' } }\n");
  database = new DatabaseSync(':memory:');
  database.exec(
    'create table runs (id integer primary key, pipeline, subject, run, started, status, ms, tokens, task, theset, message); create table gates (id integer primary key, pipeline, subject, run, started, gate, leg, status, kind, attempts, first, reused, ms, tokens, fingerprint, contract)',
  );
  const addRun = database.prepare('insert into runs values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const addGate = database.prepare('insert into gates values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  database.exec('begin');
  const lines: string[] = [];
  for (let number = 0; number < RUNS; number += 1) {
    const { entry, gates } = runOf(number);
    const { pipeline, subject, run, started, status, ms, tokens, task, set = null, failure } = entry;
    addRun.run(number, pipeline, subject, run, started, status, ms, tokens!, task!, set, failure?.message ?? null);
    for (const outcome of gates.gates) {
      const { gate, leg, status: is, kind = null, attempts, first, reused, fingerprint, contract } = outcome;
      const about = [pipeline, subject, run, started, gate, leg, is, kind, attempts];
      const flags = [first === undefined ? null : Number(first), Number(reused ?? false)];
      addGate.run(...about, ...flags, outcome.ms!, outcome.tokens!, fingerprint!, contract!);
    }
    // Some runs have an older entry, which a later one replaces.
    if (number % 50 === 0) lines.push(entryLine({ ...entry, attempt: 0, status: 'error', ms: 7 }));
    lines.push(entryLine(entry));
    const month = started.slice(0, 7);
    appendLater(month, gatesLine(gates));
  }
  database.exec('commit');
  writeFileSync(join(root, 'history.jsonl'), `${lines.join('\n')}\n`);
  flush();
}, 600_000);
afterAll(() => {
  database.close();
  rmSync(join(root, '..'), { recursive: true, force: true });
});

const waiting = new Map<string, string[]>();

function appendLater(month: string, line: string): void {
  const own = waiting.get(month) ?? [];
  waiting.set(month, own);
  if (own.push(line) >= 5_000) flush();
}

function flush(): void {
  for (const [month, own] of waiting) {
    if (own.length > 0) appendFileSync(join(root, 'history', `${month}.jsonl`), `${own.join('\n')}\n`);
    waiting.set(month, []);
  }
}

function files(): HistoryFiles {
  return new HistoryFiles({ root, workspace: root });
}

/** The rows of a question, as plain objects. */
function ask(question: string, ...values: (string | number)[]): Record<string, unknown>[] {
  return database
    .prepare(question)
    .all(...values)
    .map((row) => ({ ...row }));
}

const FILTERS: readonly (readonly [string, HistoryFilter, string])[] = [
  ['everything', {}, '1'],
  ['a pipeline', { pipeline: 'deliver' }, "pipeline = 'deliver'"],
  ['a subject', { subject: 'pr-7' }, "subject = 'pr-7'"],
  ['a set', { set: 'second' }, "theset = 'second'"],
  ['two statuses', { status: ['error', 'paused'] }, "status in ('error', 'paused')"],
  [
    'a time',
    { since: '2026-01-03T00:00:00.000Z', until: '2026-01-05T00:00:00.000Z' },
    "started >= '2026-01-03' and started < '2026-01-05'",
  ],
  ['a text', { contains: 'FEATURE 17' }, "task like '%feature 17%' or subject like '%feature 17%'"],
  ['a failure', { contains: 'an element', pipeline: 'build' }, "message like '%an element%' and pipeline = 'build'"],
];

describe(`a history of ${RUNS} runs gives the same answers as a database`, () => {
  it.each(FILTERS)('to a question for the runs of %s', (_, filter, where) => {
    const expected = ask(`select pipeline, subject, run, status, ms from runs where ${where} order by id desc`);
    const found = queryRuns(files(), filter);
    expect(found.unreadable).toBe(0);
    expect(
      found.entries.map(({ pipeline, subject, run, status, ms }) => ({ pipeline, subject, run, status, ms })),
    ).toEqual(expected);
    expect(queryRuns(files(), filter, 3).entries).toEqual(found.entries.slice(0, 3));
    const sums = ask(`select count(*) n, sum(tokens) tokens, sum(ms) ms from runs where ${where}`)[0]!;
    const { runs, spent } = runStatistics(runsOf(files(), filter, { lines: 0 }));
    expect({ n: runs, tokens: spent.tokens ?? null, ms: spent.ms ?? null }).toEqual(sums);
  });

  it('to a question for a gate', () => {
    const columns = ['subject', 'run', 'gate', 'leg', 'status', 'ms'] as const;
    const rows = queryGates(files(), 'execute/chrome', { status: ['failed'], since: '2026-01-02T00:00:00.000Z' });
    const found = rows.entries.map((row) => columns.map((name) => row[name]).join(' '));
    const asked = ask(
      `select ${columns.join(', ')} from gates where gate = 'execute' and leg = 'chrome' and status = 'failed' and started >= '2026-01-02'`,
    );
    expect(found.toSorted()).toEqual(asked.map((row) => Object.values(row).join(' ')).toSorted());
    const joined = queryGates(files(), 'dom', { contains: 'feature 17' }).entries.length;
    expect(joined).toBe(
      ask(
        "select count(*) n from gates join runs using (pipeline, subject, run) where gate = 'dom' and task like '%feature 17%'",
      )[0]!['n'],
    );
  });

  it('to a question for summaries of days in UTC', () => {
    const expected = ask(
      "select substr(started, 1, 10) date, count(*) totalWorkflows, sum(status = 'completed') completedWorkflows, sum(status = 'error') failedWorkflows, sum(ms) totalDuration, avg(ms) averageDuration, avg(status = 'completed') successRate from runs group by 1 order by 1 desc limit 90",
    );
    const found = dailySummaries(runsOf(files(), {}, { lines: 0 }));
    const plain = found.map(({ workflowBreakdown: _, mostUsedWorkflow: __, ...day }) => day);
    expect(
      plain.map((day) => ({
        ...day,
        averageDuration: expect.closeTo(day.averageDuration, 3) as number,
        successRate: expect.closeTo(day.successRate, 9) as number,
      })),
    ).toEqual(expected);
    for (const { date, workflowBreakdown, mostUsedWorkflow } of found.slice(0, 20)) {
      const by = ask(
        'select pipeline, count(*) n from runs where substr(started, 1, 10) = ? group by 1 order by 2 desc, 1',
        date,
      );
      expect(workflowBreakdown).toEqual(Object.fromEntries(by.map((row) => [row['pipeline'], row['n']])));
      expect(mostUsedWorkflow).toBe(by[0]!['pipeline']);
    }
  });

  it('to a question for statistics of gates', () => {
    const { gates, flaky } = gateStatistics(gatesOf(files(), { pipeline: 'build' }, { lines: 0 }));
    for (const { key, ran, passed, firstPassRate, reused, saved, durations } of gates) {
      const ours = `from gates where pipeline = 'build' and gate = '${key}'`;
      const [sums] = ask(
        `select sum(not reused) ran, sum(not reused and status = 'passed') passed, avg(case when not reused then first end) first, sum(reused) reused, sum(case when reused then ms end) saved ${ours}`,
      );
      expect({ ran, passed, first: firstPassRate, reused, saved: saved.ms }).toEqual(sums);
      // By nearest rank: the value with so many before it.
      const at = (percent: number): unknown =>
        ask(`select ms ${ours} and not reused order by ms limit 1 offset ?`, Math.ceil((percent / 100) * ran) - 1)[0]![
          'ms'
        ];
      expect([durations.p50, durations.p95]).toEqual([at(50), at(95)]);
    }
    const expected = ask(
      "select gate, leg, fingerprint, contract from gates where pipeline = 'build' and not reused and kind is not 'cancelled' group by 1, 2, 3, 4 having count(distinct status) > 1 order by 1, 2, 4, 3",
    );
    expect(expected.length).toBeGreaterThan(0);
    const places = flaky.map(({ gate, leg, fingerprint, contract }) => ({ gate, leg, fingerprint, contract }));
    expect(places).toHaveLength(expected.length);
    expect(places).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    ['runs', 500, ['history', '--status', 'error', '--contains', 'feature 1', '--json']],
    ['days', 500, ['stats', '--daily', '--json']],
    ['gates', 3_000, ['stats', '--json']],
    ['one gate', 3_000, ['history', '--gate', 'dom', '--csv']],
  ])(
    'in little time and memory: %s',
    (what, most, args) => {
      // Time of the processor: other tests run beside this one.
      const usage = `process.on('exit', () => {
        const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
        process._rawDebug('used', (userCPUTime + systemCPUTime) / 1000, maxRSS / 1024);
      })`;
      const env = plainEnvironment({ NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(usage)}"` });
      const used = (...asked: string[]) => {
        const where = { cwd: join(root, '..'), env, encoding: 'utf8', maxBuffer: 2 ** 30 } as const;
        const { status, stderr } = spawnSync(process.execPath, [COMMAND_LINE, ...asked], where);
        const [, time, size] = /^used (\S+) (\S+)$/m.exec(stderr) ?? [];
        return { status, stderr, time: Number(time), megabytes: Number(size) };
      };
      // Beside what the start of the program takes.
      const start = used('--version').time;
      const { status, stderr, time, megabytes } = used(...args);
      const ms = time - start;
      expect([status, megabytes < 200, ms < most], `${Math.round(ms)} ms, ${megabytes} MB\n${stderr}`).toEqual([
        0,
        true,
        true,
      ]);
    },
    120_000,
  );
});

describe('what is certainly an entry', () => {
  const entries = Array.from({ length: 20 }, (_, at) => runOf(at));

  it('is one for the schema, too, with the same defaults', () => {
    for (const { entry, gates } of entries) {
      expect(soundEntry(JSON.parse(entryLine(entry)))).toEqual(entry);
      expect(soundGates(JSON.parse(gatesLine(gates)))).toEqual(gates);
    }
    const wrong = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(-1, 1.5, 1e16, '', 'x'.repeat(301), [], {}, true, '2026-02-30T00:00:00.000Z'),
    );
    const keys = fc.constantFrom(...Object.keys(entries[0]!.entry), 'failure', 'runId', 'tools', 'more', '__proto__');
    fc.assert(
      fc.property(fc.constantFrom(...entries), keys, wrong, ({ entry, gates }, key, value) => {
        for (const changed of [entry, gates, gates.gates[0]!].map((whole) =>
          JSON.stringify({ ...whole, [key]: value }),
        )) {
          const [asEntry, asGates] = [parseHistoryEntry(JSON.parse(changed)), parseGatesEntry(JSON.parse(changed))];
          const [soundOne, soundOther] = [soundEntry(JSON.parse(changed)), soundGates(JSON.parse(changed))];
          if (soundOne !== undefined) expect(asEntry).toEqual({ state: 'present', value: soundOne });
          if (soundOther !== undefined) expect(asGates).toEqual({ state: 'present', value: soundOther });
        }
        const inside = JSON.stringify({ ...gates, gates: [{ ...gates.gates[0], [key]: value }] });
        const sound = soundGates(JSON.parse(inside));
        if (sound !== undefined)
          expect(parseGatesEntry(JSON.parse(inside))).toEqual({ state: 'present', value: sound });
      }),
      drawn(2_000),
    );
  });
});
