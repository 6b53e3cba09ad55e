import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GatelineError } from '../../errors.ts';
import { documentPath, MEMORY_FOLDER } from '../../run/memory.ts';
import { isBehindFile } from '../../workspace/paths.ts';
import { readPlainFile } from '../../store/files/attempts.ts';
import { replaceFile } from '../../store/files/projections.ts';
import { listFolder, ignoring, withSystemErrors } from '../../store/files/state-folder.ts';

const MAX_BYTES = 1024 ** 2;
const NAME = /^([a-z0-9][a-z0-9-]{0,63})\.md$/;

/** A document of `.gateline/memory/`. */
export interface DocumentFile {
  readonly name: string;
  /** Relative to the workspace. */
  readonly path: string;
  readonly bytes: number;
  /** ISO 8601. */
  readonly modified: string;
}

/** The documents of a folder, in `.gateline/memory/`. */
export class FileDocuments {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Undefined: there is none. @throws GatelineError `usage` if it is no plain file of at most 1 MiB */
  async read(name: string): Promise<Uint8Array | undefined> {
    const file = await readPlainFile(this.#place(name), MAX_BYTES);
    if (file.state === 'absent') return undefined;
    if (file.state === 'present') return file.bytes;
    throw new GatelineError('usage', `${documentPath(name)} is no plain file of at most 1 MiB`, {
      hint: 'Make it one: agents get a copy of it.',
    });
  }

  /** All documents, by name; undefined: the folder does not exist. */
  async list(): Promise<readonly DocumentFile[] | undefined> {
    const folder = join(this.#root, MEMORY_FOLDER);
    if (!(await stat(folder).catch(ignoring('ENOENT')))?.isDirectory()) return undefined;
    const names = (await listFolder(folder)).flatMap((file) => NAME.exec(file)?.[1] ?? []).toSorted();
    const files = names.map(async (name) => {
      const { size, mtime } = await stat(this.#place(name));
      return { name, path: documentPath(name), bytes: size, modified: mtime.toISOString() };
    });
    return withSystemErrors(folder, () => Promise.all(files));
  }

  async write(name: string, text: string): Promise<void> {
    await replaceFile(this.#place(name), text);
  }

  #place(name: string): string {
    // An agent may have made the folder a link to somewhere else.
    if (isBehindFile(this.#root, documentPath(name)))
      throw new GatelineError('usage', `${MEMORY_FOLDER} is no folder, or a link to one`);
    return join(this.#root, documentPath(name));
  }
}
