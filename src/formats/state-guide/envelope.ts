import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { RunView, UnitView } from '../../report/view.ts';
import type { Issue } from '../../verdict/verdict.ts';
import { parseShape } from '../format.ts';
import { GATE_WORDS, gateWord, guideMetadata, PIPELINE_WORDS, sanitizeName } from './words.ts';

const number = z.int().min(0).max(9_999);
const metadata = { domain: z.string(), feature: z.string(), url: z.string() };

/** The guide's `GateStateFile`: the envelope around the output of one gate. Other keys are dropped. */
export const envelopeSchema = z.object({
  gate: number,
  agent: z.string().min(1).max(1_024),
  status: z.enum(GATE_WORDS),
  metadata: z.object(metadata),
  /** Shaped by the contract of the gate. `null`: no output. */
  output: z.custom<JsonValue>((value) => value !== undefined, 'expected a value'),
  validation: z.object({ score: z.number().min(0).max(100), issues: z.array(z.string()), passed: z.boolean() }),
});
export type Envelope = z.infer<typeof envelopeSchema>;

/** The guide's `PipelineStateFile`. */
export const pipelineStateSchema = z.object({
  status: z.enum(PIPELINE_WORDS),
  /** The number of the gate that is executing; of a completed run the highest, 5 in the guide. */
  currentGate: number,
  completedGates: z.array(number).max(10_000),
  metadata: z.object({ ...metadata, userStory: z.string(), acceptanceCriteria: z.array(z.string()) }),
});
export type PipelineState = z.infer<typeof pipelineStateSchema>;

/**
 * Creates the envelope of a unit, also of a failed one; undefined: the unit has no result yet.
 * @param value its output; undefined: there is none, or it is too large for a file
 */
export function envelopeOf(view: RunView, unit: UnitView, value: JsonValue | undefined): Envelope | undefined {
  const status = gateWord(unit);
  if (status === undefined) return undefined;
  const { domain, feature, url } = guideMetadata(view.metadata, view.subject);
  // Not the verdict of an earlier attempt, if the newest one was lost or the unit skipped.
  const verdict = unit.status === 'lost' || unit.status === 'skipped' ? undefined : unit.verdict;
  return {
    gate: unit.number,
    agent: unit.agent,
    status,
    metadata: { domain, feature, url },
    output: value ?? null,
    validation: {
      score: verdict?.score ?? 0,
      issues: issuesOf(unit, value),
      passed: status !== 'FAILED' && (verdict?.status === 'passed' || verdict?.status === 'not-applicable'),
    },
  };
}

function issuesOf({ key, verdict, status, reason, output }: UnitView, value: JsonValue | undefined): string[] {
  if (status === 'lost' || status === 'skipped') return [`${status}: ${reason}`];
  const issues = (verdict?.issues ?? []).map(({ message, pointer }) => message + (pointer ? ` (at ${pointer})` : ''));
  if (verdict?.status === 'failed' && issues.length === 0) issues.push(`${verdict.kind}: ${verdict.advice}`);
  if (output !== undefined && value === undefined)
    issues.push(`the output has ${output.bytes} bytes: \`gateline show ${key} output\` prints it`);
  return issues;
}

const RESULT = 'validationResult';

/**
 * Adds `validation` of an envelope to its output as `validationResult`, where contracts of the guide read the score. The
 * guide's examples have it only in the envelope.
 * @param score JSON pointer of the contract
 */
export function scoredOutput(
  output: JsonValue,
  validation: Envelope['validation'],
  score: string | undefined,
): JsonValue {
  const isMissing = isJsonObject(output) && !Object.hasOwn(output, RESULT) && score?.startsWith(`/${RESULT}/`);
  return isMissing ? { ...output, [RESULT]: validation } : output;
}

/** The gate that an envelope must belong to. */
export interface GateIdentity {
  readonly id: string;
  readonly number: number;
  /** Metadata of the pipeline, whose domain and feature are compared if it has them. */
  readonly metadata: JsonObject;
  /** JSON pointer of its contract to the score; absent: no score. */
  readonly score?: string;
}

/**
 * Reads the envelope that an agent wrote for its gate (the guide's step N-1). The contract judges its `output`, whatever
 * its score says.
 * @returns the envelope, or why it does not belong to the gate
 */
export function readEnvelope(
  bytes: Uint8Array,
  { id, number, metadata, score }: GateIdentity,
): { readonly envelope: Envelope } | { readonly issues: readonly Issue[] } {
  const parsed = parseShape(envelopeSchema, bytes);
  if ('issues' in parsed) return parsed;
  const envelope = parsed.value;
  const issues: Issue[] = [];
  const compare = (pointer: string, expected: string, actual: string): void => {
    if (expected === actual) return;
    issues.push({ severity: 'error', pointer, message: `expected ${expected}, found ${actual}`.slice(0, 4_096) });
  };
  if (envelope.gate !== number) compare('/gate', `${number} (${id})`, String(envelope.gate));
  const expected = guideMetadata(metadata, '');
  for (const key of ['domain', 'feature'] as const)
    if (expected[key] !== '') compare(`/metadata/${key}`, expected[key], sanitizeName(envelope.metadata[key]));
  if (issues.length > 0) return { issues };
  return { envelope: { ...envelope, output: scoredOutput(envelope.output, envelope.validation, score) } };
}

/** The replacement for the output of a gate that is not done, and why. */
export type StandIn =
  | { readonly choice: 'file'; readonly reason: string; readonly envelope: Envelope }
  | { readonly choice: 'input'; readonly reason: string; readonly output: JsonValue }
  | { readonly choice: 'none'; readonly reason: string };

/**
 * Finds the stand-in of one needed gate (the guide's step 0B): its state file, if that belongs to the gate and says SUCCESS
 * or PARTIAL, else the caller's input.
 * @param file the bytes of its state file; undefined: there is none
 * @param input of the caller: `needs.<gate>` in it is used, or all of it if it has no `needs`; `null`: none
 */
export function standInFrom(file: Uint8Array | undefined, input: JsonValue, gate: GateIdentity): StandIn {
  const { reason, envelope } = usableEnvelope(file, gate);
  if (envelope !== undefined) return { choice: 'file', reason, envelope };
  const needs = isJsonObject(input) && Object.hasOwn(input, 'needs') ? input['needs'] : undefined;
  const output =
    needs === undefined ? input : isJsonObject(needs) && Object.hasOwn(needs, gate.id) ? needs[gate.id]! : null;
  if (output === null) return { choice: 'none', reason: `${reason}, and the caller gave no input for it` };
  return { choice: 'input', reason: `${reason}: the caller's input is used`, output };
}

function usableEnvelope(file: Uint8Array | undefined, gate: GateIdentity): { reason: string; envelope?: Envelope } {
  const name = `gate ${gate.number} (${gate.id})`;
  if (file === undefined) return { reason: `${name} has no state file` };
  const reading = readEnvelope(file, gate);
  if ('issues' in reading) {
    const { pointer = '', message } = reading.issues[0]!;
    return { reason: `the state file of ${name} is not usable (${pointer}${pointer && ': '}${message})` };
  }
  const { status, output, validation } = reading.envelope;
  const reason = `the state file of ${name} says ${status} with a score of ${validation.score}`;
  if (output === null) return { reason: `${reason} and has no output` };
  return status === 'FAILED' ? { reason } : { reason, envelope: reading.envelope };
}
