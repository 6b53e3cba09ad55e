import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GatelineError } from '../../errors.ts';
import { documentPath, MEMORY_FOLDER } from '../../run/memory.ts';
import { isBehindFile } from '../../workspace/paths.ts';
import { readPlainFile } from './attempts.ts';
import { replaceFile } from './projections.ts';
import { listFolder, withSystemErrors } from './state-folder.ts';

const MAX_BYTES = 1024 ** 2;
const NAME = /^([a-z0-9][a-z0-9-]{0,63})\.md$/;

/** The documents for agents of a folder. */
export class FileDocuments {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** @throws GatelineError `usage` if it is no plain file of at most 1 MiB */
  async read(name: string): Promise<Uint8Array | undefined> {
    const file = await readPlainFile(this.#place(name), MAX_BYTES);
    if (file.state === 'absent') return undefined;
    if (file.state === 'present') return file.bytes;
    throw new GatelineError('usage', `${documentPath(name)} is no plain file of at most 1 MiB`, {
      hint: 'Make it one: agents get a copy of it.',
    });
  }

  /** Names, and whether there is a folder for them. */
  async list(): Promise<readonly string[]> {
    const names = await listFolder(join(this.#root, MEMORY_FOLDER));
    return names.flatMap((file) => NAME.exec(file)?.[1] ?? []).toSorted();
  }

  async exists(): Promise<boolean> {
    return stat(join(this.#root, MEMORY_FOLDER)).then(
      (status) => status.isDirectory(),
      () => false,
    );
  }

  /** Milliseconds since 1970. */
  async modifiedAt(name: string): Promise<number> {
    const place = this.#place(name);
    return (await withSystemErrors(place, () => stat(place))).mtimeMs;
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
