import { JsonPlusSerializer, type SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { GatelineError } from '../errors/gateline-error.ts';
import type { Contents } from './medium.ts';
import { bufferOf, textOf, type Stored } from './sealed-file.ts';

/** A larger value is kept by its digest at once. */
const LARGE_BYTES = 1_024 * 1_024;

/** A larger value is kept by its digest from the second step on that has it: what grows with each step never is. */
const SHARED_BYTES = 16 * 1_024;

/** Converts values of one thread to bytes and back. */
export interface ThreadValues {
  readonly serde: SerializerProtocol;
  contents(): Promise<Contents>;
}

/** A value as bytes. A large one is stored at once, a small one with the file that it becomes part of. */
export async function keepValue(values: ThreadValues, value: unknown): Promise<Stored> {
  const [type, bytes] = await values.serde.dumpsTyped(value);
  return inContents(values, { type, bytes }, LARGE_BYTES);
}

/** A value of an earlier step for another one. */
export function shareValue(values: ThreadValues, stored: Stored): Promise<Stored> {
  return inContents(values, stored, SHARED_BYTES);
}

async function inContents(values: ThreadValues, stored: Stored, limit: number): Promise<Stored> {
  if (!('bytes' in stored) || stored.bytes.length <= limit) return stored;
  const { digest } = await (await values.contents()).put(stored.bytes);
  return { type: stored.type, digest, size: stored.bytes.length };
}

/**
 * The inverse of {@link keepValue}; a new value each time.
 * @param where what refers to the value, for messages
 * @throws GatelineError `LANGGRAPH_VALUE_MISSING`
 */
export async function loadValue(values: ThreadValues, stored: Stored, where: string): Promise<unknown> {
  const bytes = 'bytes' in stored ? stored.bytes : await largeValue(values, stored.digest, where);
  // A serializer may hand on bytes as they are, and the user may change them.
  if (stored.type !== 'json') return values.serde.loadsTyped(stored.type, new Uint8Array(bytes));
  return isPlain(values.serde, bytes) ? JSON.parse(textOf(bytes)) : values.serde.loadsTyped(stored.type, bytes);
}

/** LangGraph's serializer marks all that is no JSON by a key `lc`. What has none need not go through it, value by value. */
function isPlain(serde: SerializerProtocol, bytes: Uint8Array): boolean {
  return serde.constructor === JsonPlusSerializer && !bufferOf(bytes).includes('"lc"');
}

async function largeValue(
  values: ThreadValues,
  digest: Parameters<Contents['get']>[0],
  where: string,
): Promise<Uint8Array> {
  const read = await (await values.contents()).get(digest);
  if (read.state === 'present') return read.value;
  const why =
    read.state === 'absent' ? `no content has the digest ${digest}` : `${read.problem.where}: ${read.problem.message}`;
  throw new GatelineError('LANGGRAPH_VALUE_MISSING', `A value of ${where} cannot be read: ${why}`);
}
