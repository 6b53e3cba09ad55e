import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { bundlePrograms } from './bundle.ts';
import { evaluateText, evaluateTexts, type Contexts } from './expressions.ts';
import { checkOut, git } from './git.ts';
import type { Job } from './job.ts';
import type { StepCommand } from './process.ts';
import type { StepDefinition } from './workflow.ts';

type Outputs = Readonly<Record<string, string>>;

/** A process, or a function of this process that returns outputs. */
export type Work =
  | { readonly command: StepCommand; readonly isScript: boolean; readonly isHosted: boolean }
  | { readonly run: () => Promise<Outputs | void> };

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
  | ((step: { inputs: Outputs; env: Outputs; workspace: string }) => Promise<Outputs | void>);

export interface PostStep {
  readonly id: string;
  readonly definition: StepDefinition;
  readonly folder: string;
  readonly condition: string;
  /** Filled by the main. */
  readonly state: Record<string, string>;
}

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform((value) => String(value ?? ''));
const manifestSchema = z.looseObject({
  inputs: z.record(z.string(), z.looseObject({ default: scalar.optional() }).nullable()).nullish(),
  runs: z.looseObject({
    using: z.literal(['node20', 'node24']),
    main: z.string(),
    post: z.string().optional(),
    'post-if': z.string().default('always()'),
  }),
});
type Manifest = z.output<typeof manifestSchema>;

/** Root of the product's repository. */
export const PRODUCT = fileURLToPath(new URL('../../..', import.meta.url));
const SHELLS: Readonly<Record<string, readonly string[]>> = {
  '': ['bash', '-e'],
  bash: ['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail'],
  sh: ['sh', '-e'],
};

export interface PreparedStep {
  readonly work: Work;
  readonly warnings?: readonly string[];
  readonly post?: PostStep;
}

export async function prepareStep(job: Job, definition: StepDefinition, scope: StepScope): Promise<PreparedStep> {
  const { workspace } = job.machine;
  const [name = '', ref = ''] = definition.uses?.split('@') ?? [];
  const given = evaluateTexts(definition.with, scope.contexts);
  const env = { ...baseEnvironment(job, scope), ...inputVariables(given) };
  const thirdParty = job.order.context.options.actions?.[name];
  if (definition.run !== undefined) {
    const defaults = { ...job.order.workflow.defaults?.run, ...job.order.definition.defaults?.run };
    const [run = '', shell = '', folder = ''] = [
      definition.run,
      definition.shell ?? defaults.shell,
      definition['working-directory'] ?? defaults['working-directory'],
    ].map((text) => evaluateText(text ?? '', scope.contexts));
    return { work: await scriptWork(job, shell, run, join(workspace, folder), env) };
  }
  if (typeof thirdParty === 'string') return { work: await scriptWork(job, '', thirdParty, workspace, env) };
  if (thirdParty !== undefined) return { work: { run: () => thirdParty({ inputs: given, env, workspace }) } };
  if (name === 'actions/checkout') return { work: { run: () => runCheckout(job, given) } };
  const folder = await folderOf(job, name);
  const manifest = await readManifest(folder);
  const { inputs, warnings } = inputsOf(manifest, given, scope.contexts);
  const repository = /^[.$]\//.test(name) ? '' : name.split('/').slice(0, 2).join('/');
  const source = { GITHUB_ACTION_REPOSITORY: repository, GITHUB_ACTION_REF: ref };
  const work = await nodeWork(job, folder, manifest.runs.main, { ...env, ...inputVariables(inputs), ...source });
  if (manifest.runs.post === undefined) return { work, warnings };
  return { work, warnings, post: { id: scope.id, definition, folder, condition: manifest.runs['post-if'], state: {} } };
}

/** The manifest and the inputs are read again: steps in between may have changed them. */
export async function preparePost(job: Job, { folder, definition, state }: PostStep, scope: StepScope): Promise<Work> {
  const manifest = await readManifest(folder);
  const { inputs } = inputsOf(manifest, evaluateTexts(definition.with, scope.contexts), scope.contexts);
  const states = Object.fromEntries(Object.entries(state).map(([key, value]) => [`STATE_${key}`, value]));
  const env = { ...baseEnvironment(job, scope), ...inputVariables(inputs), ...states };
  return nodeWork(job, folder, manifest.runs.post ?? '', env);
}

