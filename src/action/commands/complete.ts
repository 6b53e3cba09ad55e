import { completeGate } from '../../engine/complete.ts';
import { readToken } from '../../engine/attempt/claim-token.ts';
import { ACTION_STATE } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { foldRun } from '../../run/state/fold.ts';
import { plannedUnit } from '../../run/plan/plan.ts';
import { unitOf, type GatelineRecord } from '../../run/records/record.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { unitsOf, type Unit } from '../../run/records/unit.ts';
import { engineLog } from '../step/engine-log.ts';
import { reportGate } from '../step/gate-step.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { openClaimedJob, type Job } from '../job/job.ts';
import { openJobStore, type JobStore } from '../records/job-store.ts';
import { stoppedBy } from '../step/stopped.ts';

/**
 * `command: complete`: everything after the agent. Until the end is recorded, this step's post step continues with it.
 */
export async function execute(invocation: ActionInvocation): Promise<StepResult> {
  const { runner } = invocation.world;
  runner.saveState(ACTION_STATE.claim, (invocation.inputs.token ?? '').trim());
  try {
    return await complete(invocation);
  } catch (error) {
    // No later step could do better.
    if (error instanceof GatelineError && error.fault === 'user') runner.saveState(ACTION_STATE.claim, '');
    throw error;
  }
}

async function complete(invocation: ActionInvocation): Promise<StepResult> {
  const { world, inputs } = invocation;
  const token = readToken(inputs.token ?? '');
  const store = await openJobStore(invocation, { token, waits: 'unhurried' });
  refuseEnded(token.gate, await store.claims.endOf(token));
  const job = await openClaimedJob(invocation, token, store);
  let records: readonly GatelineRecord[] = [];
  const log = engineLog(world.runner);
  const stopped = stoppedBy(inputs.outcome);
  const ended = await completeGate(
    job.ports,
    job.assignment,
    { token: inputs.token ?? '', ...(stopped && { stopped }) },
    async (told) => {
      if (told.type === 'ended') ({ records } = told);
      await log(told);
    },
    job.call,
  );
  const { unit, state } = byItself(job, records, world.now());
  const planned = plannedUnit(unit, 'run', 'it was begun by an earlier step');
  const step = await reportGate(invocation, job, { planned, ended, state, records, isAlone: true });
  await job.store.settled();
  return step;
}

/**
 * The agent's files were collected at the first `complete` and no longer exist. @throws GatelineError
 * `ALREADY_COMPLETED`
 */
function refuseEnded(gate: string, end: Awaited<ReturnType<JobStore['claims']['endOf']>>): void {
  if (end.state === 'none') return;
  const { n, verdict } = end.record;
  const waits = end.state === 'waiting' ? '; the post step will upload its record' : '';
  const message = `gate ${gate}: attempt ${n} has ended already (${verdict.status})${waits}`;
  throw new GatelineError('ALREADY_COMPLETED', message);
}

/** The gate's own state: its needs were verified at `begin` and are not read again. */
function byItself(
  job: Job,
  records: readonly GatelineRecord[],
  now: Date,
): { readonly unit: Unit; readonly state: RunState } {
  const { pipeline, subject } = job.assignment;
  const graph = unitsOf({ ...pipeline, gates: [{ ...job.gate, needs: [] }] });
  const { runNumber } = job.call.call.numbers;
  const own = records.filter((record) => unitOf(record) === job.key);
  const identity = { pipeline: pipeline.id, subject, runNumber };
  const state = foldRun(graph, { records: own, problems: [], unprovenDecisions: true }, identity, {
    now: now.toISOString(),
    needsVerified: true,
  });
  return { unit: graph.get(job.key)!, state };
}
