import { rm } from 'node:fs/promises';
import type { Digest } from '../../json/digest.ts';
import { compactEntries } from '../../run/entity/entity-log.ts';
import { attemptOf, type AttemptRef, type Content, type Entry, type StartedEntry } from '../../run/entry.ts';
import type { Checkpoint } from '../../run/checkpoint.ts';
import type { FileVersion } from '../../run/files.ts';
import { attemptKey } from '../../run/state.ts';
import type { Folder } from './folder.ts';
import { findKilledCommands } from './killed-commands.ts';

/** Which runs are kept, besides open ones and the newest completed one of each subject. */
export interface CleanRules {
  /** Runs with an entry of the last `days` days. Default: none. */
  readonly days?: number;
  /** The newest `runs` runs of each subject. Default: 1. */
  readonly runs?: number;
}

interface RunName {
  readonly pipeline: string;
  readonly subject: string;
  readonly run: number;
}

export interface CleanResult {
  readonly runs: readonly RunName[];
  /** Number of runs that are kept. */
  readonly kept: number;
  /** Commands that were killed, and whose files are removed. */
  readonly commands: readonly string[];
}

const DAY_MS = 86_400_000;

/**
 * Removes old runs of all pipelines of a folder, and everything that only they needed: checkpoints, contents, snapshots,
 * directories of attempts. The history is kept. The caller holds the lock.
 */
export async function cleanFolder(folder: Folder, rules: CleanRules, isDry: boolean): Promise<CleanResult> {
  if (!isDry && (await folder.entities.read()).length > 0) await folder.entities.rewrite(compactEntries);
  const entries = await folder.ports.log.read();
  const kept = keptRuns(entries, rules, folder.ports.clock.now());
  const all = runsOf(entries);
  const removed = [...all.values()]
    .filter((run) => !kept.has(nameOf(run)))
    .map(({ pipeline, subject, run }) => ({ pipeline, subject, run }));
  const killed = await findKilledCommands(folder);
  if (!isDry) for (const { path } of killed) await rm(path, { recursive: true, force: true });
  const commands = killed.map(({ command }) => command);
  const cleaned = { runs: removed, kept: all.size - removed.length, commands };
  if (isDry || removed.length === 0) return cleaned;

  const checkpoints = await folder.checkpoints.list();
  const keptEntries = entries.filter((entry) => kept.has(nameOf(entry)));
  const attempts = new Set(keptEntries.flatMap(attemptsIn).map((attempt) => attemptKey(attempt)));
  const keptCheckpoints = new Map([...checkpoints].filter(([, { attempt }]) => attempts.has(attemptKey(attempt))));
  await folder.checkpoints.removeAllBut(new Set(keptCheckpoints.keys()));
  await folder.contents.removeAllBut(contentsOf(keptEntries, keptCheckpoints));
  const gone = new Set(removed.map(nameOf));
  const isGone = (entry: Entry): boolean => gone.has(nameOf(entry));
  const started = entries.filter((entry) => entry.kind === 'started' && isGone(entry)) as StartedEntry[];
  await folder.git.drop(started.map((entry) => attemptKey(attemptOf(entry), entry.pipeline)));
  await folder.git.collectGarbage(versionsOf(keptEntries, keptCheckpoints));
  for (const entry of started)
    for (const path of folder.pathsOf(entry.pipeline, attemptOf(entry)))
      await rm(path, { recursive: true, force: true });

  const approved = new Set([...keptCheckpoints.values()].map(({ output }) => output?.digest));
  const isStillNeeded = (entry: Entry): boolean =>
    entry.kind === 'decided' && entry.decision === 'approve' && approved.has(entry.output);
  // The log last, so that after a kill the next call finds the rest.
  await folder.log.rewrite((lines) => lines.filter((entry) => !isGone(entry) || isStillNeeded(entry)));
  return cleaned;
}

