import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import type { TreeFile } from '../../run/files/tree.ts';
import { branchInPath } from '../report/next-run.ts';

/*
 * Commits made over REST: no token is stored in the checkout, no hook and no filter runs.
 * https://docs.github.com/rest/git
 */

const shaSchema = z.object({ sha: z.string() });
const commitSchema = z.object({
  sha: z.string(),
  tree: shaSchema,
  parents: z.array(shaSchema),
  message: z.string().default(''),
});
const treeSchema = z.object({
  tree: z.array(z.object({ path: z.string(), mode: z.string(), type: z.string(), sha: z.string() })),
  truncated: z.boolean().default(false),
});

/** The fields of a commit that are used. */
export type ApiCommit = z.infer<typeof commitSchema>;

/** A file of a new tree; `sha: null` removes it. */
export interface NewTreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly type: 'blob';
  readonly sha: string | null;
}

export function readCommit(rest: RestClient, sha: string): Promise<ApiCommit> {
  return rest.call({ method: 'GET', path: `/repos/${rest.repository}/git/commits/${sha}` }, commitSchema);
}

/** Stores a content. Returns its id. */
export async function createBlob(rest: RestClient, content: Uint8Array): Promise<string> {
  const body = { content: Buffer.from(content).toString('base64'), encoding: 'base64' };
  return (await post(rest, '/git/blobs', body)).sha;
}

/** The tree of a commit with other files in it. Returns its id. */
export async function createTree(rest: RestClient, base: string, entries: readonly NewTreeEntry[]): Promise<string> {
  return (await post(rest, '/git/trees', { base_tree: base, tree: entries })).sha;
}

export async function createCommit(
  rest: RestClient,
  commit: { readonly message: string; readonly tree: string; readonly parents: readonly string[] },
): Promise<string> {
  return (await post(rest, '/git/commits', commit)).sha;
}

/** Objects are named by their content: storing one twice is storing it once. */
function post(rest: RestClient, path: string, body: Readonly<Record<string, unknown>>): Promise<{ sha: string }> {
  return rest.call({ method: 'POST', path: `/repos/${rest.repository}${path}`, body, repeatable: true }, shaSchema);
}

/** Moves a branch forward. @throws GatelineError `REST_REFUSED` if it has moved meanwhile */
export async function moveBranch(rest: RestClient, branch: string, sha: string): Promise<void> {
  const path = `/repos/${rest.repository}/git/refs/heads/${branchInPath(branch)}`;
  await rest.call({ method: 'PATCH', path, body: { sha, force: false } }, z.unknown());
}

export async function createBranch(rest: RestClient, branch: string, sha: string): Promise<void> {
  const body = { ref: `refs/heads/${branch}`, sha };
  await rest.call({ method: 'POST', path: `/repos/${rest.repository}/git/refs`, body }, z.unknown());
}

/** The files of a commit at some paths, each of whose folders is listed once. */
export async function filesAt(
  rest: RestClient,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeFile | null>> {
  const folders = new Map<string, Promise<z.infer<typeof treeSchema>['tree']>>();
  const listed = (sha: string): Promise<z.infer<typeof treeSchema>['tree']> => {
    const known = folders.get(sha) ?? listFolder(rest, sha);
    folders.set(sha, known);
    return known;
  };
  const found = new Map<string, TreeFile | null>();
  for (const path of paths) found.set(path, await fileIn(listed, tree, path.split('/')));
  return found;
}

async function fileIn(
  listed: (sha: string) => Promise<z.infer<typeof treeSchema>['tree']>,
  tree: string,
  [name, ...below]: readonly string[],
): Promise<TreeFile | null> {
  const entry = (await listed(tree)).find(({ path }) => path === name);
  if (entry === undefined) return null;
  if (below.length === 0) return { mode: entry.mode, blob: entry.sha };
  return entry.type === 'tree' ? fileIn(listed, entry.sha, below) : null;
}

async function listFolder(rest: RestClient, sha: string): Promise<z.infer<typeof treeSchema>['tree']> {
  const path = `/repos/${rest.repository}/git/trees/${sha}`;
  const { tree, truncated } = await rest.call({ method: 'GET', path }, treeSchema);
  if (truncated) throw new GatelineError('REST_ANSWER_INVALID', `GitHub does not list all of the folder ${sha}.`);
  return tree;
}
