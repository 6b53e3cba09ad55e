import { GatelineError } from '../../errors/gateline-error.ts';
import { sameFile } from '../../run/files/tree.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import type { EarlierPut, TreeId } from '../../workspace/workspace.ts';
import type { EnginePorts } from '../ports.ts';

/**
 * The last call that wrote into the folder, if it applied files of a run of any definition, was interrupted, and has
 * left files as they were. Repeating it completes it.
 * @param version the user's version of the workspace, if it is needed
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function unfinishedApply(
  { workspace, putLists }: Pick<EnginePorts, 'workspace' | 'putLists'>,
  version: () => Promise<{ readonly tree: TreeId }>,
): Promise<EarlierPut | undefined> {
  const last = putLists && (await workspace.earlierPuts(putLists.folder)).at(-1);
  if (last?.what !== 'apply' || last.state === 'done') return undefined;
  const open = last.changes.filter(({ before, after }) => !sameFile(before, after));
  const paths = open.map(({ path }) => path);
  try {
    const now = await workspace.currentFiles((await version()).tree, paths);
    return open.some(({ path, before }) => sameFile(now.get(path) ?? null, before)) ? last : undefined;
  } catch (error) {
    // A folder that cannot be read does not show that every file is there.
    if (error instanceof GatelineError) return last;
    throw error;
  }
}

/** The problem and the command that completes it, in two sentences. */
export function unfinishedApplyText({ pipeline, subject, runNumber, gates = [], file }: EarlierPut): string {
  const words = [...gates.map((gate) => ['--gate', gate]), ...(file === undefined ? [] : [['--file', file]])].flat();
  const command = ['gateline apply', ...[`${subject}#${runNumber}`, ...words].map(shellWord)].join(' ');
  return `the call that applied the files of run ${runNumber} of ${pipeline} for ${subject} was interrupted: your folder has only some of them. \`${command}\` completes it.`;
}
