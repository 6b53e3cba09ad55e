import { lstat, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digestOf, hexOf } from '../../../json/digest.ts';
import { writing } from '../../../errors/store-errors.ts';
import { atomicWrite } from '../atomic-write.ts';
import { syncFolder } from '../durable.ts';
import type { ProjectionOwner, Sealed } from './projection-seal.ts';
import { keepAside } from '../quarantine.ts';
import { readWhole } from '../read-file.ts';
import type { StateFolder } from '../state-folder.ts';

/** A notice about a projection, for users. */
export interface ProjectionNotice {
  /**
   * - `PROJECTION_KEPT_ASIDE`: the file in its place was not ours and is now in quarantine
   * - `PROJECTION_FAILED`: the file could not be written; the records are not affected
   * - `PROJECTION_TOO_LONG`: it has more lines than the state guide reads
   */
  readonly code: 'PROJECTION_KEPT_ASIDE' | 'PROJECTION_FAILED' | 'PROJECTION_TOO_LONG';
  /** Name of the file, relative to the workspace if known. */
  readonly file: string;
  readonly message: string;
}

/** Larger files are not projections. */
export const MAX_BYTES = 64 * 1_024 * 1_024;

/** One of our files that shows the content of the records. Nothing is overwritten that was not read first. */
export class ProjectionFile {
  readonly #state: StateFolder;
  readonly #path: string;
  readonly #owner: ProjectionOwner;
  readonly #readSeal: (bytes: Uint8Array) => Sealed;
  readonly #before: string | undefined;

  /** @param before what this process last wrote there for the same owner: it needs no seal to prove that it is ours */
  constructor(
    state: StateFolder,
    name: string,
    owner: ProjectionOwner,
    readSeal: (bytes: Uint8Array) => Sealed,
    before?: string,
  ) {
    this.#before = before;
    this.#state = state;
    this.#path = join(state.root, name);
    this.#owner = owner;
    this.#readSeal = readSeal;
  }

  /**
   * Write this text to the file; `undefined`: remove the file, unless it is not ours.
   * @throws GatelineError when the disk refuses
   */
  async show(text: string | undefined): Promise<ProjectionNotice[]> {
    this.#state.assertWritable();
    const now = await readWhole(this.#path, MAX_BYTES);
    if (now.state === 'absent') {
      if (text !== undefined) await this.#write(text);
      return [];
    }
    if (now.state === 'read' && text !== undefined && now.bytes.equals(Buffer.from(text))) return [];
    const objection = now.state === 'unreadable' ? now.message : this.#objectionTo(now.bytes);
    if (text === undefined) {
      if (objection === undefined) await this.#remove();
      return [];
    }
    const notices =
      objection === undefined ? [] : [await this.#keepAside(objection, now.state === 'read' ? now.bytes : undefined)];
    await this.#write(text);
    return notices;
  }

  /** Remove whatever is in its place. What is not ours is kept in `quarantine/`. @throws GatelineError */
  async clear(): Promise<ProjectionNotice[]> {
    this.#state.assertWritable();
    const now = await readWhole(this.#path, MAX_BYTES);
    if (now.state === 'absent') return [];
    const objection = now.state === 'unreadable' ? now.message : this.#objectionTo(now.bytes);
    const notices =
      objection === undefined ? [] : [await this.#keepAside(objection, now.state === 'read' ? now.bytes : undefined)];
    await this.#remove();
    return notices;
  }

  /** Why the existing file must not simply be replaced. */
  #objectionTo(bytes: Buffer): string | undefined {
    if (this.#before !== undefined && bytes.equals(Buffer.from(this.#before))) return undefined;
    return this.#objection(this.#readSeal(bytes));
  }

  #objection(sealed: Sealed): string | undefined {
    if (sealed.state === 'foreign') return sealed.why;
    const { pipeline, subject, run } = sealed.owner;
    if (pipeline !== this.#owner.pipeline) return `it belongs to the pipeline ${pipeline}`;
    if (subject !== this.#owner.subject) return `it belongs to the subject ${JSON.stringify(subject).slice(0, 200)}`;
    return run > this.#owner.run ? `it belongs to a later run, ${run}` : undefined;
  }

  async #keepAside(why: string, bytes: Uint8Array | undefined): Promise<ProjectionNotice> {
    const file = this.#state.show(this.#path);
    const tag = bytes === undefined ? await this.#tagOfUnreadable() : hexOf(digestOf(bytes));
    const target = await this.#state.writing(this.#path, () =>
      keepAside(this.#state, this.#path, tag, { code: 'FOREIGN', message: why }),
    );
    const kept = this.#state.show(target);
    return {
      code: 'PROJECTION_KEPT_ASIDE',
      file,
      message: `The previous content of ${file} is now in ${kept}, because ${why}.`,
    };
  }

  async #tagOfUnreadable(): Promise<string> {
    const { ino, size, mtimeMs } = await lstat(this.#path);
    return hexOf(digestOf(`${ino} ${size} ${mtimeMs}`));
  }

  async #write(text: string): Promise<void> {
    const { temporaryFolder, onDurable } = this.#state;
    await this.#state.folder(this.#state.root);
    await atomicWrite(this.#path, text, { temporaryFolder, onDurable });
  }

  async #remove(): Promise<void> {
    await writing(this.#path, async () => {
      await rm(this.#path, { force: true });
      await syncFolder(dirname(this.#path));
    });
    this.#state.onDurable(`removed ${this.#path}`);
  }
}
