import type { ReadFault } from '../store/record-store.ts';
import { crc32 } from 'node:zlib';
import { GatelineError } from '../errors/gateline-error.ts';
import { isDigest, type Digest } from '../json/digest.ts';
import { isJsonObject, type JsonValue } from '../json/json.ts';
import { formatOf, parseStoredJson } from '../store/parse-record.ts';

/** Format of all files of a thread. */
const FORMAT = 'gateline-langgraph/1';
const FAMILY = 'gateline-langgraph/';

/** No larger file is written or read: large values are kept next to it. */
export const MAX_FILE_BYTES = 256 * 1_024 * 1_024;

/** A value as the serializer wrote it: its bytes, or where they are in the thread's contents. */
export type Stored =
  | { readonly type: string; readonly bytes: Uint8Array }
  | { readonly type: string; readonly digest: Digest; readonly size: number };

/** A value with a number and a name. Their meaning depends on the kind of file. */
export type Entry = readonly [slot: number, name: string, value: Stored];

/** Content of a file: what it is about, and values. */
export interface SealedFile {
  /** Ids. The place and the name of the file must agree with them. */
  readonly about: Readonly<Record<string, string>>;
  readonly entries: readonly Entry[];
}

/** A value in the index. `part`: length of its bytes in the file. Without a digest, the bytes are in the file. */
type Indexed = { readonly type: string; readonly part: number } | Extract<Stored, { readonly digest: Digest }>;

/** What is at the beginning of a file. */
interface Index {
  readonly about: SealedFile['about'];
  readonly entries: readonly (readonly [slot: number, name: string, value: Indexed])[];
}

const START = `{"format":"${FORMAT}","crc32":"`;
const INDEX = '","index":';
const PARTS = ',"parts":[\n';
const SEPARATOR = Buffer.from(',\n');
const END = Buffer.from('\n]}\n');
const SUM_LENGTH = 8;

/**
 * A file as chunks of bytes: one JSON document, in which an index says where each value begins, so that no value is
 * parsed twice. The checksum is that of all that follows it: it finds what a disk or an editor changed.
 * @throws GatelineError `LANGGRAPH_STEP_TOO_LARGE`
 */
export function seal({ about, entries }: SealedFile): Uint8Array[] {
  const parts: Uint8Array[] = [];
  const index = entries.map(([slot, name, value]) => {
    if (!('bytes' in value)) return [slot, name, value];
    const part = value.type === 'json' ? value.bytes : Buffer.from(`"${bufferOf(value.bytes).toString('base64')}"`);
    if (parts.length > 0) parts.push(SEPARATOR);
    parts.push(part);
    return [slot, name, { type: value.type, part: part.length }];
  });
  const rest = [Buffer.from(`${INDEX}${JSON.stringify({ about, entries: index })}${PARTS}`), ...parts, END];
  const size = rest.reduce((sum, { length }) => sum + length, START.length + SUM_LENGTH);
  if (size > MAX_FILE_BYTES) {
    const message = `What is stored of the step ${about['checkpoint']} at once has ${size} bytes; at most ${MAX_FILE_BYTES} are possible`;
    throw new GatelineError('LANGGRAPH_STEP_TOO_LARGE', message);
  }
  return [Buffer.from(`${START}${sumOf(...rest)}`), ...rest];
}

function sumOf(...chunks: readonly Uint8Array[]): string {
  return chunks
    .reduce((sum, chunk) => crc32(chunk, sum), 0)
    .toString(16)
    .padStart(SUM_LENGTH, '0');
}

/** What bytes are: a file as it was sealed, JSON of another program, or neither. */
export type Unsealed = { readonly file: SealedFile } | { readonly other: unknown } | { readonly fault: ReadFault };

/** The inverse of {@link seal}. Never throws. The values are views of the bytes. */
export function unseal(bytes: Uint8Array): Unsealed {
  const buffer = bufferOf(bytes);
  const rest = buffer.subarray(START.length + SUM_LENGTH);
  const isOurs = buffer.toString('latin1', 0, START.length) === START;
  const sum = buffer.toString('latin1', START.length, START.length + SUM_LENGTH);
  if (isOurs && sumOf(rest) === sum) {
    const file = readIndex(rest);
    return file === undefined ? { fault: { code: 'CORRUPT', message: 'its index is not valid' } } : { file };
  }
  const json = parseStoredJson(bytes);
  if ('fault' in json) return json;
  const format = formatOf(json.value);
  if (format?.startsWith(FAMILY) !== true) return { other: json.value };
  if (format === FORMAT)
    return { fault: { code: 'CORRUPT', message: 'its content has another checksum than it says' } };
  const message = `written in the format ${format.slice(0, 80)}; this version of Gateline supports ${FORMAT}`;
  return { fault: { code: 'UNKNOWN_VERSION', message } };
}

function readIndex(rest: Buffer): SealedFile | undefined {
  const end = rest.indexOf(PARTS);
  const index = end < 0 ? undefined : jsonOf(rest.toString('utf8', INDEX.length, end));
  if (!isIndex(index)) return undefined;
  let at = end + PARTS.length;
  const entries = index.entries.map(([slot, name, value]): Entry => {
    if (!('part' in value)) return [slot, name, value];
    const raw = rest.subarray(at, at + value.part);
    at += value.part + SEPARATOR.length;
    const bytes = value.type === 'json' ? raw : Buffer.from(raw.toString('latin1', 1, raw.length - 1), 'base64');
    return [slot, name, { type: value.type, bytes }];
  });
  return { about: index.about, entries };
}

/** Each file is judged when it is read: a schema would take longer than reading. */
function isIndex(value: unknown): value is Index {
  if (!isJsonObject(value) || !isJsonObject(value['about']) || !Array.isArray(value['entries'])) return false;
  return Object.values(value['about']).every((id) => typeof id === 'string') && value['entries'].every(isIndexed);
}

function isIndexed(entry: JsonValue): boolean {
  if (!Array.isArray(entry)) return false;
  const [slot, name, value] = entry;
  if (!Number.isInteger(slot) || typeof name !== 'string' || !isJsonObject(value)) return false;
  const length = Object.hasOwn(value, 'part') ? value['part'] : isDigest(value['digest']) && value['size'];
  return typeof value['type'] === 'string' && Number.isInteger(length) && Number(length) >= 0;
}

/** The same bytes as a buffer, not a copy. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Bytes as text in UTF-8. */
export function textOf(bytes: Uint8Array): string {
  return bufferOf(bytes).toString();
}

/** `undefined` for a text that is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
