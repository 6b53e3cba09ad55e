import { join, relative, resolve, sep } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { GatelineError, messageOf } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { DefinitionError, rootOf, parseDefinition, type Definition } from '../../local/project/load-definition.ts';
import { DEFINITION_FILES } from '../../pipeline/pipeline.ts';
import { gateIdFrom, slugOf } from '../../pipeline/slug.ts';
import { gateOf } from '../../run/units.ts';
import type { AttemptDocument } from '../../store/github/document.ts';
import { GitError, type Git } from '../../workspace/git.ts';
import type { Inputs } from '../inputs.ts';
import type { Job } from '../job.ts';
import type { NeedDocument } from './needs.ts';

/** Reads a file of a commit over REST, for a clone without it; undefined: the commit has no such file. */
export type ReadRemoteFile = (commit: string, path: string) => Promise<Uint8Array | undefined>;

export interface DefinitionPlace {
  /** Absolute path of the checkout. */
  readonly checkout: string;
  readonly git: Git;
  readonly readRemote: ReadRemoteFile;
}

/** Whether the inputs of a step describe its gate. */
export function describesGate(inputs: Inputs<'gate'>): boolean {
  return inputs.definition !== undefined || Object.keys(keysOf(inputs)).length > 0;
}

/**
 * Reads the definition of the commit that the event trusts, not of the folder, where an earlier step may have changed it.
 * @throws DefinitionError with every problem; GatelineError `usage` if the commit has none
 */
export async function readTrustedDefinition(
  { trust }: Job,
  file: string | undefined,
  place: DefinitionPlace,
): Promise<Definition> {
  const commit = trust.definitionFrom;
  const readBytes = (path: string) => readAt(commit, relativeTo(place.checkout, path), place);
  for (const name of file === undefined ? DEFINITION_FILES : [file]) {
    const path = resolve(place.checkout, name);
    const root = rootOf(path);
    const text = await readBytes(path);
    if (text === undefined) continue;
    const definition = { root, file: relativeTo(root, path), text: Buffer.from(text).toString() };
    const read = async (name: string) => (await readBytes(join(root, name))) ?? rejectMissing(name);
    return parseDefinition(definition, read).catch((error: unknown) => {
      if (!(error instanceof DefinitionError)) throw error;
      // Annotations need the path in the repository.
      const inCheckout = (file: string) => relativeTo(place.checkout, join(root, file));
      throw new DefinitionError(
        error.problems.map((problem) => ({
          ...problem,
          place: { ...problem.place, file: inCheckout(problem.place.file) },
        })),
      );
    });
  }
  throw new GatelineError('usage', `the commit ${commit.slice(0, 12)} has no ${file ?? 'gateline.yml'}`, {
    hint: 'Commit one (`npx gateline init` writes it), name it by `file`, or describe the gate by inputs of the step, such as `schema`.',
    code: 'no-definition',
  });
}

/** The input `file` of a step whose workflow describes its gates, although the repository has a definition. */
const NO_FILE = 'none';

/** Reads the trusted definition; undefined: there is none and `file` names none, or it is `none`: steps describe their gates. */
export async function findTrustedDefinition(
  job: Job,
  file: string | undefined,
  place: DefinitionPlace,
): Promise<Definition | undefined> {
  if (file === NO_FILE) return undefined;
  try {
    return await readTrustedDefinition(job, file, place);
  } catch (error) {
    if (file === undefined && error instanceof GatelineError && error.code === 'no-definition') return undefined;
    throw error;
  }
}

/** @throws GatelineError `usage` if the path is not in the folder */
export function relativeTo(folder: string, path: string): string {
  const name = relative(folder, path).split(sep).join('/');
  if (name.startsWith('../'))
    throw new GatelineError('usage', `${name} is outside of the checkout`, {
      hint: '`file` is a path below `path`, which is the folder of the checkout.',
    });
  return name;
}

function rejectMissing(path: string): never {
  throw Object.assign(new Error(`there is no ${path}`), { code: 'ENOENT' });
}

/** @throws GatelineError `usage` if the folder is not one that `actions/checkout` has filled */
export async function requireCheckout({ checkout, git }: DefinitionPlace): Promise<void> {
  await git(['rev-parse', '--show-toplevel'], { cwd: checkout }).catch((error: unknown) => {
    throw new GatelineError('usage', `${checkout} holds no checkout of a repository`, {
      hint: 'Use actions/checkout before this step; if it checks out into a folder (`path: sub`), give this step `path: sub`.',
      cause: error,
    });
  });
}

async function readAt(
  commit: string,
  path: string,
  { checkout, git, readRemote }: DefinitionPlace,
): Promise<Uint8Array | undefined> {
  // Branch names are resolved by GitHub: an earlier step could have moved a branch of the clone.
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return readRemote(commit, path);
  try {
    return await git(['cat-file', 'blob', `${commit}:./${path}`], { cwd: checkout });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // A shallow clone lacks the base of a pull request, a blobless one lacks files.
    const hasCommit = await git(['cat-file', '-e', `${commit}^{tree}`], { cwd: checkout, codes: [0] }).then(
      () => true,
      () => false,
    );
    if (hasCommit && /does not exist|exists on disk, but not in/.test(error.stderr)) return undefined;
    const prefix = await git(['rev-parse', '--show-prefix'], { cwd: checkout }).catch(() => '');
    return readRemote(commit, `${prefix.toString().trimEnd()}${path}`);
  }
}

