import { posix } from 'node:path';
import { legOf } from '../../pipeline/file/matrix.ts';
import { checkSource } from '../../pipeline/check-source.ts';
import type { DefinitionSource } from '../../pipeline/source.ts';
import type { Gate, GateContract, Leg } from '../../pipeline/pipeline.ts';
import { inWords, type Problem } from '../../pipeline/problem.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { WorkflowEvent } from '../event/event.ts';
import { ActionInputsError, formatInputProblem, type InputProblem } from '../inputs/input-problems.ts';
import { INPUT_USES } from '../inputs/input-uses.ts';
import type { ActionInputs, GateDescription } from '../inputs/inputs.ts';
import { INPUT_NAMES, type InputName } from '../inputs/inputs-schema.ts';

/** The gate of a job that no file defines. */
export interface DescribedGate {
  readonly pipelineId: string;
  /** As the parser of `gateline.yml` returns it; its `number` follows its needs'. Its only leg is this job's. */
  readonly gate: Gate;
  /** Gates that must be satisfied first, as set in the input. Other jobs define them. */
  readonly needs: readonly string[];
  /** For people: settings that may not have the intended effect, one line each. */
  readonly warnings: readonly string[];
}

/** Inputs that are keys under `output` in `gateline.yml`. */
const OF_THE_CONTRACT: ReadonlySet<string> = new Set([
  'schema',
  'score',
  'threshold',
  'partial',
  'checks',
  'exports',
  'result',
  'message',
  'redact',
]);
/** Inputs of a description that are not keys of a gate. */
const NO_KEYS: ReadonlySet<string> = new Set(['pipeline']);
/** Inputs whose text may contain `${{`: GitHub has already inserted the values. */
const LITERAL: ReadonlySet<PropertyKey | undefined> = new Set(['run', 'env', 'with']);

/**
 * The gate that a step's inputs describe, validated by the parser of `gateline.yml`, so that all defaults and checks
 * are the same. Ids: the gate's is the job's, the pipeline's is the file name of the workflow that was started, so that
 * all jobs of a run mean the same pipeline.
 * @throws ActionInputsError with every problem, by the name of its input
 */
export function describeGate(
  inputs: Pick<ActionInputs, 'gate' | 'pipeline' | 'needs' | 'subject' | 'description'>,
  event: Pick<WorkflowEvent, 'job' | 'matrix' | 'startedFile'>,
): DescribedGate {
  const id = inputs.gate ?? event.job;
  const pipelineId = inputs.pipeline ?? pipelineIdOf(event.startedFile);
  const needs = inputs.needs?.gates ?? [];
  const parsed = parse(inputs.description, id, needs);
  if ('problems' in parsed) throw new ActionInputsError(parsed.problems);
  if (inputs.subject === undefined && parsed.reads.length > 0) throw new ActionInputsError(parsed.reads);
  const { gate, warnings } = parsed;
  return { pipelineId, gate: { ...gate, legs: [legOfMatrix(event.matrix)] }, needs: gate.needs, warnings };
}

/** The problems of a description, and its contract as far as it can be read. */
export interface JudgedDescription {
  readonly problems: readonly InputProblem[];
  readonly contracts: readonly GateContract[];
}

/** The problems that {@link describeGate} throws, for a caller that reports more with them. */
export function judgeDescription(
  inputs: Pick<ActionInputs, 'gate' | 'needs' | 'description'>,
  event: Pick<WorkflowEvent, 'job'>,
): JudgedDescription {
  const parsed = parse(inputs.description, inputs.gate ?? event.job, inputs.needs?.gates ?? []);
  return 'problems' in parsed ? parsed : { problems: [], contracts: [parsed.gate] };
}

/** Id of the pipeline of a workflow file: that of `.github/workflows/Web tests.yml` is `web-tests`. */
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

interface ParsedGate {
  readonly gate: Gate;
  readonly warnings: readonly string[];
  /** Problems unless a subject is given. */
  readonly reads: readonly InputProblem[];
}

type ParseResult = ParsedGate | JudgedDescription;

function parse(description: GateDescription, id: string, needs: readonly string[]): ParseResult {
  const parsed = checkSource(sourceOf(description, id, needs));
  if (!parsed.ok) {
    const errors = parsed.problems.filter(({ severity }) => severity === 'error');
    return { problems: errors.map((problem) => asInputProblem(problem, id)), contracts: parsed.contracts };
  }
  const gate = parsed.pipeline.gates.find((one) => one.id === id)!;
  const reads = (parsed.pipeline.subjectReads ?? []).map((problem) => asInputProblem(problem, id));
  return { gate, reads, warnings: parsed.warnings.map((warning) => formatInputProblem(asInputProblem(warning, id))) };
}

/** The definition that the inputs represent. The gates that it needs are included by name only. */
function sourceOf(description: GateDescription, id: string, needs: readonly string[]): DefinitionSource {
  const output: JsonObject = {};
  const entry: JsonObject = { needs: [...needs] };
  for (const [input, value] of Object.entries(description)) {
    if (NO_KEYS.has(input)) continue;
    if (OF_THE_CONTRACT.has(input)) output[input] = value;
    else entry[input] = value;
  }
  if (Object.keys(output).length > 0) entry['output'] = output;
  const gates = new Map<string, JsonValue>(needs.map((need) => [need, {}]));
  gates.delete(id);
  gates.set(id, entry);
  return {
    value: { gates: Object.fromEntries(gates) },
    problems: [],
    at: (pointer, { code, label = '', message, found, hint, severity = 'error' }) => {
      const input = inputAt(pointer, id);
      const inner = label.replace(/^output\./, '');
      const words = inWords({
        ...(![input, 'gates', ''].includes(inner) && { label: inner }),
        message,
        ...(found !== undefined && INPUT_USES[input].silent !== true && { found }),
      });
      // Problems are sorted by line: here, by the order of the inputs.
      const place = { file: 'inputs', line: INPUT_NAMES.indexOf(input) + 1, column: 1, pointer };
      return { severity, code, message: words, ...(hint !== undefined && { hint }), place };
    },
    placeOf: () => undefined,
    numberAsWritten: () => undefined,
    isLiteral: (key) => LITERAL.has(key),
  };
}

/** Converts a problem of the document to one of the input that it comes from. */
function asInputProblem(problem: Problem, id: string): InputProblem {
  const { message, hint, place } = problem;
  return { input: inputAt(place.pointer, id), message, ...(hint !== undefined && { hint }) };
}

function inputAt(pointer: string, id: string): InputName {
  const [, root, gate, key, inner] = pointer.split('/');
  if (root !== 'gates' || gate === undefined) return 'gate';
  if (gate.replaceAll('~1', '/').replaceAll('~0', '~') !== id) return 'needs';
  if (key === undefined) return 'gate';
  const name = key === 'output' ? (inner ?? 'schema') : key;
  return Object.hasOwn(INPUT_USES, name) ? (name as InputName) : 'gate';
}
