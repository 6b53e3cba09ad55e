import { RECORD_FORMATS, recordSchema, type GatelineRecord } from '../run/records/record.ts';
import type { ReadProblem } from '../run/records/reading.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import { parseJson } from '../json/parse-json.ts';
import { problemText } from '../pipeline/problem-text.ts';

/** The problem of bytes that should be a record. */
export interface RecordFault {
  readonly code: Extract<ReadProblem['code'], 'TRUNCATED' | 'CORRUPT' | 'UNKNOWN_VERSION'>;
  readonly message: string;
}

/** A record parsed from bytes, or what is wrong with them. */
export type ParsedRecord = { readonly record: GatelineRecord } | { readonly fault: RecordFault };

const RECORD_FORMAT_FAMILY = 'gateline-record/';

/** Parses the bytes of a stored record, or returns why they are not one. Never throws. */
export function parseRecord(bytes: Uint8Array): ParsedRecord {
  const json = parseStoredJson(bytes);
  return 'fault' in json ? json : judgeRecord(json.value);
}

/** Checks a parsed JSON value as a record, or returns why it is not one. Never throws. */
export function judgeRecord(value: unknown): ParsedRecord {
  const format = formatOf(value);
  const known: readonly string[] = RECORD_FORMATS;
  if (format?.startsWith(RECORD_FORMAT_FAMILY) && !known.includes(format)) {
    return fault(
      'UNKNOWN_VERSION',
      `written in the format ${format.slice(0, 80)}; this version of Gateline supports ${known.join(' and ')}`,
    );
  }
  const parsed = recordSchema.safeParse(value, { reportInput: true });
  if (parsed.success) return { record: parsed.data };
  const first = parsed.error.issues[0]!;
  const where = first.path.length === 0 ? 'the record' : first.path.join('.');
  return fault('CORRUPT', `not the shape of a record: ${where}: ${problemText(first)}`.slice(0, 500));
}

/** `format` of a JSON object, if it is a text. */
export function formatOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('format' in value)) return undefined;
  return typeof value.format === 'string' ? value.format : undefined;
}

/**
 * Parses bytes as JSON with the guarded parser; distinguishes a premature end (`TRUNCATED`) from bytes that are wrong
 * in themselves (`CORRUPT`). The bytes are untrusted: a duplicate key must not mean one thing here and another
 * elsewhere.
 */
export function parseStoredJson(bytes: Uint8Array): { readonly value: unknown } | { readonly fault: RecordFault } {
  const written = withoutZeroTail(bytes);
  if (written.length === 0) return fault('TRUNCATED', 'empty');
  if (written.length < bytes.length) return fault('TRUNCATED', 'ends in zero bytes, as after a power cut');
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text: string;
  try {
    // With `stream`, a character that is cut off at the end is not an error yet.
    text = decoder.decode(bytes, { stream: true });
  } catch {
    return fault('CORRUPT', 'not UTF-8');
  }
  if (endsEarly(text)) return fault('TRUNCATED', 'ends before its JSON does');
  if (text.startsWith('\ufeff')) return fault('CORRUPT', 'begins with a byte order mark');
  const parsed = parseJson(bytes, { maxBytes: Infinity, loneSurrogates: true });
  return parsed.ok
    ? { value: parsed.value }
    : fault('CORRUPT', `not valid JSON: ${parsed.issue.message}`.slice(0, 500));
}

/**
 * The record to write: checked, without anything that is not in the schema.
 * @throws GatelineError `RECORD_INVALID` (our own bug: only we write records).
 */
export function checkedRecord(record: GatelineRecord): GatelineRecord {
  const parsed = recordSchema.safeParse(record);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  throw new GatelineError(
    'RECORD_INVALID',
    `A record of gate "${record.gate}" is not valid: ${first?.path.join('.') ?? ''}: ${first?.message ?? ''}`,
    { hint: 'This is a bug in Gateline. Please report it with this message.', cause: parsed.error },
  );
}

function fault(code: RecordFault['code'], message: string): { fault: RecordFault } {
  return { fault: { code, message } };
}

function withoutZeroTail(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

/**
 * True when a text opens an object or array that it does not close. Strings are skipped, so brackets in them are
 * ignored.
 */
function endsEarly(text: string): boolean {
  if (text.trim() === '') return true;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
  }
  return depth > 0;
}
