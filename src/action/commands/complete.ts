import { completeGate } from '../../engine/complete.ts';
import { readToken } from '../../engine/claim-token.ts';
import type { EngineEvent } from '../../engine/ports.ts';
import { foldRun } from '../../run/fold.ts';
import { plannedUnit } from '../../run/plan.ts';
import { unitOf, type GatelineRecord } from '../../run/record.ts';
import type { RunState } from '../../run/run-state.ts';
import { unitsOf, type Unit } from '../../run/unit.ts';
import { markCompleted } from '../completed-claims.ts';
import { engineLog } from '../engine-log.ts';
import { tellGate } from '../gate-step.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { openClaimedJob, type Job } from '../job.ts';
import { stoppedBy } from '../stopped.ts';

/** `command: complete`: everything after the agent. */
export async function execute(invocation: ActionInvocation): Promise<StepResult> {
  const { world, inputs, event } = invocation;
  const token = readToken(inputs.token ?? '');
  const job = await openClaimedJob(invocation, token);
  let last: Extract<EngineEvent, { type: 'ended' }> | undefined;
  const log = engineLog(world.runner);
  const stopped = stoppedBy(inputs.outcome);
  const ended = await completeGate(
    job.ports,
    job.assignment,
    { token: inputs.token ?? '', ...(stopped && { stopped }) },
    async (told) => {
      if (told.type === 'ended') last = told;
      await log(told);
    },
    job.call,
  );
  await markCompleted(event.temp, inputs.token ?? '');
  const { records } = last!;
  const { unit, state } = byItself(job, records, world.now());
  const planned = plannedUnit(unit, 'run', 'it was begun by an earlier step');
  const step = await tellGate(invocation, job, { planned, ended, state, records });
  await job.store.settled();
  return step;
}

/** How the gate stands by itself: what it needs was verified when it was begun, and is not looked at again. */
function byItself(
  job: Job,
  records: readonly GatelineRecord[],
  now: Date,
): { readonly unit: Unit; readonly state: RunState } {
  const { pipeline, subject } = job.assignment;
  const graph = unitsOf({ ...pipeline, gates: [{ ...job.gate, needs: [] }] });
  const { runNumber } = job.call.call.numbers;
  const own = records
    .filter((record) => unitOf(record) === job.key)
    .map((record) => (record.kind === 'decided' ? record : { ...record, needs: {} }));
  const identity = { pipeline: pipeline.id, subject, runNumber };
  const state = foldRun(graph, { records: own, problems: [], unprovenDecisions: true }, identity, {
    now: now.toISOString(),
  });
  return { unit: graph.get(job.key)!, state };
}
