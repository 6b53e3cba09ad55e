import { JsonPlusSerializer, type SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { GatelineError } from '../errors/gateline-error.ts';
import { digestOf, type Digest } from '../json/digest.ts';
import type { CheckpointMedium, Values } from './medium.ts';
import { bufferOf, textOf, type Stored } from './sealed-file.ts';

/** A larger value is kept by its digest at once. */
const LARGE_BYTES = 1_024 * 1_024;

/** A larger value is kept by its digest if it did not change: what grows with each step never is. */
const SHARED_BYTES = 16 * 1_024;

/** Values on their way into a file. Large ones are kept next to it. */
export class KeptValues {
  readonly #serde: SerializerProtocol;
  readonly #large = new Map<Digest, Uint8Array>();

  constructor(serde: SerializerProtocol) {
    this.#serde = serde;
  }

  /** What is to be kept next to the file. */
  get large(): Values {
    return this.#large;
  }

  /**
   * A value as bytes, as it is at the time of the call.
   * @param of what has the value, for messages
   * @throws GatelineError `LANGGRAPH_VALUE_REFUSED`
   */
  async keep(value: unknown, of: string, isUnchanged = false): Promise<Stored> {
    // A serializer may hand on bytes as they are, and the caller may change them. `slice` of a Buffer is no copy.
    const own = value instanceof Uint8Array ? Uint8Array.prototype.slice.call(value) : value;
    const [type, bytes] = await this.#dump(own, of);
    if (type === 'json' && bytes.length === 0)
      throw new GatelineError('LANGGRAPH_VALUE_REFUSED', `The serializer has no text for ${of}: ${typeof value}`);
    if (bytes.length <= (isUnchanged ? SHARED_BYTES : LARGE_BYTES)) return { type, bytes };
    const digest = digestOf(bytes);
    this.#large.set(digest, bytes);
    return { type, digest, size: bytes.length };
  }

  async #dump(value: unknown, of: string): Promise<[string, Uint8Array]> {
    try {
      return await this.#serde.dumpsTyped(value);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const message = `The value of ${of} is nested too deeply for the serializer, or too large: ${error.message}`;
      throw new GatelineError('LANGGRAPH_VALUE_REFUSED', message, { cause: error });
    }
  }
}

/** Where the values of a thread are, and how they are read. */
export interface ThreadValues {
  readonly serde: SerializerProtocol;
  readonly medium: CheckpointMedium;
  readonly thread: string;
}

/**
 * The inverse of {@link KeptValues.keep}; a new value each time.
 * @param step what refers to the value, for messages
 * @throws GatelineError `LANGGRAPH_VALUE_MISSING`
 */
export async function loadValue(values: ThreadValues, stored: Stored, step: string): Promise<unknown> {
  const { serde, medium, thread } = values;
  let bytes: Uint8Array;
  if ('bytes' in stored) bytes = stored.bytes;
  else {
    const read = await medium.value(thread, stored.digest);
    if (read.state === 'absent') throw missing(values, stored.digest, step, 'no content has this digest');
    if (read.state === 'unknown') throw missing(values, stored.digest, step, read.problem.message);
    bytes = read.value;
  }
  // A serializer may hand on bytes as they are, and the user may change them.
  if (stored.type !== 'json') return serde.loadsTyped(stored.type, new Uint8Array(bytes));
  return isPlain(serde, bytes) ? JSON.parse(textOf(bytes)) : serde.loadsTyped(stored.type, bytes);
}

/**
 * LangGraph's serializer marks all that is not JSON by a key `lc`. What has none need not go through it, value by
 * value.
 */
function isPlain(serde: SerializerProtocol, bytes: Uint8Array): boolean {
  return serde.constructor === JsonPlusSerializer && !bufferOf(bytes).includes('"lc"');
}

/** Looks for a value without reading it. @throws GatelineError `LANGGRAPH_VALUE_MISSING` */
export async function expectValue(values: ThreadValues, stored: Stored, step: string): Promise<void> {
  if ('bytes' in stored || (await values.medium.hasValue(values.thread, stored.digest, stored.size))) return;
  throw missing(values, stored.digest, step, `no content of ${stored.size} bytes has this digest`);
}

function missing({ medium, thread }: ThreadValues, digest: Digest, step: string, why: string): GatelineError {
  const file = medium.showValue(thread, digest);
  const message = `A value of the step ${step} of the thread ${thread} cannot be read: ${file}: ${why}`;
  return new GatelineError('LANGGRAPH_VALUE_MISSING', message, { place: { file } });
}
