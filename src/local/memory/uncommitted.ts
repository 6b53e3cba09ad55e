import type { Environment } from '../../environment.ts';
import { documentPath } from '../../memory/documents.ts';
import { entriesOf, entryId, type MemoryEntry } from '../../memory/entries.ts';
import { readObjects } from '../../workspace/git/git-objects.ts';
import { findRepository } from '../../workspace/git/repository.ts';
import { PATTERNS, readDocument } from './documents.ts';

/**
 * Whether the document of learnings has one of these entries in the folder and not in the checked out commit.
 * @param root of the workspace, absolute
 * @throws GatelineError as `readDocument`, `GIT_NOT_FOUND`, `GIT_FAILED`
 */
export async function hasUncommitted(
  entries: readonly MemoryEntry[],
  root: string,
  environment: Environment,
): Promise<boolean> {
  const repository = await findRepository(root, { binary: 'git', environment });
  if (repository === undefined) return false;
  const { git, prefix } = repository;
  const [found] = await readObjects(git, [`HEAD:${prefix}${documentPath(PATTERNS)}`]);
  const committed = idsIn(found?.content.toString('utf8') ?? '');
  const present = idsIn((await readDocument(root, PATTERNS)) ?? '');
  return entries.map(entryId).some((id) => present.has(id) && !committed.has(id));
}

function idsIn(text: string): Set<string> {
  return new Set(entriesOf(text).map(({ id }) => id));
}
