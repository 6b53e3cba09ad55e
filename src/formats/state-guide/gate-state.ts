import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { Issue } from '../../verdict/verdict.ts';
import type { EndedRecord, FileChange } from '../../run/records/record.ts';
import { resultOf, type UnitState } from '../../run/state/run-state.ts';
import { gateStateSchema, GATE_STATE_FORMAT, type GateStateFile, type GatelineOfGate } from './gate-state-schema.ts';
import { readStateFile, type ReadFrom } from '../read-state-file.ts';
import { stateMetadata } from './state-metadata.ts';
import { gateWord } from './guide-words.ts';

/** The input for {@link gateEnvelope}. */
export interface GateEnvelopeInput {
  /** Number and agent, as in the pipeline definition. */
  readonly gate: { readonly number: number; readonly agent: string };
  readonly unit: UnitState;
  readonly pipeline: string;
  readonly subject: string;
  /** The run of the unit's state. */
  readonly runNumber: number;
  /** The pipeline's metadata; see {@link stateMetadata}. */
  readonly metadata: JsonObject;
  /** The whole output. `undefined`: there is none, it is too large to copy, or it cannot be read. */
  readonly output: JsonValue | undefined;
  /** Path of an output that was too large, relative to the state folder. */
  readonly outputFile?: string;
  /** Why an expected output is missing; becomes an issue. */
  readonly outputProblem?: string;
}

/**
 * The state guide's file for one gate: exactly its envelope, and our fields under the single key `gateline`. Failed
 * gates have one too, with `output: null` if there was none. A gate without a result (see `gateWord`) has no file.
 *
 * `validation.score` is the verdict's, 0 without one. `validation.passed` is true for `passed` and `not-applicable`
 * only, even if a decision lets later gates continue.
 */
export function gateEnvelope(input: GateEnvelopeInput): GateStateFile | undefined {
  const { unit, gate } = input;
  const status = gateWord(unit.status);
  if (status === undefined) return undefined;
  return {
    gate: gate.number,
    agent: gate.agent,
    status,
    metadata: stateMetadata(input.metadata, input.subject),
    output: input.output ?? null,
    validation: {
      score: resultOf(unit)?.verdict.score ?? 0,
      issues: issuesOf(input),
      passed: unit.status === 'passed' || unit.status === 'not-applicable',
    },
    gateline: gatelineOf(input),
  };
}

/** An issue in the guide's form: one line of text. `2 elements are unsure (at /elements)`. */
export function issueText(issue: Issue): string {
  return issue.pointer === undefined || issue.pointer === '' ? issue.message : `${issue.message} (at ${issue.pointer})`;
}

/**
 * Reads a gate's state file, of any writer. Keys that the guide does not know are allowed and dropped; every key of the
 * guide is required.
 * @param value the result of `JSON.parse`
 * @throws GatelineError `STATE_FILE_INVALID` (fault `user`), naming every problem with its JSON pointer
 */
export function readGateState(value: unknown, from: ReadFrom = {}): GateStateFile {
  return readStateFile(gateStateSchema, value, 'a gate state file', from);
}

/** Input for a gate that came from a state file instead of from a record (the guide's step 0B). */
export interface CallerInput {
  /** Number of the gate whose output it is. */
  readonly gate: number;
  readonly agent: string;
  /** `undefined` if the file has no usable output: use the caller's other input instead. */
  readonly output: JsonValue | undefined;
  /** True for a file of ours, false for one that another tool wrote. */
  readonly ours: boolean;
  /** What a person should know before continuing with it, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * What later gates may use of a state file. As in the guide's step 0B, SUCCESS and PARTIAL are usable. FAILED is not
 * usable, but only causes a warning.
 */
export function callerInput(file: GateStateFile): CallerInput {
  const { gate, agent, status, validation, gateline } = file;
  const warnings: string[] = [];
  if (status === 'FAILED') warnings.push(`gate ${gate} (${agent}) FAILED: its output is not used`);
  if (status === 'PARTIAL')
    warnings.push(`gate ${gate} (${agent}) is only PARTIAL, with a score of ${validation.score}`);
  if (status === 'SUCCESS' && !validation.passed)
    warnings.push(`gate ${gate} (${agent}) has status SUCCESS, but its validation did not pass`);
  if (gateline?.outputFile !== undefined)
    warnings.push(
      `the output of gate ${gate} (${agent}) is too large for its state file: it is in ${gateline.outputFile}`,
    );
  const usable = status !== 'FAILED' && file.output !== null;
  return { gate, agent, output: usable ? file.output : undefined, ours: gateline !== undefined, warnings };
}

function issuesOf({ unit, outputProblem }: GateEnvelopeInput): string[] {
  const ended = resultOf(unit);
  const issues = (ended?.verdict.issues ?? []).map(issueText);
  if (outputProblem !== undefined) issues.unshift(outputProblem);
  const told = ended?.verdict;
  if (told?.status === 'failed' && issues.length === 0 && told.advice !== '')
    issues.push(`${told.kind}: ${told.advice}`);
  return unit.decided !== undefined || ended === undefined ? [`${unit.status}: ${unit.reason}`, ...issues] : issues;
}

function gatelineOf(input: GateEnvelopeInput): GatelineOfGate {
  const { unit } = input;
  const { started, decided } = unit;
  const ended = resultOf(unit);
  const at = ended ?? started ?? decided;
  return {
    format: GATE_STATE_FORMAT,
    pipeline: input.pipeline,
    subject: input.subject,
    gate: unit.gate,
    leg: unit.leg,
    status: unit.status,
    kind: unit.status === 'lost' ? 'lost' : (ended?.verdict.kind ?? null),
    run: input.runNumber,
    call: at?.runAttempt ?? 0,
    attempt: unit.status === 'not-applicable' ? 0 : (at?.n ?? 0),
    fingerprint: ended?.fingerprint ?? started?.fingerprint ?? decided?.fingerprint ?? null,
    digest: ended?.value?.digest ?? null,
    exports: (unit.exports ?? ended?.exports)?.digest ?? null,
    how: unit.status === 'skipped' ? 'skipped' : (ended?.how ?? null),
    ...sourceOf(ended),
    startedAt: ended?.startedAt ?? started?.at ?? null,
    endedAt: ended?.at ?? null,
    files: (ended?.files ?? []).map(fileOf),
    ...(input.outputFile !== undefined && { outputFile: input.outputFile }),
  };
}

function sourceOf(ended: EndedRecord | undefined): Pick<GatelineOfGate, 'source'> {
  if (ended?.source === undefined) return {};
  const { runNumber, runAttempt, n } = ended.source;
  return { source: { run: runNumber, call: runAttempt, attempt: n } };
}

function fileOf({ path, after }: FileChange): GatelineOfGate['files'][number] {
  return { path, mode: after?.mode ?? null, digest: after?.content?.digest ?? null };
}
