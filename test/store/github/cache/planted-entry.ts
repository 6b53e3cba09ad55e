import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { pack, type Header } from 'tar-stream';
import { digestOf, hexOf } from '../../../../src/json/digest.ts';
import { entryKey, entryVersion, type Compression } from '../../../../src/store/github/cache/entry-name.ts';
import { REPOSITORY_NAME, type ResultsService } from '../../../support/github/results-service.ts';
import { CHECKPOINT, FINGERPRINT, type Checkpoint } from './cache-place.ts';

/** Where the toolkit's archive has our files. */
export const FOLDER = 'save/gateline-checkpoint/';

/** One entry of a tar archive. */
export type TarEntry = Partial<Header> & { readonly name: string; readonly content?: Buffer | string };

/** The files of a sound entry. */
export function soundFiles({ started, ended, contents }: Checkpoint = CHECKPOINT): TarEntry[] {
  const records = started === undefined ? [ended] : [started, ended];
  return [
    { name: FOLDER, type: 'directory' },
    documentFile(JSON.stringify({ format: 'gateline-checkpoint/1', records })),
    ...contents.map((content) => ({ name: FOLDER + hexOf(digestOf(content)), content })),
  ];
}

/** The file with the records. */
export function documentFile(content: Buffer | string): TarEntry {
  return { name: `${FOLDER}checkpoint.json`, content };
}

/** A tar archive. */
export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content, ...header } of entries) {
    archive.entry(header, content ?? '');
  }
  archive.finalize();
  return buffer(archive);
}

/** How an entry that nobody saved comes into the cache. */
export interface Planting {
  readonly compression?: Compression;
  /** Run that the key names; default 1. */
  readonly run?: number;
  /** Default: the key of that run's first attempt. */
  readonly key?: string;
}

/** Puts an archive into the cache as whoever may write there could: `packed` as it is, a tar archive compressed. */
export async function plant(
  service: ResultsService,
  archive: { readonly packed: Buffer } | { readonly tar: Buffer },
  { compression = 'gzip', run = 1, key = keyOf(run) }: Planting = {},
): Promise<void> {
  const content = 'packed' in archive ? archive.packed : await compressed(archive.tar, compression);
  const { world } = service;
  const id = world.nextNumber();
  const blob = `caches/${id}`;
  const now = world.now();
  const version = entryVersion(compression);
  const repository = REPOSITORY_NAME;
  const scope = 'refs/heads/main';
  world.blobs.put(blob, content, 'application/octet-stream', now);
  world.caches.push({ id, repository, key, version, scope, blob, createdAt: now, usedAt: now, finalized: true });
}

/** The key that the run's first attempt would save under. */
export function keyOf(run: number): string {
  return entryKey(FINGERPRINT, { runId: String(run), runAttempt: 1 });
}

export function compressed(tar: Buffer, compression: Compression): Promise<Buffer> {
  return compression === 'gzip' ? promisify(gzip)(tar) : promisify(zstdCompress)(tar);
}
