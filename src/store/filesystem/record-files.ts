import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { GatelineRecord } from '../../run/records/record.ts';
import { subjectSlug } from '../../run/records/subject.ts';
import { checkedRecord } from '../parse-record.ts';
import { parseRecordFileName, recordFileName, type NamedRecord } from '../record-names.ts';
import type { ReadProblem, RecordListing, Written } from '../record-store.ts';
import { isFromSystem, readFailure, reasonOf, unlessAbsent } from '../../errors/store-errors.ts';
import { claimFile } from './place-file.ts';
import { readEntry, type StateEntry } from './read-entry.ts';
import { Reserve } from './reserve.ts';
import type { StateFolder } from './state-folder.ts';
import { inParallel } from '../../in-parallel.ts';

/** Enough digits that no two subjects ever share a folder. */
const FOLDER_HEX_DIGITS = 16;

/** Files that are read at the same time. */
const PARALLEL_READS = 32;

const RUN_FOLDER = /^(?:0|[1-9][0-9]{0,9})$/;

/** The records of a subject by their names. */
export interface SubjectNames {
  /** The records that are wanted, and every problem with them. A file whose name says nothing is read, too. */
  read(isWanted: (name: NamedRecord) => boolean): Promise<RecordListing>;
}

/** Options of {@link RecordFiles.everything}. */
export interface EverythingOptions {
  readonly runs?: string;
  readonly signal?: AbortSignal | undefined;
}

/** How records are read. */
interface EntriesReading {
  /** Rejects with its reason when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Records that were read before, by path. Those that are read now are added. */
  readonly before?: Map<string, GatelineRecord> | undefined;
}

/** Records as files: `runs/<subject slug>/<runNumber>/<pipeline>.<recordName>.json`. */
export class RecordFiles {
  readonly #state: StateFolder;
  readonly #reserve: Reserve;
  /** With `readsOnce`: the records of the subject that was listed last, by path. */
  #listed: { readonly of: string; readonly records: Map<string, GatelineRecord> } | undefined;

  constructor(state: StateFolder) {
    this.#state = state;
    this.#reserve = new Reserve(state);
  }

  async write(record: GatelineRecord): Promise<Written> {
    this.#state.assertWritable();
    const checked = checkedRecord(record);
    const path = join(this.folderOf(checked.subject, checked.runNumber), recordFileName(checked));
    const bytes = Buffer.from(`${JSON.stringify(checked, null, 2)}\n`);
    const shown = this.#state.show(path);
    const claim = (): Promise<boolean> => claimFile(this.#state, path, [bytes]);
    const written = await this.#state.writing(path, async () => {
      if (checked.kind !== 'started') return this.#reserve.using(claim);
      // No agent starts unless its end can be recorded.
      if (this.#state.reserve) await this.#reserve.hold();
      return claim();
    });
    if (written) this.#state.onDurable(`record ${shown}`);
    return written ? 'written' : 'taken';
  }

  async list(pipeline: string, subject: string): Promise<RecordListing> {
    const problems: ReadProblem[] = [];
    const entries = await this.#entries(pipeline, subject, problems);
    if (!this.#state.readsOnce) return this.#read(entries, problems);
    const of = JSON.stringify([pipeline, subject]);
    const before = this.#listed?.of === of ? this.#listed.records : new Map<string, GatelineRecord>();
    this.#listed = { of, records: before };
    const listing = await this.#read(entries, problems, { before });
    if (before.size > listing.records.length) {
      const paths = new Set(entries.map(({ path }) => path));
      for (const path of before.keys()) if (!paths.has(path)) before.delete(path);
    }
    return listing;
  }

  /**
   * The names of a subject's records, and how to read some of them: for callers that need few of many. Folders that
   * cannot be read are problems of each answer.
   */
  async names(pipeline: string, subject: string): Promise<SubjectNames> {
    const problems: ReadProblem[] = [];
    const entries = await this.#entries(pipeline, subject, problems);
    const named = entries.map((entry) => ({ entry, name: parseRecordFileName(basename(entry.path))?.names }));
    return {
      read: (isWanted) =>
        this.#read(
          named.flatMap(({ entry, name }) => (name === undefined || isWanted(name) ? [entry] : [])),
          [...problems],
        ),
    };
  }

  /** The records of one run that are wanted, by their names. No other folder is read. */
  async ofRun(
    pipeline: string,
    subject: string,
    runNumber: number,
    isWanted: (name: NamedRecord) => boolean,
  ): Promise<RecordListing> {
    const problems: ReadProblem[] = [];
    const entries = await this.#entriesIn(String(runNumber), pipeline, subject, problems);
    const wanted = entries.filter(({ path }) => {
      const name = parseRecordFileName(basename(path))?.names;
      return name !== undefined && isWanted(name);
    });
    return this.#read(wanted, problems);
  }

