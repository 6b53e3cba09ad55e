import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { JsonValue } from './json.ts';
import { canonicalChunks } from './canonical-json.ts';

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;
/** Stands in where there is no content to digest. */
export const NO_DIGEST: Digest = `sha256:${'0'.repeat(64)}`;
export const digestSchema = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)]);

/** The digest of bytes, or of a text in UTF-8. */
export function digestOf(content: Uint8Array | string): Digest {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** The digest of a value: of its canonical form (RFC 8785) in UTF-8. */
export function digestOfJson(value: JsonValue): Digest {
  const hash = createHash('sha256');
  for (const chunk of canonicalChunks(value)) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}

/** The hex digits of a digest. */
export function hexOf(digest: Digest): string {
  return digest.slice('sha256:'.length);
}
