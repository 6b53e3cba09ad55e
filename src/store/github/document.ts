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

/** A file that later gates get: the unit's own, or one that its needs handed on. */
export const handedFileSchema = z.strictObject({
  path: z.string().min(1).max(4_096),
  /** The gate that made it. */
  unit: z.string().max(200),
  /** The version in the checkout before any gate changed it; `null`: there was none. */
  base: version.nullable(),
  /** Other versions that it may be written over. */
  found: z.array(version.nullable()),
  /** The version that it is handed on as (`100644 <blob id>`); `null`: deleted. */
  after: version.nullable(),
  /** Its bytes in base64, for small files. */
  bytes: z.base64().optional(),
  /** The raw artifact that holds its bytes from `start` on, for large ones; `digest` is the artifact's. */
  artifact: z.strictObject({ id: count, digest: digestSchema, start: count, size: count }).optional(),
});
export type HandedFile = z.infer<typeof handedFileSchema>;

/** What the agents of one unit have used in this run, whichever job counts it. */
const costSchema = z.strictObject({ ms: count, costUsd: z.number().min(0).optional() });

/**
 * All that one step of a gate leaves: one artifact, written once, at its end. Never changed; its digest goes to later
 * jobs as an output of the job.
 */
export const documentSchema = z.strictObject({
  format: z.literal('gateline-attempt/1'),
  job: jobRefSchema,
  /** When the agent of the output started: `max-age` counts from here. */
  startedAt: z.iso.datetime({ precision: 3 }),
  /** The end of the last try; what `used`, `skipped` and `adopted` outputs end with, too. */
  entry: endedSchema,
  /** Other requests that the output answers: that without the notes of the review which sent the work back. */
  otherRequests: z.array(digestSchema).max(16).optional(),
  /** A pointer names it, or the output that it uses. */
  isRemembered: z.boolean().optional(),
  /** Tries of the same step that failed before. */
  failedTries: z.array(endedSchema).max(20),
  /** Ids of all legs of its gate, in their order; empty: no matrix. A later gate waits for each of them. */
  legs: z.array(z.string().max(80)).max(256),
  /** The contract that judged the output. */
  contract: contractSchema,
  /** The output; absent: none. What parsed it made sure that it is JSON; a schema would drop a key `__proto__`. */
  output: z.custom<JsonValue>().optional(),
  files: z.array(handedFileSchema).max(10_000),
  /** What its agent took to make the output, in whichever run: what using it saves. */
  costOfOutput: costSchema,
  /** By unit: this one and everything before it in this run. */
  costSoFar: z.record(z.string(), costSchema),
  /** What became of entities, by unit: this one and everything before it. Absent: the definition has none. */
  effects: z.record(z.string(), z.array(entityChangeSchema).max(10_000)).optional(),
  /** A person may open the output. */
  waits: z.boolean().optional(),
  /** What a person decided about this unit: a claim, which readers prove again. */
  decision: z
    .strictObject({
      entry: decidedSchema,
      /** The document that an approval names. */
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

/** What an approval names: this output of this request. */
export function approvalDigest(fingerprint: Digest, document: Digest): string {
  return digestOf(`${fingerprint} ${document}`).slice('sha256:'.length, 'sha256:'.length + 32);
}

/** An output that a person opened or closed: of which request, and of which document. */
export interface OutputDecision {
  readonly decision: 'approve' | 'reject';
  /** `approvalDigest` of the request and the document. */
  readonly digest: string;
  readonly actor: string;
  readonly reason: string;
}

/** Longest name of an artifact that GitHub takes is 256; ids are at most 40, legs 80. */
export interface ArtifactName {
  readonly pipeline: string;
  readonly gate: string;
  readonly leg: string;
  readonly runAttempt: number;
}

/**
 * The name for one try of an upload: `nonce` is new for each, since the name of a failed one stays taken. `bin`: large
 * files.
 */
export function artifactName(name: ArtifactName, nonce: string, extension: 'json' | 'bin' = 'json'): string {
  const { pipeline, gate, leg, runAttempt } = name;
  return `gateline.${pipeline}.${gate}.${leg}.${runAttempt}.${nonce}.${extension}`;
}

/** Names only narrow a list: anybody in a run can write them. */
export function parseArtifactName(name: string): ArtifactName | undefined {
  const match = /^gateline\.([\w-]+)\.([\w-]+)\.([\w-]*)\.(\d{1,6})\.\w+\.json$/.exec(name);
  if (!match) return undefined;
  return { pipeline: match[1]!, gate: match[2]!, leg: match[3]!, runAttempt: Number(match[4]) };
}
