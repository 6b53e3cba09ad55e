import { posix, resolve } from 'node:path';
import { contractErrors, createContracts } from '../../engine/call/contracts.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import {
  DEFAULT_FILES,
  unitKey,
  type Gate,
  type Pipeline,
  type UnitKey,
  type Leg,
  type LegSource,
} from '../../pipeline/pipeline.ts';
import { DATA_LEG, LEG_KEY } from '../../pipeline/data-legs.ts';
import { refuseWithoutGates } from '../../engine/entities/refuse-without-gates.ts';
import { PipelineInvalidError } from '../../local/pipeline-invalid.ts';
import { formatProblem, shown } from '../../pipeline/problem.ts';
import type { Environment } from '../../environment.ts';
import { openCommit, type CommitFiles, type CommitOptions } from '../../workspace/folder/commit-files.ts';
import type { WorkflowEvent } from '../event/event.ts';
import type { ActionInputs } from '../inputs/inputs.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import type { JsonObject } from '../../json/json.ts';

/** The definition that a step uses. */
export interface Definition {
  /** `undefined`: there is no file; each step's inputs describe its gate. */
  readonly pipeline: Pipeline | undefined;
  /** The workspace, absolute: the folder that the definition applies to. */
  readonly root: string;
  /** Path of the file, relative to {@link root}. */
  readonly file?: string;
  /** The file has a default name: its state is not in a folder of its own. */
  readonly isDefault?: boolean;
  /** Files of the commit that contracts are read from, with paths relative to {@link root}. */
  readonly files: Pick<CommitFiles, 'readText'>;
  /** The commit that the definition was searched in; absent without a repository. */
  readonly commit?: { readonly id: string; readonly files: CommitFiles };
  /** For people, one sentence each: possible problems of the definition. */
  readonly notices: readonly string[];
  /** Why no definition was searched for: there is no repository. */
  readonly missing?: GatelineError;
}

/**
 * Finds the definition in the commit that this run trusts for contracts, not in the work tree, which agents write to.
 * Without a repository there is none, and only inputs that need no file of it are allowed.
 *
 * @throws GatelineError `PIPELINE_MISSING` if the file that the input `file` names does not exist;
 *   PipelineInvalidError; errors of `openCommit`
 */
export async function findDefinition(
  event: WorkflowEvent,
  inputs: Pick<ActionInputs, 'file' | 'gitTimeoutSeconds'>,
  environment: Environment,
): Promise<Definition> {
  const { commit, why } = event.trust.contractFrom;
  const files = await openTrusted(event.workspace, commit, {
    environment,
    gitTimeoutMs: inputs.gitTimeoutSeconds * 1_000,
    paths: [...(inputs.file === undefined ? DEFAULT_FILES : [posix.normalize(inputs.file)]), event.workflowFile.path],
  });
  if ('missing' in files) {
    if (inputs.file !== undefined) throw files.missing;
    const readText = (): Promise<never> => Promise.reject(files.missing);
    return { pipeline: undefined, root: event.workspace, files: { readText }, notices: [], missing: files.missing };
  }
  const path = inputs.file === undefined ? await files.firstOf(DEFAULT_FILES) : posix.normalize(inputs.file);
  const read = { id: commit, files };
  if (path === undefined) return { pipeline: undefined, root: event.workspace, files, commit: read, notices: [] };
  const text = await files.readText(path);
  if (text === undefined) {
    throw new GatelineError('PIPELINE_MISSING', `commit ${commit.slice(0, 12)} has no file ${path}`, {
      hint: `Files are read from this commit, since ${why}. Commit the file, or correct the input \`file\`.`,
    });
  }
  const { parsePipeline } = await import('../../pipeline/parse-pipeline.ts');
  const parsed = parsePipeline(text, path);
  if (parsed.ok) refuseWithoutGates(parsed.pipeline);
  const folder = folderFor(path);
  const below = { readText: (name: string) => files.readText(posix.join(folder, name)) };
  if (!parsed.ok) {
    const errors = await contractErrors(createContracts(below), parsed.contracts);
    throw new PipelineInvalidError(parsed.problems, errors);
  }
  return {
    pipeline: parsed.pipeline,
    root: resolve(event.workspace, folder),
    file: posix.relative(folder, path),
    isDefault: nameOf(path) !== undefined,
    files: below,
    commit: read,
    notices: parsed.warnings.map(formatProblem),
  };
}

