import { constants } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentFile } from '../../agent/agent.ts';
import { isSystemError, messageOf } from '../../errors.ts';
import { digestOf, hexOf } from '../../json/digest.ts';
import type { AttemptRef } from '../../run/entry.ts';
import { withSystemErrors, type StateFolder } from './state-folder.ts';

/** Files that agents read and write: `.state/attempts/<pipeline>/<subject>/<run>/<gate>[.<leg>]/<n>/`. */
export class AttemptFolders {
  readonly #root: string;

  constructor(folder: StateFolder, pipeline: string) {
    this.#root = folder.pathOf('attempts', pipeline);
  }

  pathOf({ subject, run, unit, n }: AttemptRef): string {
    return join(this.#root, subjectSlug(subject), String(run), unit.replace('/', '.'), String(n));
  }

  /**
   * Creates an empty directory that only its owner may read, since files of agents are not redacted yet. A directory that
   * is there is removed: its engine was killed before it logged the attempt.
   */
  async create(attempt: AttemptRef): Promise<string> {
    const path = this.pathOf(attempt);
    await withSystemErrors(path, async () => {
      await rm(path, { recursive: true, force: true });
      await mkdir(path, { recursive: true, mode: 0o700 });
    });
    return path;
  }

  /** Removes all attempts of a unit. */
  async remove(attempt: AttemptRef): Promise<void> {
    const path = dirname(this.pathOf(attempt));
    await withSystemErrors(path, () => rm(path, { recursive: true, force: true }));
  }

  /** Writes a file for the agent. */
  async write(directory: string, name: string, bytes: Uint8Array | string): Promise<void> {
    const path = join(directory, name);
    await withSystemErrors(path, async () => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes);
    });
  }

  /** Reads a file of the agent. @param limit bytes */
  read(directory: string, name: string, limit: number): Promise<AgentFile> {
    return readPlainFile(join(directory, name), limit);
  }
}

/** Reads a file that somebody else wrote: never through a link, and without waiting for the writer of a pipe. */
export async function readPlainFile(path: string, limit: number): Promise<AgentFile> {
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    await using file = await open(path, flags);
    const status = await file.stat();
    if (!status.isFile()) return { state: 'refused', reason: `${path} is not a plain file` };
    if (status.size > limit) return { state: 'too-large', size: status.size };
    const bytes = await file.readFile();
    return bytes.length > limit ? { state: 'too-large', size: bytes.length } : { state: 'present', bytes };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return { state: 'absent' };
    const isLink = isSystemError(error, 'ELOOP');
    return { state: 'refused', reason: isLink ? `${path} is a symbolic link` : messageOf(error) };
  }
}

const MAX_SLUG = 80;
/** Names of devices, with any extension. */
const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * The folder name of a subject on any system: `[a-z0-9._-]`, at most 80 characters. A subject that is such a name stays as
 * it is (`pr-42`). Any other is simplified and gets 16 digits of its digest, so that no two subjects share a name.
 */
export function subjectSlug(subject: string): string {
  const letters = subject.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const name = letters.replace(/[^a-z0-9._-]+/g, '-').replace(/^[.-]+|[.-]+$/g, '');
  const isName = name === subject && name !== '' && name.length <= MAX_SLUG && !/-[0-9a-f]{16}$/.test(name);
  if (isName && !RESERVED_ON_WINDOWS.test(name)) return name;
  const suffix = `-${hexOf(digestOf(JSON.stringify(subject))).slice(0, 16)}`;
  return (RESERVED_ON_WINDOWS.test(name) ? `_${name}` : name || 'subject').slice(0, MAX_SLUG - suffix.length) + suffix;
}
