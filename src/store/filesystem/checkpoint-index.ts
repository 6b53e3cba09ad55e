import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isSystemError } from '../../errors/gateline-error.ts';
import { digestSchema, type Digest } from '../../json/digest.ts';
import type { EndedRecord, GatelineRecord } from '../../run/records/record.ts';
import { isFromSystem } from '../../errors/store-errors.ts';
import { atomicWrite } from './atomic-write.ts';
import { openForReading } from './read-file.ts';
import type { RecordFiles } from './record-files.ts';
import type { StateFolder } from './state-folder.ts';

/** Name of the index in the state folder. */
export const INDEX_FILE = 'checkpoints.jsonl';

const INDEX_FORMAT = 'gateline-checkpoint-index/1';
const HEADER = `${JSON.stringify({ format: INDEX_FORMAT })}\n`;

/** Never follows a link, and never creates the file: one without its header would look complete. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

const entrySchema = z.strictObject({
  fingerprint: digestSchema,
  pipeline: z.string(),
  subject: z.string(),
  gate: z.string(),
  leg: z.string(),
  runNumber: z.int(),
  runAttempt: z.int(),
  n: z.int(),
  /** For work that was sent back: the fingerprint that its request had before. */
  base: digestSchema.optional(),
});
export type IndexEntry = z.infer<typeof entrySchema>;

/**
 * Where the outputs of agents are, by fingerprint, over all subjects: one line for each, appended before its record is
 * written. A projection of the records, never the truth: each record that it names is read and judged by itself, and an
 * index that is missing or damaged is made again from the records. The file is read once, then only what was added.
 */
export class CheckpointIndex {
  readonly #state: StateFolder;
  readonly #records: RecordFiles;
  readonly #path: string;
  #entries = new Map<Digest, IndexEntry[]>();
  /** The file that was read, and up to which byte. */
  #read: { readonly file: bigint; offset: number } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(state: StateFolder, records: RecordFiles) {
    this.#state = state;
    this.#records = records;
    this.#path = join(state.root, INDEX_FILE);
  }

  /** Adds an output that an agent is about to leave. Never throws: an index that cannot be extended is removed. */
  add(record: EndedRecord): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await using file = await open(this.#path, APPEND);
        await file.writeFile(lineOf(entryOf(record)));
      } catch (error) {
        if (!isFromSystem(error)) throw error;
        if (!isSystemError(error, 'ENOENT')) await rm(this.#path, { force: true }).catch(() => undefined);
        return;
      }
      this.#state.onDurable(`index ${this.#state.show(this.#path)}`);
    });
  }

  /** The outputs with this fingerprint, newest first. */
  find(fingerprint: Digest): Promise<readonly IndexEntry[]> {
    return this.#inTurn(async () => {
      if (!(await this.#readMore())) await this.#rebuild();
      return (this.#entries.get(fingerprint) ?? []).toReversed();
    });
  }

  /** The problem of the file; `undefined`: there is none, or the file does not exist. The next search creates it. */
  check(): Promise<{ readonly path: string; readonly message: string } | undefined> {
    return this.#inTurn(async () => {
      if ((await openedThen(this.#path)) === 'absent') return undefined;
      const problem = (message: string) => ({ path: this.#state.show(this.#path), message });
      if (!(await this.#readMore())) return problem('it is damaged, or of another version');
      const lacked = (await this.#outputs()).filter((record) => !this.#has(entryOf(record))).length;
      return lacked === 0 ? undefined : problem(`outputs that it lacks: ${lacked}`);
    });
  }

  /** Makes the file again, whatever it is now. */
  remake(): Promise<void> {
    return this.#inTurn(() => this.#rebuild());
  }

  #has(wanted: IndexEntry): boolean {
    return (this.#entries.get(wanted.fingerprint) ?? []).some((entry) => lineOf(entry) === lineOf(wanted));
  }

  /** Reads what was added since the last time. False if the file is missing or damaged. */
  async #readMore(): Promise<boolean> {
    const opened = await openForReading(this.#path);
    if (opened.state !== 'open') return false;
    await using file = opened.handle;
    const { ino, size } = opened.status;
    if (this.#read?.file !== ino || BigInt(this.#read.offset) > size) this.#forget(ino);
    const read = this.#read!;
    const bytes = Buffer.alloc(Number(size) - read.offset);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, read.offset);
    // A line without its end is still being written, or its writer was killed before it wrote the record.
    const whole = bytes.subarray(0, bytes.subarray(0, bytesRead).lastIndexOf('\n') + 1);
    const lines = whole.toString().split('\n').slice(0, -1);
    if (read.offset === 0 && `${lines.shift() ?? ''}\n` !== HEADER) return false;
    const found = lines.map(parseLine);
    if (found.includes(undefined)) return false;
    for (const entry of found) this.#keep(entry!);
    read.offset += whole.length;
    return true;
  }

  /** Makes the index from the records of all subjects, and stores it unless this is a store for reading only. */
  async #rebuild(): Promise<void> {
    const outputs = await this.#outputs();
    this.#forget(0n);
    for (const record of outputs) this.#keep(entryOf(record));
    if (this.#state.readOnly) return;
    const text = HEADER + outputs.map((record) => lineOf(entryOf(record))).join('');
    const { temporaryFolder, onDurable } = this.#state;
    try {
      await atomicWrite(this.#path, text, { temporaryFolder, onDurable });
      const opened = await openForReading(this.#path);
      if (opened.state !== 'open') return;
      await using _file = opened.handle;
      this.#read = { file: opened.status.ino, offset: Buffer.byteLength(text) };
    } catch {
      // It is made again the next time; the records are what counts.
    }
  }

  /** Oldest first. */
  async #outputs(): Promise<EndedRecord[]> {
    const { records } = await this.#records.everything(({ kind }) => kind === 'ended');
    return records.filter(isOutput).toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }

  #forget(file: bigint): void {
    this.#entries = new Map();
    this.#read = { file, offset: 0 };
  }

  #keep(entry: IndexEntry): void {
    for (const fingerprint of new Set([entry.fingerprint, entry.base ?? entry.fingerprint])) {
      const known = this.#entries.get(fingerprint);
      if (known === undefined) this.#entries.set(fingerprint, [entry]);
      else known.push(entry);
    }
  }

  /** One after the other: what is appended while the index is made again would be lost. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(work);
    this.#turn = next.catch(() => undefined);
    return next;
  }
}

/** Whether a record is the output of an agent that may be reused: not one that was itself reused, nor of a command. */
export function isOutput(record: GatelineRecord): record is EndedRecord {
  if (record.kind !== 'ended' || record.how !== 'ran' || record.command === true) return false;
  return record.verdict.status === 'passed' || record.verdict.status === 'partial';
}

function entryOf({
  fingerprint,
  pipeline,
  subject,
  gate,
  leg,
  runNumber,
  runAttempt,
  n,
  rework,
}: EndedRecord): IndexEntry {
  const place = { pipeline, subject, gate, leg, runNumber, runAttempt, n };
  return { fingerprint, ...place, ...(rework && { base: rework.base }) };
}

async function openedThen(path: string): Promise<'open' | 'absent' | 'unreadable'> {
  const opened = await openForReading(path);
  if (opened.state === 'open') await opened.handle.close();
  return opened.state;
}

function lineOf(entry: IndexEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

function parseLine(line: string): IndexEntry | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
