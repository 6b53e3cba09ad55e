import { parseJson } from '../../json/parse-json.ts';

/** An answer below 400 as GitHub's client gives it: the body is a stream, or an empty text where there is none. */
export interface RestAnswer {
  readonly headers: Readonly<Partial<Record<string, string | number>>> & { readonly link?: string };
  readonly data: unknown;
}

/** An answer that is no document of the kind that was asked for. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  /** True where asking again may give a whole one. */
  readonly torn: boolean;

  constructor(message: string, torn: boolean) {
    super(message);
    this.torn = torn;
  }
}

/** Objects and arrays inside each other: more than any document of the API has. */
const MAX_DEPTH = 100;

/** The body's JSON value, or `undefined` where there is no body. @throws AnswerError */
export async function readJson(answer: RestAnswer, maxBytes: number): Promise<unknown> {
  if (answer.data === '') return undefined;
  const parsed = parseJson(await bodyOf(answer, maxBytes), { maxBytes, maxDepth: MAX_DEPTH });
  if (parsed.ok) return parsed.value;
  // A proxy that loses the end of a body also loses its length: status 200, and half a document.
  throw new AnswerError(parsed.issue.message, parsed.kind !== 'too-large');
}

/** The body's bytes. @throws AnswerError for more than `maxBytes`; what the connection throws where it breaks off */
export async function bodyOf({ data }: RestAnswer, maxBytes: number): Promise<Uint8Array> {
  if (!(data instanceof ReadableStream)) throw new AnswerError('there is no body', true);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of data as ReadableStream<Uint8Array>) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the stream, and with it the connection.
    if (bytes > maxBytes) throw new AnswerError(`it has more than ${maxBytes.toLocaleString('en')} bytes`, false);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
