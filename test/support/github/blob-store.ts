import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from './caller.ts';

interface Blob {
  readonly content: Buffer;
  readonly contentType: string;
  readonly etag: string;
  readonly modified: Date;
}

/** What a signed address allows. */
export interface Grant {
  readonly blob: string;
  readonly permission: 'read' | 'write';
  readonly caller: Caller | undefined;
  /** Artifact name or cache key. */
  readonly subject: string;
  /** Headers that the answer to a read carries instead of the blob's own. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Block blobs in memory, and who may touch them. */
export interface BlobStore {
  /** Committed blobs by name. */
  readonly blobs: Map<string, Blob>;
  stageBlock(name: string, id: string, content: Buffer): void;
  /** Puts staged blocks together; undefined where one of them was never staged. */
  commitBlocks(name: string, ids: readonly string[], contentType: string, now: Date): Blob | undefined;
  put(name: string, content: Buffer, contentType: string, now: Date): Blob;
  /** Changes a byte of what is stored, as a bad disk or a hostile writer would. False where there is nothing. */
  corrupt(name: string): boolean;
  /** Path and query of an address that grants this. */
  sign(grant: Grant): string;
  /** What a signature grants. */
  grantOf(signature: string | null): Grant | undefined;
}

/** Where blobs lie: `/<account>/<container>/`, as Azure's client wants it of a server without host names. */
export const BLOB_ROOT = '/productionresults/actions-results/';

export function createBlobStore(): BlobStore {
  const blobs = new Map<string, Blob>();
  const staged = new Map<string, Map<string, Buffer>>();
  const grants = new Map<string, Grant>();
  const store: BlobStore = {
    blobs,
    stageBlock: (name, id, content) => {
      const blocks = staged.get(name) ?? new Map<string, Buffer>();
      staged.set(name, blocks.set(id, content));
    },
    commitBlocks: (name, ids, contentType, now) => {
      const blocks = staged.get(name);
      const parts = ids.map((id) => blocks?.get(id));
      if (parts.includes(undefined)) return undefined;
      staged.delete(name);
      return store.put(name, Buffer.concat(parts as Buffer[]), contentType, now);
    },
    put: (name, content, contentType, modified) => {
      const etag = `"0x${createHash('md5').update(content).digest('hex').slice(0, 15).toUpperCase()}"`;
      const blob = { content, contentType, etag, modified };
      blobs.set(name, blob);
      return blob;
    },
    corrupt: (name) => {
      const blob = blobs.get(name);
      if (blob === undefined || blob.content.length === 0) return false;
      blobs.set(name, { ...blob, content: withOtherByte(blob.content) });
      return true;
    },
    sign: (grant) => {
      const signature = randomBytes(16).toString('hex');
      grants.set(signature, grant);
      return `${BLOB_ROOT}${grant.blob}?sv=2025-11-05&sr=b&sp=${grant.permission === 'read' ? 'r' : 'cw'}&sig=${signature}`;
    },
    grantOf: (signature) => (signature === null ? undefined : grants.get(signature)),
  };
  return store;
}

/** A copy of the same length with one byte changed: in the middle, where it is content and not a header. */
export function withOtherByte(content: Buffer): Buffer {
  const copy = Buffer.from(content);
  const place = Math.floor(copy.length / 2);
  if (copy.length > 0) copy[place] = copy[place]! ^ 0x01;
  return copy;
}
