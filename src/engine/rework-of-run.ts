import { digestOfJson } from '../json/canonical-json.ts';
import type { JsonValue } from '../json/json.ts';
import { judgeLoop, loopsOf } from '../run/plan/loop.ts';
import type { GivenRework } from '../run/records/reworks.ts';
import { comparePositions, type DecidedRecord, type EndedRecord } from '../run/records/record.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import type { RunState, UnitState, UnitStatus } from '../run/state/run-state.ts';
import { decisionsOf, type LoopSendBack } from './attempt/send-back.ts';
import { openCall, type Assignment, type Call } from './call/call.ts';
import { laterRecords } from './call/later-records.ts';
import type { JudgedLoop } from './plan/loop-of.ts';
import type { EnginePorts } from './ports.ts';
import type { JobCall } from './upstream/job-call.ts';
import type { VerifiedRun } from './verify-run.ts';

/** The work that a finished CI run sends back. Another run does it, because a run itself cannot repeat earlier jobs. */
export type RunRework =
  /** `why`: a loop failed and nothing is sent back. */
  | { readonly choice: 'none'; readonly why?: string }
  | {
      readonly choice: 'send-back';
      /** The input for the event of the next run. */
      readonly given: GivenRework;
      /** Ids of the gates and groups that send it back. */
      readonly causes: readonly string[];
      readonly decisions: readonly DecidedRecord[];
      /**
       * Records the decisions: they keep what was sent back from being reused. `taken`: somebody has recorded them, and
       * has started the next run or was about to.
       */
      readonly claim: () => Promise<'claimed' | 'taken'>;
    };

/** With one of these kinds a unit has failed in a way that does not concern its loop. */
const FAILED: ReadonlySet<UnitStatus> = new Set(['failed', 'partial', 'lost', 'running']);

/**
 * Determines what a run sends back.
 * @param view without decisions of this run that send work back: every job can write one
 * @param claims those decisions: they only say that somebody was here before
 * @param before what the run itself did again, as its event says
 */
export async function reworkOfRun(
  ports: EnginePorts,
  assignment: Assignment,
  view: VerifiedRun,
  {
    call: options,
    claims,
    before,
  }: Pick<JobCall, 'call'> & { readonly claims: readonly DecidedRecord[]; readonly before: GivenRework | undefined },
): Promise<RunRework> {
  const { state, records, problems } = view;
  const later = laterRecords(problems);
  if (later !== undefined) return { choice: 'none', why: later };
  const listing = { records, problems, unprovenDecisions: true } as const;
  const call = await openCall(ports, assignment, () => undefined, { ...options, listing });
  const judged = judgeLoops(call, state, before);
  const back = judged.flatMap(({ loop, choice }) => (choice.choice === 'send-back' ? [{ loop, choice }] : []));
  if (back.length === 0) {
    const usedUp = judged.flatMap(({ choice }) => (choice.choice === 'used-up' ? [choice.reason] : []));
    return { choice: 'none', ...(usedUp.length > 0 && { why: usedUp.join('; ') }) };
  }
  const others = failedOutside(state, back);
  if (others.length > 0) {
    const names = others.map(({ key, status }) => `${key} (${status})`).join(', ');
    return { choice: 'none', why: `another gate failed in a way that no loop sends back: ${names}` };
  }
  const { target, loops } = firstTarget(call, back);
  const decisions = decisionsOf(call, loops);
  return {
    choice: 'send-back',
    given: givenBy(target, loops, before),
    causes: loops.map(({ loop }) => loop.cause),
    decisions,
    claim: () => claimDecisions(call, decisions, claims),
  };
}

/** A loop that sends work back. */
interface SendingLoop {
  readonly loop: JudgedLoop['loop'];
  readonly choice: LoopSendBack;
}

/** The loops of the pipeline, with how often each of them has sent work back in earlier runs of the chain. */
function judgeLoops(call: Call, state: RunState, before: GivenRework | undefined): JudgedLoop[] {
  const { pipeline } = call.assignment;
  const by = before?.sent ?? {};
  const sent = { by, all: Object.values(by).reduce((sum, times) => sum + times, 0) };
  return loopsOf(pipeline).map((loop): JudgedLoop => {
    return { loop, choice: judgeLoop(loop, call.graph, state, { maxReworks: pipeline.maxReworks, sent }) };
  });
}

/** The units that failed and belong to none of these loops. */
function failedOutside({ units }: RunState, back: readonly SendingLoop[]): UnitState[] {
  const looped = new Set(back.flatMap(({ loop }) => loop.gates));
  return [...units.values()].filter(({ gate, done, status }) => !done && FAILED.has(status) && !looped.has(gate));
}

/** The first target, and its loops: what comes after it runs again anyway, and is judged again then. */
function firstTarget(call: Call, back: readonly SendingLoop[]): { target: string; loops: SendingLoop[] } {
  const order = [...call.graph.values()].map(({ gate }) => gate.id);
  const target = back.map(({ loop }) => loop.onFail.goto).toSorted((a, b) => order.indexOf(a) - order.indexOf(b))[0]!;
  return { target, loops: back.filter(({ loop }) => loop.onFail.goto === target) };
}

/** Records the decisions that are not recorded yet. `taken`: somebody had recorded one of them. */
async function claimDecisions(
  call: Call,
  decisions: readonly DecidedRecord[],
  claims: readonly DecidedRecord[],
): Promise<'claimed' | 'taken'> {
  let taken = false;
  for (const decision of decisions) {
    const isKnown = claims.some((one) => isSame(one, decision));
    taken = isKnown || (await call.journal.write(decision)) === 'taken' || taken;
  }
  return taken ? 'taken' : 'claimed';
}

function givenBy(target: string, loops: readonly SendingLoop[], before: GivenRework | undefined): GivenRework {
  const sent = Object.fromEntries(loops.map(({ loop, choice }) => [loop.cause, choice.times]));
  const named = (ends: readonly { readonly unit: UnitKey; readonly ended: EndedRecord }[]): GivenRework['from'] => {
    const digests = new Map(ends.map(({ unit, ended }) => [unit, digestOfJson(ended as unknown as JsonValue)]));
    return [...digests].map(([unit, digest]) => ({ unit, digest }));
  };
  return {
    count: 1 + (before?.count ?? 0),
    target,
    iterations: { ...before?.iterations, [target]: 1 + (before?.iterations[target] ?? 1) },
    sent: { ...before?.sent, ...sent },
    from: named(loops.flatMap(({ choice }) => choice.failed)),
    over: named(loops.flatMap(({ choice }) => choice.over)),
  };
}

/** Whether two decisions send back the same attempt for the same cause, whichever run attempt recorded them. */
function isSame({ gate, leg, rework: one }: DecidedRecord, { rework: other, ...about }: DecidedRecord): boolean {
  if (one === undefined || other === undefined || gate !== about.gate || leg !== about.leg) return false;
  const [mine, theirs] = [one.over[0]?.attempt, other.over[0]?.attempt];
  return (
    one.cause === other.cause && mine !== undefined && theirs !== undefined && comparePositions(mine, theirs) === 0
  );
}
