import type { Redactor } from '../../untrusted/redact.ts';

/** Number of characters that overlap between two checks of a file: no secret is longer. */
const OVERLAP = 16 * 1024;

/** A file contains a secret. Redacting it would alter it, so it is not kept. */
export class SecretFound extends Error {}

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