interface RunSpan extends RunName {
  at: string;
  isOpen: boolean;
  isCompleted: boolean;
}

function nameOf({ pipeline, subject, run }: RunName): string {
  return JSON.stringify([pipeline, subject, run]);
}

/** All runs, in the order of their newest entries. */
function runsOf(entries: readonly Entry[]): Map<string, RunSpan> {
  const runs = new Map<string, RunSpan>();
  for (const entry of entries) {
    const name = nameOf(entry);
    const { pipeline, subject, run, at } = entry;
    const span = runs.get(name) ?? { pipeline, subject, run, at, isOpen: true, isCompleted: false };
    runs.delete(name);
    span.at = at;
    if (entry.kind === 'decided') {
      if (entry.decision === 'complete' || entry.decision === 'close') span.isOpen = false;
      if (entry.decision === 'complete') span.isCompleted = true;
      if (entry.decision === 'rollback') span.isOpen = true;
    }
    runs.set(name, span);
  }
  return runs;
}

function keptRuns(entries: readonly Entry[], { days, runs = 1 }: CleanRules, now: Date): Set<string> {
  const kept = new Set<string>();
  const newest = new Map<string, number>();
  const completed = new Set<string>();
  for (const span of [...runsOf(entries).values()].reverse()) {
    const subject = JSON.stringify([span.pipeline, span.subject]);
    const rank = newest.get(subject) ?? 0;
    newest.set(subject, rank + 1);
    const isRecent = days !== undefined && now.getTime() - Date.parse(span.at) < days * DAY_MS;
    const isNewestCompleted = span.isCompleted && !completed.has(subject);
    if (span.isCompleted) completed.add(subject);
    // `runs` is at least 1: the newest run has the number that the next one follows.
    if (span.isOpen || isRecent || rank < runs || isNewestCompleted) kept.add(nameOf(span));
  }
  return kept;
}

function attemptsIn(entry: Entry): AttemptRef[] {
  if (entry.kind === 'started') return [attemptOf(entry)];
  if (entry.kind === 'ended') return [attemptOf(entry), ...(entry.source ? [entry.source] : [])];
  if (entry.decision === 'keep') return [entry.attempt];
  return entry.decision === 'rework' ? entry.causes.map(({ attempt }) => attempt) : [];
}

function contentsOf(entries: readonly Entry[], checkpoints: ReadonlyMap<Digest, Checkpoint>): Set<Digest> {
  const digests = new Set<Digest>();
  const add = (...contents: readonly (Content | undefined)[]) =>
    contents.forEach((content) => content && digests.add(content.digest));
  for (const entry of entries) {
    if (entry.kind !== 'decided') digests.add(entry.fingerprint).add(entry.contract);
    if (entry.kind === 'ended')
      add(entry.output, entry.exports, entry.learnings, entry.logs?.stdout, entry.logs?.stderr);
    if (entry.kind === 'decided' && entry.decision === 'adopt') add(entry.output);
    if (entry.kind === 'decided' && entry.decision === 'rework') entry.causes.forEach(({ output }) => add(output));
  }
  for (const { fingerprint, contract, output, exports } of checkpoints.values()) {
    digests.add(fingerprint).add(contract);
    add(output, exports);
  }
  return digests;
}

function* versionsOf(entries: readonly Entry[], checkpoints: ReadonlyMap<Digest, Checkpoint>): Generator<FileVersion> {
  const files = [...checkpoints.values()].map((checkpoint) => checkpoint.files);
  for (const entry of entries) {
    if (entry.kind === 'ended') files.push(entry.files);
    const changes =
      entry.kind === 'ended' || (entry.kind === 'decided' && entry.decision === 'rollback') ? entry.changes : [];
    for (const { before, after } of changes) for (const version of [before, after]) if (version !== null) yield version;
  }
  for (const file of files.flatMap((record) => Object.values(record)))
    for (const version of [file.base, file.after, ...file.found]) if (version !== null) yield version;
}
