import type { Redactor } from '../../untrusted/redact.ts';

/** Number of characters that overlap between two checks of a file: no secret is longer. */
const OVERLAP = 16 * 1024;

/** A file contains a secret. Redacting it would alter it, so it is not kept. */
export class SecretFound extends Error {}

/** Reads a file to its end. */
export async function holdsSecret(chunks: AsyncIterable<Uint8Array>, redactor: Redactor): Promise<boolean> {
  const pieces = chunks[Symbol.asyncIterator]();
  // By hand: the reader of the file must end, too.
  const open = { [Symbol.asyncIterator]: () => ({ next: () => pieces.next() }) };
  try {
    for await (const _ of withoutSecrets(open, redactor));
    return false;
  } catch (error) {
    if (!(error instanceof SecretFound)) throw error;
    while ((await pieces.next()).done !== true);
    return true;
  }
}

/** Passes chunks on. Throws before the last one if they contain a secret. @throws SecretFound */
export async function* withoutSecrets(
  chunks: AsyncIterable<Uint8Array>,
  redactor: Redactor,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let tail = '';
  for await (const chunk of chunks) {
    const text = tail + decoder.decode(chunk, { stream: true });
    if (redactor.find(text).length > 0) throw new SecretFound();
    tail = text.slice(-OVERLAP);
    yield chunk;
  }
}
