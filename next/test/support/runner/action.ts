import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { evaluateText, type Contexts } from './expressions.ts';
import { checkOut, git } from './git.ts';
import type { Job } from './job.ts';
import type { StepCommand } from './process.ts';
import type { StepDefinition } from './workflow.ts';

/** What a step runs: a process, or a function of this process that returns outputs. */
export type Work =
  | { readonly command: StepCommand; readonly isScript: boolean }
  | { readonly run: () => Promise<Record<string, string> | void> };

/** The variables and contexts of a step. */
export interface StepScope {
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
  /** File commands as variables. */
  readonly files: Readonly<Record<string, string>>;
  readonly contexts: Contexts;
}

/** An action of someone else: a bash script that sees `INPUT_*`, or a function that returns the outputs. */
export type ThirdPartyAction =
  | string
  | ((step: {
      readonly inputs: Readonly<Record<string, string>>;
      readonly env: Readonly<Record<string, string>>;
      readonly workspace: string;
    }) => Promise<Record<string, string> | void>);

/** The main of an action with its post, whose state the step fills. */
export interface PreparedAction {
  readonly work: Work;
  readonly warnings?: readonly string[];
  readonly post?: PostStep;
}

export interface PostStep {
  readonly id: string;
  readonly definition: StepDefinition;
  readonly folder: string;
  readonly condition: string;
  readonly state: Record<string, string>;
}

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform((value) => String(value ?? ''));
const inputSchema = z.looseObject({ default: scalar.optional(), deprecationMessage: z.string().optional() });
const manifestSchema = z.looseObject({
  inputs: z.record(z.string(), inputSchema.nullable()).nullish(),
  runs: z.looseObject({
    using: z.literal(['node20', 'node24']),
    main: z.string(),
    post: z.string().optional(),
    'post-if': z.string().default('always()'),
  }),
});
type Manifest = z.output<typeof manifestSchema>;

/** Root of the product's repository. */
export const PRODUCT = fileURLToPath(new URL('../../../..', import.meta.url));
const ACTIONS = join(PRODUCT, 'next/actions');
const SHELLS: Readonly<Record<string, readonly string[]>> = {
  '': ['bash', '-e'],
  bash: ['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail'],
  sh: ['sh', '-e'],
};
/** The runner gives these to actions only. */
const RUNTIME = /^ACTIONS_(?:RUNTIME|RESULTS|CACHE)_/;

export async function prepareScript(job: Job, definition: StepDefinition, scope: StepScope): Promise<Work> {
  const defaults = { ...job.order.workflow.defaults?.run, ...job.order.definition.defaults?.run };
  const shell = definition.shell ?? defaults.shell ?? '';
  const folder = evaluateText(definition['working-directory'] ?? defaults['working-directory'] ?? '', scope.contexts);
  const script = evaluateText(definition.run!, scope.contexts);
  return scriptWork(job, shell, script, join(job.machine.workspace, folder), baseEnvironment(job, scope));
}

async function scriptWork(
  job: Job,
  shell: string,
  script: string,
  cwd: string,
  env: Record<string, string>,
): Promise<Work> {
  const [file, ...args] = SHELLS[shell] ?? [];
  if (file === undefined) throw new Error(`the runner has no shell ${shell}`);
  const path = join(job.machine.temp, `${randomUUID()}.sh`);
  await writeFile(path, script);
  const variables = Object.entries(env).filter(([name]) => !RUNTIME.test(name));
  return { command: { file, args: [...args, path], cwd, env: Object.fromEntries(variables) }, isScript: true };
}

export async function prepareAction(job: Job, definition: StepDefinition, scope: StepScope): Promise<PreparedAction> {
  const [name = '', ref = ''] = definition.uses!.split('@');
  const given = Object.entries(definition.with).map(
    ([key, value]) => [key, evaluateText(value, scope.contexts)] as const,
  );
  if (name === 'actions/checkout') return { work: { run: () => runCheckout(job, Object.fromEntries(given)) } };
  const thirdParty = job.order.context.options.actions?.[name];
  if (thirdParty !== undefined) {
    const inputs = Object.fromEntries(given);
    const { workspace } = job.machine;
    const env = { ...baseEnvironment(job, scope), ...prefixed('INPUT_', inputs) };
    if (typeof thirdParty === 'string') return { work: await scriptWork(job, '', thirdParty, workspace, env) };
    return { work: { run: () => thirdParty({ inputs, env, workspace }) } };
  }
  const folder = await folderOf(job, name);
  const manifest = await readManifest(folder);
  const { inputs, warnings } = inputsOf(manifest, given, scope.contexts);
  const repository: Record<string, string> = /^[.$]\//.test(name)
    ? {}
    : { GITHUB_ACTION_REPOSITORY: name.split('/').slice(0, 2).join('/'), GITHUB_ACTION_REF: ref };
  const env = { ...baseEnvironment(job, scope), ...prefixed('INPUT_', inputs), ...repository };
  const work = nodeWork(job, folder, manifest.runs.main, env);
  if (manifest.runs.post === undefined) return { work, warnings };
  return { work, warnings, post: { id: scope.id, definition, folder, condition: manifest.runs['post-if'], state: {} } };
}

