import { verdictText, type Verdict } from '../verdict/verdict.ts';
import { legsOf, type Legs } from '../pipeline/matrix.ts';
import type { Gate } from '../pipeline/pipeline.ts';
import { valueAt } from '../json/pointer.ts';
import { GatelineError } from '../errors.ts';
import type { Checkpoint } from '../run/checkpoint.ts';
import type { Content, EndedEntry } from '../run/entry.ts';
import type { Unit } from '../run/units.ts';
import type { Call, Held, Outcome } from './call.ts';
import { heldFrom, isApproved } from './remember.ts';
import type { Needs } from './request.ts';
import { roundsLeft } from './rework.ts';
import { readValue } from './values.ts';

/** Notes what became of a unit whose output is there: whether later gates may use it. */
export async function settle(call: Call, unit: Unit, checkpoint: Checkpoint, needs: Needs): Promise<Outcome> {
  const held = heldFrom(checkpoint, needs);
  const outcome = { ...held, ...judgeResult(call, unit, checkpoint) };
  call.outcomes.set(unit.key, outcome);
  if (outcome.result === 'done') await setLegs(call, unit, held);
  return outcome;
}

function judgeResult(call: Call, unit: Unit, checkpoint: Checkpoint): Pick<Outcome, 'result' | 'reason'> {
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
  if (roundsLeft(call, gate, checkpoint.attempt) > 0) return { result: 'sends-back', reason: verdictText(verdict) };
  return { result: 'failed', reason: verdictText(verdict) };
}

/** Notes that a unit failed without an output that is remembered. */
export function settleFailed(call: Call, unit: Unit, verdict: Verdict): void {
  call.outcomes.set(unit.key, { result: 'failed', verdict, handedOn: [], reason: verdictText(verdict) });
}

/** The legs that an output gives to gates whose matrix is a list in it, by gate, or why the list is none. */
export async function findLegs(
  call: Call,
  { gate: { id } }: Unit,
  output: Content | undefined,
): Promise<Map<Gate, Legs>> {
  const legs = new Map<Gate, Legs>();
  for (const gate of call.graph.matricesFrom(id)) {
    if (!gate.matrix || !('from' in gate.matrix)) continue;
    const { pointer, variable } = gate.matrix.from;
    const value = output && (await readValue(call, output.digest));
    legs.set(gate, value === undefined ? { legs: [] } : legsOf(valueAt(value, pointer), variable));
  }
  return legs;
}

/** Legs as an entry notes them. */
export async function legsEntry(
  call: Call,
  unit: Unit,
  output: Content | undefined,
): Promise<Pick<EndedEntry, 'legs'>> {
  const lists = [...(await findLegs(call, unit, output))].flatMap(([{ id }, list]) =>
    'legs' in list ? [[id, list.legs.map((leg) => ({ ...leg }))] as const] : [],
  );
  return lists.length === 0 ? {} : { legs: Object.fromEntries(lists) };
}

/** Creates the units of gates whose matrix is a list in the output of this one. */
export async function setLegs(call: Call, unit: Unit, { checkpoint }: Held): Promise<void> {
  for (const [gate, list] of await findLegs(call, unit, checkpoint?.output)) {
    if ('problem' in list)
      throw new GatelineError('failed', `gate ${gate.id}: ${list.problem}`, {
        place: gate.place,
        hint: `Let ${unit.gate.id} write a list of at most 256 items; a schema makes its own gate fail instead.`,
      });
    call.graph.setLegs(gate, list.legs);
    if (list.legs.length === 0) call.notice(`${gate.id} has no legs: ${unit.gate.id} made an empty list`);
  }
}

/** What a checkpoint remembers of an attempt that ended. */
export function checkpointOf(
  entry: Pick<EndedEntry, 'output' | 'exports' | 'verdict' | 'contract' | 'files' | 'fingerprint' | 'ms' | 'metrics'>,
  { attempt, how, startedAt }: Pick<Checkpoint, 'attempt' | 'how' | 'startedAt'>,
): Checkpoint {
  const { output, exports, verdict, contract, files, fingerprint, ms, metrics } = entry;
  const cost = metrics?.costUsd === undefined ? {} : { costUsd: metrics.costUsd };
  return { v: 1, attempt, how, startedAt, output, exports, verdict, contract, files, fingerprint, ms, ...cost };
}
