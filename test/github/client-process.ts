/**
 * A process in which the published clients run. It takes calls from the process that started it: the environment of
 * an action's step, a path into one of the clients below, and arguments. One call at a time.
 */
import type { Call, Described, Message } from './clients.ts';

// The clients' methods by name. Their types say nothing about a path that is only known at run time.
// oxlint-disable-next-line typescript/no-explicit-any
type Client = any;

const load: Record<string, (call: Call) => Promise<Client>> = {
  artifact: async () => new (await import('@actions/artifact')).DefaultArtifactClient(),
  cache: () => import('@actions/cache'),
  core: () => import('@actions/core'),
  octokit: async ({ token }) => (await import('@actions/github')).getOctokit(token),
};

let last: Promise<unknown> = Promise.resolve();

process.on('message', (call: Call) => {
  last = last
    .then(() => carryOut(call))
    .then(
      (value) => tell({ number: call.number, value }),
      (error: unknown) => tell({ number: call.number, error: describe(error) }),
    );
});
process.on('disconnect', () => process.exit());

// Log lines go the same way as answers, so that they arrive before them.
process.stdout.write = (text: string | Uint8Array) => {
  tell({ log: String(text) });
  return true;
};

function tell(message: Message): void {
  process.send?.(message);
}

async function carryOut(call: Call): Promise<unknown> {
  const { path, args, env } = call;
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const { defaults } = await import('@actions/github/lib/utils');
  // Read once, at import: an action has a process of its own, here one serves many.
  defaults.baseUrl = env['GITHUB_API_URL']!;
  const [client = '', ...names] = path.split('.');
  const loaded = await load[client]!(call);
  if (path === 'octokit.paginate') return loaded.paginate(args[0], args[1]);
  const owner = names.slice(0, -1).reduce((object, name) => object[name], loaded);
  const value = await owner[names.at(-1)!](...args);
  // Of an answer of REST, what can be sent on; of @actions/core, which answers with itself, nothing.
  if (client === 'octokit') return { status: value.status, headers: value.headers, data: value.data };
  return client === 'core' ? undefined : value;
}

function describe(error: unknown): Described {
  const { name, message, status, response } = error as Error & { status?: number; response?: { headers: object } };
  return { name, message, status, headers: { ...response?.headers } };
}
