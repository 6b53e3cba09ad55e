import { verdictText, type Verdict } from '../verdict/verdict.ts';
import type { Checkpoint } from '../run/checkpoint.ts';
import { attemptKey } from '../run/state.ts';
import type { Unit } from '../run/units.ts';
import { rejectedOutcome, type Call, type Outcome } from './call.ts';
import { setLegs } from './legs.ts';
import { unitOutputOf, isApproved } from './plan/checkpoints.ts';
import type { Needs } from './plan/request.ts';
import { iterationsLeft } from './decide/rework.ts';

/** Sets the outcome of a unit that has an output. */
export async function setOutcome(call: Call, unit: Unit, checkpoint: Checkpoint, needs: Needs): Promise<Outcome> {
  // A person may have rejected it as soon as it was in the log.
  const rejection = call.state.rejections.get(attemptKey(checkpoint.attempt));
  const outcome = rejection
    ? rejectedOutcome(rejection)
    : { ...unitOutputOf(checkpoint, needs), ...judgeResult(call, unit, checkpoint) };
  call.outcomes.set(unit.key, outcome);
  if (outcome.result === 'done') await setLegs(call, unit, checkpoint.output);
  return outcome;
}

/** Whether later gates may use an output, and why. */
export function judgeResult(call: Call, unit: Unit, checkpoint: Checkpoint): Pick<Outcome, 'result' | 'reason'> {
  const { gate } = unit;
  const { verdict, how } = checkpoint;
  if (how === 'skipped') return { result: 'done', reason: 'skipped' };
  const approved = isApproved(call, checkpoint);
  const { partial } = gate.contract;
  if (verdict.status === 'passed') {
    if (gate.approval === undefined || approved) return { result: 'done', reason: 'passed' };
    return { result: 'waiting', reason: 'a person must approve the output' };
  }
  if (approved || (verdict.status === 'partial' && partial === 'continue'))
    return { result: 'done', reason: verdictText(verdict) };
  if (verdict.status === 'partial' && partial === 'pause') return { result: 'waiting', reason: verdictText(verdict) };
  if (iterationsLeft(call, gate, checkpoint.attempt) > 0) return { result: 'sends-back', reason: verdictText(verdict) };
  return { result: 'failed', reason: verdictText(verdict) };
}

/** Sets the outcome of a unit that failed without an output that is remembered. */
export function setFailure(call: Call, unit: Unit, verdict: Verdict): void {
  call.outcomes.set(unit.key, { result: 'failed', verdict, handedOn: [], reason: verdictText(verdict) });
}