/** The runner gives the variables of its services to actions only. */
async function scriptWork(job: Job, shell: string, script: string, cwd: string, env: Outputs): Promise<Work> {
  const [file, ...args] = SHELLS[shell] ?? [];
  if (file === undefined) throw new Error(`the runner has no shell ${shell}`);
  const path = join(job.machine.temp, `${randomUUID()}.sh`);
  await writeFile(path, script);
  const variables = Object.entries(env).filter(([name]) => !/^ACTIONS_(?:RUNTIME|RESULTS|CACHE)_/.test(name));
  return {
    command: { file, args: [...args, path], cwd, env: Object.fromEntries(variables) },
    isScript: true,
    isHosted: false,
  };
}

/** `dist/gate.js` of the product is `src/action/gate/main.ts`. */
async function nodeWork(job: Job, folder: string, script: string, env: Outputs): Promise<Work> {
  const name = folder.startsWith(PRODUCT) ? /([\w-]+)\.js$/.exec(script)?.[1] : undefined;
  const path = name === undefined ? join(folder, script) : join(await bundlePrograms(), `${name}.mjs`);
  const isHosted = name !== undefined && job.order.context.options.processes !== 'own';
  const command = { file: process.execPath, args: [path], cwd: job.machine.workspace, env };
  return { command, isScript: false, isHosted };
}

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, 'action.yml');
  const result = manifestSchema.safeParse(parse(await readFile(path, 'utf8')));
  if (!result.success) throw new Error(`${path}: ${z.prettifyError(result.error)}`);
  return result.data;
}

/** `with`, and defaults, which may use a few contexts only (`action_yaml.json` of actions/runner). */
function inputsOf(
  manifest: Manifest,
  given: Outputs,
  { github = {}, strategy = {}, matrix = {}, job = {}, runner = {} }: Contexts,
): { inputs: Outputs; warnings: string[] } {
  const declared = Object.entries(manifest.inputs ?? {}).map(([name, input]) => [name, input?.default ?? ''] as const);
  const defaults = evaluateTexts(Object.fromEntries(declared), { github, strategy, matrix, job, runner });
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(defaults, name.toLowerCase()));
  const list = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');
  const message = `Unexpected input(s) ${list(unknown)}, valid inputs are [${list(Object.keys(defaults))}]`;
  return { inputs: { ...defaults, ...given }, warnings: unknown.length === 0 ? [] : [message] };
}

/** Variables of job and step, then the machine's GITHUB_* and RUNNER_*, which no step changes. */
function baseEnvironment(job: Job, { id, env, files }: StepScope): Record<string, string> {
  const fixed = Object.entries(job.machine.env).filter(([name]) => /^(?:GITHUB|RUNNER|ACTIONS)_/.test(name));
  const all: Record<string, string> = {
    ...job.machine.env,
    ...env,
    ...Object.fromEntries(fixed),
    ...files,
    GITHUB_ACTION: id,
  };
  const path = [...job.path, all['PATH'] ?? ''].join(':');
  return { ...all, RUNNER_TRACKING_ID: job.trackingId, PATH: path };
}

function inputVariables(inputs: Outputs): Outputs {
  const entries = Object.entries(inputs).map(([name, value]) => [
    `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
    value,
  ]);
  return Object.fromEntries(entries) as Outputs;
}

async function folderOf(job: Job, name: string): Promise<string> {
  const product = /^(?:\$|gateline\/gateline)(?:\/(|begin|complete|report|comment|apply))?$/.exec(name);
  const local = join(job.machine.workspace, name);
  if (name.startsWith('./')) return local;
  if (product !== null) return join(PRODUCT, product[1] ?? '');
  if (!name.startsWith('$/')) throw new Error(`no action ${name} is registered`);
  const { gitFolder, event } = job.order.context;
  const folder = join(job.machine.temp, '../actions', randomUUID());
  await checkOut(folder, { gitFolder, sha: event.sha, ref: event.sha, depth: 1, filter: '', sparse: [] });
  return join(folder, name.slice(2));
}

/** actions/checkout, of the test's repository only. */
async function runCheckout(job: Job, inputs: Outputs): Promise<void> {
  const { gitFolder, event, repository } = job.order.context;
  const { path = '', filter = '', repository: name = repository.name } = inputs;
  if (name !== repository.name) throw new Error(`${name} cannot be checked out, only ${repository.name}`);
  const ref = repository.branches.has(inputs['ref'] ?? '') ? `refs/heads/${inputs['ref']}` : inputs['ref'] || event.ref;
  const sha = inputs['ref'] ? await git(gitFolder, 'rev-parse', '--verify', `${ref}^{commit}`) : event.sha;
  const sparse = (inputs['sparse-checkout'] ?? '').split('\n').filter((line) => line.trim() !== '');
  const depth = Number(inputs['fetch-depth'] ?? 1);
  await checkOut(join(job.machine.workspace, path), { gitFolder, sha, ref, depth, filter, sparse });
}
