import { z } from 'zod';
import { digestOf, digestSchema, type Digest } from '../../json/digest.ts';
import type { JsonValue } from '../../json/json.ts';
import { entityChangeSchema } from '../../run/entity/change.ts';
import { decidedSchema, endedSchema } from '../../run/entry.ts';
import { contractSchema } from '../../verdict/contract.ts';

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const version = z.string().min(1).max(400);

/** The job that wrote a document, as GitHub names it. */
export const jobRefSchema = z.strictObject({
  runId: count,
  runNumber: count,
  runAttempt: count.min(1),
  /** `GITHUB_JOB`. */
  job: z.string().max(255),
  /** `owner/name`. */
  repository: z.string().max(255),
  /** Path of the workflow file that was started, without its ref: `.github/workflows/ci.yml`. */
  workflow: z.string().max(1_024),
  sha: z.string().max(64),
});
export type JobRef = z.infer<typeof jobRefSchema>;

/** A file for later gates: of the unit itself, or handed on by its needs. */
export const handedFileSchema = z.strictObject({
  path: z.string().min(1).max(4_096),
  /** The gate that made it. */
  unit: z.string().max(200),
  /** The version in the checkout before any gate changed it; `null`: there was none. */
  base: version.nullable(),
  /** Other versions that the file may replace. */
  found: z.array(version.nullable()),
  /** Its version (`100644 <blob id>`); `null`: deleted. */
  after: version.nullable(),
  /** Its bytes in base64, for small files. */
  bytes: z.base64().optional(),
  /** The raw artifact that holds its bytes from `start` on, for large ones; `digest` is the artifact's. */
  artifact: z.strictObject({ id: count, digest: digestSchema, start: count, size: count }).optional(),
});
export type HandedFile = z.infer<typeof handedFileSchema>;

/** Time in milliseconds and cost of the agents of one unit in this run. */
const costSchema = z.strictObject({ ms: count, costUsd: z.number().min(0).optional() });

/**
 * The result of one step of a gate: one artifact, written at its end and never changed. Its digest goes to later jobs as
 * an output of the job.
 */
export const documentSchema = z.strictObject({
  format: z.literal('gateline-attempt/1'),
  job: jobRefSchema,
  /** When the agent that made the output started: `max-age` counts from here. */
  startedAt: z.iso.datetime({ precision: 3 }),
  /** The end of the last try, or of the use, skip or adoption of an output. */
  entry: endedSchema,
  /** Other requests that the output answers: the request without the notes of the review that sent the work back. */
  otherRequests: z.array(digestSchema).max(16).optional(),
  /** A pointer names this document, or the one whose output it uses. */
  isRemembered: z.boolean().optional(),
  /** Earlier tries of the same step, which failed. */
  failedTries: z.array(endedSchema).max(20),
  /** Ids of all legs of its gate, in their order; empty: no matrix. A later gate waits for each of them. */
  legs: z.array(z.string().max(80)).max(256),
  /** The contract that judged the output. */
  contract: contractSchema,
  /** The output; absent: none. Not `z.json()`, which would drop a key `__proto__`; the parser ensures that it is JSON. */
  output: z.custom<JsonValue>().optional(),
  files: z.array(handedFileSchema).max(10_000),
  /** What the output took to make, in whichever run: what using it saves. */
  costOfOutput: costSchema,
  /** By unit: this one and everything before it in this run. */
  costSoFar: z.record(z.string(), costSchema),
  /** Changes of entities, by unit: of this one and all before it. Absent: the definition has no entities. */
  effects: z.record(z.string(), z.array(entityChangeSchema).max(10_000)).optional(),
  /** A person may approve the output. */
  waits: z.boolean().optional(),
  /** A decision of a person about this unit. A claim only: readers verify it again. */
  decision: z
    .strictObject({
      entry: decidedSchema,
      /** The document that the approval names. */
      source: z.strictObject({ runId: count, artifactId: count, digest: digestSchema }).optional(),
    })
    .optional(),
  learnings: z.string().max(65_536).optional(),
});
export type AttemptDocument = z.infer<typeof documentSchema>;

/** Where a document is, and its digest: the output `attempt` of a gate's step. */
export interface DocumentReference {
  readonly artifactId: number;
  readonly digest: Digest;
}

const REFERENCE = /^(\d{1,16})@(sha256:[0-9a-f]{64})$/;

/** `<artifact id>@sha256:<hex>` */
export function formatReference({ artifactId, digest }: DocumentReference): string {
  return `${artifactId}@${digest}`;
}

export function parseReference(text: string): DocumentReference | undefined {
  const match = REFERENCE.exec(text.trim());
  return match ? { artifactId: Number(match[1]), digest: match[2] as Digest } : undefined;
}

/** Identifies an output of a request in an approval: 32 hex digits. */
export function approvalDigest(fingerprint: Digest, document: Digest): string {
  return digestOf(`${fingerprint} ${document}`).slice('sha256:'.length, 'sha256:'.length + 32);
}

/** An approval or rejection of the output in a document. */
export interface OutputDecision {
  readonly decision: 'approve' | 'reject';
  /** `approvalDigest` of the request and the document. */
  readonly digest: string;
  readonly actor: string;
  readonly reason: string;
}

/** The parts of the name of an artifact. GitHub allows 256 characters; ids have at most 40, legs 80. */
export interface ArtifactName {
  readonly pipeline: string;
  readonly gate: string;
  readonly leg: string;
  readonly runAttempt: number;
}

/**
 * The name for one try of an upload.
 * @param nonce new for each try, since the name of a failed one stays taken
 * @param extension `bin`: large files
 */
export function artifactName(name: ArtifactName, nonce: string, extension: 'json' | 'bin' = 'json'): string {
  const { pipeline, gate, leg, runAttempt } = name;
  return `gateline.${pipeline}.${gate}.${leg}.${runAttempt}.${nonce}.${extension}`;
}

/** Undefined: not the name of a document. A name proves nothing: any job of a run can choose it. */
export function parseArtifactName(name: string): ArtifactName | undefined {
  const match = /^gateline\.([\w-]+)\.([\w-]+)\.([\w-]*)\.(\d{1,6})\.\w+\.json$/.exec(name);
  if (!match) return undefined;
  return { pipeline: match[1]!, gate: match[2]!, leg: match[3]!, runAttempt: Number(match[4]) };
}
