import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { GatelineError, isSystemError } from '../../errors.ts';
import type { Content } from '../../run/entry.ts';
import type { Chunks } from '../stores.ts';

/** Called before each durable step (`append log.jsonl`, `rename content/ab/…`), where tests kill the process. */
export type CrashPoint = (operation: string) => void;

/**
 * Opens the folder of all local state, and creates it if it is absent. It may be a mount, or a link inside the workspace.
 * @param path `<workspace>/.state`, absolute
 * @throws GatelineError `usage` if it leads out of the workspace; `platform`, with a hint, if the system refuses
 */
export async function openStateFolder(path: string, crashPoint: CrashPoint = () => undefined): Promise<StateFolder> {
  return withSystemErrors(path, async () => {
    await mkdir(path, { mode: 0o755 }).catch(ignoring('EEXIST'));
    const target = await realpath(path);
    if (!target.startsWith((await realpath(dirname(path))) + sep)) {
      throw new GatelineError('usage', `${path} leads out of the workspace, to ${target}`, {
        hint: 'Remove the link. To keep the state elsewhere, mount a folder there.',
      });
    }
    const folder = new StateFolder(target, crashPoint);
    await writeFile(folder.pathOf('.gitignore'), '*\n', { flag: 'wx' }).catch(ignoring('EEXIST'));
    return folder;
  });
}

/** `.state`. Everything in it is written by these methods. */
export class StateFolder {
  /** Absolute, without links. */
  readonly path: string;
  readonly #crashPoint: CrashPoint;

  /** Use {@link openStateFolder}. */
  constructor(path: string, crashPoint: CrashPoint) {
    this.path = path;
    this.#crashPoint = crashPoint;
  }

  pathOf(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** Announces a step that changes the disk. */
  announce(step: 'write' | 'append' | 'rename' | 'unlink', path: string): void {
    this.#crashPoint(`${step} ${relative(this.path, path).split(sep).join('/')}`);
  }

  /** Writes a whole file: readers see the old content or the new one, after a power cut too. Creates its folder. */
  async writeDurably(path: string, chunks: Chunks): Promise<void> {
    await this.moveDurably((await this.writeTemporary(chunks)).path, path);
  }

  /** Writes a new file, which nobody reads until {@link moveDurably} moves it. */
  async writeTemporary(chunks: Chunks): Promise<Content & { readonly path: string }> {
    const path = this.pathOf('tmp', randomUUID());
    const hash = createHash('sha256');
    let bytes = 0;
    async function* measure(): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        hash.update(buffer);
        bytes += buffer.length;
        yield buffer;
      }
    }
    this.announce('write', this.pathOf('tmp'));
    return withSystemErrors(path, async () => {
      await this.#createFolder(dirname(path));
      try {
        await writeFile(path, measure(), { flag: 'wx' });
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
      return { path, bytes, digest: `sha256:${hash.digest('hex')}` };
    });
  }

  /** Flushes a temporary file and renames it to `path`, replacing a file there. */
  async moveDurably(temporary: string, path: string): Promise<void> {
    await withSystemErrors(path, async () => {
      await flushFile(temporary);
      this.announce('rename', path);
      await this.#createFolder(dirname(path));
      await rename(temporary, path);
      await syncFolder(dirname(path));
    });
  }

  /** Removes a file, if it exists. */
  async remove(path: string): Promise<void> {
    this.announce('unlink', path);
    await withSystemErrors(path, () => rm(path, { force: true }));
  }

  /** Removes temporary files that killed processes left at least an hour ago. The caller holds the engine's lock. */
  async sweep(): Promise<void> {
    for (const name of await listFolder(this.pathOf('tmp'))) {
      const path = this.pathOf('tmp', name);
      const { mtimeMs = Infinity } = (await stat(path).catch(ignoring('ENOENT'))) ?? {};
      if (mtimeMs < Date.now() - 3_600_000) await this.remove(path);
    }
  }

  async #createFolder(path: string): Promise<void> {
    const first = await mkdir(path, { recursive: true });
    if (first === undefined) return;
    for (let at = path; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at));
  }
}

/** The content of a file; undefined: absent. @throws GatelineError `platform` for any other reason */
export function readFileIfPresent(path: string): Promise<Buffer | undefined> {
  return withSystemErrors(path, () => readFile(path).catch(ignoring('ENOENT')));
}

/** Names in a folder; none if it is absent. */
export async function listFolder(path: string): Promise<string[]> {
  return (await withSystemErrors(path, () => readdir(path).catch(ignoring('ENOENT')))) ?? [];
}

/** A handler for `catch` that ignores the system error with this code, and throws any other error. */
export function ignoring(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!isSystemError(error, code)) throw error;
  };
}

async function flushFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}

/** Flushes a folder, so that the names in it survive a power cut. Windows does so by itself. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using folder = await open(path, 'r');
  await folder.sync().catch(ignoring('EINVAL'));
}

const OWNER = 'Look who owns it: an earlier run as another user (root in a container?) may have made it or its folder.';
const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space, then run the same command again. What was stored is not lost.',
  EROFS: 'The file system is read-only: run this where the workspace can be written.',
  EACCES: OWNER,
  EPERM: OWNER,
  ENOTDIR: 'A file is in the place of a folder: move it away.',
};

/** Turns errors of the operating system into errors that say what to do. @throws GatelineError `platform` */
export async function withSystemErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause && 'code' in cause)) throw cause;
    const hint = HINTS[String(cause.code)] ?? 'Check the disk and the permissions, then run the same command again.';
    const reason = cause.message.replace(` '${path}'`, '');
    throw new GatelineError('platform', `${path} cannot be used: ${reason}`, { hint, place: { file: path }, cause });
  }
}
