import { z } from 'zod';
import { ID_PATTERN, MAX_TASK_LENGTH, unitKey, type UnitKey } from '../../pipeline/pipeline.ts';
import { verdictSchema } from '../../verdict/verdict.ts';
import { digestSchema } from '../../json/digest.ts';
import { changedSchema, contentSchema, effectsSchema, usesSchema } from './effects.ts';
import { metricsSchema } from './metrics.ts';

/** Version of the records that this version writes. */
export const RECORD_FORMAT = 'gateline-record/2';

/** Versions that can be read. A reader that finds another one returns `unknown`, never `absent`. */
export const RECORD_FORMATS = ['gateline-record/1', RECORD_FORMAT] as const;

/** The gate of a decision about a whole run: no gate can have this id. */
export const RUN_GATE = '-';

const digest = digestSchema;
const counter = z.int().min(0).max(1_000_000_000);
const time = z.iso.datetime({ precision: 3 });
const unit = z.string().min(1).max(200);
/** Digest of a need's exports; `null`: the need had no output (not-applicable, skipped without one). */
const needDigests = z.record(unit, digest.nullable());

/** Id of a git tree object: sha1 or sha256. */
const treeId = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/);

export type Content = z.infer<typeof contentSchema>;

/** A file's content as git would store it: blob id (`git hash-object`, filters applied) and git's mode. */
const fileStateSchema = z.strictObject({
  blob: z.string().min(1).max(80),
  mode: z.enum(['100644', '100755']),
});

/**
 * One file that a gate left. `null`: the file did not exist. `after.content` identifies its stored bytes; only files
 * that are handed on have it.
 */
export const fileChangeSchema = z.strictObject({
  path: z.string().min(1).max(4_096),
  before: fileStateSchema.nullable(),
  after: fileStateSchema.extend({ content: contentSchema.optional() }).nullable(),
});
export type FileState = z.infer<typeof fileStateSchema>;
export type FileChange = z.infer<typeof fileChangeSchema>;

/** The writer of a record. Locally `boot` and `pid` show whether the writer is still running. */
const writerSchema = z.strictObject({
  host: z.string().max(255),
  boot: z.string().max(255),
  pid: counter,
  /** When the process started, as the system reports it; guards against a reused pid. */
  pidStart: z.string().max(64),
  actor: z.string().max(255).optional(),
  /** GitHub only: ids of the workflow run, and of the job in its workflow file. `boot` is `<run id>.<run attempt>`. */
  runId: z
    .string()
    .regex(/^[0-9]{1,20}$/)
    .optional(),
  job: z.string().max(255).optional(),
});
export type Writer = z.infer<typeof writerSchema>;

const identity = {
  format: z.enum(RECORD_FORMATS),
  pipeline: z.string().regex(ID_PATTERN),
  subject: z.string().min(1).max(1_024),
  gate: z.string().regex(ID_PATTERN),
  leg: z.string().max(80),
  runNumber: counter,
  /** Locally the call: the ordinal of the `gateline` command that wrote to this run. On GitHub its run attempt. */
  runAttempt: counter,
  /** Attempt of this gate within the call, from 1. Decisions have 0. */
  n: counter,
  at: time,
  by: writerSchema,
};

const work = {
  fingerprint: digest,
  /** Digest of the contract that judges. */
  contract: digest,
  /** Without needs that something from outside took the place of. */
  needs: needDigests,
  /** Those needs: a state file of another tool, or the caller's input. They are not done by it. */
  standIns: z.record(unit, z.enum(['file', 'input'])).optional(),
  /**
   * The attempt was sent back to: which iteration of the loop it is (the first attempt is 1), the fingerprint of the
   * request without `rework`, and, if each iteration is a run of its own, the units that sent the work back.
   */
  rework: z.strictObject({ iteration: counter, base: digest, causes: z.array(unit).max(1_000).optional() }).optional(),
  /** The goal of the run, redacted. */
  task: z.string().max(MAX_TASK_LENGTH).optional(),
  /** The commit that the run was about then, if approvals depend on it. */
  commit: treeId.optional(),
  /** It is of a command, which is part of no run: its run and call are only its position in the order. */
  command: z.literal(true).optional(),
};