/** The manifest and the inputs are read again: a step in between may have changed them. */
export async function preparePost(job: Job, post: PostStep, scope: StepScope): Promise<Work> {
  const manifest = await readManifest(post.folder);
  const given = Object.entries(post.definition.with).map(
    ([key, value]) => [key, evaluateText(value, scope.contexts)] as const,
  );
  const { inputs } = inputsOf(manifest, given, scope.contexts);
  const state = Object.fromEntries(Object.entries(post.state).map(([key, value]) => [`STATE_${key}`, value]));
  return nodeWork(job, post.folder, manifest.runs.post ?? '', {
    ...baseEnvironment(job, scope),
    ...prefixed('INPUT_', inputs),
    ...state,
  });
}

/** Actions of the product run from their sources: `dist/gate.js` is `next/src/action/gate/main.ts`. */
function nodeWork(job: Job, folder: string, script: string, env: Record<string, string>): Work {
  const source = folder.startsWith(ACTIONS) ? /([\w-]+)\.js$/.exec(script)?.[1] : undefined;
  const path = source === undefined ? join(folder, script) : join(PRODUCT, 'next/src/action', source, 'main.ts');
  return { command: { file: process.execPath, args: [path], cwd: job.machine.workspace, env }, isScript: false };
}

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, 'action.yml');
  const result = manifestSchema.safeParse(parse(await readFile(path, 'utf8')));
  if (!result.success) throw new Error(`${path}: ${z.prettifyError(result.error)}`);
  return result.data;
}

/** `with`, then the defaults, which may use a few contexts only (`action_yaml.json` of actions/runner). */
function inputsOf(
  manifest: Manifest,
  given: readonly (readonly [string, string])[],
  { github = {}, strategy = {}, matrix = {}, job = {}, runner = {} }: Contexts,
): { inputs: Record<string, string>; warnings: string[] } {
  const known = new Map(Object.entries(manifest.inputs ?? {}).map(([name, input]) => [name.toLowerCase(), input]));
  const names = given.map(([name]) => name.toLowerCase());
  const defaults = [...known]
    .filter(([name]) => !names.includes(name))
    .map(
      ([name, input]) => [name, evaluateText(input?.default ?? '', { github, strategy, matrix, job, runner })] as const,
    );
  const unknown = given.map(([name]) => name).filter((name) => !known.has(name.toLowerCase()));
  const list = (items: readonly string[]): string => items.map((name) => `'${name}'`).join(', ');
  const warnings =
    unknown.length === 0 ? [] : [`Unexpected input(s) ${list(unknown)}, valid inputs are [${list([...known.keys()])}]`];
  return { inputs: Object.fromEntries([...defaults, ...given]), warnings };
}

/** The machine's variables and those of job and step, then GITHUB_* and RUNNER_*, which no step changes. */
function baseEnvironment(job: Job, { id, env, files }: StepScope): Record<string, string> {
  const { PATH = '', ...variables } = job.machine.env;
  const path = env['PATH'] ?? PATH;
  return { ...env, ...variables, ...files, ...job.tracking, GITHUB_ACTION: id, PATH: [...job.path, path].join(':') };
}

function prefixed(prefix: string, values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(values).map(([name, value]) => [
    `${prefix}${name.replaceAll(' ', '_').toUpperCase()}`,
    value,
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

async function folderOf(job: Job, name: string): Promise<string> {
  const own = /^(?:[.$]\/next\/actions|gateline\/gateline)(?:\/([\w-]+))?$/.exec(name);
  const local = join(job.machine.workspace, name);
  if (name.startsWith('./') && (own === null || existsSync(local))) return local;
  if (own !== null) return join(ACTIONS, own[1] ?? 'gate');
  if (!name.startsWith('$/')) throw new Error(`no action ${name} is registered`);
  const { gitFolder, event } = job.order.context;
  const folder = join(job.machine.temp, '../_actions', randomUUID());
  await checkOut(folder, { gitFolder, sha: event.sha, ref: event.sha, depth: 1, filter: '', sparse: [] });
  return join(folder, name.slice(2));
}

/** actions/checkout, of the test's repository only. */
async function runCheckout(job: Job, inputs: Readonly<Record<string, string>>): Promise<void> {
  const { gitFolder, event, repository } = job.order.context;
  const { ref = '', path = '', filter = '', 'fetch-depth': depth = '1', 'sparse-checkout': sparse = '' } = inputs;
  if ((inputs['repository'] ?? repository.name) !== repository.name)
    throw new Error('only the own repository can be checked out');
  const branch = repository.branches.has(ref) ? `refs/heads/${ref}` : ref;
  const sha = ref === '' ? event.sha : await git(gitFolder, 'rev-parse', '--verify', `${branch}^{commit}`);
  const options = { depth: Number(depth), filter, sparse: sparse.split('\n').filter((line) => line.trim() !== '') };
  await checkOut(join(job.machine.workspace, path), {
    gitFolder,
    sha,
    ref: branch === '' ? event.ref : branch,
    ...options,
  });
}
