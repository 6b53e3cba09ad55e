import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import { readFailure, unlessAbsent } from '../../errors/store-errors.ts';
import { sameFile, type TreeDifference, type TreeFile } from '../../run/files/tree.ts';
import type { EarlierPut, PutReason } from '../workspace.ts';

const LIST = 'applied.json';
const FORMAT = 'gateline-applied/1';

const fileSchema = z.object({ blob: z.string(), mode: z.string() }).nullable();
const changeSchema = z.object({ path: z.string(), before: fileSchema, after: fileSchema });
const listSchema = z.object({
  format: z.literal(FORMAT),
  state: z.enum(['begun', 'done']),
  what: z.enum(['apply', 'rollback']),
  pipeline: z.string(),
  subject: z.string(),
  runNumber: z.int(),
  at: z.iso.datetime(),
  changes: z.array(changeSchema),
});

/** Folder of the copies of replaced files, below the folder of a call. */
export function copiesIn(saved: string): string {
  return join(saved, 'files');
}

/** Lists what will be replaced, before anything is: after a kill, it shows which copies exist, and why. */
export async function writePutList(
  saved: string,
  { what, pipeline, subject, runNumber, at }: PutReason,
  state: EarlierPut['state'],
  changes: readonly TreeDifference[],
): Promise<void> {
  const listed = changes.map(({ path, before, after }) => ({ path, before: plain(before), after: plain(after) }));
  const list = { format: FORMAT, state, what, pipeline, subject, runNumber, at, changes: listed };
  const file = join(saved, LIST);
  await writeFile(`${file}.tmp`, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.tmp`, file);
}

function plain(file: TreeFile | null): TreeFile | null {
  return file && { blob: file.blob, mode: file.mode };
}

/**
 * The calls that wrote files into the folder, oldest first. A list of an earlier version, which says nothing about its
 * run, is left out.
 * @param parent of the folders of all calls
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function earlierPuts(parent: string): Promise<EarlierPut[]> {
  const names = (await unlessAbsent(readdir(parent)).catch(failed(parent))) ?? [];
  const puts = await Promise.all(names.map((name) => readList(join(parent, name))));
  return puts.filter((put) => put !== undefined).toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

async function readList(saved: string): Promise<EarlierPut | undefined> {
  const file = join(saved, LIST);
  const text = await unlessAbsent(readFile(file, 'utf8')).catch(failed(file));
  if (text === undefined) return undefined;
  const list = listSchema.safeParse(parsed(text, file));
  if (!list.success) return undefined;
  const { changes, what, pipeline, subject, runNumber, at, state } = list.data;
  const copyFrom = copiesIn(saved);
  return {
    what,
    pipeline,
    subject,
    runNumber,
    at,
    state,
    changes: changes.map((one) => {
      const isReplaced = one.before !== null && !sameFile(one.before, one.after);
      return isReplaced ? { ...one, copyFrom } : one;
    }),
  };
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `${file} is not JSON, so what it says was put into your folder is not known`;
    throw new GatelineError('STORE_READ_FAILED', message, { cause });
  }
}

function failed(path: string): (error: unknown) => never {
  return (error) => {
    throw readFailure(path, error);
  };
}
