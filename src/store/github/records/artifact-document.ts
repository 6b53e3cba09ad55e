import { z } from 'zod';
import { digestOf, digestSchema, type Digest } from '../../../json/digest.ts';
import type { GatelineRecord } from '../../../run/records/record.ts';
import { GatelineError } from '../../../errors/gateline-error.ts';
import { formatOf, judgeRecord, parseStoredJson, type RecordFault } from '../../parse-record.ts';

/** Version of the document in a record's artifact. */
export const ARTIFACT_FORMAT = 'gateline-artifact/1';
const ARTIFACT_FORMAT_FAMILY = 'gateline-artifact/';

/** Most bytes (UTF-8) of all contents included in one document. */
export const MAX_CARRIED_BYTES = 256 * 1024;

/**
 * The largest document that is read, and so that is written, in bytes: a record with 20,000 file changes has about 10
 * MB.
 */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

const documentSchema = z.strictObject({
  format: z.literal(ARTIFACT_FORMAT),
  record: z.unknown(),
  contents: z.record(digestSchema, z.string()),
});

/** A record read from an artifact, with the contents included in it. */
export interface ReadDocument {
  readonly record: GatelineRecord;
  /** Texts that match their digests. */
  readonly contents: ReadonlyMap<Digest, string>;
  /** Digests whose text does not match. */
  readonly altered: readonly Digest[];
}

/**
 * The document of a record: JSON that a person can read in a browser.
 * @throws GatelineError `RECORD_TOO_LARGE` when it is too large to be read again
 */
export function formatDocument(record: GatelineRecord, contents: ReadonlyMap<Digest, string>): Uint8Array {
  const document = { format: ARTIFACT_FORMAT, record, contents: Object.fromEntries(contents) };
  const bytes = Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
  if (bytes.length <= MAX_DOCUMENT_BYTES) return bytes;
  throw new GatelineError(
    'RECORD_TOO_LARGE',
    `The record of gate "${record.gate}" has ${bytes.length.toLocaleString('en')} bytes; at most ${MAX_DOCUMENT_BYTES.toLocaleString('en')} can be kept as an artifact`,
  );
}

/** Parses the bytes of an artifact into a record with contents, or says what is wrong with them. Never throws. */
export function parseDocument(bytes: Uint8Array): ReadDocument | { readonly fault: RecordFault } {
  if (bytes.length > MAX_DOCUMENT_BYTES)
    return corrupt(`${bytes.length} bytes are more than a record's document can have`);
  const json = parseStoredJson(bytes);
  if ('fault' in json) return json;
  const format = formatOf(json.value);
  if (format !== undefined && format !== ARTIFACT_FORMAT && format.startsWith(ARTIFACT_FORMAT_FAMILY)) {
    const known = `this version of Gateline supports ${ARTIFACT_FORMAT}`;
    return { fault: { code: 'UNKNOWN_VERSION', message: `written in the format ${format.slice(0, 80)}; ${known}` } };
  }
  const document = documentSchema.safeParse(json.value);
  if (!document.success) return corrupt("not the shape of a record's artifact");
  const judged = judgeRecord(document.data.record);
  if ('fault' in judged) return judged;
  return { record: judged.record, ...verified(document.data.contents) };
}

/** A content's text, if its JSON form restores the same bytes. */
export function asText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function verified(told: Readonly<Record<string, string>>): Pick<ReadDocument, 'contents' | 'altered'> {
  const contents = new Map<Digest, string>();
  const altered: Digest[] = [];
  for (const [name, text] of Object.entries(told)) {
    const digest = name as Digest;
    if (digestOf(text) === digest) contents.set(digest, text);
    else altered.push(digest);
  }
  return { contents, altered };
}

function corrupt(message: string): { readonly fault: RecordFault } {
  return { fault: { code: 'CORRUPT', message } };
}
