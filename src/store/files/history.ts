import { open } from 'node:fs/promises';
import { readFileIfPresent, withSystemErrors, type StateFolder } from './state-folder.ts';

const LINE_END = 10;

/** The history of a folder, one JSON object per line: `.state/history.jsonl`. For people: no gate depends on it. */
export class FileHistory {
  readonly #folder: StateFolder;
  readonly #path: string;

  constructor(folder: StateFolder) {
    this.#folder = folder;
    this.#path = folder.pathOf('history.jsonl');
  }

  /** All lines, the oldest first. A killed writer may have left an incomplete one. */
  async read(): Promise<string> {
    return (await readFileIfPresent(this.#path))?.toString() ?? '';
  }

  async append(...entries: readonly object[]): Promise<void> {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    await withSystemErrors(this.#path, async () => {
      await using file = await open(this.#path, 'a+');
      const { size } = await file.stat();
      const last = Buffer.alloc(1, LINE_END);
      if (size > 0) await file.read(last, { position: size - 1 });
      this.#folder.announce('append', this.#path);
      await file.appendFile(`${last[0] === LINE_END ? '' : '\n'}${lines}`);
      await file.datasync();
    });
  }
}
