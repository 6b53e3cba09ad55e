import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { LIVE_LOG } from '../attempt-files.ts';

/**
 * What an agent prints, as it prints it: a file that another process follows. Lines of both streams, redacted, until
 * the file has so many bytes. What is kept in the end is stored elsewhere: an error here, such as a full disk, does not
 * stop the attempt.
 */
export class LiveLog implements Disposable {
  #file: number | undefined;
  #left: number;

  constructor(directory: string, limit: number) {
    this.#left = limit;
    try {
      // Not through a link: the directory may have been there before.
      this.#file = openSync(join(directory, LIVE_LOG), 'wx', 0o600);
    } catch {
      this.#file = undefined;
    }
  }

  add(line: string): void {
    if (this.#file === undefined) return;
    const text = `${line}\n`;
    this.#left -= Buffer.byteLength(text);
    try {
      writeSync(this.#file, this.#left < 0 ? '[gateline: more output is not shown here]\n' : text);
    } catch {
      this.#left = -1;
    }
    if (this.#left < 0) this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
