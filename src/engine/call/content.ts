import { GatelineError } from '../../errors/gateline-error.ts';
import type { Digest } from '../../json/digest.ts';
import { asRequest } from '../../run/plan/difference.ts';
import type { Request } from '../../run/plan/request.ts';
import { contentsOf } from '../../run/state/missing-output.ts';
import type { ReadProblem } from '../../run/records/reading.ts';
import type { Content, EndedRecord } from '../../run/records/record.ts';
import type { JsonValue } from '../../json/json.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { parseJson } from '../../json/parse-json.ts';
import { canonicalChunks } from '../../json/canonical-json.ts';

/**
 * Reads a stored JSON value, verified by its digest.
 * @throws GatelineError `CONTENT_MISSING` if it is missing or altered, `CONTENT_TOO_LARGE` above the limit,
 *   `CONTENT_UNSOUND` if it is not a value that Gateline stores
 */
export async function readJson(
  store: Pick<RecordStore, 'get'>,
  content: Pick<Content, 'digest'> & Partial<Content>,
  options: { limit?: number; what: string; hint?: string | undefined },
): Promise<JsonValue> {
  const { bytes = 0 } = content;
  if (options.limit !== undefined && bytes > options.limit) throw tooLarge(options.what, bytes, options.limit);
  const read = await store.get(content.digest);
  if (read.state !== 'present')
    throw missingContent(
      options.what,
      content.digest,
      read.state === 'unknown' ? read.problem.message : 'it is missing',
      options.hint,
    );
  if (read.value.length > (options.limit ?? Infinity)) throw tooLarge(options.what, read.value.length, options.limit!);
  // The digest proves that the content is unchanged, not who stored it.
  const parsed = parseJson(read.value);
  if (parsed.ok) return parsed.value;
  throw new GatelineError('CONTENT_UNSOUND', `${options.what}: ${parsed.issue.message}`);
}

function tooLarge(what: string, bytes: number, limit: number): GatelineError {
  const message = `${what}: ${bytes} bytes are more than the ${limit} that a condition can read`;
  return new GatelineError('CONTENT_TOO_LARGE', message);
}

/** The store's `copyTo`, for callers that write content to files. */
export function copierOf({
  ports: { store },
}: {
  readonly ports: { readonly store: Pick<RecordStore, 'copyTo'> };
}): RecordStore['copyTo'] {
  return (digest, path, mode) => store.copyTo(digest, path, mode);
}

/** The error for content that is missing or altered. */
export function missingContent(
  what: string,
  digest: Digest,
  why: string,
  hint = 'Run the gate that produced it again: `gateline run --force GATE --reason TEXT`.',
): GatelineError {
  return new GatelineError('CONTENT_MISSING', `${what} (${digest.slice(0, 19)}…) cannot be read: ${why}`, { hint });
}

/** Contents that are missing or altered, with the problem; `null`: missing. */
export type MissingContents = ReadonlyMap<Digest, ReadProblem | null>;

/** Which of an attempt's contents are missing or altered. */
export async function missingOf(
  store: Pick<RecordStore, 'check'>,
  ended: Pick<EndedRecord, 'files' | 'value' | 'exports'>,
): Promise<MissingContents> {
  const missing = new Map<Digest, ReadProblem | null>();
  for (const digest of new Set(contentsOf(ended).map((content) => content.digest))) {
    const read = await store.check(digest);
    if (read.state !== 'present') missing.set(digest, read.state === 'unknown' ? read.problem : null);
  }
  return missing;
}

/** Stores a value in canonical form, in chunks. The content's digest is the value's digest. */
export function keepJson(store: Pick<RecordStore, 'putStream'>, value: JsonValue): Promise<Content> {
  return store.putStream(canonicalChunks(value));
}

/** A request as a claim stored it; `undefined` if it is missing, or not of this version. */
export async function storedRequest(
  { ports }: { readonly ports: { readonly store: Pick<RecordStore, 'get'> } },
  digest: Digest,
): Promise<Request | undefined> {
  const read = await ports.store.get(digest);
  return read.state === 'present'
    ? asRequest(JSON.parse(new TextDecoder().decode(read.value)) as JsonValue)
    : undefined;
}
