import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, copyFile, rm } from 'node:fs/promises';
import { digestOf, hexOf, type Digest } from '../../json/digest.ts';
import type { Content } from '../../run/entry.ts';
import type { Chunks, Contents } from '../stores.ts';
import { listFolder, readFileIfPresent, ignoring, withSystemErrors, type StateFolder } from './state-folder.ts';

/** Values and files by digest: `.state/content/<2 hex digits>/<64>`. */
export class FileContents implements Contents {
  readonly #folder: StateFolder;

  constructor(folder: StateFolder) {
    this.#folder = folder;
  }

  async put(chunks: Chunks): Promise<Content> {
    const { path, digest, bytes } = await this.#folder.writeTemporary(chunks);
    const target = this.#pathOf(digest);
    if ((await digestOfFile(target)) === digest) await this.#folder.remove(path);
    else await this.#folder.moveDurably(path, target);
    return { digest, bytes };
  }

  async get(digest: Digest): Promise<Uint8Array | undefined> {
    const bytes = await readFileIfPresent(this.#pathOf(digest));
    return bytes !== undefined && digestOf(bytes) === digest ? bytes : undefined;
  }

  async copyTo(digest: Digest, path: string): Promise<boolean> {
    const source = this.#pathOf(digest);
    if ((await digestOfFile(source)) === undefined) return false;
    const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;
    await withSystemErrors(path, () => copyFile(source, path, flags));
    if ((await digestOfFile(path)) === digest) return true;
    await rm(path, { force: true });
    return false;
  }

  /** Removes all contents but these. */
  async removeAllBut(digests: ReadonlySet<Digest>): Promise<void> {
    const names = new Set([...digests].map(hexOf));
    for (const prefix of await listFolder(this.#folder.pathOf('content'))) {
      for (const name of await listFolder(this.#folder.pathOf('content', prefix))) {
        if (!names.has(name)) await this.#folder.remove(this.#folder.pathOf('content', prefix, name));
      }
    }
  }

  #pathOf(digest: Digest): string {
    const hex = hexOf(digest);
    return this.#folder.pathOf('content', hex.slice(0, 2), hex);
  }
}

/** Undefined: there is no such file. */
async function digestOfFile(path: string): Promise<Digest | undefined> {
  const hash = createHash('sha256');
  const read = async (): Promise<Digest> => {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return `sha256:${hash.digest('hex')}`;
  };
  return withSystemErrors(path, () => read().catch(ignoring('ENOENT')));
}
