import { existsSync, lstatSync, unlinkSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { EndedRecord, GatelineRecord } from '../../run/records/record.ts';
import { unlessAbsent } from '../../errors/store-errors.ts';
import type { Digest } from '../../json/digest.ts';
import { parseRecordFileName, recordFileName } from '../record-names.ts';
import { contentPath, type ContentFiles } from './contents/content-files.ts';
import { syncFolder } from './durable.ts';
import type { RecordFiles } from './record-files.ts';
import { PACKED } from './contents/packed-content.ts';
import type { StateFolder } from './state-folder.ts';

/** Which run. */
interface RunPlace {
  readonly pipeline: string;
  readonly subject: string;
  readonly runNumber: number;
}

/** The result of {@link RemovedRuns.removeContents}. */
export interface RemovedContents {
  readonly contents: number;
  readonly bytes: number;
}

/** Outputs go first: no decision about an output is gone while the output is there. */
const KINDS = ['ended', 'started', 'decided'];

/**
 * Removes the records of runs. They are moved to `tmp/removed/`, and stay there until nothing is left that only they
 * named: whoever finds them there completes what a killed call began.
 */
export class RemovedRuns {
  readonly #state: StateFolder;
  readonly #records: RecordFiles;
  readonly #contents: ContentFiles;

  constructor(state: StateFolder, records: RecordFiles, contents: ContentFiles) {
    this.#state = state;
    this.#records = records;
    this.#contents = contents;
  }

  /**
   * Removes runs that need each other: of one run all records at once, of several first what they reused, then their
   * other outputs, then the rest. Durable when this settles.
   * @param runs with all their records
   * @returns false if one of them has another record by now: nothing is removed then
   * @throws GatelineError `STORE_WRITE_FAILED`
   */
  async remove(runs: readonly (readonly GatelineRecord[])[]): Promise<boolean> {
    this.#state.assertWritable();
    const places = runs.map((records) => ({
      place: placeOf(records[0]!),
      names: new Set(records.map(recordFileName)),
    }));
    for (const { place, names } of places) {
      const files = await this.#filesOf(place);
      if (files.some((file) => isOf(file, place) && !names.has(file))) return false;
    }
    if (runs.length > 1) {
      const outputs = runs.flat().filter((record) => record.kind === 'ended');
      for (const record of outputs.toSorted(reusedFirst)) await this.#moveFile(placeOf(record), recordFileName(record));
    }
    for (const { place } of places) await this.#moveRun(place);
    this.#state.forgetFolders();
    return true;
  }

  /**
   * Removes contents that nobody names.
   * @param before those that were stored since then stay: a process may be about to name them
   * @param signal aborted to stop
   * @throws GatelineError `STORE_READ_FAILED`, `STORE_WRITE_FAILED`
   */
  async removeContents(named: ReadonlySet<Digest>, before: Date, signal?: AbortSignal): Promise<RemovedContents> {
    this.#state.assertWritable();
    const removed = { contents: 0, bytes: 0 };
    for (const digest of (await this.#contents.all()).digests) {
      if (signal?.aborted) break;
      if (named.has(digest)) continue;
      const plain = contentPath(this.#state.root, digest);
      let files = 0;
      for (const path of [plain + PACKED, plain]) {
        await this.#state.writing(path, async () => {
          // At once, so that no other process stores the same in between.
          const status = lstatSync(path, { throwIfNoEntry: false });
          if (status?.isFile() !== true || status.mtimeMs >= before.getTime()) return;
          unlinkSync(path);
          files += 1;
          removed.bytes += status.size;
          this.#state.onDurable(`content removed ${digest}`);
        });
      }
      if (files > 0) removed.contents += 1;
    }
    return removed;
  }

  /** The records that were removed, by this call and by calls that were killed. */
  async records(): Promise<readonly GatelineRecord[]> {
    return (await this.#records.everything(() => true, { runs: this.#folder })).records;
  }

  /** Ends the removal: to be called when nothing is left that only these records named. */
  async forget(): Promise<void> {
    if (!existsSync(this.#folder)) return;
    await this.#state.writing(this.#folder, () => rm(this.#folder, { recursive: true, force: true }));
    this.#state.forgetFolders();
    this.#state.onDurable('removal completed');
  }

  get #folder(): string {
    return join(this.#state.temporaryFolder, 'removed');
  }

  async #moveRun(place: RunPlace): Promise<void> {
    const from = this.#records.folderOf(place.subject, place.runNumber);
    const to = this.#targetOf(from);
    const files = await this.#filesOf(place);
    const isShared = files.some((file) => parseRecordFileName(file) !== undefined && !isOf(file, place));
    if (isShared || existsSync(to)) {
      const own = files.filter((file) => isOf(file, place));
      const rank = (file: string): number => KINDS.findIndex((kind) => kindOf(file).startsWith(kind));
      for (const file of own.toSorted((a, b) => rank(a) - rank(b))) await this.#moveFile(place, file);
      if (!isShared) await this.#state.writing(from, () => rm(from, { recursive: true, force: true }));
    } else {
      await this.#state.folder(dirname(to));
      await this.#state.writing(from, () => rename(from, to));
      await syncFolder(dirname(to));
    }
    await syncFolder(dirname(from));
    this.#state.onDurable(`removed ${this.#state.show(from)}`);
  }

  async #moveFile({ subject, runNumber }: RunPlace, file: string): Promise<void> {
    const from = join(this.#records.folderOf(subject, runNumber), file);
    const to = join(this.#targetOf(dirname(from)), file);
    await this.#state.folder(dirname(to));
    await this.#state.writing(from, () => rename(from, to));
    await syncFolder(dirname(to));
    await syncFolder(dirname(from));
    this.#state.onDurable(`removed ${this.#state.show(from)}`);
  }

  /** `runs/<subject>/<run>` → `tmp/removed/<subject>/<run>`. */
  #targetOf(from: string): string {
    return join(this.#folder, basename(dirname(from)), basename(from));
  }

  async #filesOf({ subject, runNumber }: RunPlace): Promise<string[]> {
    const folder = this.#records.folderOf(subject, runNumber);
    return this.#state.writing(folder, async () => (await unlessAbsent(readdir(folder))) ?? []);
  }
}

function placeOf({ pipeline, subject, runNumber }: GatelineRecord): RunPlace {
  return { pipeline, subject, runNumber };
}

function isOf(file: string, { pipeline }: RunPlace): boolean {
  return parseRecordFileName(file)?.pipeline === pipeline;
}

function kindOf(file: string): string {
  return parseRecordFileName(file)?.names.kind ?? '';
}

function reusedFirst(a: EndedRecord, b: EndedRecord): number {
  return Number(b.how === 'reused') - Number(a.how === 'reused');
}
