import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ActionManifest } from './action-manifest.ts';
import { readManifest } from './action-manifest.ts';
import { checkOut, checkoutPath } from './checkout.ts';
import { evaluateText } from './expressions.ts';
import { git } from './repository.ts';
import { inputDefaultContexts, type PostStep, type Session } from './session.ts';
import type { Given } from './step.ts';
import type { StepCommand } from './step-process.ts';
import { actionEnvironment, runStepEnvironment } from './step-environment.ts';
import type { StepDefinition } from './workflow-file.ts';

/** A step that is ready to start: work of the runner itself, or a process. */
export type Prepared =
  | { readonly work: () => Promise<void>; readonly state?: undefined }
  | {
      readonly command: Omit<StepCommand, 'onLine'>;
      readonly isScript: boolean;
      readonly warnings?: readonly string[];
      /** Where what the step saves is to go. */
      readonly state?: Record<string, string>;
    };

/** How the runner calls each shell; without `shell:` it is bash, called as sh would be. */
const SHELLS: Readonly<Record<string, readonly [file: string, ...args: string[]]>> = {
  '': ['bash', '-e'],
  bash: ['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail'],
  sh: ['sh', '-e'],
};

/** A `run:` step. */
export async function prepareScript(
  session: Session,
  definition: StepDefinition,
  script: string,
  given: Given,
): Promise<Prepared> {
  const { order, environment } = session;
  const defaults = { ...order.workflow?.defaults?.run, ...order.definition.defaults?.run };
  const [file, ...args] = SHELLS[definition.shell ?? defaults.shell ?? ''] ?? [];
  if (file === undefined) throw new Error(`${defaults.shell} is not among the shells ${Object.keys(SHELLS).join(' ')}`);
  const path = join(environment.temp, `${randomUUID()}.sh`);
  await writeFile(path, evaluateText(script, given.contexts));
  const folder = definition['working-directory'] ?? defaults['working-directory'] ?? '';
  const env = runStepEnvironment({ session, ...given });
  const cwd = join(environment.workspace, evaluateText(folder, given.contexts));
  return { command: { file, args: [...args, path], cwd, env }, isScript: true };
}

/** A `uses:` step: a checkout, which the runner here does itself, or the main of an action. Its post is noted down. */
export async function prepareAction(session: Session, definition: StepDefinition, given: Given): Promise<Prepared> {
  const uses = definition.uses!;
  if (uses.startsWith('actions/checkout@')) return { work: () => checkoutStep(session, definition, given) };
  const folder = await folderOf(session, uses);
  const manifest = await readManifest(folder);
  const post: PostStep = { id: given.id, definition, folder, state: {} };
  if (manifest.runs.post !== undefined) session.posts.push(post);
  return actionProcess(session, post, manifest, manifest.runs.main, given);
}

/** The post of an action: `action.yml` and inputs are read again. `condition`: its `post-if`. */
export async function preparePost(
  session: Session,
  post: PostStep,
  given: Given,
): Promise<Prepared & { readonly condition: string }> {
  const manifest = await readManifest(post.folder);
  const script = manifest.runs.post;
  if (script === undefined) throw new Error(`${post.folder} has no post any more`);
  return { ...actionProcess(session, post, manifest, script, given), condition: manifest.runs['post-if'] };
}

function actionProcess(
  session: Session,
  { definition, folder, state }: PostStep,
  manifest: ActionManifest,
  script: string,
  given: Given,
): Prepared {
  const [name = '', ref = ''] = isElsewhere(definition.uses!) ? definition.uses!.split('@') : [];
  const { inputs, warnings } = inputsOf(definition, manifest, given);
  const repository = name.split('/').slice(0, 2).join('/');
  const env = actionEnvironment({ session, ...given }, { inputs, state, repository, ref });
  const cwd = session.environment.workspace;
  return {
    command: { file: process.execPath, args: [join(folder, script)], cwd, env },
    isScript: false,
    warnings,
    state,
  };
}

/** What `with` says, then the defaults. The runner takes any input, warns of unknown ones and demands none. */
function inputsOf(
  definition: StepDefinition,
  manifest: ActionManifest,
  { contexts }: Given,
): { inputs: Record<string, string>; warnings: string[] } {
  const known = new Map(Object.entries(manifest.inputs).map(([name, input]) => [name.toLowerCase(), input]));
  const inputs: Record<string, string> = {};
  for (const [name, value] of Object.entries(definition.with)) inputs[name] = evaluateText(value, contexts);
  const said = Object.keys(inputs);
  const warnings = said.flatMap((name) => {
    const message = known.get(name.toLowerCase())?.deprecationMessage;
    return message === undefined ? [] : [`Input '${name}' has been deprecated with message: ${message}`];
  });
  const unknown = said.filter((name) => !known.has(name.toLowerCase()));
  if (unknown.length > 0) {
    const valid = Object.keys(manifest.inputs).join("', '");
    warnings.push(`Unexpected input(s) '${unknown.join("', '")}', valid inputs are ['${valid}']`);
  }
  const given = new Set(said.map((name) => name.toLowerCase()));
  for (const [name, { default: value = '' }] of Object.entries(manifest.inputs)) {
    if (!given.has(name.toLowerCase())) inputs[name] = evaluateText(value, inputDefaultContexts(contexts));
  }
  return { inputs, warnings };
}

const isElsewhere = (uses: string) => !/^\.\/|^\$\//.test(uses);

async function folderOf({ order, environment }: Session, uses: string): Promise<string> {
  if (uses.startsWith('./')) return checkoutPath(environment.workspace, uses);
  if (uses.startsWith('$/')) {
    // The workflow's own repository at the workflow's own commit, whatever is in the workspace.
    const folder = join(environment.temp, '../_actions', order.options.job, randomUUID());
    await checkOut(folder, { ...order.source, branch: undefined });
    return join(folder, uses.slice(2));
  }
  const [name = ''] = uses.split('@');
  const folder = order.actions?.[name];
  if (folder === undefined) throw new Error(`nobody said where the action ${name} is`);
  return folder;
}

async function checkoutStep({ order, environment }: Session, definition: StepDefinition, given: Given): Promise<void> {
  const { ref, path = '', 'fetch-depth': depth = '1', 'persist-credentials': _, ...others } = definition.with;
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw new Error(`this checkout knows no ${unknown.join(', ')}`);
  const { repository } = order.source;
  const wanted = evaluateText(ref ?? '', given.contexts);
  const other = wanted === '' ? {} : { commit: await commitOf(repository, wanted), branch: undefined };
  const folder = checkoutPath(environment.workspace, evaluateText(path, given.contexts));
  await checkOut(folder, { ...order.source, ...other, depth: Number(depth) });
}

async function commitOf(repository: string, ref: string): Promise<string> {
  return (await git(repository, 'rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`)).trim();
}
