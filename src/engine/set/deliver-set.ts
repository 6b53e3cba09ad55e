import { firstNames } from '../../errors/first-names.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { combined } from '../../run/files/files.ts';
import { sameFile } from '../../run/files/tree.ts';
import type { FileChange } from '../../run/records/record.ts';
import { ancestorsOf } from '../../run/records/unit.ts';
import type { Branches, CommitFound, CommitWanted } from '../../workspace/branches.ts';
import type { TreeId } from '../../workspace/workspace.ts';
import { copierOf } from '../call/content.ts';
import { refuseWhatRuns } from '../delivery/deliver.ts';
import { handedBy, startOf, type HandedOver, type SetCall } from './set-order.ts';

/** Names in a message. */
const SHOWN = 10;

/** How to deliver. */
export interface DeliverOptions {
  /** Report what would be delivered, and make no branch: the result has no commit. */
  readonly dryRun?: boolean;
}

/** How the files of completed subjects are handed over. */
export type DeliverAs = 'branch' | 'patch';

/** The delivery of one subject's files. */
export interface Delivered {
  /** `unchanged`: delivered before. `nothing`: it handed on none, or the checked out commit has them. */
  readonly status: 'delivered' | 'unchanged' | 'nothing';
  /** The branch. */
  readonly to?: string;
  /** The commit of the branch. */
  readonly commit?: string;
  /** The patch, as `git apply` reads it. */
  readonly patch?: Uint8Array;
}

/** The name of the branch of a subject. Ids of subjects are safe in one: see `subjectSchema`. */
export function branchOf(id: string): string {
  return `gateline/${id}`;
}

/**
 * The commit that branches start from. Asked before any agent starts, too: it cannot be fixed in the middle.
 * @throws GatelineError `DELIVERY_REFUSED`, `REPOSITORY_MISSING`
 */
export async function requireHead(branches: Branches): Promise<CommitFound> {
  await branches.requireAuthor();
  const head = await branches.head();
  if (head !== undefined) return head;
  throw new GatelineError('DELIVERY_REFUSED', 'the repository has no commit yet');
}

/**
 * Puts the files of a completed subject on a branch of its own: on the checked out commit, one commit for each subject
 * upstream, and one for it. HEAD, the index and the work tree stay as they are. A branch that has the files is left as
 * it is, and no branch is ever moved.
 * @throws GatelineError `DELIVERY_REFUSED`, `DELIVERY_PATH_REFUSED`, `DELIVERY_CONFLICT`, `DELIVERY_BRANCH_TAKEN`,
 *   `REPOSITORY_MISSING`, `GIT_FAILED`
 */
export async function deliverBranch(
  set: SetCall,
  branches: Branches,
  id: string,
  { dryRun = false }: DeliverOptions = {},
): Promise<Delivered> {
  const own = handedBy(set, id);
  refusePaths(set, own, await branches.prefix());
  const head = await requireHead(branches);
  const name = branchOf(id);
  const existing = await branches.find(name);
  if (existing !== undefined && own.files.length > 0) return alreadyThere(set, existing, name, own);
  const commits = await commitsFor(set, head, id);
  if (own.files.length === 0 || commits.length === 0) return { status: 'nothing' };
  if (dryRun) return { status: 'delivered', to: name };
  const { commit } = await branches.create(name, head, commits);
  return { status: 'delivered', to: name, commit };
}

/** People may have added commits to the branch. */
async function alreadyThere(
  { ports }: SetCall,
  { commit, tree }: CommitFound,
  name: string,
  { files }: HandedOver,
): Promise<Delivered> {
  const there = await ports.workspace.files(tree);
  if (files.every(({ path, after }) => sameFile(there.get(path) ?? null, after)))
    return { status: 'unchanged', to: name, commit };
  throw new GatelineError('DELIVERY_BRANCH_TAKEN', `the branch ${name} exists, and has other files`, {
    hint: `Rename or delete it: \`git branch -m ${name} NAME\`, \`git branch -D ${name}\`. Then run again.`,
  });
}

/** A commit for each subject upstream, and one for the subject, without those that change nothing. */
async function commitsFor(set: SetCall, head: CommitFound, id: string): Promise<CommitWanted[]> {
  const { ports, order } = set;
  const commits: CommitWanted[] = [];
  let tree = head.tree;
  for (const by of [...ancestorsOf(order.subjects, id), id]) {
    const handed = handedBy(set, by);
    await refuseOtherVersions(set, tree, by, handed);
    const next = await ports.workspace.build(tree, handed.files, copierOf({ ports }));
    if (next === tree) continue;
    tree = next;
    const about = `Pipeline ${order.pipeline.id}, subject ${by}, run ${handed.runNumber}.`;
    commits.push({ tree, message: `Files of ${by}\n\n${about}\n`, at: handed.at });
  }
  return commits;
}

/**
 * A delivery must not contain changes that are the user's own and not committed, nor undo newer commits.
 * @param what the version, for the message
 * @throws GatelineError `DELIVERY_CONFLICT`
 */
export async function refuseOtherVersions(
  { ports }: SetCall,
  tree: TreeId,
  by: string,
  handed: HandedOver,
  what = 'the checked out commit',
): Promise<void> {
  const current = await ports.workspace.files(tree);
  const others = handed.files.filter(({ path }) => {
    const known = handed.steps.get(path)!.flatMap(({ before, after }) => [before, after]);
    return !known.some((one) => sameFile(current.get(path) ?? null, one));
  });
  if (others.length === 0) return;
  const names = firstNames(
    others.map(({ path }) => JSON.stringify(path)),
    SHOWN,
  );
  throw new GatelineError('DELIVERY_CONFLICT', `${what} has other versions of files of ${by}: ${names}`, {
    hint: 'Commit your changes to these files, or undo them, and run again; or use `--deliver patch`.',
  });
}

const HOW_TO_ALLOW =
  'Look at the file. `gateline apply SUBJECT#RUN` puts it into your folder; `deliver: {allow}`, or the input `allow` on GitHub, allows its exact path.';

function refusePaths({ order }: SetCall, { files }: Pick<HandedOver, 'files'>, prefix: string): void {
  const allow = [...(order.pipeline.deliver?.allow ?? []), ...(order.allow ?? [])];
  refuseWhatRuns(files, { allow, prefix }, HOW_TO_ALLOW);
}

/**
 * The files of a completed subject and of the subjects upstream, as a branch of its own has them.
 * @throws GatelineError `DELIVERY_PATH_REFUSED`
 */
export function filesForBranch(set: SetCall, id: string, prefix: string): readonly FileChange[] {
  const { subjects } = set.order;
  const handed = [...ancestorsOf(subjects, id), id].map((by) => ({ by, files: handedBy(set, by).files }));
  const { files } = combined(subjects, handed);
  refusePaths(set, { files }, prefix);
  return files;
}

/**
 * The files of a completed subject as a patch against the version that it began with: the user's, with the files of the
 * subjects upstream.
 * @throws GatelineError `DELIVERY_PATH_REFUSED`, `CONTENT_MISSING`, `GIT_FAILED`
 */
export async function deliverPatch(set: SetCall, prefix: string, id: string): Promise<Delivered> {
  const { ports } = set;
  const own = handedBy(set, id);
  refusePaths(set, own, prefix);
  if (own.files.length === 0) return { status: 'nothing' };
  const from = await startOf(set, id);
  const to = await ports.workspace.build(from, own.files, copierOf({ ports }));
  if (from === to) return { status: 'nothing' };
  const patch = await ports.workspace.wholePatch(
    from,
    to,
    own.files.map(({ path }) => path),
  );
  return { status: 'delivered', patch };
}
