import { posix } from 'node:path';
import { legOf } from '../../pipeline/file/matrix.ts';
import { parsePipeline } from '../../pipeline/parse-pipeline.ts';
import type { Gate, GateContract, Leg } from '../../pipeline/pipeline.ts';
import type { Problem } from '../../pipeline/problem.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { WorkflowEvent } from '../event/event.ts';
import { ActionInputsError, formatInputProblem, type InputProblem } from '../inputs/input-problems.ts';
import { INPUT_USES } from '../inputs/input-uses.ts';
import type { ActionInputs, GateDescription } from '../inputs/inputs.ts';
import type { InputName } from '../inputs/inputs-schema.ts';

/** The gate that a job is, where no file defines it. */
export interface DescribedGate {
  readonly pipelineId: string;
  /** As the parser of `gateline.yml` makes it; its `number` is its place after its needs. Its only leg is this job's. */
  readonly gate: Gate;
  /** Gates that must be satisfied first, as given. Defined in other jobs. */
  readonly needs: readonly string[];
  /** For people: what may not do what was meant, one line each. */
  readonly warnings: readonly string[];
}

/** Inputs that are keys under `output` in `gateline.yml`. */
const OF_THE_CONTRACT: ReadonlySet<string> = new Set(['schema', 'score', 'threshold', 'partial', 'checks', 'exports']);
/** Inputs that describe something, and are no keys of a gate. */
const NO_KEYS: ReadonlySet<string> = new Set(['pipeline', 'with']);
/** Where the text of a command or a variable may hold `${{`: GitHub has put values in their places already. */
const SPARED = '$ {{';

/**
 * The gate that a step's inputs describe: judged by the parser of `gateline.yml`, so that every default and every check is
 * the same as there. Ids: the gate's is the job's, the pipeline's is the name of the workflow file that was started, so
 * that all jobs of a run mean the same pipeline.
 * @throws ActionInputsError with every problem, by the name of its input
 */
export function describeGate(
  inputs: Pick<ActionInputs, 'gate' | 'pipeline' | 'needs' | 'description'>,
  event: Pick<WorkflowEvent, 'job' | 'matrix' | 'startedFile'>,
): DescribedGate {
  const id = inputs.gate ?? event.job;
  const pipelineId = inputs.pipeline ?? pipelineIdOf(event.startedFile);
  const needs = inputs.needs?.gates ?? [];
  const parsed = parse(inputs.description, id, needs);
  if ('problems' in parsed) throw new ActionInputsError(parsed.problems);
  const { gate, warnings } = parsed;
  return { pipelineId, gate: { ...gate, legs: [legOfMatrix(event.matrix)] }, needs: gate.needs, warnings };
}

/** What is wrong with a description, and its contract as far as it can be read. */
export interface JudgedDescription {
  readonly problems: readonly InputProblem[];
  readonly contracts: readonly GateContract[];
}

/** What {@link describeGate} throws, for whoever tells more with it. */
export function judgeDescription(
  inputs: Pick<ActionInputs, 'gate' | 'needs' | 'description'>,
  event: Pick<WorkflowEvent, 'job'>,
): JudgedDescription {
  const parsed = parse(inputs.description, inputs.gate ?? event.job, inputs.needs?.gates ?? []);
  return 'problems' in parsed ? parsed : { problems: [], contracts: [parsed.gate] };
}

/** Id of the pipeline of a workflow file: `.github/workflows/Web tests.yml` is `web-tests`. */
export function pipelineIdOf(workflowFile: string): string {
  const name = posix.basename(workflowFile).replace(/\.ya?ml$/i, '');
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const id = /^[a-z_]/.test(slug) ? slug : `_${slug}`;
  return id.slice(0, 40);
}

function legOfMatrix(matrix: JsonObject | undefined): Leg {
  return matrix === undefined || Object.keys(matrix).length === 0 ? { id: '', matrix: {} } : legOf(matrix);
}

type Parsed = { readonly gate: Gate; readonly warnings: readonly string[] } | JudgedDescription;

function parse(description: GateDescription, id: string, needs: readonly string[]): Parsed {
  const parsed = parsePipeline(documentOf(description, id, needs), 'inputs');
  if (!parsed.ok) {
    const errors = parsed.problems.filter(({ severity }) => severity === 'error');
    return { problems: errors.map((problem) => asInputProblem(problem, id)), contracts: parsed.contracts };
  }
  const gate = parsed.pipeline.gates.find((one) => one.id === id)!;
  const warnings = parsed.warnings.map((warning) => formatInputProblem(asInputProblem(warning, id)));
  return { gate: asGiven(gate, description), warnings };
}

/** JSON is YAML: the definition that the inputs stand for. The gates that it needs are there by name only. */
function documentOf(description: GateDescription, id: string, needs: readonly string[]): string {
  const output: JsonObject = {};
  const entry: JsonObject = { needs: [...needs] };
  for (const [input, value] of Object.entries(description)) {
    if (NO_KEYS.has(input)) continue;
    if (OF_THE_CONTRACT.has(input)) output[input] = value;
    else entry[input] = input === 'run' || input === 'env' ? spared(value) : value;
  }
  if (Object.keys(output).length > 0) entry['output'] = output;
  const gates = new Map<string, JsonValue>(needs.map((need) => [need, {}]));
  gates.delete(id);
  gates.set(id, entry);
  const text = JSON.stringify({ gates: Object.fromEntries(gates) }, null, 2);
  // YAML has no place for these; JSON may write them out.
  return text.replace(
    /[\u007f-\u009f\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function spared(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replaceAll('${{', SPARED);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, spared(item)]));
}

/** The gate with the texts that the document could not hold as they are. */
function asGiven(gate: Gate, { run, env, with: values }: GateDescription): Gate {
  return {
    ...gate,
    run: typeof run === 'string' ? run : gate.run,
    env: isJsonObject(env) ? (env as Record<string, string | null>) : gate.env,
    with: isJsonObject(values) ? values : gate.with,
  };
}

/** A problem of the document by the name of the input that it comes from. */
function asInputProblem(problem: Problem, id: string): InputProblem {
  const input = inputAt(problem.place.pointer, id);
  const { hint } = problem;
  const found = INPUT_USES[input].silent === true ? /, found [^]*$/ : /$^/;
  const label = new RegExp(`^(?:output\\.)?(?:${input}|gates)(?:\\.output)?: `);
  const message = problem.message
    .replace(label, '')
    .replace(/^output\./, '')
    .replace(found, '');
  return { input, message, ...(hint === undefined ? {} : { hint }) };
}

function inputAt(pointer: string, id: string): InputName {
  const [, root, gate, key, inner] = pointer.split('/');
  if (root !== 'gates' || gate === undefined) return 'gate';
  if (gate.replaceAll('~1', '/').replaceAll('~0', '~') !== id) return 'needs';
  if (key === undefined) return 'gate';
  const name = key === 'output' ? (inner ?? 'schema') : key;
  return Object.hasOwn(INPUT_USES, name) ? (name as InputName) : 'gate';
}
