import { GatelineError } from '../errors/gateline-error.ts';
import type { PlannedUnit } from '../run/plan.ts';
import { protocolVariables } from './agent-environment.ts';
import { prepareOrEnd } from './attempt.ts';
import { claim } from './begin-attempt.ts';
import { openCall, type Assignment, type Call } from './call.ts';
import { tokenOf } from './claim-token.ts';
import { pinContracts } from './pin-contracts.ts';
import { planUnit, type Prepared } from './plan-unit.ts';
import type { EnginePorts, Observer } from './ports.ts';
import { recordNotApplicable, recordReuse } from './record-reuse.ts';
import type { Unit } from '../run/unit.ts';
import { ancestorsOf } from '../run/unit.ts';

/** What `begin` came to: a claim to work on, or the reason why nothing is to be done. */
export type BeginResult =
  | {
      readonly choice: 'run';
      readonly planned: PlannedUnit;
      /** To be brought back to `complete`. */
      readonly token: string;
      /** The variables of agent protocol 1, for whoever runs the agent. */
      readonly variables: Readonly<Record<string, string>>;
      /** The claim is given up then. */
      readonly deadline: string;
    }
  | { readonly choice: 'done'; readonly planned: PlannedUnit };

/**
 * Begins a gate whose agent runs by itself: loads and checks what it needs, takes the claim, and makes its request.
 * With `standIn`, needs that have no output are left to the caller's input (seed 000, step 0B).
 * The caller holds the workspace's lock meanwhile: a run that is going on would not see the claim.
 * @throws GatelineError `GATE_BLOCKED`, `GATE_CLAIMED`
 */
export async function beginGate(
  ports: EnginePorts,
  assignment: Assignment,
  key: string,
  observe: Observer,
): Promise<BeginResult> {
  const call = await openCall(ports, assignment, observe);
  const unit = call.graph.get(key);
  if (unit === undefined) {
    throw new GatelineError('user', 'GATE_UNKNOWN', `there is no gate ${key}`, {
      hint: `Gates: ${[...call.graph.keys()].join(', ')}.`,
    });
  }
  await pinContracts(call);
  await settleUpstream(call, unit);
  const prepared = await planUnit(call, unit);
  const { planned } = prepared;
  await observe({ type: 'planned', planned });
  if (planned.choice === 'run' || planned.choice === 'wait') return begin(call, unit, prepared);
  if (planned.choice === 'blocked' || planned.choice === 'depends') {
    throw prepared.error ?? notNow(key, planned.reason);
  }
  if (planned.choice === 'reuse') await recordReuse(call, unit, prepared);
  if (planned.choice === 'not-applicable') await recordNotApplicable(call, unit, prepared);
  return { choice: 'done', planned };
}

function notNow(key: string, reason: string): GatelineError {
  const [, claimed] = /^GATE_CLAIMED: (.*)$/s.exec(reason) ?? [];
  if (claimed !== undefined) {
    return new GatelineError('user', 'GATE_CLAIMED', `gate ${key}: ${claimed}`, {
      hint: 'Wait until it is through (`gateline status` tells), then begin again.',
    });
  }
  return new GatelineError('user', 'GATE_BLOCKED', `gate ${key}: ${reason}`, {
    hint: 'Run what it needs first (`gateline status` tells), or pass `--input` and `--stand-in` to take its place.',
  });
}

/** Lets earlier outputs of upstream gates stand in where they still hold; runs nothing. */
async function settleUpstream(call: Call, unit: Unit): Promise<void> {
  for (const key of ancestorsOf(call.graph, unit.key)) {
    const upstream = call.graph.get(key)!;
    const prepared = await planUnit(call, upstream);
    if (prepared.planned.choice === 'reuse') await recordReuse(call, upstream, prepared);
    if (prepared.planned.choice === 'not-applicable') await recordNotApplicable(call, upstream, prepared);
  }
}

async function begin(call: Call, unit: Unit, prepared: Prepared): Promise<BeginResult> {
  const work = prepared.work!;
  const deadline = new Date(call.ports.now().getTime() + unit.gate.timeoutMinutes * 60_000).toISOString();
  const started = await claim(call, unit, work, { deadline });
  const begun = await prepareOrEnd(call, unit, work, started);
  await call.observe({ type: 'started', unit: unit.key, record: started, attempts: 1, state: call.journal.state() });
  const variables = protocolVariables(unit, started.n, begun.directory, begun.hasFeedback);
  return { choice: 'run', planned: prepared.planned, token: tokenOf(started), variables, deadline };
}
