import { lstatSync, type BigIntStats } from 'node:fs';
import { isSameFile, readWholeNow, type WholeFile } from '../store/filesystem/read-file.ts';

/** Of what was read or stored lately, so many bytes stay in memory. */
const REMEMBERED_BYTES = 32 * 1_024 * 1_024;

/** What a file costs in memory besides its bytes, about: its path, its status, and what is made of it. */
const OVERHEAD_BYTES = 2 * 1_024;

/** A file as it was read or stored. */
export interface RecentFile {
  readonly status: BigIntStats;
  readonly bytes: Uint8Array;
  /** It was flushed, with its name. */
  readonly settled?: true;
}

/** A file as it was read; see {@link WholeFile}. */
type RecentRead =
  | { readonly state: 'read'; readonly bytes: Uint8Array }
  | Exclude<WholeFile, { readonly state: 'read' }>;

/** Files by path. One that has changed on the disk is forgotten. */
export class RecentFiles {
  readonly #files = new Map<string, RecentFile>();
  #bytes = 0;

  /** A file that has not changed; the same object again. */
  get(path: string): RecentFile | undefined {
    const file = this.#files.get(path);
    if (file === undefined) return undefined;
    this.#forget(path, file);
    const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (now === undefined || !isSameFile(now, file.status)) return undefined;
    this.add(path, file);
    return file;
  }

  /**
   * A whole file; the same bytes again if it has not changed.
   * @param isGood judges bytes that were not here yet; others are `unreadable`
   */
  read(path: string, limit: number, isGood: (bytes: Uint8Array) => boolean = () => true): RecentRead {
    const known = this.get(path);
    if (known !== undefined) return { state: 'read', bytes: known.bytes };
    const file = readWholeNow(path, limit);
    if (file.state !== 'read') return file;
    if (!isGood(file.bytes)) return { state: 'unreadable', message: 'altered' };
    this.add(path, file);
    return file;
  }

  add(path: string, file: RecentFile): void {
    const before = this.#files.get(path);
    if (before !== undefined) this.#forget(path, before);
    this.#files.set(path, file);
    this.#bytes += file.bytes.length + OVERHEAD_BYTES;
    for (const [oldest, known] of this.#files) {
      if (this.#bytes <= REMEMBERED_BYTES) return;
      this.#forget(oldest, known);
    }
  }

  #forget(path: string, { bytes }: RecentFile): void {
    this.#files.delete(path);
    this.#bytes -= bytes.length + OVERHEAD_BYTES;
  }
}
