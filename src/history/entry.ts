import { z } from 'zod';
import { ID_PATTERN } from '../pipeline/pipeline.ts';
import { problemText } from '../pipeline/problem-text.ts';
import type { Read } from '../run/records/reading.ts';
import { subjectSlug } from '../run/records/subject.ts';
import { RUN_STATUSES, UNIT_STATUSES } from '../run/state/run-state.ts';
import { VERDICT_KINDS } from '../verdict/verdict.ts';

/**
 * Version of history entries. Fields may be added within a version; none is removed or changes its meaning. Entries of
 * version 1, which only artifacts had, are not read.
 */
export const HISTORY_FORMAT = 'gateline-history/2';

/** Version of the entries about the gates of a run. */
export const GATES_FORMAT = 'gateline-history-gates/2';

const counter = z.int().min(0).max(1_000_000_000);
/** Milliseconds, US dollars or tokens: agents may report any number, so the maximum keeps sums finite. */
const quantity = z.number().min(0).max(1e15);
const time = z.iso.datetime({ precision: 3 });
const line = z.string().max(300);
const key = z.string().min(1).max(130);
const names = z.array(z.string().max(200)).max(50).optional();
const digits = z.string().regex(/^[0-9a-f]{12}$/);

/** The identity of an entry's run. */
const identity = {
  pipeline: z.string().regex(ID_PATTERN),
  /** A long one is shortened: see {@link keptSubject}. */
  subject: z.string().min(1).max(200),
  /** Number of the run. */
  run: counter,
  /** GitHub only: id of the workflow run. */
  runId: z
    .string()
    .regex(/^[0-9]{1,20}$/)
    .optional(),
  /** Locally the last call of the run, on GitHub the run attempt. Of two entries of a run, the higher one is used. */
  attempt: counter,
  /** When the run's first record was written. */
  started: time,
};

/** The outcome of one run. Texts are redacted and cut. */
export const historyEntrySchema = z.object({
  format: z.literal(HISTORY_FORMAT),
  ...identity,
  status: z.enum(RUN_STATUSES),
  /** When the run's last record was written. */
  ended: time,
  /** Working time: the durations of the calls, without the time between them. */
  ms: quantity,
  /** Number of gates and legs. */
  gates: counter,
  /** Done with an output that meets its contract, reused ones included. */
  passed: counter.default(0),
  /** Failed, lost, or partial where that blocks. */
  failed: counter.default(0),
  /** Skipped by a person, or not applicable. */
  skipped: counter.default(0),
  reused: counter.default(0),
  /** US dollars, as agents reported; absent: none reported. */
  cost: quantity.optional(),
  /** Tokens in and out, as agents reported. */
  tokens: quantity.optional(),
  /** The gate that stopped the run. */
  failure: z.object({ gate: key, kind: z.enum(VERDICT_KINDS).optional(), message: line.optional() }).optional(),
  /** The highest iteration of a loop, if work was sent back. */
  iteration: counter.optional(),
  task: line.optional(),
  /** Name of the set that the subject belongs to. */
  set: line.optional(),
  /** Who closed the run. */
  closedBy: line.optional(),
  /** The first 12 digits of the commit. */
  commit: z
    .string()
    .regex(/^[0-9a-f]{7,12}$/)
    .optional(),
  branch: line.optional(),
  /** GitHub only: the event that started the run, and how far its code is trusted. */
  event: line.optional(),
  trust: line.optional(),
  /** Who started the run. */
  actor: line.optional(),
  /** The definition; on GitHub the workflow file that was started. */
  workflowFile: line.optional(),
  tools: names,
  mcps: names,
  plugins: names,
  models: names,
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;

/** The outcome of one gate, or one leg, in a run. */
const gateEntrySchema = z.object({
  gate: key,
  leg: z.string().max(80).default(''),
  status: z.enum(UNIT_STATUSES),
  /** Kind of the verdict, unless the gate passed. */
  kind: z.enum(VERDICT_KINDS).optional(),
  score: z.number().min(0).max(100).optional(),
  /** How often the agent was started in this run. */
  attempts: counter.default(0),
  /** Whether the first of these attempts passed; absent: there was none, or it has no verdict. */
  first: z.boolean().optional(),
  /** The output is of an earlier attempt: `ms`, `tokens` and `cost` are what that took, so what was saved. */
  reused: z.literal(true).optional(),
  /** Milliseconds of the attempt that determines the status. */
  ms: quantity.optional(),
  /** Of all attempts in this run. */
  tokens: quantity.optional(),
  cost: quantity.optional(),
  model: z.string().max(100).optional(),
  /** The first 12 digits of the fingerprint and of the contract's digest. */
  fingerprint: digits.optional(),
  contract: digits.optional(),
  /** Two attempts of this run had the same fingerprint and contract, and different verdicts. */
  flaky: z.literal(true).optional(),
  iteration: counter.optional(),
  group: z.string().max(100).optional(),
  /** The agent's own label for its result. */
  result: z.string().max(120).optional(),
  /** The agent's line about an output that passed; otherwise what is wrong. */
  message: z.string().max(120).optional(),
});
export type GateOutcome = z.infer<typeof gateEntrySchema>;

/** The gates of one run. */
export const gatesEntrySchema = z.object({
  format: z.literal(GATES_FORMAT),
  ...identity,
  gates: z.array(gateEntrySchema).max(2_000),
  /** Number of gates that were left out because of the size. */
  left: counter.default(0),
});
export type GatesEntry = z.infer<typeof gatesEntrySchema>;

/** The entry of a run, and that of its gates. */
export interface RunHistory {
  readonly entry: HistoryEntry;
  readonly gates: GatesEntry;
}

/** The identity of a run. */
export type EntryIdentity = Pick<HistoryEntry, 'pipeline' | 'subject' | 'run' | 'runId'>;

/** The lookup key of an entry's run. */
export function runKeyOf({ pipeline, subject, run, runId }: EntryIdentity): string {
  return `${pipeline} ${runId ?? `#${run}`} ${subject}`;
}

/** The longest subject in an entry, in bytes of UTF-8. */
const LONGEST_SUBJECT = 64;

/** A subject as entries have it: a long one, or one that JSON escapes, is replaced by a slug with a digest. */
export function keptSubject(subject: string): string {
  if (jsonBytes(subject) <= LONGEST_SUBJECT + 2) return subject;
  const slug = subjectSlug(subject, 16);
  return slug.length <= LONGEST_SUBJECT ? slug : slug.slice(0, LONGEST_SUBJECT - 17) + slug.slice(-17);
}

/** Number of bytes of a value as JSON without white space, in UTF-8. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Parses an entry from any source. `unknown`: it is not one of this version. */
export function parseHistoryEntry(value: unknown, where = 'history entry'): Read<HistoryEntry> {
  return parsed(historyEntrySchema, value, where);
}

/** Parses an entry about gates from any source. */
export function parseGatesEntry(value: unknown, where = 'history entry'): Read<GatesEntry> {
  return parsed(gatesEntrySchema, value, where);
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, where: string): Read<T> {
  const read = schema.safeParse(value, { reportInput: true });
  if (read.success) return { state: 'present', value: read.data };
  const issue = read.error.issues[0]!;
  const place = issue.path.map(String).join('.');
  const code = place === 'format' ? 'UNKNOWN_VERSION' : 'CORRUPT';
  return { state: 'unknown', problem: { code, where, message: `${place || 'it'}: ${problemText(issue)}` } };
}
