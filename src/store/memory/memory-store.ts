import type { Content, GatelineRecord } from '../../run/records/record.ts';
import { digestOf, type Digest } from '../../json/digest.ts';
import { bytesOf, type Chunks } from '../chunks.ts';
import { checkedRecord, parseRecord } from '../parse-record.ts';
import { parseRecordName, safeRecordName, unknownKind } from '../record-names.ts';
import type { Read, ReadProblem, RecordListing, RecordStore, Written } from '../record-store.ts';
import { writeNewFile } from '../new-file.ts';

/** One stored record: its bytes, or a simulated read failure. */
export interface KeptRecord {
  readonly pipeline: string;
  readonly subject: string;
  readonly name: string;
  readonly bytes: Uint8Array | 'unreadable';
}

/** Storage that memory stores can share: each sees what the others wrote. */
export interface MemoryMedium {
  /** By {@link memoryKey}. */
  readonly records: Map<string, KeptRecord>;
  readonly contents: Map<Digest, Uint8Array>;
  /** Altered content, by the digest that it should have. */
  readonly quarantine: Map<Digest, Uint8Array>;
}

/** An empty medium. */
export function createMemoryMedium(): MemoryMedium {
  return { records: new Map(), contents: new Map(), quarantine: new Map() };
}

/** The key of a record in a {@link MemoryMedium}. */
export function memoryKey(record: GatelineRecord): string {
  return JSON.stringify([record.pipeline, record.subject, safeRecordName(record)]);
}

/**
 * A store without persistence: for library users who want no files, and for tests. Everything is stored as bytes, so
 * later changes by a caller have no effect.
 */
export function createMemoryStore(medium: MemoryMedium = createMemoryMedium()): RecordStore {
  return new MemoryStore(medium);
}

class MemoryStore implements RecordStore {
  readonly #medium: MemoryMedium;

  constructor(medium: MemoryMedium) {
    this.#medium = medium;
  }

  async write(record: GatelineRecord): Promise<Written> {
    const checked = checkedRecord(record);
    const key = memoryKey(checked);
    if (this.#medium.records.has(key)) return 'taken';
    const { pipeline, subject } = checked;
    this.#medium.records.set(key, {
      pipeline,
      subject,
      name: safeRecordName(checked),
      bytes: Buffer.from(JSON.stringify(checked)),
    });
    return 'written';
  }

  async list(pipeline: string, subject: string): Promise<RecordListing> {
    const records: GatelineRecord[] = [];
    const problems: ReadProblem[] = [];
    for (const kept of this.#medium.records.values()) {
      if (kept.pipeline !== pipeline || kept.subject !== subject) continue;
      const read = readKept(kept);
      if ('record' in read) records.push(read.record);
      else problems.push(read.problem);
    }
    return { records, problems };
  }

  async subjects(pipeline: string): Promise<string[]> {
    const kept = [...this.#medium.records.values()].filter((record) => record.pipeline === pipeline);
    return [...new Set(kept.map((record) => record.subject))].toSorted();
  }

  async put(content: Uint8Array | string): Promise<Content> {
    const bytes = Buffer.from(content);
    const digest = digestOf(bytes);
    this.#medium.contents.set(digest, bytes);
    return { digest, bytes: bytes.length };
  }

  async putStream(chunks: Chunks): Promise<Content> {
    const parts: Uint8Array[] = [];
    for await (const part of bytesOf(chunks)) parts.push(Buffer.from(part));
    return this.put(Buffer.concat(parts));
  }

  async get(digest: Digest): Promise<Read<Uint8Array>> {
    const bytes = this.#medium.contents.get(digest);
    if (bytes === undefined) return { state: 'absent' };
    const actual = digestOf(bytes);
    if (actual === digest) return { state: 'present', value: Buffer.from(bytes) };
    this.#medium.quarantine.set(digest, bytes);
    const message = `has the digest ${actual}`;
    return { state: 'unknown', problem: { code: 'CONTENT_ALTERED', where: digest, message, quarantine: digest } };
  }

  async check(digest: Digest): Promise<Read<Content>> {
    const read = await this.get(digest);
    return read.state === 'present' ? { state: 'present', value: { digest, bytes: read.value.length } } : read;
  }

  async copyTo(digest: Digest, path: string, mode: number): Promise<Read<Content>> {
    const read = await this.get(digest);
    if (read.state !== 'present') return read;
    await writeNewFile(path, mode, [read.value]);
    return { state: 'present', value: { digest, bytes: read.value.length } };
  }
}

function readKept(kept: KeptRecord): { readonly record: GatelineRecord } | { readonly problem: ReadProblem } {
  const named = parseRecordName(kept.name);
  const place = { where: kept.name, ...(named === undefined ? {} : { names: named }) };
  if (kept.bytes === 'unreadable') return { problem: { code: 'UNREADABLE', message: 'cannot be read', ...place } };
  const unknown = unknownKind(named);
  if (unknown !== undefined) return { problem: { ...unknown, ...place } };
  const parsed = parseRecord(kept.bytes);
  if ('fault' in parsed) return { problem: { ...parsed.fault, ...place } };
  const { record } = parsed;
  const sameName = record.leg !== '_' && safeNameOrNothing(record) === kept.name;
  if (sameName && record.pipeline === kept.pipeline && record.subject === kept.subject) return { record };
  return { problem: { code: 'FOREIGN', message: 'not the record that its name describes', ...place } };
}

function safeNameOrNothing(record: GatelineRecord): string | undefined {
  try {
    return safeRecordName(record);
  } catch {
    return undefined;
  }
}
