import { noteChanges } from './plan/since-approval.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import { inParallel } from '../in-parallel.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import type { GatelineRecord } from '../run/records/record.ts';
import type { ReadProblem } from '../run/records/reading.ts';
import type { RunState, UnitState } from '../run/state/run-state.ts';
import type { Unit } from '../run/records/unit.ts';
import { openCall, type Assignment, type Call } from './call/call.ts';
import { stateInBudget } from './call/call-budget.ts';
import { missingOf } from './call/content.ts';
import type { EnginePorts } from './ports.ts';
import { dryRunPorts } from './plan/dry-run.ts';
import { learnDecisions } from './upstream/learn-decisions.ts';
import { verifyOutput } from './upstream/verify-upstream.ts';
import { type JobCall } from './upstream/job-call.ts';

/** A run as seen by a consumer of all its outputs. */
export interface VerifiedRun {
  /** To read more of the run. It writes nothing. */
  readonly call: Call;
  readonly state: RunState;
  /** All records that could be read, of this run and of others. */
  readonly records: readonly GatelineRecord[];
  readonly problems: readonly ReadProblem[];
  /** Units whose records say that they are done or passed, with the error that refutes it. */
  readonly refused: ReadonlyMap<UnitKey, GatelineError>;
}

/** Units whose decisions are looked for at the same time: each of them is a request or two. */
const LOOKS_AT_ONCE = 8;

/**
 * Looks for decisions about every unit. Those about a unit's needs come first: they determine which output of the unit
 * is used, and so where to look; and the legs of a gate whose matrix is in that output.
 */
export async function learnAll(call: Call): Promise<void> {
  do {
    const levels = new Map<UnitKey, number>();
    for (const { key, needs } of call.graph.values()) {
      levels.set(key, 1 + Math.max(0, ...needs.map((need) => levels.get(need)!)));
    }
    for (const units of Map.groupBy([...call.graph.values()], ({ key }) => levels.get(key)!).values())
      await inParallel(LOOKS_AT_ONCE, units, (unit) => learnIfRead(call, unit));
  } while (await call.settleLegs());
}

/** Decisions that cannot be read leave the unit without a result, which the run's state shows. */
async function learnIfRead(call: Call, unit: Unit): Promise<void> {
  try {
    await learnDecisions(call, unit, [call.journal.state().units.get(unit.key)!.ended]);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.code !== 'DECISIONS_UNREADABLE') throw error;
  }
}

/** Whether records say that a unit is done, or would be if what it needs were: with a stand-in, it may be accepted. */
function isTold({ done, status }: UnitState): boolean {
  return done || status === 'passed';
}

/**
 * Checks a whole run as a consumer of every output: content present with the right digest, its end matching its claim,
 * and judged again by the contract in force. Writes nothing.
 */
export async function verifyRun(ports: EnginePorts, assignment: Assignment, job: JobCall): Promise<VerifiedRun> {
  const listing = job.call.listing ?? (await ports.store.list(assignment.pipeline.id, assignment.subject));
  const call = await openCall(dryRunPorts(ports), assignment, () => undefined, { ...job.call, listing, shows: true });
  await learnAll(call);
  const units = [...call.graph.values()];
  const states = (): RunState['units'] => call.journal.state().units;
  await Promise.all(
    units.map(async ({ key }) => {
      const { ended } = states().get(key)!;
      if (ended === undefined || !isTold(states().get(key)!)) return;
      // Gates that received the files have already checked their digests.
      call.journal.setMissing(await missingOf(call.ports.store, { ...ended, files: [] }));
    }),
  );
  const refused = new Map<UnitKey, GatelineError>();
  for (const unit of units) {
    const state = states().get(unit.key)!;
    if (!isTold(state)) continue;
    try {
      await verifyOutput(call, unit, state, job);
    } catch (error) {
      if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
      refused.set(unit.key, error);
    }
  }
  await noteChanges(call);
  return {
    call,
    state: await stateInBudget(call),
    records: call.journal.records(),
    problems: listing.problems,
    refused,
  };
}
