import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isSystemError } from '../../../errors/gateline-error.ts';
import { readFailure } from '../../../errors/store-errors.ts';
import {
  parseHistoryEntry,
  runKeyOf,
  type GatesEntry,
  type HistoryEntry,
  type RunHistory,
} from '../../../history/entry.ts';
import { entryLine, gatesLine } from '../../../history/entry-line.ts';
import { openRunSchema, type HistoryLog, type OpenRun } from '../../../history/log.ts';
import { readEntries, readGates, type Lines } from '../../../history/read.ts';
import { digestOf, hexOf } from '../../../json/digest.ts';
import { subjectSlug } from '../../../run/records/subject.ts';
import { atomicWrite } from '../atomic-write.ts';
import { takeShortLock } from '../lock/short-lock.ts';
import { keepAside } from '../quarantine.ts';
import { readWholeNow } from '../read-file.ts';
import { StateFolder, type StateFolderOptions } from '../state-folder.ts';
import { appendLine, lastLines, linesFromEnd } from './line-file.ts';

/** Name of the file with one line for each run. */
export const HISTORY_FILE = 'history.jsonl';

/** Bytes at the end of the file in which the entry of a killed call is looked for. */
const RECENT = 64 * 1_024;

/** Most bytes of a file about an open run. */
const MAX_OPEN = 16 * 1_024;

/** Why a copy of a file is in quarantine. */
const NO_ENTRIES = { code: 'CORRUPT', message: 'lines that are not entries of this version' } as const;

const MONTH_FILE = /^[0-9]{4}-[0-9]{2}\.jsonl$/;

/** Where the history of a workspace is. */
export interface HistoryPlace extends Pick<StateFolderOptions, 'root' | 'workspace' | 'onDurable'> {
  readonly definition?: string;
}

/**
 * The history of a workspace, below `.state/`: `history.jsonl` with one line for each run, `history/2026-11.jsonl` with
 * the gates of runs that began in that month, and `history/open/` with what calls work on. One history for all
 * pipelines.
 */
export class HistoryFiles implements HistoryLog {
  readonly definition: string | undefined;
  readonly #place: HistoryPlace;
  #folder: Promise<StateFolder> | undefined;

  constructor(place: HistoryPlace) {
    this.#place = place;
    this.definition = place.definition;
  }

