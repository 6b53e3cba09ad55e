import { execFileSync } from 'node:child_process';
import { z } from 'zod';
import { plainEnvironment } from '../command-line.ts';
import type { World } from './model.ts';
import { Refusal, json, parseBody, type Reply, type ServiceRequest } from './protocol.ts';
import { authorise } from './rest-access.ts';
import type { RestRoute } from './rest-route.ts';

/** Objects and branches, in the git repository that a test names. https://docs.github.com/rest/git */
export const GIT_ROUTES: readonly RestRoute[] = [
  { name: 'git/get-commit', method: 'GET', path: '/git/commits/:id', work: getCommit },
  { name: 'git/get-tree', method: 'GET', path: '/git/trees/:id', work: getTree },
  { name: 'git/create-blob', method: 'POST', path: '/git/blobs', work: createBlob },
  { name: 'git/create-tree', method: 'POST', path: '/git/trees', work: createTree },
  { name: 'git/create-commit', method: 'POST', path: '/git/commits', work: createCommit },
  { name: 'git/create-ref', method: 'POST', path: '/git/refs', work: createRef },
  { name: 'git/update-ref', method: 'PATCH', path: '/git/refs/:path', work: updateRef },
];

const AUTHOR = {
  GIT_AUTHOR_NAME: 'github-actions[bot]',
  GIT_AUTHOR_EMAIL: 'bot@example.org',
  GIT_COMMITTER_NAME: 'GitHub',
  GIT_COMMITTER_EMAIL: 'noreply@github.com',
};

function git(world: World, args: readonly string[], input: string | Buffer = ''): string {
  if (world.git === undefined) throw new Refusal(404, 'Not Found');
  try {
    const env = { ...plainEnvironment(), ...AUTHOR };
    return execFileSync('git', [...args], { cwd: world.git, env, input, stdio: ['pipe', 'pipe', 'pipe'] }).toString();
  } catch (error) {
    throw new Refusal(422, (error as Error).message.slice(0, 500));
  }
}

function lastWord({ url }: ServiceRequest): string {
  return decodeURIComponent(url.pathname.split('/').at(-1)!);
}

function getCommit(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['contents'], 'read');
  return json(200, commitOf(world, lastWord(request)));
}

function commitOf(world: World, sha: string): object {
  const [tree, ...parents] = git(world, ['log', '-1', '--format=%T %P', sha]).trim().split(' ');
  const message = git(world, ['log', '-1', '--format=%B', sha]);
  return { sha, message, tree: { sha: tree }, parents: parents.map((parent) => ({ sha: parent })) };
}

function getTree(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['contents'], 'read');
  const sha = lastWord(request);
  const lines = git(world, ['ls-tree', '-z', sha]).split('\0').filter(Boolean);
  const tree = lines.map((line) => {
    const [, mode, type, id, path] = /^(\d+) (\w+) ([0-9a-f]+)\t(.+)$/s.exec(line)!;
    return { mode, type, sha: id, path };
  });
  return json(200, { sha, tree, truncated: false });
}

const blobSchema = z.object({ content: z.string(), encoding: z.literal('base64') });

function createBlob(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['contents'], 'write');
  const content = Buffer.from(parseBody(blobSchema, request).content, 'base64');
  return json(201, { sha: git(world, ['hash-object', '-w', '--stdin', '--no-filters'], content).trim() });
}

const treeSchema = z.object({
  base_tree: z.string(),
  tree: z.array(z.object({ path: z.string(), mode: z.string(), type: z.literal('blob'), sha: z.string().nullable() })),
});

/** Removing a path that the tree does not have is refused, as on GitHub. */
function createTree(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['contents'], 'write');
  const { base_tree: base, tree } = parseBody(treeSchema, request);
  const index = `${world.git}/.git/rest-${world.nextNumber()}.index`;
  const run = (args: readonly string[], input = ''): string => {
    const env = { ...plainEnvironment(), GIT_INDEX_FILE: index };
    return execFileSync('git', [...args], { cwd: world.git, env, input }).toString();
  };
  run(['read-tree', base]);
  for (const { path, mode, sha } of tree) {
    if (sha !== null) run(['update-index', '--add', '--replace', '--cacheinfo', `${mode},${sha},${path}`]);
    else if (run(['ls-files', '--', path]) === '') throw new Refusal(422, 'GitRPC::BadObjectState');
    else run(['update-index', '--force-remove', '--', path]);
  }
  return json(201, { sha: run(['write-tree']).trim() });
}

const commitSchema = z.object({ message: z.string(), tree: z.string(), parents: z.array(z.string()) });

function createCommit(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['contents'], 'write');
  const { message, tree, parents } = parseBody(commitSchema, request);
  const of = parents.flatMap((parent) => ['-p', parent]);
  const sha = git(world, ['commit-tree', tree, ...of, '-F', '-'], message).trim();
  return json(201, commitOf(world, sha));
}

function createRef(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['contents'], 'write');
  const { ref, sha } = parseBody(z.object({ ref: z.string().startsWith('refs/heads/'), sha: z.string() }), request);
  const branch = ref.slice('refs/heads/'.length);
  if (world.heads.has(branch)) throw new Refusal(422, 'Reference already exists');
  git(world, ['update-ref', ref, sha]);
  world.heads.set(branch, sha);
  return json(201, { ref, object: { sha } });
}

function updateRef(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['contents'], 'write');
  const branch = /\/git\/refs\/heads\/(.+)$/.exec(decodeURIComponent(request.url.pathname))?.[1] ?? '';
  const { sha, force } = parseBody(z.object({ sha: z.string(), force: z.boolean().default(false) }), request);
  const head = world.heads.get(branch);
  if (head === undefined) throw new Refusal(422, 'Reference does not exist');
  const [, ...parents] = git(world, ['log', '-1', '--format=%T %P', sha]).trim().split(' ');
  if (!force && !parents.includes(head)) throw new Refusal(422, 'Update is not a fast forward');
  world.heads.set(branch, sha);
  return json(200, { ref: `refs/heads/${branch}`, object: { sha } });
}
