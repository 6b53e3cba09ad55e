import { randomUUID } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { decidedSchema, type Writer } from '../../../run/records/record.ts';
import { GatelineError, isDiskFull } from '../../../errors/gateline-error.ts';
import { shellWord } from '../../../untrusted/shell-word.ts';
import { parseStoredJson } from '../../parse-record.ts';
import { readFailure, unlessAbsent, writing } from '../../../errors/store-errors.ts';
import { atomicWrite, type OnDurable } from '../atomic-write.ts';
import { claimName, sweepTemporary, syncFolder, writeTemporary, type Claiming } from '../durable.ts';
import { readWhole } from '../read-file.ts';
import { initialiseRoot } from '../state-folder.ts';

const LOCK_FORMAT = 'gateline-lock/1';
const LOCK_NAME = /^lock\.([1-9][0-9]{0,14})$/;

const lockSchema = z.object({
  format: z.literal(LOCK_FORMAT),
  state: z.enum(['held', 'released']),
  /** Distinguishes this lock from any other, including a later one with the same number. */
  token: z.string().max(64),
  holder: decidedSchema.shape.by,
  since: z.string().max(64),
});
type LockContent = z.infer<typeof lockSchema>;

/** The right to run the engine on a workspace; released by `await using` or {@link EngineLock.release}. */
export interface EngineLock extends AsyncDisposable {
  /** Increases by at least one each time the lock is taken, unless the previous lock was released on a full disk. */
  readonly generation: number;
  /** Calling it again has no effect. */
  release(): Promise<void>;
}

/** Options of {@link takeLock}. */
export interface EngineLockOptions {
  readonly onDurable?: OnDurable | undefined;
  /** As for the store. */
  readonly claiming?: Claiming;
}

/**
 * Take the engine lock of a state folder: one engine per workspace at a time. Does not wait. A lock whose holder is
 * dead is taken over.
 *
 * Files `lock.<generation>`: each take creates the next one, which can be created only once. The newest existing file
 * is the lock. Old temporary files are removed on the way.
 *
 * @param root absolute path of the state folder; created if missing
 * @param me the process that takes it; see `processIdentity`
 * @param isAlive whether the holder of an older lock is still alive
 * @throws GatelineError `ENGINE_BUSY` (fault `user`) when another engine has it, or may have it
 * @throws GatelineError `STORE_WRITE_FAILED`, `STORE_READ_FAILED` (fault `platform`)
 */
export async function takeLock(
  root: string,
  me: Writer,
  isAlive: (writer: Writer) => boolean | Promise<boolean>,
  options: EngineLockOptions = {},
): Promise<EngineLock> {
  await initialiseRoot(root, options.onDurable);
  const seen = (await generations(root)).at(-1) ?? 0;
  if (seen > 0) await refuseLiving(root, seen, isAlive);
  const lock = new Lock(root, seen + 1, me, options);
  await lock.take(seen);
  await sweepTemporary(join(root, 'tmp'));
  return lock;
}

/** The newest lock of a state folder. */
export type LockSeen =
  | { readonly state: 'free' }
  | { readonly state: 'damaged'; readonly path: string; readonly why: string }
  | { readonly state: 'held'; readonly path: string; readonly holder: Writer; readonly since: string };

