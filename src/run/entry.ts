import { z } from 'zod';
import { digestSchema, NO_DIGEST } from '../json/digest.ts';
import { NOT_APPLICABLE, verdictSchema } from '../verdict/verdict.ts';
import { entityChangeSchema } from './entity/change.ts';
import { fileChangeSchema, gateFilesSchema } from './files.ts';

/** Version of the entries that this version writes and reads. */
export const ENTRY_FORMAT = 1;

const count = z.int().min(0).max(1_000_000_000);
const time = z.iso.datetime({ precision: 3 });
const text = z.string().max(4_096);
/** A gate's id, or `gate/leg`. */
const unit = z.string().min(1).max(200);

/** The id of a snapshot: never an option of git. */
const snapshot = z.string().regex(/^\w+(?:\+\{.*\})?$/s);

/** Bytes that a {@link Contents} store holds. */
export const contentSchema = z.strictObject({ digest: digestSchema, bytes: count });
export type Content = z.infer<typeof contentSchema>;

/** A process, identified by its start too: process ids are used again. */
export const processSchema = z.strictObject({ pid: count, start: z.string().max(64) });
export type ProcessId = z.infer<typeof processSchema>;

/** One try of one unit, in one run of one subject. */
export const attemptRefSchema = z.strictObject({ subject: z.string().min(1).max(1_024), run: count, unit, n: count });
export type AttemptRef = z.infer<typeof attemptRefSchema>;

/** One leg of a matrix whose legs come from data. */
const legSchema = z.strictObject({ id: z.string().max(80), matrix: z.record(z.string(), z.json()) });

const head = {
  v: z.literal(ENTRY_FORMAT),
  pipeline: z.string().max(40),
  subject: z.string().min(1).max(1_024),
  run: count.min(1),
  at: time,
};

/** An agent is about to start. The entry is durable before the agent starts. */
export const startedSchema = z.strictObject({
  kind: z.literal('started'),
  ...head,
  unit,
  n: count.min(1),
  /** Digest of the request, which is stored as content. */
  fingerprint: digestSchema,
  /** Digest of the contract, stored as content. */
  contract: digestSchema,
  /** Id of the snapshot of the folder just before; a ref keeps it. */
  snapshot,
  /** 1 + how often the work was sent back. */
  iteration: count.min(1),
  /** Answers a review that sent the work back. */
  rework: z.boolean(),
  /** The commit and the newest stash when it started. Only for gates that declare files. */
  head: z.strictObject({ head: z.string().nullable(), stash: z.string().nullable() }).optional(),
  /** The gate declares files: nothing else starts while it is open. */
  writes: z.boolean(),
  /** The agent works in a clone of the folder, which the next call makes anew. */
  isolated: z.literal(true).optional(),
  /** The agent's process group. Absent: the agent works by itself, between `begin` and `complete`. */
  process: processSchema.optional(),
  /** For an agent that works by itself: the files that its needs hand on. */
  handedOn: z.array(z.string()).optional(),
  /** The task of the run, redacted. */
  task: text.optional(),
});

/** Usage that an agent reported about itself. */
export const metricsSchema = z.strictObject({
  model: z.string().max(200).optional(),
  session: z.string().max(200).optional(),
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  costUsd: z.number().min(0).max(1_000_000_000).optional(),
  tools: z.array(z.string().max(200)).max(1_000).optional(),
  mcps: z.array(z.string().max(200)).max(1_000).optional(),
  plugins: z.array(z.string().max(200)).max(1_000).optional(),
});
export type Metrics = z.infer<typeof metricsSchema>;