  /**
   * Every record of every pipeline and subject that `isWanted` by its name. Moves nothing.
   * @param where.runs absolute path of the folder with the subjects' folders. Default: `runs`
   * @param where.signal rejects with its reason when it is aborted
   */
  async everything(
    isWanted: (name: NamedRecord) => boolean,
    { runs = join(this.#state.root, 'runs'), signal }: EverythingOptions = {},
  ): Promise<RecordListing> {
    const entries: StateEntry[] = [];
    const problems: ReadProblem[] = [];
    for (const subject of await this.#namesIn(runs, problems)) {
      for (const run of (await this.#namesIn(join(runs, subject), problems)).filter((name) => RUN_FOLDER.test(name))) {
        for (const file of await this.#namesIn(join(runs, subject, run), problems)) {
          const parsed = parseRecordFileName(file);
          if (parsed === undefined || !isWanted(parsed.names)) continue;
          const path = join(runs, subject, run, file);
          entries.push({ path, runNumber: Number(run), pipeline: parsed.pipeline, subject: undefined });
        }
      }
    }
    return this.#read(entries, problems, { signal });
  }

  async #read(
    entries: readonly StateEntry[],
    problems: ReadProblem[],
    { signal, before }: EntriesReading = {},
  ): Promise<RecordListing> {
    const records: GatelineRecord[] = [];
    const unread = entries.filter(({ path }) => {
      const known = before?.get(path);
      if (known !== undefined) records.push(known);
      return known === undefined;
    });
    await inParallel(PARALLEL_READS, unread, async (entry) => {
      signal?.throwIfAborted();
      const read = await readEntry(this.#state, entry);
      if (read.state === 'problem') problems.push(read.problem);
      if (read.state !== 'record') return;
      records.push(read.record);
      before?.set(entry.path, read.record);
    });
    return { records, problems };
  }

  /** @throws GatelineError `STORE_READ_FAILED` when the folder of all subjects cannot be read */
  async subjects(pipeline: string): Promise<string[]> {
    const runs = join(this.#state.root, 'runs');
    const folders = await unlessAbsent(readdir(runs)).catch((error: unknown) => {
      throw readFailure(this.#state.show(runs), error);
    });
    const found = await Promise.all((folders ?? []).map((folder) => this.#subjectOf(join(runs, folder), pipeline)));
    return found.filter((subject) => subject !== undefined).toSorted();
  }

  /** Absolute path of the folder of a run: records of other pipelines may be in it. */
  folderOf(subject: string, runNumber: number): string {
    return join(this.#subjectFolder(subject), String(runNumber));
  }

  #subjectFolder(subject: string): string {
    return join(this.#state.root, 'runs', subjectSlug(subject, FOLDER_HEX_DIGITS));
  }

  /** Every file that may be a record of this pipeline and subject. Folders that cannot be read go to `problems`. */
  async #entries(pipeline: string, subject: string, problems: ReadProblem[]): Promise<StateEntry[]> {
    const folder = this.#subjectFolder(subject);
    const runs = (await this.#namesIn(folder, problems)).filter((name) => RUN_FOLDER.test(name));
    return (await Promise.all(runs.map((run) => this.#entriesIn(run, pipeline, subject, problems)))).flat();
  }

  async #entriesIn(run: string, pipeline: string, subject: string, problems: ReadProblem[]): Promise<StateEntry[]> {
    const folder = this.folderOf(subject, Number(run));
    const files = (await this.#namesIn(folder, problems)).filter((name) => mayBeRecord(name, pipeline));
    return files.map((file) => ({ path: join(folder, file), runNumber: Number(run), pipeline, subject }));
  }

  async #namesIn(folder: string, problems: ReadProblem[]): Promise<string[]> {
    try {
      return (await unlessAbsent(readdir(folder))) ?? [];
    } catch (error) {
      if (!isFromSystem(error)) throw error;
      problems.push({
        // It may hide any number of records.
        code: 'LISTING_LIMIT',
        where: this.#state.show(folder),
        message: `the folder cannot be listed: ${reasonOf(error)}`,
      });
      return [];
    }
  }

  /**
   * The subject of a folder's records of a pipeline; `undefined` if there are none. If none of them is valid, it is the
   * folder's name, unless that name was changed for the file system.
   */
  async #subjectOf(folder: string, pipeline: string): Promise<string | undefined> {
    let any = false;
    for (const run of (await this.#namesIn(folder, [])).filter((name) => RUN_FOLDER.test(name))) {
      for (const file of await this.#namesIn(join(folder, run), [])) {
        if (parseRecordFileName(file)?.pipeline !== pipeline) continue;
        any = true;
        const read = await readEntry(this.#state, {
          path: join(folder, run, file),
          runNumber: Number(run),
          pipeline,
          subject: undefined,
        });
        if (read.state === 'record' && this.#subjectFolder(read.record.subject) === folder) return read.record.subject;
      }
    }
    const name = basename(folder);
    return any && this.#subjectFolder(name) === folder ? name : undefined;
  }
}

/** Other pipelines' records are recognized by their names; dot files are left by operating systems (`._x.json`). */
function mayBeRecord(fileName: string, pipeline: string): boolean {
  if (!fileName.endsWith('.json') || fileName.startsWith('.')) return false;
  const parsed = parseRecordFileName(fileName);
  return parsed === undefined || parsed.pipeline === pipeline;
}