async function openTrusted(
  workspace: string,
  commit: string,
  options: CommitOptions,
): Promise<CommitFiles | { readonly missing: GatelineError }> {
  try {
    return await openCommit(workspace, commit, options);
  } catch (error) {
    if (error instanceof GatelineError && error.code === 'REPOSITORY_MISSING') return { missing: error };
    throw error;
  }
}

/**
 * The folder that a definition applies to: the parent of `.github/`, or the file's own folder; for a file of another
 * name, the repository.
 */
function folderFor(path: string): string {
  const name = nameOf(path);
  return name === undefined ? '.' : posix.normalize(path.slice(0, -name.length) || '.');
}

/** The default name that a file has. */
function nameOf(path: string): string | undefined {
  return DEFAULT_FILES.toReversed().find((one) => path === one || path.endsWith(`/${one}`));
}

/** The unit of a pipeline that this job works on. @throws GatelineError `GATE_UNKNOWN`, `MATRIX_MISMATCH` */
export function unitOfJob(
  pipeline: Pipeline,
  event: Pick<WorkflowEvent, 'job' | 'matrix'>,
  inputs: Pick<ActionInputs, 'gate'>,
): { readonly gate: Gate; readonly key: UnitKey } {
  const id = inputs.gate ?? event.job;
  const gate = pipeline.gates.find((one) => one.id === id);
  if (gate === undefined) {
    const where = inputs.gate === undefined ? `, which is the id of this job` : '';
    throw new GatelineError('GATE_UNKNOWN', `the pipeline has no gate ${id}${where}`, {
      hint: `Set the input \`gate\` to one of: ${pipeline.gates.map((one) => one.id).join(', ')}.`,
    });
  }
  return { gate, key: unitKey(id, legOfJob(gate, event.matrix).id) };
}

/**
 * Finds the leg of a job by the values of its matrix: the leg with exactly these values, otherwise the only one whose
 * values are all among them (a job's matrix may contain more, such as the runner). A gate without a matrix has one leg,
 * whatever the job's matrix is: the matrix may have selected the gate.
 * @throws GatelineError `MATRIX_MISMATCH`
 */
export function legOfJob(gate: Gate, matrix: JsonObject | undefined): Leg {
  if (gate.legsFrom !== undefined) return dataLegOf(gate, gate.legsFrom, matrix);
  const [first, ...more] = gate.legs;
  if (first !== undefined && first.id === '' && more.length === 0) return first;
  const values = matrix ?? {};
  const exact = gate.legs.find((leg) => canonicalJson(leg.matrix) === canonicalJson(values));
  if (exact !== undefined) return exact;
  const fitting = gate.legs.filter((leg) => isPartOf(leg.matrix, values));
  if (fitting.length === 1) return fitting[0]!;
  const found =
    matrix === undefined ? 'the job has no matrix' : `the matrix of the job is ${shown(canonicalJson(matrix), 200)}`;
  const legs = gate.legs.slice(0, 20).map((leg) => shown(canonicalJson(leg.matrix), 100));
  throw new GatelineError('MATRIX_MISMATCH', `gate ${gate.id}: ${found}, which matches ${fitting.length} of its legs`, {
    hint: `Give the job the \`strategy.matrix\` of the gate. Its legs: ${legs.join(', ')}.`,
  });
}

/** The job knows the id of its leg only: the output that the values come from is verified when the gate begins. */
function dataLegOf({ id }: Gate, { gate }: LegSource, matrix: JsonObject | undefined): Leg {
  const leg = matrix?.[LEG_KEY];
  if (typeof leg === 'string' && DATA_LEG.test(leg)) return { id: leg, matrix: {} };
  throw new GatelineError('MATRIX_MISMATCH', `gate ${id}: the matrix of the job has no id of a leg as \`${LEG_KEY}\``, {
    hint: `Take the ids from the job of ${gate}: \`matrix: {${LEG_KEY}: "\${{ fromJSON(needs.${gate}.outputs.legs)['${id}'] }}"}\`.`,
  });
}

function isPartOf(part: JsonObject, whole: JsonObject): boolean {
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(whole, key) && canonicalJson(whole[key]!) === canonicalJson(value),
  );
}
