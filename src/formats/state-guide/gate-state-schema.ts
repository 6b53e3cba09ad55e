import { z } from 'zod';
import { VERDICT_KINDS } from '../../verdict/verdict.ts';
import { digestSchema } from '../../json/digest.ts';
import { UNIT_STATUSES } from '../../run/state/run-state.ts';
import { GATE_WORDS } from './guide-words.ts';
import type { JsonValue } from '../../json/json.ts';

/** Deeper values are rejected: other readers may use recursion. */
const MAX_DEPTH = 1_000;

/** Any JSON value, at most 1,000 levels deep. Checked without copying: outputs may be large. */
const jsonValueSchema = z.custom<JsonValue>(isJsonValue, 'must be a JSON value, at most 1,000 levels deep');

/** Version of the `gateline` part of a gate's state file. */
export const GATE_STATE_FORMAT = 'gateline-gate-state/1';

const counter = z.int().min(0);
const digest = digestSchema.nullable();

/** What Gateline adds to the guide's envelope, under one key. Gateline itself uses the records. */
export const gatelineOfGateSchema = z.object({
  format: z.literal(GATE_STATE_FORMAT),
  pipeline: z.string(),
  subject: z.string(),
  gate: z.string(),
  /** '' without a matrix. */
  leg: z.string(),
  status: z.enum(UNIT_STATUSES),
  /** Kind of the verdict; `null`: not judged. */
  kind: z.enum(VERDICT_KINDS).nullable(),
  run: counter,
  /** The ordinal of the call in the run, and the attempt within it. 0: there was no attempt. */
  call: counter,
  attempt: counter,
  fingerprint: digest,
  /** Digest of the output's canonical JSON. */
  digest,
  /** Digest of the exported part's canonical JSON. */
  exports: digest,
  how: z.enum(['ran', 'reused', 'adopted', 'skipped']).nullable(),
  /** The origin of a reused output. */
  source: z.object({ run: counter, call: counter, attempt: counter }).optional(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** Files handed on. `mode: null`: the gate deleted it. */
  files: z.array(z.object({ path: z.string(), mode: z.string().nullable(), digest })),
  /** Path of the output if it is too large for `output`, relative to the state folder. */
  outputFile: z.string().optional(),
  /** Digest of the whole file without this field: detects edits. Added by the store. */
  checksum: z.string().optional(),
});
export type GatelineOfGate = z.infer<typeof gatelineOfGateSchema>;

/** The state guide's `metadata`. */
export const stateMetadataSchema = z.object({ domain: z.string(), feature: z.string(), url: z.string() });

/** The state guide's `GateStateFile`, with our fields under `gateline`. Unknown keys are dropped. */
export const gateStateSchema = z.object({
  gate: z.int().min(0).max(1_000_000),
  agent: z.string().min(1).max(1_024),
  status: z.enum(GATE_WORDS),
  metadata: stateMetadataSchema,
  /** The shape is defined by the gate's contract. `null`: there is no output. */
  output: jsonValueSchema,
  validation: z.object({
    /** 0-100. */
    score: z.number().min(0).max(100),
    issues: z.array(z.string()),
    /** True when the score reached the threshold. */
    passed: z.boolean(),
  }),
  gateline: gatelineOfGateSchema.optional(),
});
export type GateStateFile = z.infer<typeof gateStateSchema>;

function isJsonValue(value: unknown): value is JsonValue {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === 'object' && item !== null) for (const part of Object.values(item)) next.push(part);
      else if (!isScalar(item)) return false;
    }
    level = next;
  }
  return true;
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
