import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import { readFailure, unlessAbsent, writing } from '../../errors/store-errors.ts';
import { sameFile, type TreeDifference, type TreeFile } from '../../run/files/tree.ts';
import type { PutReason } from '../../run/files/put-reason.ts';
import type { EarlierPut } from '../workspace.ts';

const LIST = 'applied.json';
const FORMAT = 'gateline-applied/1';

const fileSchema = z
  .object({
    blob: z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/),
    mode: z.string().regex(/^(?:100|120|160)[0-7]{3}$/),
  })
  .nullable();
const changeSchema = z.object({ path: z.string(), before: fileSchema, after: fileSchema });
const listSchema = z.object({
  format: z.literal(FORMAT),
  state: z.enum(['begun', 'done']),
  what: z.enum(['apply', 'rollback']),
  pipeline: z.string(),
  subject: z.string(),
  file: z.string().optional(),
  runNumber: z.int(),
  to: z.string().optional(),
  gates: z.array(z.string()).optional(),
  database: z.literal(true).optional(),
  call: z.int().optional(),
  at: z.iso.datetime(),
  changes: z.array(changeSchema),
});

/** Folder of the copies of replaced files, below the folder of a call. */
export function copiesIn(saved: string): string {
  return join(saved, 'files');
}

/** Folder for the new versions of files, next to the folder of the call. */
export function freshBeside(saved: string): string {
  return `${saved}.new.${randomBytes(4).toString('hex')}`;
}

/** Whether a folder next to those of calls is one of {@link freshBeside}. */
export function isFresh(name: string): boolean {
  return /\.new\.[0-9a-f]{8}$/.test(name);
}

/**
 * A time after those of all earlier calls, which are ordered by them: the clock may have been set back.
 * @param parent of the folders of all calls
 * @param now ISO 8601
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function timeOfPut(parent: string, now: string): Promise<string> {
  const last = (await earlierPuts(parent)).at(-1)?.at;
  return last === undefined || last < now ? now : new Date(Date.parse(last) + 1).toISOString();
}

/** Lists what will be replaced, before anything is: after a kill, it shows which copies exist, and why. */
export async function writePutList(
  saved: string,
  reason: PutReason,
  state: EarlierPut['state'],
  changes: readonly TreeDifference[],
): Promise<void> {
  const listed = changes.map(({ path, before, after }) => ({ path, before: plain(before), after: plain(after) }));
  const list = { format: FORMAT, state, ...reason, changes: listed };
  const file = join(saved, LIST);
  await writeFile(`${file}.tmp`, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.tmp`, file);
}

function plain(file: TreeFile | null): TreeFile | null {
  return file && { blob: file.blob, mode: file.mode };
}

/**
 * The calls that wrote files into the folder, oldest first.
 * @param parent of the folders of all calls
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function earlierPuts(parent: string): Promise<EarlierPut[]> {
  const names = (await unlessAbsent(readdir(parent)).catch(failed(parent))) ?? [];
  const folders = names.filter((name) => !isFresh(name)).map((name) => join(parent, name));
  const puts = await Promise.all(folders.map(readList));
  return puts.filter((put) => put !== undefined).toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/**
 * Removes the lists of calls that wrote files into the folder, with the copies of what they replaced. One that was
 * interrupted stays.
 * @param parent of the folders of all calls
 * @throws GatelineError `STORE_READ_FAILED`, `STORE_WRITE_FAILED`
 */
export async function removePuts(parent: string, isOld: (put: EarlierPut) => boolean): Promise<void> {
  const names = (await unlessAbsent(readdir(parent)).catch(failed(parent))) ?? [];
  for (const name of names) {
    if (isFresh(name)) continue;
    const saved = join(parent, name);
    const put = await readList(saved);
    if (put?.state !== 'done' || !isOld(put)) continue;
    const gone = freshBeside(saved);
    // Copies without their list would be an error.
    await writing(saved, () => rename(saved, gone));
    await writing(gone, () => rm(gone, { recursive: true, force: true }));
  }
}

/** `undefined`: a call that was killed before it changed anything. */
async function readList(saved: string): Promise<EarlierPut | undefined> {
  const file = join(saved, LIST);
  const text = await unlessAbsent(readFile(file, 'utf8')).catch(failed(file));
  if (text === undefined) {
    if (existsSync(copiesIn(saved))) throw unreadable(saved, 'is missing');
    return undefined;
  }
  const { format: _, changes, ...put } = parsed(text, saved);
  const copyFrom = copiesIn(saved);
  return {
    ...put,
    changes: changes.map((one) => {
      const isReplaced = one.before !== null && !sameFile(one.before, one.after);
      return isReplaced ? { ...one, copyFrom } : one;
    }),
  };
}

function parsed(text: string, saved: string): z.infer<typeof listSchema> {
  try {
    return listSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw unreadable(saved, cause instanceof SyntaxError ? 'is not JSON' : 'is damaged, or of another version', cause);
  }
}

function unreadable(saved: string, why: string, cause?: unknown): GatelineError {
  const file = join(saved, LIST);
  return new GatelineError('STORE_READ_FAILED', `${file} ${why}: what was put into your folder then is not known`, {
    hint: `Restore the file from a backup. Or undo that call yourself (\`git diff\` shows the changes, ${copiesIn(saved)} has what was replaced), and then move ${saved} away.`,
    place: { file },
    cause,
  });
}

function failed(path: string): (error: unknown) => never {
  return (error) => {
    throw readFailure(path, error);
  };
}
