import type { Environment } from '../../environment.ts';
import { DEEP_DIVE, deepDiveHeader, stalenessOf, type Staleness } from '../../formats/deep-dive.ts';
import { changedSince } from '../../workspace/git/changed-since.ts';
import { findRepository } from '../../workspace/git/repository.ts';
import { readDocument } from './documents.ts';

/** A workspace and the moment. */
export interface DeepDivePlace {
  /** Absolute. */
  readonly root: string;
  readonly environment: Environment;
  readonly now: Date;
}

/**
 * Whether the deep-dive document of a workspace is out of date; `undefined`: there is none.
 * @throws GatelineError as `readDocuments`; `GIT_NOT_FOUND`, `GIT_FAILED`
 */
export async function deepDiveStaleness({ root, environment, now }: DeepDivePlace): Promise<Staleness | undefined> {
  const text = await readDocument(root, DEEP_DIVE);
  if (text === undefined) return undefined;
  const header = deepDiveHeader(text);
  const repository = header?.commit ? await findRepository(root, { binary: 'git', environment }) : undefined;
  const changes =
    repository && header?.commit ? await changedSince(repository, header.commit, header.focus_path ?? '.') : undefined;
  return stalenessOf(header, changes, now);
}

/** Id of the checked out commit; `null`: there is no repository, or no commit. @throws GatelineError as git does */
export async function currentCommit(root: string, environment: Environment): Promise<string | null> {
  const repository = await findRepository(root, { binary: 'git', environment });
  const answer = await repository?.git(['rev-parse', '--verify', '--quiet', 'HEAD'], { answers: [0, 1, 128] });
  return answer?.code === 0 ? answer.out.toString('latin1').trim() : null;
}
