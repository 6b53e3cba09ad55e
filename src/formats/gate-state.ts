import type { JsonObject, JsonValue } from '../json/json.ts';
import type { Issue } from '../verdict/verdict.ts';
import type { EndedRecord, FileChange } from '../run/records/record.ts';
import type { UnitState } from '../run/state/run-state.ts';
import { resultOf } from '../run/state/run-state.ts';
import { gateStateSchema, GATE_STATE_FORMAT, type GateStateFile, type GatelineOfGate } from './gate-state-schema.ts';
import { readStateFile, type ReadFrom } from './read-state-file.ts';
import { stateMetadata } from './state-metadata.ts';
import { gateWord } from './words.ts';

/** What {@link gateEnvelope} is made from. */
export interface GateEnvelopeInput {
  /** Number and agent, as the pipeline says them. */
  readonly gate: { readonly number: number; readonly agent: string };
  readonly unit: UnitState;
  readonly pipeline: string;
  readonly subject: string;
  /** The run that the unit's state is of. */
  readonly runNumber: number;
  /** The pipeline's metadata; see {@link stateMetadata}. */
  readonly metadata: JsonObject;
  /** The whole output. `undefined`: there is none, or it is too large to be copied, or cannot be read. */
  readonly output: JsonValue | undefined;
  /** Where an output lies that was too large, relative to the state folder. */
  readonly outputFile?: string;
  /** Why an output that should be there is not; becomes an issue. */
  readonly outputProblem?: string;
}

/**
 * The state guide's file for one gate: exactly its envelope, and our fields under the one key `gateline`.
 * Failed gates have one too, with `output: null` where there was none. A gate that has come to nothing yet
 * (see `gateWord`) has no file.
 *
 * `validation.score` is the verdict's, 0 without one. `validation.passed` is true for `passed` and `not-applicable`
 * only, also where somebody decided that later gates may go on.
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

/** An issue as the guide has them: one line of text. `2 elements are unsure (at /elements)`. */
export function issueText(issue: Issue): string {
  return issue.pointer === undefined || issue.pointer === '' ? issue.message : `${issue.message} (at ${issue.pointer})`;
}

/**
 * A gate's state file, whoever wrote it. Keys that the guide does not know are allowed and dropped; every key of
 * the guide must be there.
 * @param value what `JSON.parse` gave
 * @throws GatelineError `STATE_FILE_INVALID` (fault `user`), naming everything that is wrong with its JSON pointer
 */
export function readGateState(value: unknown, from: ReadFrom = {}): GateStateFile {
  return readStateFile(gateStateSchema, value, 'a gate state file', from);
}

/** Input for a gate that came from a state file instead of from a record (the guide's step 0B). */
export interface CallerInput {
  /** Number of the gate whose output it is. */
  readonly gate: number;
  readonly agent: string;
  /** `undefined` where the file has no output that may be used: fall back to what the caller gave otherwise. */
  readonly output: JsonValue | undefined;
  /** True for a file of ours, false for one that somebody else wrote. */
  readonly ours: boolean;
  /** What a person should know before going on with it, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * What the gates after it may take from a state file. As in the guide's step 0B, SUCCESS and PARTIAL are usable and
 * FAILED is not, but does not stop anybody either: it warns.
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
