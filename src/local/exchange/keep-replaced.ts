import { join } from 'node:path';
import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import { digestOf, digestSchema, hexOf, type Digest } from '../../json/digest.ts';
import { parseJson } from '../../json/parse-json.ts';
import { atomicWrite, type OnDurable } from '../../store/filesystem/atomic-write.ts';
import { QUARANTINE } from '../../store/filesystem/quarantine.ts';
import { readWhole } from '../../store/filesystem/read-file.ts';
import { linksAbove } from '../../workspace/files/look.ts';

/** A file that is replaced. */
export interface Replacement {
  /** Absolute. */
  readonly target: string;
  /** For the name of the copy: relative to the folder that must not be left. */
  readonly path: string;
  /** `undefined`: there is none yet. */
  readonly before: Buffer | undefined;
  readonly after: string;
}

/** Version of the list of what was written. */
const FORMAT = 'gateline-exported/1';

/** Most files in the list. Of those that were written longer ago, a copy is kept, too. */
const MOST_FILES = 1_000;

/** As many as in other names in quarantine. */
const DIGITS = 12;

const MAX_BYTES = 16 * 1_024 ** 2;

const listSchema = z.object({ format: z.literal(FORMAT), files: z.record(z.string(), z.array(digestSchema).max(2)) });

/**
 * Copies what others wrote to quarantine, before it is replaced: formats of other systems have no place to say who
 * wrote a file, so digests of what Gateline wrote are in a list. It is written first: a process that is killed in
 * between still finds its own files.
 * @param state the folder `.state` of the workspace
 * @returns one sentence for each copy
 * @throws GatelineError `STATE_ESCAPES` if quarantine is a link
 */
export async function keepReplaced(
  state: string,
  replacements: readonly Replacement[],
  onDurable?: OnDurable,
): Promise<string[]> {
  if (replacements.length === 0) return [];
  const temporaryFolder = join(state, 'tmp');
  const list = join(state, 'exported.json');
  const written = await writtenBefore(list);
  const notices: string[] = [];
  for (const { target, path, before, after } of replacements) {
    const now = before && digestOf(before);
    const isOurs = now !== undefined && written.get(target)?.includes(now) === true;
    if (now !== undefined && !isOurs) {
      const copy = `${QUARANTINE}/${path}.${hexOf(now).slice(0, DIGITS)}`;
      if (linksAbove(state)(copy)) throw new GatelineError('STATE_ESCAPES', `a folder above .state/${copy} is a link`);
      await atomicWrite(join(state, copy), before!, { temporaryFolder, onDurable });
      notices.push(`${path} was replaced; what others wrote there is kept in .state/${copy}`);
    }
    written.delete(target);
    written.set(target, [digestOf(after), ...(isOurs ? [now] : [])]);
  }
  const files = Object.fromEntries([...written].slice(-MOST_FILES));
  await atomicWrite(list, `${JSON.stringify({ format: FORMAT, files }, null, 2)}\n`, { temporaryFolder, onDurable });
  return notices;
}

/** A list that is damaged is none: then there are more copies than needed. */
async function writtenBefore(list: string): Promise<Map<string, Digest[]>> {
  const file = await readWhole(list, MAX_BYTES);
  const parsed = file.state === 'read' ? parseJson(file.bytes) : undefined;
  const read = listSchema.safeParse(parsed?.ok === true ? parsed.value : undefined);
  return new Map(Object.entries(read.data?.files ?? {}));
}
