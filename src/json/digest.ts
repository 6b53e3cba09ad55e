import { createHash } from 'node:crypto';
import { z } from 'zod';

/** `sha256:` and 64 lower-case hex digits. */
export const digestSchema = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)]);
export type Digest = `sha256:${string}`;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** As {@link digestSchema}, for where it is asked often. */
export function isDigest(value: unknown): value is Digest {
  return typeof value === 'string' && DIGEST.test(value);
}

/** The digest of bytes or of a text in UTF-8. */
export function digestOf(content: Uint8Array | string): Digest {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** The hex digits of a digest. */
export function hexOf(digest: Digest): string {
  return digest.slice('sha256:'.length);
}

/** The id that git gives to a content. @param like an id of the same repository: its length shows the hash */
export function blobIdOf(content: Uint8Array, like: string): string {
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}