/** A claim: one holder has this gate. Durable before the agent runs. */
export const startedSchema = z.strictObject({
  kind: z.literal('started'),
  ...identity,
  ...work,
  /** The request document, stored as content. */
  request: digest,
  entities: usesSchema.optional(),
  /** `process`: the writer works itself. `open`: from `begin` to `complete`. `job`: a CI job holds it until it ends. */
  holder: z.enum(['process', 'open', 'job']),
  /** When an `open` claim expires. */
  deadline: time.optional(),
  /** The user's version of the workspace, as a tree object, and where the agent works on it. */
  base: treeId.optional(),
  place: z.enum(['tree', 'in-place']).optional(),
  /** The database before the first agent of the run started. */
  database: contentSchema.optional(),
});

const position = { runNumber: counter, runAttempt: counter, n: counter };

/** The person who decided and the reason, from a record. */
const deciderSchema = z.strictObject({ actor: z.string().min(1).max(255), reason: z.string().max(4_096) });

/** The origin of a reused output. Its position is one of this record's subject, unless it names another subject. */
const sourceSchema = z.strictObject({
  ...position,
  /** Only of another subject. */
  subject: identity.subject.optional(),
  /**
   * For an output of another subject: when its agent started. The records of that subject may have been removed when
   * the age is needed.
   */
  at: time.optional(),
  /** GitHub only, and only of another workflow run. */
  runId: writerSchema.shape.runId,
  /** Which iteration made the output, if its work had been sent back; from 1. */
  iteration: counter.min(1).optional(),
  /** The person who adopted or kept the output, if no agent produced it for this request. */
  adopted: deciderSchema.optional(),
});
export type Source = z.infer<typeof sourceSchema>;

/** The result of an attempt: a checkpoint if it is satisfied. */
export const endedSchema = z.strictObject({
  kind: z.literal('ended'),
  ...identity,
  ...work,
  /** `adopted`: a person supplied the output. */
  how: z.enum(['ran', 'reused', 'adopted']),
  verdict: verdictSchema,
  startedAt: time,
  /** The output, redacted, as canonical JSON. Absent if there was none to store. */
  value: contentSchema.optional(),
  /** The exported part, canonical JSON. */
  exports: contentSchema.optional(),
  /** The workspace before and after the agent ran, as tree objects of the machine where it ran. */
  snapshot: z.strictObject({ from: treeId, tree: treeId, database: contentSchema.optional() }).optional(),
  /** The user's version of the workspace, as a tree object, if no claim states it: no agent was started. */
  base: treeId.optional(),
  effects: effectsSchema.optional(),
  /** Documents for later agents that the attempt wrote, by name. */
  documents: z.record(z.string().min(1).max(200), contentSchema).optional(),
  /** Files handed on. */
  files: z.array(fileChangeSchema).max(10_000),
  /** Other files that the gate changed. */
  touched: z.array(fileChangeSchema).max(10_000),
  logs: z.strictObject({ stdout: contentSchema.optional(), stderr: contentSchema.optional() }),
  exitCode: z.int().optional(),
  signal: z.string().max(32).optional(),
  metrics: metricsSchema.optional(),
  /** The content of the agent's learnings file, redacted. */
  learnings: contentSchema.optional(),
  /** The origin of a reused output. */
  source: sourceSchema.optional(),
  /** Duration in milliseconds of the attempt whose output is reused: its own record may belong to another run. */
  savedMs: z.int().min(0).max(1e12).optional(),
});

/** Every kind of decision. */
export const DECISIONS = [
  'approve',
  'reject',
  'skip',
  'force',
  'rework',
  'adopt',
  'pause',
  'resume',
  'close',
  'rollback',
  'fork',
  'entity',
  'pin',
  'unpin',
] as const;

/** An output that failed and sent its work back: the attempt, its verdict, and its value if it has one. */
const reworkCauseSchema = z.strictObject({
  unit,
  attempt: z.strictObject(position),
  verdict: verdictSchema,
  value: contentSchema.optional(),
});