/** An attempt has ended, or an earlier output is used in its place. */
export const endedSchema = z.strictObject({
  kind: z.literal('ended'),
  ...head,
  unit,
  n: count.min(1),
  /** `used`: an output that holds for today's request. `adopted`: a person supplied it. `lost`: killed before its end. */
  how: z.enum(['ran', 'used', 'adopted', 'skipped', 'not-applicable', 'lost']),
  verdict: verdictSchema,
  fingerprint: digestSchema,
  contract: digestSchema,
  iteration: count.min(1),
  /** The output as canonical JSON, redacted. */
  output: contentSchema.optional(),
  /** The part that later gates see; absent: the gate has no output. */
  exports: contentSchema.optional(),
  /** The attempt that made the output, if it was another one. */
  source: attemptRefSchema.optional(),
  /** The files of the unit after this entry: all its attempts together. */
  files: gateFilesSchema,
  /** Changes of this attempt, or of putting its files back. */
  changes: z.array(fileChangeSchema),
  /** Paths that changed while the agent ran and that its gate does not declare: changes of the user. */
  undeclared: z.array(z.string()),
  /** Id of the snapshot of the folder just after. */
  snapshot: snapshot.optional(),
  /** Answers a review that sent the work back. */
  rework: z.boolean(),
  /** Legs of the gates whose matrix is made from this output, by gate. */
  legs: z.record(z.string(), z.array(legSchema)).optional(),
  /** Changes of entities. */
  effects: z.array(entityChangeSchema).optional(),
  metrics: metricsSchema.optional(),
  logs: z.strictObject({ stdout: contentSchema.optional(), stderr: contentSchema.optional() }).optional(),
  learnings: contentSchema.optional(),
  /** Who skipped or adopted, and why. */
  actor: z.string().max(255).optional(),
  reason: text.optional(),
  exitCode: z.int().optional(),
  /** Only for gates with `repeat`: judged together with later attempts, and no result by itself. */
  part: z.literal(true).optional(),
  /** Milliseconds that the agent worked; may be weeks between `begin` and `complete`. */
  ms: z.int().min(0),
});

const decision = <const Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) =>
  z.strictObject({
    kind: z.literal('decided'),
    ...head,
    decision: z.literal(name),
    actor: z.string().max(255),
    reason: text,
    ...shape,
  });
const output = { unit, fingerprint: digestSchema, output: digestSchema };

/** A decision of a person, or of the engine: `rework` and `complete`. */
export const decidedSchema = z.discriminatedUnion('decision', [
  /** Later gates may use this output, made for the request with this fingerprint. */
  decision('approve', output),
  /** The output is never used again. */
  decision('reject', { ...output, attempt: attemptRefSchema }),
  /** The next turn of the unit ends without an output. */
  decision('skip', { unit }),
  /** The unit runs again, until it has ended well. */
  decision('force', { unit }),
  /** The output of the attempt holds for the folder as it is now: for the request with this fingerprint. */
  decision('keep', { unit, attempt: attemptRefSchema, fingerprint: digestSchema }),
  /** A person supplies the output of the unit for today's request. */
  decision('adopt', { unit, output: contentSchema }),
  /** Failed outputs send the work back to `gate`, as the given iteration: 2 for the first time. */
  decision('rework', {
    gate: z.string().max(40),
    iteration: count.min(2),
    causes: z
      .array(z.strictObject({ unit, attempt: attemptRefSchema, output: contentSchema, verdict: verdictSchema }))
      .min(1),
  }),
  decision('pause', {}),
  decision('resume', {}),
  decision('close', {}),
  decision('complete', {}),
  /** The work of gate `to` and of the gates after it was rolled back. The checkpoints of these attempts are forgotten. */
  decision('rollback', {
    to: z.string().max(200),
    attempts: z.array(attemptRefSchema),
    changes: z.array(fileChangeSchema),
  }),
]);

export const entrySchema = z.discriminatedUnion('kind', [startedSchema, endedSchema, decidedSchema]);
export type StartedEntry = z.infer<typeof startedSchema>;
export type EndedEntry = z.infer<typeof endedSchema>;

/** What all ends of units that do not apply have: no agent, no output, no files of their own. */
export const NOT_APPLICABLE_END = {
  kind: 'ended',
  how: 'not-applicable',
  verdict: NOT_APPLICABLE,
  fingerprint: NO_DIGEST,
  contract: NO_DIGEST,
  iteration: 1,
  rework: false,
  files: {},
  changes: [],
  undeclared: [],
  ms: 0,
} satisfies Partial<EndedEntry>;
export type DecidedEntry = z.infer<typeof decidedSchema>;
/** One line of the log; never changed. */
export type Entry = StartedEntry | EndedEntry | DecidedEntry;

/** The attempt that an entry is about. */
export function attemptOf(entry: StartedEntry | EndedEntry): AttemptRef {
  return { subject: entry.subject, run: entry.run, unit: entry.unit, n: entry.n };
}

/** The attempt whose agent or person made the output that an entry ends with. */
export function originOf(entry: EndedEntry): AttemptRef {
  return entry.source ?? attemptOf(entry);
}

export function isSameAttempt(a: AttemptRef | undefined, b: AttemptRef | undefined): boolean {
  return (
    a !== undefined && b !== undefined && a.n === b.n && a.run === b.run && a.unit === b.unit && a.subject === b.subject
  );
}