  async begin(run: OpenRun): Promise<void> {
    await this.#writing(async (state) => {
      const folder = this.#openFolder();
      await state.folder(folder);
      // Not flushed: after a power cut, `rebuild` finds what is missing.
      writeFileSync(join(folder, openName(run)), `${JSON.stringify(openRunSchema.parse(run))}\n`, { mode: 0o600 });
    });
  }

  async open(): Promise<OpenRun[]> {
    const folder = this.#openFolder();
    return namesIn(folder).flatMap((name) => {
      const file = readWholeNow(join(folder, name), MAX_OPEN);
      const read = file.state === 'read' ? openRunSchema.safeParse(parsedJson(file.bytes.toString())) : undefined;
      return read?.success && openName(read.data) === name ? [read.data] : [];
    });
  }

  async end(run: OpenRun, history: RunHistory | undefined): Promise<void> {
    if (history === undefined) return this.#forget(run);
    const { root, onDurable } = this.#place;
    await this.#changing(async (state) => {
      if (this.#isKnown(history.entry)) return;
      const months = join(root, 'history');
      await state.folder(months);
      const month = join(months, `${history.gates.started.slice(0, 7)}.jsonl`);
      // The run's own line comes last: where it is, everything is.
      await appendLine(month, gatesLine(history.gates));
      onDurable?.(`history ${state.show(month)}`);
      const path = join(root, HISTORY_FILE);
      await appendLine(path, entryLine(history.entry));
      onDurable?.(`history ${state.show(path)}`);
    });
    this.#forget(run);
  }

  /** The lines of runs, the newest first. */
  *entries(): Generator<readonly string[]> {
    for (const lines of linesFromEnd(join(this.#place.root, HISTORY_FILE))) yield lines.toReversed();
  }

  /** The lines of gates, the newest first. @param isWanted by the month, such as `2026-11` */
  *gates(isWanted: (month: string) => boolean = () => true): Generator<readonly string[]> {
    const folder = join(this.#place.root, 'history');
    const months = namesIn(folder).filter((name) => MONTH_FILE.test(name) && isWanted(name.slice(0, 7)));
    for (const name of months.toSorted().toReversed())
      for (const lines of linesFromEnd(join(folder, name))) yield lines.toReversed();
  }

  all(): Promise<HistoryEntry[]> {
    return Promise.resolve([...readEntries(this.entries(), { lines: 0 })]);
  }

  /** The files with lines that are no entries of this version, without a last line that a kill left unfinished. */
  damaged(): { readonly path: string; readonly lines: number }[] {
    const { root } = this.#place;
    const months = namesIn(join(root, 'history')).filter((name) => MONTH_FILE.test(name));
    const found = [
      { path: join(root, HISTORY_FILE), lines: unreadableIn(readEntries, this.entries()) },
      ...months.map((name) => {
        const lines = this.gates((month) => name === `${month}.jsonl`);
        return { path: join(root, 'history', name), lines: unreadableIn(readGates, lines) };
      }),
    ];
    return found
      .map(({ path, lines }) => ({ path, lines: lines - (lastLines(path, 1).at(-1) ? 1 : 0) }))
      .filter(({ lines }) => lines > 0);
  }

  async rewrite(recomputed: readonly RunHistory[]): Promise<number> {
    const keys = new Set(recomputed.map(({ entry }) => runKeyOf(entry)));
    return this.#changing(async (state) => {
      const others = (await this.all()).filter((entry) => !keys.has(runKeyOf(entry)));
      await state.folder(join(this.#place.root, 'history'));
      const damaged = this.damaged().map(({ path }) => path);
      for (const path of damaged) await keepAside(state, path, tagOf(path), NO_ENTRIES);
      const months = Map.groupBy(recomputed, ({ gates }) => gates.started.slice(0, 7));
      for (const path of damaged) {
        const month = basename(path, '.jsonl');
        if (basename(path) !== HISTORY_FILE && !months.has(month)) months.set(month, []);
      }
      for (const [month, runs] of months) {
        const kept = [
          ...readGates(
            this.gates((one) => one === month),
            { lines: 0 },
          ),
        ];
        const all = [...kept.filter((one) => !keys.has(runKeyOf(one))), ...runs.map(({ gates }) => gates)];
        await this.#replace(state, join('history', `${month}.jsonl`), all.toSorted(byStart).map(gatesLine));
      }
      const entries = [...others, ...recomputed.map(({ entry }) => entry)];
      await this.#replace(state, HISTORY_FILE, entries.toSorted(byEnd).map(entryLine));
      return others.length;
    });
  }

  async forget(isOld: (entry: HistoryEntry) => boolean): Promise<number> {
    return this.#changing(async (state) => {
      const all = await this.all();
      const old = all.filter(isOld);
      // Lines that cannot be read would be lost.
      if (old.length === 0 || this.damaged().length > 0) return 0;
      await this.#remove(state, all, new Set(old.map(runKeyOf)));
      return old.length;
    });
  }

  async #remove(state: StateFolder, all: readonly HistoryEntry[], keys: ReadonlySet<string>): Promise<void> {
    // The runs' own lines go first: without them, nobody asks for those of gates.
    const kept = all.filter((entry) => !keys.has(runKeyOf(entry)));
    await this.#replace(state, HISTORY_FILE, kept.toReversed().map(entryLine));
    for (const name of namesIn(join(state.root, 'history')).filter((one) => MONTH_FILE.test(one))) {
      const lines = this.gates((month) => name === `${month}.jsonl`);
      const gates = [...readGates(lines, { lines: 0 })];
      const left = gates.filter((one) => !keys.has(runKeyOf(one)));
      if (left.length === gates.length) continue;
      if (left.length > 0) await this.#replace(state, join('history', name), left.toReversed().map(gatesLine));
      else rmSync(join(state.root, 'history', name), { force: true });
    }
  }

  async #replace({ root, temporaryFolder, onDurable }: StateFolder, name: string, lines: string[]): Promise<void> {
    const text = lines.length === 0 ? '' : `${lines.join('\n')}\n`;
    await atomicWrite(join(root, name), text, { temporaryFolder, onDurable });
  }

  /** Whether the same was written right before: by a call that was killed before it could say so. */
  #isKnown(entry: HistoryEntry): boolean {
    return lastLines(join(this.#place.root, HISTORY_FILE), RECENT).some((line) => {
      if (!line.startsWith('{')) return false;
      const read = parseHistoryEntry(parsedJson(line));
      if (read.state !== 'present' || runKeyOf(read.value) !== runKeyOf(entry)) return false;
      const { attempt, status, ended } = read.value;
      return attempt === entry.attempt && status === entry.status && ended === entry.ended;
    });
  }

  #forget(run: OpenRun): void {
    rmSync(join(this.#openFolder(), openName(run)), { force: true });
  }

  #openFolder(): string {
    return join(this.#place.root, 'history', 'open');
  }

  async #writing<T>(write: (state: StateFolder) => Promise<T>): Promise<T> {
    const state = await (this.#folder ??= StateFolder.open(this.#place));
    return state.writing(join(state.root, HISTORY_FILE), () => write(state));
  }

  /** As {@link #writing}, while no other command changes the history: people decide without the engine's lock. */
  async #changing<T>(write: (state: StateFolder) => Promise<T>): Promise<T> {
    const { root } = await (this.#folder ??= StateFolder.open(this.#place));
    await using _lock = await takeShortLock(root, 'history');
    return await this.#writing(write);
  }
}

function unreadableIn(read: typeof readEntries | typeof readGates, lines: Lines): number {
  const unreadable = { lines: 0 };
  for (const _entry of read(lines, unreadable));
  return unreadable.lines;
}

function tagOf(path: string): string {
  return hexOf(digestOf(readFileSync(path)));
}

function byStart(a: GatesEntry, b: GatesEntry): number {
  return a.started < b.started ? -1 : 1;
}

function byEnd(a: HistoryEntry, b: HistoryEntry): number {
  return a.ended < b.ended ? -1 : 1;
}

function openName({ pipeline, subject, run }: OpenRun): string {
  return `${pipeline}.${subjectSlug(subject, 16)}.${run}.json`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw readFailure(folder, error);
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
