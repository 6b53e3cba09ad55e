import type { Environment } from '../../environment.ts';
import { deepDiveHeader, stalenessOf, type Staleness } from '../../formats/agent-flow/deep-dive.ts';
import { changedSince } from '../../workspace/git/changed-since.ts';
import { objectNamed } from '../../workspace/git/git-objects.ts';
import { findRepository } from '../../workspace/git/repository.ts';

/** A workspace and the moment. */
export interface DeepDivePlace {
  /** Absolute. */
  readonly root: string;
  readonly environment: Environment;
  readonly now: Date;
}

/**
 * Whether the deep-dive document of a workspace is out of date.
 * @param text of the document
 * @throws GatelineError `GIT_NOT_FOUND`, `GIT_FAILED`
 */
export async function deepDiveStaleness(text: string, { root, environment, now }: DeepDivePlace): Promise<Staleness> {
  const header = deepDiveHeader(text);
  if (header === undefined || header.commit === null) return stalenessOf(header, undefined, now);
  const repository = await findRepository(root, { binary: 'git', environment });
  const changes = repository && (await changedSince(repository, header.commit, header.focus_path ?? '.'));
  return stalenessOf(header, changes, now);
}

/** Id of the checked out commit; `null`: there is no repository, or no commit. @throws GatelineError as git does */
export async function currentCommit(root: string, environment: Environment): Promise<string | null> {
  const repository = await findRepository(root, { binary: 'git', environment });
  return (repository && (await objectNamed(repository.git, 'HEAD'))) ?? null;
}
