import { z } from 'zod';
import { issueSchema, VERDICT_KINDS, type Verdict } from '../../verdict/verdict.ts';
import { digestSchema } from '../../json/digest.ts';
import { metricsSchema } from '../../run/records/metrics.ts';
import { DECISIONS, type Content, type EndedRecord, type Position, type Source } from '../../run/records/record.ts';
import { RUN_STATUSES, UNIT_STATUSES, resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import { groupStates, groupStateSchema } from '../../run/state/group-states.ts';
import type { GateGroup } from '../../pipeline/pipeline.ts';
import { graphOf, type UnitGraph } from '../../run/records/unit.ts';
import { pausedSince, runErrorOf, runErrorSchema } from './run-error.ts';
import { iterationOf } from '../../run/records/reworks.ts';
import { endedAfter } from '../../history/attempts.ts';
import { attemptOf, changeOf } from '../wording.ts';

/**
 * Version of `gateline status --json`. Fields may be added within a version; none is removed or changes its meaning.
 */
export const STATUS_FORMAT = 'gateline-status/1';

const counter = z.int().min(0);
const digest = digestSchema;
const content = z.strictObject({ digest, bytes: counter });

/** Identifies one attempt: the run, the call in it, and the try in that call. */
export const attemptSchema = z.strictObject({ run: counter, call: counter, attempt: counter });
export type AttemptView = z.infer<typeof attemptSchema>;

const decision = z.strictObject({
  decision: z.enum(DECISIONS),
  actor: z.string(),
  reason: z.string(),
  at: z.string(),
  until: z.string().nullable(),
});

/**
 * The origin of a reused or adopted output; `subject` only if it is another one than that of the run, `iteration` only
 * if its work had been sent back, `adopted` only if a person adopted or kept it.
 */
export const originSchema = attemptSchema.extend({
  subject: z.string().optional(),
  iteration: counter.optional(),
  adopted: z.strictObject({ actor: z.string(), reason: z.string() }).optional(),
});

/** One gate, or one leg of a matrix gate. Absent values are `null`. */
const gateStatusSchema = z.strictObject({
  /** `gate`, or `gate/leg`. */
  key: z.string(),
  gate: z.string(),
  /** '' without a matrix. */
  leg: z.string(),
  number: counter.nullable(),
  agent: z.string().nullable(),
  status: z.enum(UNIT_STATUSES),
  /** One sentence; free text. */
  reason: z.string(),
  /** Satisfied, and so is everything upstream. */
  done: z.boolean(),
  reused: z.boolean(),
  /** Number of attempts in this run. */
  attempts: counter,
  /** 1 plus the number of times that its work was sent back in this run. */
  iteration: counter,
  verdict: z
    .strictObject({
      status: z.enum(['passed', 'partial', 'failed', 'not-applicable']),
      kind: z.enum(VERDICT_KINDS),
      /** 0-100; `null`: not judged, since the gate is not applicable. */
      score: z.number().nullable(),
      threshold: z.number().nullable(),
      issues: z.array(issueSchema),
      advice: z.string(),
      /** The agent's own label for its result; `null`: the contract names none, or it is missing. */
      result: z.string().nullable(),
      /** The agent's line about an output that passed; `null`: there is none. */
      message: z.string().nullable(),
    })
    .nullable(),
  attempt: attemptSchema.nullable(),
  /** The origin of a reused or adopted output. */
  source: originSchema.nullable(),
  fingerprint: digest.nullable(),
  output: content.nullable(),
  /** What later gates receive; `null`: nothing, or not done. */
  exports: content.nullable(),
  files: z.array(z.strictObject({ path: z.string(), change: z.enum(['added', 'changed', 'deleted']) })),
  /** ISO 8601, UTC. */
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  durationMs: z.number().min(0).nullable(),
  exitCode: z.int().nullable(),
  metrics: metricsSchema.nullable(),
  decision: decision.nullable(),
});

/** `gateline status --json`. */
export const statusJsonSchema = z.strictObject({
  format: z.literal(STATUS_FORMAT),
  pipeline: z.string(),
  /** Path of the definition, relative to the workspace; `null`: it is not known. */
  file: z.string().nullable(),
  subject: z.string(),
  /** 0: there is no run yet. */
  run: counter,
  call: counter,
  status: z.enum(RUN_STATUSES),
  /** The goal of the run when its latest attempt started; `null`: no task was set. */
  task: z.string().nullable(),
  startedAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
  /** Since when it is paused: by a person, or at a gate that waits for an approval. `null`: it is not. */
  pausedAt: z.string().nullable(),
  /** When a pause was last lifted. */
  resumedAt: z.string().nullable(),
  /** Why its status is `error`; otherwise `null`. */
  error: runErrorSchema.nullable(),
  /** The moment in the past that this is the state of; `null`: now. */
  at: z.string().nullable(),
  /** Decisions about the whole run that are in force. */
  decisions: z.strictObject({
    paused: decision.nullable(),
    closed: decision.nullable(),
    pinned: decision.nullable(),
    forked: decision.nullable(),
  }),
  /** The run that this one is a fork of; `gate` and everything downstream ran again. */
  forkedFrom: z.strictObject({ subject: z.string(), run: counter, gate: z.string().nullable() }).nullable(),
  /** Ordered so that each gate comes after its needs. */
  gates: z.array(gateStatusSchema),
  /** In the order of the definition. */
  groups: z.array(groupStateSchema.strict()),
  /** Problems with records. */
  problems: z.array(z.strictObject({ code: z.string(), message: z.string(), gate: z.string().nullable() })),
});
export type StatusJson = z.infer<typeof statusJsonSchema>;

/**
 * The state of a run for programs; see docs/reference/json-output.md. Texts are not escaped: print them with
 * `jsonText`.
 * @param about the pipeline's groups, the path of its definition, and the moment in the past that it is the state of
 */
export function statusJson(state: RunState, defined: UnitGraph, { groups, file, at, log }: StatusAbout): StatusJson {
  const graph = graphOf(defined, state.units.values());
  return {
    format: STATUS_FORMAT,
    pipeline: state.pipeline,
    file: file ?? null,
    subject: state.subject,
    run: state.runNumber,
    call: state.runAttempt,
    status: state.status,
    task: state.task ?? null,
    startedAt: state.startedAt ?? null,
    updatedAt: state.updatedAt ?? null,
    pausedAt: pausedSince(state),
    resumedAt: state.decided.resumed?.at ?? null,
    error: runErrorOf(state, log),
    at: at?.toISOString() ?? null,
    decisions: {
      paused: decisionOf(state.decided.paused),
      closed: decisionOf(state.decided.closed),
      pinned: decisionOf(state.decided.pinned),
      forked: decisionOf(state.decided.forked),
    },
    forkedFrom: forkOf(state),
    gates: [...state.units.values()].map((unit) => gateOf(unit, graph)),
    groups: groupStates(state, groups),
    problems: state.problems.map(({ code, message, unit }) => ({ code, message, gate: unit ?? null })),
  };
}

/** What a run's records do not say. */
interface StatusAbout {
  readonly groups: readonly GateGroup[];
  readonly file?: string;
  readonly at?: Date | undefined;
  /** What the agent of the gate that stopped it wrote to stderr, redacted. */
  readonly log?: string | undefined;
}

function forkOf({ decided: { forked } }: RunState): StatusJson['forkedFrom'] {
  if (forked?.origin === undefined) return null;
  const { subject, runNumber: run, gate = null } = forked.origin;
  return { subject, run, gate };
}

function gateOf(unit: UnitState, graph: UnitGraph): StatusJson['gates'][number] {
  const { started, decided, adopted } = unit;
  const ended = resultOf(unit);
  const gate = graph.get(unit.key)?.gate;
  const at = attemptOf(unit);
  return {
    key: unit.key,
    gate: unit.gate,
    leg: unit.leg,
    number: gate?.number ?? null,
    agent: gate?.agent ?? null,
    status: unit.status,
    reason: unit.reason,
    done: unit.done,
    reused: unit.reused,
    attempts: unit.attempts,
    iteration: iterationOf(unit.reworks),
    verdict: ended === undefined ? null : verdictOf(ended, gate?.contract.threshold),
    attempt: at === undefined ? null : attemptView(at),
    source: ended === undefined ? null : sourceView(ended, adopted),
    fingerprint: (ended ?? started)?.fingerprint ?? null,
    output: contentOf(ended?.value),
    exports: contentOf(unit.exports),
    files: (ended?.files ?? []).map((file) => ({ path: file.path, change: changeOf(file) })),
    startedAt: ended?.startedAt ?? started?.at ?? null,
    endedAt: ended?.at ?? null,
    durationMs: (ended === undefined || at === undefined ? undefined : endedAfter(ended)) ?? null,
    exitCode: ended?.exitCode ?? null,
    metrics: ended?.metrics === undefined ? null : { ...ended.metrics },
    decision: decisionOf(decided ?? adopted),
  };
}

/** An output that somebody supplied is from its own attempt. */
function sourceView(ended: EndedRecord, adopted: UnitState['adopted']): StatusJson['gates'][number]['source'] {
  if (ended.source !== undefined) return originView(ended.source);
  if (adopted === undefined) return null;
  const { actor, reason } = adopted;
  return { ...attemptView(ended), adopted: { actor, reason } };
}

/** A position in the form for programs. */
export function attemptView(at: {
  readonly runNumber: number;
  readonly runAttempt: number;
  readonly n: number;
}): AttemptView {
  return { run: at.runNumber, call: at.runAttempt, attempt: at.n };
}

/** An origin in the form for programs. */
export function originView(
  at: Position & Pick<Source, 'subject' | 'iteration' | 'adopted'>,
): z.infer<typeof originSchema> {
  const { subject, iteration, adopted } = at;
  return {
    ...attemptView(at),
    ...(subject !== undefined && { subject }),
    ...(iteration !== undefined && { iteration }),
    ...(adopted && { adopted: { ...adopted } }),
  };
}

function verdictOf({ verdict }: EndedRecord, threshold: number | undefined): StatusJson['gates'][number]['verdict'] {
  const { status, kind, issues, advice, result = null, message = null } = verdict;
  return {
    status,
    kind,
    score: scoreOf(verdict),
    threshold: threshold ?? null,
    issues: issues.map((issue) => ({ ...issue })),
    advice,
    result,
    message,
  };
}

/** The score of a verdict; `null` if it was not judged. */
export function scoreOf({ status, score }: Verdict): number | null {
  return status === 'not-applicable' ? null : score;
}

function contentOf(content: Content | null | undefined): StatusJson['gates'][number]['output'] {
  return content === undefined || content === null ? null : { digest: content.digest, bytes: content.bytes };
}

function decisionOf(decided: UnitState['decided']): StatusJson['gates'][number]['decision'] {
  if (decided === undefined) return null;
  const { decision, actor, reason, at, until } = decided;
  return { decision, actor, reason, at, until: until ?? null };
}
