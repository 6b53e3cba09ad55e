import { GatelineError } from '../../errors/gateline-error.ts';
import { firstNames } from '../../errors/first-names.ts';
import { inParallel } from '../../in-parallel.ts';
import { blobIdOf } from '../../json/digest.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { sameFile } from '../../run/files/tree.ts';
import { missingContent } from '../../engine/call/content.ts';
import type { DeliveredFile } from '../../engine/delivery/deliver.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { createBlob, createTree, filesAt, readCommit, type NewTreeEntry } from './git-data.ts';
import type { DeliveryTarget } from './target.ts';

/** GitHub allows a job's token 1,000 requests an hour in a repository, and each file is one. */
const MOST_FILES = 500;
/** Requests at the same time. */
const AT_ONCE = 4;

/** A commit to be made. */
export interface CommitPlan {
  readonly parent: string;
  /** Equal to {@link CommitPlan.parentTree}: there is nothing to commit. */
  readonly tree: string;
  readonly parentTree: string;
}

/**
 * Stores the files over REST, as the tree that a commit on the target's commit has.
 * @param prefix of the files' paths in the repository
 * @throws GatelineError `DELIVERY_TOO_LARGE`, `DELIVERY_CONFLICT`, `CONTENT_MISSING`, and those of the REST API
 */
export async function planCommit(
  rest: RestClient,
  store: Pick<RecordStore, 'get'>,
  target: DeliveryTarget,
  { files, prefix }: { readonly files: readonly DeliveredFile[]; readonly prefix: string },
): Promise<CommitPlan> {
  if (files.length > MOST_FILES)
    throw new GatelineError('DELIVERY_TOO_LARGE', `${files.length} files are more than ${MOST_FILES}`);
  const { tree: parentTree } = await readCommit(rest, target.commit);
  if (target.isMerge) await refuseOtherVersions(rest, parentTree.sha, files, prefix);
  const entries: NewTreeEntry[] = [];
  await inParallel(AT_ONCE, files, async (file) => {
    entries.push(await entryOf(rest, store, file, prefix));
  });
  const tree = entries.length === 0 ? parentTree.sha : await createTree(rest, parentTree.sha, entries);
  return { parent: target.commit, tree, parentTree: parentTree.sha };
}

/** The gates worked on the merge with the base branch, which may have other versions of these files. */
async function refuseOtherVersions(
  rest: RestClient,
  tree: string,
  files: readonly DeliveredFile[],
  prefix: string,
): Promise<void> {
  const paths = files.map(({ path }) => `${prefix}${path}`);
  const head = await filesAt(rest, tree, paths);
  const others = files.filter(({ path, before }) => !sameFile(head.get(`${prefix}${path}`) ?? null, before));
  if (others.length === 0) return;
  const names = firstNames(
    others.map(({ path }) => JSON.stringify(path)),
    10,
  );
  throw new GatelineError('DELIVERY_CONFLICT', `the base branch has other versions of these files: ${names}`);
}

async function entryOf(
  rest: RestClient,
  store: Pick<RecordStore, 'get'>,
  { path, before, after }: DeliveredFile,
  prefix: string,
): Promise<NewTreeEntry> {
  const entry = { path: `${prefix}${path}`, type: 'blob' } as const;
  if (after === null) return { ...entry, mode: before?.mode ?? '100644', sha: null };
  const what = `the file ${JSON.stringify(path)}`;
  if (after.content === undefined) throw new GatelineError('CONTENT_MISSING', `${what} was not kept`);
  const read = await store.get(after.content.digest);
  if (read.state !== 'present')
    throw missingContent(what, after.content.digest, read.state === 'unknown' ? read.problem.message : 'it is missing');
  // A filter such as LFS stores another content than the one on disk, and only git can run it.
  if (blobIdOf(read.value, after.blob) !== after.blob)
    throw new GatelineError('DELIVERY_FILTERED', `${what} passes through a filter of git`);
  return { ...entry, mode: after.mode, sha: await createBlob(rest, read.value) };
}
