import type { Pipeline } from '../pipeline/pipeline.ts';
import { figuresOf, sumOf } from '../run/figures.ts';
import { LogState, type Attempt } from '../run/state.ts';
import type { UnitStatus } from '../run/status.ts';
import { describeUnits, runStatusOf, type UnitState } from '../run/unit-state.ts';
import { truncateBytes } from '../untrusted/escape.ts';
import type { EndedEntry, Entry } from '../run/entry.ts';
import type { HistoryEntry } from './history-entry.ts';

const MAX_TEXT = 200;
const FAILURES: ReadonlySet<UnitStatus> = new Set<UnitStatus>(['failed', 'partial', 'lost']);

/**
 * The history entries that a call adds: that of the newest run, and before it those of runs that somebody closed since.
 * @param last the newest run of the history
 * @param now ISO 8601 with milliseconds
 */
export function createHistoryEntries(
  pipeline: Pipeline,
  subject: string,
  log: readonly Entry[],
  { last, now }: { readonly last: HistoryEntry | undefined; readonly now: string },
): HistoryEntry[] {
  const isOwn = (entry: Entry) => entry.pipeline === pipeline.id && entry.subject === subject;
  const newest = log.findLast(isOwn)?.run;
  const isNews = ({ run }: Entry) => run > (last?.run ?? 0) || (run === last?.run && last?.status !== 'closed');
  const isClose = (entry: Entry) => entry.kind === 'decided' && entry.decision === 'close' && isOwn(entry);
  const closed = new Set(log.filter((entry) => isClose(entry) && isNews(entry)).map(({ run }) => run));
  const earlier = [...closed].filter((run) => run !== newest);
  const ends = earlier.map((run) => log.findLastIndex((entry) => isOwn(entry) && entry.run === run));
  const createFrom = (entries: readonly Entry[], at: string) =>
    createHistoryEntry(pipeline, new LogState(pipeline, subject, entries), at) ?? [];
  return [...ends.flatMap((end) => createFrom(log.slice(0, end + 1), log[end]!.at)), createFrom(log, now)].flat();
}

/**
 * The history entry of the newest run at the end of a call; undefined: no gate has worked in it.
 * @param now ISO 8601 with milliseconds
 */
export function createHistoryEntry(pipeline: Pipeline, state: LogState, now: string): HistoryEntry | undefined {
  const run = state.current;
  // A call ends its own agents, so an open attempt is one between `begin` and `complete`.
  const units = [...describeUnits(pipeline, state, run, () => true).values()];
  const status = runStatusOf(run, units);
  if (run === undefined || status === 'initializing') return undefined;
  const { ms, costUsd, tokens, savedMs, savedUsd } = figuresOf(state, units);
  const attempts = [...run.attempts.values()].flat();
  const task = attempts.findLast(({ started }) => started?.task)?.started?.task ?? pipeline.task;
  const failed = units.find(({ done, status: word }) => !done && FAILURES.has(word));
  const verdicts = verdictsOf([...state.agentEnds.values()]);
  return {
    v: 1,
    pipeline: pipeline.id,
    subject: state.subject,
    run: run.run,
    status,
    started: run.started ?? now,
    ended: now,
    ms,
    costUsd,
    tokens,
    savedMs: savedMs || undefined,
    savedUsd,
    iteration: attempts.reduce((most, { started, ended }) => Math.max(most, (ended ?? started)?.iteration ?? 1), 1),
    task: task === undefined ? undefined : cut(task),
    plugins: namesIn(attempts, 'plugins'),
    mcps: namesIn(attempts, 'mcps'),
    failure: failed && {
      unit: failed.unit.key,
      kind: failed.ended?.verdict.kind ?? failed.status,
      message: cut(failed.reason),
    },
    units: units.map((unit) => unitEntry(unit, verdicts)),
  };
}

function unitEntry(
  { unit, status, attempts, ended }: UnitState,
  verdicts: ReturnType<typeof verdictsOf>,
): HistoryEntry['units'][number] {
  const ends = attempts.flatMap((attempt) => attempt.ended ?? []).filter(({ how }) => how === 'ran');
  const isJudged = ended && ended.verdict.status !== 'not-applicable' && ended.output !== undefined;
  return {
    unit: unit.key,
    status,
    how: ended?.how,
    score: isJudged && unit.gate.contract.score !== undefined ? ended.verdict.score : undefined,
    attempts: ends.length,
    ms: sumOf(ends.map(({ ms }) => ms)),
    costUsd: sumOf(ends.map(({ metrics }) => metrics?.costUsd)),
    flaky: ends.some((end) => (verdicts.get(judgementKey(end))?.size ?? 0) > 1) || undefined,
  };
}

/** The statuses of the verdicts on each request of a unit by each contract. Without an output nothing was judged. */
function verdictsOf(ends: readonly EndedEntry[]): ReadonlyMap<string, ReadonlySet<string>> {
  const verdicts = new Map<string, Set<string>>();
  for (const end of ends) {
    const key = judgementKey(end);
    const statuses = verdicts.get(key) ?? new Set();
    if (end.output !== undefined) statuses.add(end.verdict.status);
    verdicts.set(key, statuses);
  }
  return verdicts;
}

function judgementKey({ unit, fingerprint, contract }: EndedEntry): string {
  return `${unit} ${fingerprint} ${contract}`;
}

const MAX_NAMES = 50;

function namesIn(attempts: readonly Attempt[], key: 'plugins' | 'mcps'): string[] | undefined {
  const names = new Set(attempts.flatMap(({ ended }) => ended?.metrics?.[key] ?? []));
  return names.size === 0 ? undefined : [...names].slice(0, MAX_NAMES);
}

function cut(text: string): string {
  const short = truncateBytes(text, MAX_TEXT);
  return short.length < text.length ? `${short}…` : short;
}