/**
 * Reads the lock without taking it. `held`: its holder may be dead.
 * @param root as for {@link takeLock}
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function readLock(root: string): Promise<LockSeen> {
  const newest = (await generations(root)).at(-1);
  if (newest === undefined) return { state: 'free' };
  const path = lockPath(root, newest);
  const content = await readContent(path);
  if (content === undefined) return { state: 'free' };
  if (typeof content === 'string') return { state: 'damaged', path, why: content };
  const { state, holder, since } = content;
  return state === 'released' ? { state: 'free' } : { state: 'held', path, holder, since };
}

class Lock implements EngineLock {
  readonly generation: number;
  readonly #root: string;
  readonly #path: string;
  readonly #content: LockContent;
  readonly #options: EngineLockOptions;
  #released = false;

  constructor(root: string, generation: number, me: Writer, options: EngineLockOptions) {
    this.generation = generation;
    this.#root = root;
    this.#path = lockPath(root, generation);
    this.#options = options;
    this.#content = {
      format: LOCK_FORMAT,
      state: 'held',
      token: randomUUID(),
      holder: me,
      since: new Date().toISOString(),
    };
  }

  /** @param seen the newest generation seen; 0 if there was none */
  async take(seen: number): Promise<void> {
    const mine = await writing(this.#path, async () => {
      const temporary = await writeTemporary(join(this.#root, 'tmp'), [Buffer.from(textOf(this.#content))]);
      return claimName(temporary.path, this.#path, this.#options.claiming ?? 'link');
    });
    if (!mine) throw await busy(this.#root, this.generation);
    this.#options.onDurable?.(`lock ${this.generation}`);
    if (await this.#isOvertaken(seen)) {
      await writing(this.#path, () => rm(this.#path, { force: true }));
      throw await busy(this.#root, (await generations(this.#root)).at(-1) ?? this.generation);
    }
    for (const lower of await generations(this.#root)) {
      // In ascending order: if a generation is gone, those below it are gone too.
      if (lower < this.generation) await writing(this.#path, () => rm(lockPath(this.#root, lower), { force: true }));
    }
    await writing(this.#root, () => syncFolder(this.#root));
  }

  /**
   * This process may have been suspended between looking and creating its file, while others took later generations and
   * removed the file. Then the one that we saw is gone too, or a higher one exists.
   */
  async #isOvertaken(seen: number): Promise<boolean> {
    if (seen > 0 && (await unlessAbsent(lstat(lockPath(this.#root, seen)))) === undefined) return true;
    return ((await generations(this.#root)).at(-1) ?? 0) > this.generation;
  }

  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    const now = await readContent(this.#path);
    // The file was removed by hand: any file there now belongs to another engine.
    if (now === undefined || typeof now === 'string' || now.token !== this.#content.token) return;
    await this.#markReleased();
    this.#options.onDurable?.(`lock ${this.generation} released`);
  }

  /** A full disk accepts no new file. A missing lock file also means that the lock is free. */
  async #markReleased(): Promise<void> {
    const text = textOf({ ...this.#content, state: 'released' });
    try {
      await atomicWrite(this.#path, text, { temporaryFolder: join(this.#root, 'tmp') });
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await writing(this.#path, () => rm(this.#path, { force: true }));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}

async function refuseLiving(
  root: string,
  generation: number,
  isAlive: (writer: Writer) => boolean | Promise<boolean>,
): Promise<void> {
  const content = await readContent(lockPath(root, generation));
  if (content === undefined || typeof content === 'string') throw await busy(root, generation);
  if (content.state === 'held' && (await isAlive(content.holder))) throw await busy(root, generation);
}

/** The error that says which process has the lock. */
async function busy(root: string, generation: number): Promise<GatelineError> {
  const path = lockPath(root, generation);
  const content = await readContent(path);
  const remove = `rm -r ${shellWord(path)}`;
  const byHand = `If you are sure that no other Gateline works in this workspace, remove the lock and try again: \`${remove}\``;
  if (content === undefined || (typeof content !== 'string' && content.state === 'released')) {
    return new GatelineError('ENGINE_BUSY', `Another Gateline took the lock of ${root} at the same moment`, {
      hint: 'Try again.',
      place: { file: path },
    });
  }
  if (typeof content === 'string') {
    return new GatelineError(
      'ENGINE_BUSY',
      `The lock of ${root} is damaged (${path}: ${content}), so another Gateline may be working there`,
      { hint: byHand, place: { file: path } },
    );
  }
  const { holder, since } = content;
  return new GatelineError(
    'ENGINE_BUSY',
    `Another Gateline works in ${root}: process ${holder.pid} on ${holder.host}, since ${since}`,
    {
      hint: `Wait until it is done, or stop it. ${byHand}`,
      place: { file: path },
    },
  );
}

function lockPath(root: string, generation: number): string {
  return join(root, `lock.${generation}`);
}

function textOf(content: LockContent): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Existing generations, lowest first. */
async function generations(root: string): Promise<number[]> {
  const names = await unlessAbsent(readdir(root)).catch((error: unknown) => {
    throw readFailure(root, error);
  });
  const numbers = (names ?? []).map((name) => LOCK_NAME.exec(name)?.[1]).filter((digits) => digits !== undefined);
  return numbers.map(Number).toSorted((a, b) => a - b);
}

/** Content of a lock file. `undefined`: it is gone. A text: why it cannot be read. */
async function readContent(path: string): Promise<LockContent | string | undefined> {
  const file = await readWhole(path, 65_536);
  if (file.state === 'absent') return undefined;
  if (file.state === 'unreadable') return file.message;
  const json = parseStoredJson(file.bytes);
  if ('fault' in json) return json.fault.message;
  const parsed = lockSchema.safeParse(json.value);
  return parsed.success ? parsed.data : 'not the shape of a lock';
}