/** The id of a pipeline whose gates are described by steps: the name of the workflow's file. */
export function describedPipelineId({ workflow }: Pick<Job, 'workflow'>): string {
  const [name = ''] = workflow
    .split('/')
    .at(-1)!
    .split(/\.ya?ml$/);
  return gateIdFrom(slugOf(name) || 'workflow');
}

/** Describes a gate by the document of its job. Its contract is in the document too. */
export function describeFromDocument({
  legs,
  entry,
  decision,
}: Pick<AttemptDocument, 'legs' | 'entry' | 'decision'>): JsonObject {
  const applies = entry.verdict.status !== 'not-applicable';
  // Its secrets are not in the document. The claim counts only in a run without secrets: see verifyDecision.
  const lacksSecret = decision?.entry.decision === 'skip' && decision.entry.actor === 'gateline';
  return {
    run: ':',
    ...(!applies && { if: 'false' }),
    ...(lacksSecret && { secrets: ['UNKNOWN_SECRET'] }),
    ...(legs.length > 0 && { strategy: { matrix: { leg: legs } } }),
  };
}

/**
 * Creates the definition that the inputs of a step describe: its gate, and the gates that its job needs, which are judged
 * by the contracts of their documents.
 */
export async function describeDefinition(
  job: Job,
  inputs: Inputs<'gate'>,
  needs: readonly NeedDocument[],
  place: DefinitionPlace,
): Promise<Definition> {
  if (inputs.file !== undefined)
    throw new GatelineError('usage', 'the gate is described twice: by `file`, and by other inputs of the step', {
      hint: 'Remove `file`, or `run`, `schema` and the others.',
    });
  const gate = inputs.gate ?? gateIdFrom(job.job);
  const others = Object.fromEntries(
    needs.map(({ document }) => [gateOf(document.entry.unit), describeFromDocument(document)]),
  );
  const text = JSON.stringify({
    pipeline: describedPipelineId(job),
    gates: { ...others, [gate]: { ...gateEntry(inputs), ...(needs.length > 0 && { needs: Object.keys(others) }) } },
  });
  const source = { root: place.checkout, file: 'the inputs of the step', text };
  const commit = job.trust.definitionFrom;
  try {
    const read = async (path: string) => (await readAt(commit, path, place)) ?? rejectMissing(path);
    const definition = await parseDefinition(source, read);
    const { pipeline } = definition;
    const gates = pipeline.gates.map((other) => ({ ...other, place: { file: source.file } }));
    return { ...definition, pipeline: { ...pipeline, gates } };
  } catch (error) {
    if (!(error instanceof GatelineError) || error.place?.file !== source.file) throw error;
    // Without line and column: the text is generated.
    const message = error.message.replaceAll(/(?<=^the inputs of the step:)[0-9]+:[0-9]+/gm, '');
    throw new GatelineError(error.fault, message, { hint: error.hint, cause: error });
  }
}

/** `uses` of a gate whose agent is the steps between `begin` and `complete`. */
const ANOTHER_STEP = './';

/** The keys of a gate that inputs of the step give. */
function keysOf(inputs: Inputs<'gate'>): JsonObject {
  const { run, schema, checks, score, threshold, inputs: globs, files, secrets } = inputs;
  const output: JsonObject = {
    ...(schema !== undefined && { schema: schemaOf(schema) }),
    ...(score !== undefined && { score }),
    ...(threshold !== undefined && { threshold }),
    ...(checks.length > 0 && { checks }),
  };
  return {
    ...(run !== undefined && { run }),
    ...(globs.length > 0 && { inputs: globs.join() === '[]' ? [] : globs }),
    ...(files.length > 0 && { files: files.length === 1 && files[0] === 'changed' ? 'changed' : files }),
    ...(secrets.length > 0 && { secrets }),
    ...(Object.keys(output).length > 0 && { output }),
  };
}

function gateEntry(inputs: Inputs<'gate'>): JsonObject {
  const keys = keysOf(inputs);
  const definition = inputs.definition === undefined ? {} : parseInput('definition', inputs.definition);
  if (!isJsonObject(definition))
    throw new GatelineError('usage', 'the input `definition` is not a map with the keys of a gate');
  if (inputs.definition !== undefined && Object.keys(keys).some((key) => key !== 'run'))
    throw new GatelineError('usage', 'the gate is described twice: by `definition`, and by other inputs of the step', {
      hint: 'Only `run` may stand beside `definition`; move the others into it.',
    });
  const entry = { ...definition, ...keys };
  return Object.hasOwn(entry, 'run') ? entry : { uses: ANOTHER_STEP, ...entry };
}

/** A path, or the schema itself as JSON or YAML. */
function schemaOf(text: string): JsonValue {
  return /[\n{:]/.test(text.trim()) ? parseInput('schema', text) : text.trim();
}

function parseInput(name: string, text: string): JsonValue {
  try {
    return parseYaml(text) as JsonValue;
  } catch (error) {
    throw new GatelineError('usage', `the input \`${name}\` is not YAML: ${messageOf(error)}`, { cause: error });
  }
}