/** About a gate, or a whole run ({@link RUN_GATE}), and everything ordered before it. By a person, except `rework`. */
export const decidedSchema = z.strictObject({
  kind: z.literal('decided'),
  ...identity,
  gate: z.union([identity.gate, z.literal(RUN_GATE)]),
  decision: z.enum(DECISIONS),
  ...deciderSchema.shape,
  /** When `skip` and `approve` expire. */
  until: time.optional(),
  /** Bound to this fingerprint; `null`: whatever the gate's fingerprint is. */
  fingerprint: digest.nullable(),
  /** Bound to the output with this digest: `approve`, `reject`, `adopt`. */
  output: digest.optional(),
  /** `adopt`: the request that the fingerprint is of, redacted, to name what changed since. */
  request: digest.optional(),
  /** The commit that was decided about; an approval of a gate with `per: commit` is bound to it. */
  commit: treeId.optional(),
  /** Output supplied with a `skip` of format 1. */
  exports: contentSchema.optional(),
  /** `rework`: the gate or group that sent the work back, how often it has, and every output that failed. */
  rework: z
    .strictObject({
      cause: z.string().regex(ID_PATTERN),
      iteration: counter.min(1).max(9_999),
      from: z.array(reworkCauseSchema).max(1_000),
      /** Attempts whose files the target starts from: its own that was sent back, then those of the gates after it. */
      over: z.array(z.strictObject({ unit, attempt: sourceSchema })).max(1_000),
    })
    .optional(),
  /** `adopt`: where the output came from. `fork`: the run that was forked, and the first gate that runs again. */
  origin: z
    .strictObject({ subject: z.string().max(1_024), runNumber: counter, gate: z.string().max(40).optional() })
    .optional(),
  /** `force`: the loop that sends work back to the gate continues where it is, instead of beginning anew. */
  keepsIterations: z.literal(true).optional(),
  /** `close`: the call that closed the run begins the next one. */
  startsNext: z.literal(true).optional(),
  /** `entity`: what was done to which resource. */
  entity: changedSchema.optional(),
});

export const recordSchema = z.discriminatedUnion('kind', [startedSchema, endedSchema, decidedSchema]);
export type StartedRecord = z.infer<typeof startedSchema>;
export type EndedRecord = z.infer<typeof endedSchema>;
export type DecidedRecord = z.infer<typeof decidedSchema>;
/** One immutable JSON document with one writer. */
export type GatelineRecord = StartedRecord | EndedRecord | DecidedRecord;

/** Whether a record is about named resources alone: of a command, or a decision about one. It is part of no run. */
export function isEntityRecord(record: GatelineRecord): boolean {
  return record.kind === 'decided' ? record.decision === 'entity' : record.command === true;
}

/** The position of a record in the order of records; independent of the clock. */
export interface Position {
  readonly runNumber: number;
  readonly runAttempt: number;
  readonly n: number;
}

/** The unit of work that a record is about. */
export function unitOf(record: Pick<GatelineRecord, 'gate' | 'leg'>): UnitKey {
  return unitKey(record.gate, record.leg);
}

/** Ids of the gates whose outputs or files the record's unit received. */
export function gatesBefore(record: GatelineRecord): string[] {
  const keys = record.kind === 'decided' ? [] : Object.keys(record.needs);
  return [...new Set(keys.map((key) => key.split('/', 1)[0]!))];
}

/**
 * The kind of a record as its name shows it: `started`, `ended`, `decided.<decision>`, for an automatic decision also
 * its cause and iteration. The same automatic decision made twice, as after a crash, has one name.
 */
export function recordKind(record: GatelineRecord): string {
  if (record.kind !== 'decided') return record.kind;
  const { decision, rework } = record;
  return rework === undefined ? `decided.${decision}` : `decided.${decision}.${rework.cause}.${rework.iteration}`;
}

/**
 * The name under which a store keeps a record. It contains no digest, so that two claims for one attempt collide. The
 * name of a `decided` record includes its decision, since one call may record several.
 */
export function recordName(record: GatelineRecord): string {
  const { gate, leg, runNumber, runAttempt, n } = record;
  return `${gate}.${leg || '_'}.${runNumber}.${runAttempt}.${n}.${recordKind(record)}`;
}

/** Negative if `a` comes before `b`. */
export function comparePositions(a: Position, b: Position): number {
  return a.runNumber - b.runNumber || a.runAttempt - b.runAttempt || a.n - b.n;
}
