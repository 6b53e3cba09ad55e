import { copyFile, open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { GatelineError, messageOf } from '../../errors.ts';
import { entityEntrySchema, type EntityEntry } from '../../run/entity/entity-log.ts';
import { ENTRY_FORMAT, entrySchema, type Entry } from '../../run/entry.ts';
import { withShortLock } from './lock.ts';
import { readFileIfPresent, syncFolder, ignoring, withSystemErrors, type StateFolder } from './state-folder.ts';

/** The last bytes that were read must still be there: otherwise the file was rewritten. */
const SAMPLE_BYTES = 256;
const LINE_END = 10;
const NEWER_VERSION = 'NEWER_VERSION';

/** The log of a folder's runs: `.state/log.jsonl`. */
export function openLog(folder: StateFolder): FileLog<Entry> {
  return new FileLog(folder, 'log.jsonl', (value) => entrySchema.parse(value));
}

/** The log of a folder's entities, which outlive runs: `.state/entities.jsonl`. */
export function openEntityLog(folder: StateFolder): FileLog<EntityEntry> {
  return new FileLog(folder, 'entities.jsonl', (value) => entityEntrySchema.parse(value));
}

/**
 * An append-only file with one JSON object per line, each with the version of its format in `v`. Others may append at any
 * time. A killed writer may leave an incomplete last line: readers ignore it, the next writer removes it.
 */
export class FileLog<T extends object> {
  readonly #folder: StateFolder;
  readonly #path: string;
  readonly #parse: (value: unknown) => T;
  /** A text that changes with the file. Undefined: absent, or not read yet. */
  #stamp: string | undefined;
  /** What was read so far: the entries, the number of bytes, and the last bytes. */
  #entries: readonly T[] = [];
  #offset = 0;
  #sample = Buffer.alloc(0);
  /** Calls within one process wait for each other. */
  #queue: Promise<unknown> = Promise.resolve();

  /** @param parse throws if the value is no entry */
  constructor(folder: StateFolder, name: string, parse: (value: unknown) => T) {
    this.#folder = folder;
    this.#path = folder.pathOf(name);
    this.#parse = parse;
  }

  /** All entries. @throws GatelineError `platform` with file and line, if a line cannot be read */
  read(): Promise<readonly T[]> {
    return this.#inTurn(() => this.#load());
  }

  /**
   * Appends durably.
   * @returns all entries, with these and those that others appended meanwhile
   * @throws GatelineError `bug` for an entry that could not be read again, `busy`, or as {@link read}
   */
  append(...entries: readonly T[]): Promise<readonly T[]> {
    const lines = this.#linesOf(entries);
    return this.#appendLines(() => Promise.resolve(lines));
  }

  /** As {@link append}, with the entries that `decide` returns for all entries. Nobody else appends meanwhile. */
  update(decide: (entries: readonly T[]) => Promise<readonly T[]>): Promise<readonly T[]> {
    return this.#appendLines(async (entries) => this.#linesOf(await decide(entries)));
  }

  #linesOf(entries: readonly T[]): string[] {
    const lines = entries.map((entry) => JSON.stringify(entry));
    try {
      for (const line of lines) this.#parse(JSON.parse(line));
    } catch (cause) {
      throw new GatelineError('bug', `an entry of the log is not valid: ${messageOf(cause)}`, { cause });
    }
    return lines;
  }

  #appendLines(linesFor: (entries: readonly T[]) => Promise<readonly string[]>): Promise<readonly T[]> {
    return this.#locked(async () => {
      const lines = await linesFor(await this.#load());
      if (lines.length === 0) return this.#entries;
      await using file = await open(this.#path, 'a+');
      if ((await file.stat()).size > this.#offset) await file.truncate(this.#offset);
      this.#folder.announce('append', this.#path);
      await file.appendFile(lines.map((line) => `${line}\n`).join(''));
      await file.datasync();
      if (this.#offset === 0) await syncFolder(this.#folder.path);
      return await this.#load();
    });
  }

  /** Replaces all entries by those that `select` returns. Nobody else appends meanwhile. */
  rewrite(select: (entries: readonly T[]) => readonly T[]): Promise<readonly T[]> {
    return this.#locked(async () => {
      await this.#writeLines(select(await this.#load()).map((entry) => JSON.stringify(entry)));
      return this.#load();
    });
  }

  /**
   * Copies a log with unreadable lines to `log.jsonl.<time>.bad`, and writes the readable lines to a new log.
   * @returns the numbers of the unreadable lines, from 1; empty: nothing was done
   * @throws GatelineError `platform` for a line of a newer version
   */
  repair(): Promise<number[]> {
    return this.#locked(async () => {
      const lines = ((await readFileIfPresent(this.#path))?.toString() ?? '').split('\n').slice(0, -1);
      const bad = lines.flatMap((line, index) => {
        const entry = this.#parseLine(line, index + 1);
        if (!(entry instanceof GatelineError)) return [];
        if (entry.code === NEWER_VERSION) throw entry;
        return [index + 1];
      });
      if (bad.length === 0) return bad;
      await copyFile(this.#path, `${this.#path}.${new Date().toISOString().replaceAll(':', '-')}.bad`);
      await this.#writeLines(lines.filter((_, index) => !bad.includes(index + 1)));
      return bad;
    });
  }

  #writeLines(lines: readonly string[]): Promise<void> {
    return this.#folder.writeDurably(this.#path, [lines.map((line) => `${line}\n`).join('')]);
  }

  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#queue.then(() => withSystemErrors(this.#path, work));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  #locked<R>(work: () => Promise<R>): Promise<R> {
    return this.#inTurn(() => withShortLock(this.#folder, basename(this.#path).replace('jsonl', 'lock'), work));
  }

  /** Reads the complete lines that are new, or all lines if the file was rewritten. */
  async #load(): Promise<readonly T[]> {
    const status = await stat(this.#path, { bigint: true }).catch(ignoring('ENOENT'));
    const stamp = status && [status.ino, status.size, status.mtimeNs].join(' ');
    if (stamp === this.#stamp) return this.#entries;
    await using file = await open(this.#path, 'r').catch(ignoring('ENOENT'));
    const size = (await file?.stat())?.size ?? 0;
    const readFrom = async (position: number): Promise<Buffer> => {
      const buffer = Buffer.alloc(Math.max(0, size - position));
      await file?.read(buffer, { position });
      return buffer;
    };
    let bytes = await readFrom(this.#offset - this.#sample.length);
    if (!bytes.subarray(0, this.#sample.length).equals(this.#sample)) {
      this.#entries = [];
      this.#offset = 0;
      this.#sample = Buffer.alloc(0);
      bytes = await readFrom(0);
    }
    const added = bytes.subarray(this.#sample.length, bytes.lastIndexOf(LINE_END) + 1);
    const lines = added.toString().split('\n').slice(0, -1);
    const entries = lines.map((line, index) => this.#parseLine(line, this.#entries.length + index + 1));
    const error = entries.find((entry) => entry instanceof GatelineError);
    if (error) throw error;
    this.#stamp = stamp;
    this.#entries = [...this.#entries, ...(entries as T[])];
    this.#offset += added.length;
    this.#sample = Buffer.from(Buffer.concat([this.#sample, added]).subarray(-SAMPLE_BYTES));
    return this.#entries;
  }

  #parseLine(text: string, line: number): T | GatelineError {
    const place = { file: this.#path, line };
    try {
      const value = JSON.parse(text) as { readonly v?: unknown } | null;
      if (typeof value?.v === 'number' && value.v > ENTRY_FORMAT) {
        const message = `${this.#path}, line ${line}: written by a newer version of Gateline`;
        return new GatelineError('platform', message, { hint: 'Use that version.', place, code: NEWER_VERSION });
      }
      return this.#parse(value);
    } catch (cause) {
      const reason = cause instanceof z.ZodError ? z.prettifyError(cause).replace(/\s+/g, ' ') : messageOf(cause);
      const message = `${this.#path}, line ${line}, cannot be read: ${reason.slice(0, 500)}`;
      const hint = 'Run `gateline check --repair`: it sets the log aside and keeps the lines that can be read.';
      return new GatelineError('platform', message, { hint, place, cause });
    }
  }
}
