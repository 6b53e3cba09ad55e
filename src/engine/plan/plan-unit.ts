import { isSameAttempt } from '../../run/entry.ts';
import type { Checkpoint } from '../../run/checkpoint.ts';
import type { UnitPlan } from '../../run/events.ts';
import { planPut, type FileChange } from '../../run/files.ts';
import { isRemembered, type PendingDecision, type Rework } from '../../run/state.ts';
import type { Unit } from '../../run/units.ts';
import type { PathMatcher } from '../../workspace/globs.ts';
import type { Snapshot } from '../../workspace/workspace.ts';
import type { Call } from '../call.ts';
import type { UnitOutput } from '../ports.ts';
import { evaluateGateCondition } from '../condition.ts';
import { explainRun, type Explanation } from './reasons.ts';
import { lookUp } from './checkpoints.ts';
import { judgeResult } from '../outcome.ts';
import { buildRequest, fingerprintOf, handedOnTo, type Needs, type Work } from './request.ts';
import { noteOf } from '../decide/rework.ts';

/** What happens to a unit whose needs are done. */
export type UnitChoice =
  | {
      readonly choice: 'use';
      readonly work: Work;
      readonly checkpoint: Checkpoint;
      /** Files that must be written to put back those of the output. */
      readonly changes: readonly FileChange[];
      /** Paths that keep a version of the user. */
      readonly left: readonly string[];
      readonly reason: string;
    }
  | ({ readonly choice: 'run'; readonly work: Work } & Explanation)
  | {
      readonly choice: 'skip' | 'adopt';
      readonly work: Work;
      readonly decision: PendingDecision;
      readonly reason: string;
    }
  | { readonly choice: 'not-applicable'; readonly needs: Needs; readonly output: UnitOutput; readonly reason: string };

/**
 * Chooses what happens to a unit whose needs are done. The snapshot of the call is enough to use an output as it is;
 * before files are written or an agent starts, a new one is taken.
 */
export async function planUnit(call: Call, unit: Unit, needs: Needs): Promise<UnitChoice> {
  if (call.snapshot !== undefined) {
    const plan = await planUnitAt(call, unit, needs, call.snapshot);
    if (plan.choice === 'not-applicable') return plan;
    if (plan.choice === 'use' && plan.changes.length === 0) return plan;
  }
  return planUnitAt(call, unit, needs, await call.takeSnapshot());
}

/** What happens to a unit whose needs are done, by a snapshot. */
export async function planUnitAt(call: Call, unit: Unit, needs: Needs, snapshot: Snapshot): Promise<UnitChoice> {
  const condition = await evaluateGateCondition(call, unit, needs);
  if (!condition.result) return { choice: 'not-applicable', needs, output: condition.output, reason: condition.reason };
  const { state } = call;
  const rework = openReworkOf(call, unit);
  const request = await buildRequest(call, unit, snapshot, needs, rework);
  const work: Work = { unit, needs, snapshot, request, fingerprint: fingerprintOf(request), rework };
  const pending = state.pendingDecisions.get(unit.key);
  if (pending)
    return { choice: pending.decision, work, decision: pending, reason: `${pending.actor}: ${pending.reason}` };
  const force = state.forceDecisions.get(unit.key);
  if (force) return { choice: 'run', work, reason: `${force.actor} asked for a new attempt: ${force.reason}` };

  const lookup = await lookUp(call, unit, work.fingerprint);
  if (!('checkpoint' in lookup)) return { choice: 'run', work, ...(await explainRun(call, work, lookup.reason)) };
  const { checkpoint } = lookup;
  if (unit.gate.onFail && judgeResult(call, unit, checkpoint).result === 'failed')
    return { choice: 'run', work, reason: 'its output for these inputs failed, and does not send the work back again' };
  const put = await planPutBack(call, work, checkpoint);
  if (put.choice === 'put') {
    const lost = await call.ports.workspace.findLost(put.changes);
    if (lost)
      return { choice: 'run', work, reason: `${lost.path}, a file of its earlier output, is not stored any more` };
    return {
      choice: 'use',
      work,
      checkpoint,
      changes: put.changes,
      left: put.left,
      reason: usedReason(call, checkpoint),
    };
  }
  return {
    choice: 'run',
    work,
    reason: `an earlier output would replace a version of ${put.conflict} that only you have`,
    hint: `to keep that version, commit or copy it; to use the earlier output, remove ${put.conflict}`,
  };
}

async function planPutBack(call: Call, { unit, needs, snapshot }: Work, { attempt, files }: Checkpoint) {
  const newest = call.state.files.get(unit.key) ?? {};
  const present = Object.keys(files).length + Object.keys(newest).length > 0;
  const versions = present ? await call.ports.workspace.listFiles(snapshot) : new Map<string, string>();
  const current = (path: string) => versions.get(path) ?? snapshot.unstored[path] ?? null;
  const isNewest = isSameAttempt(call.state.newestOutputs.get(unit.key), attempt);
  const last = call.state.newestEnd.get(unit.key);
  const hasFailed = last !== undefined && !isRemembered(last.verdict, unit.gate);
  // Only an output that is not the newest asks for it, and files that are handed on can be thousands.
  let reads: PathMatcher | undefined;
  const isInput = (path: string) => (reads ??= call.inputMatcher(unit.gate, handedOnTo(needs)))(path);
  return planPut({ files, newest, isNewest, hasFailed }, current, isInput);
}

/** The rework that a unit must answer. */
function openReworkOf(call: Call, { gate, key }: Unit): Rework | undefined {
  const note = noteOf(call, gate.id);
  return note && !note.answered.has(key) ? note.rework : undefined;
}

function usedReason({ order, state }: Call, { attempt, how }: Checkpoint): string {
  if (how === 'skipped') return 'it was skipped for these inputs';
  const of = attempt.subject === order.subject ? '' : ` of ${attempt.subject}`;
  const source = attempt.run === state.runNumber && of === '' ? `attempt ${attempt.n}` : `run ${attempt.run}${of}`;
  return `nothing that it reads has changed since ${source}`;
}

/** The view of a choice. */
export function toUnitPlan(unit: Unit, plan: UnitChoice): UnitPlan {
  const { choice, reason } = plan;
  if (choice === 'use') {
    const { ms, costUsd } = plan.checkpoint;
    return { unit: unit.key, choice, reason, savesMs: ms, savesUsd: costUsd };
  }
  if (choice === 'run') return { unit: unit.key, choice, reason, hint: plan.hint };
  if (choice === 'adopt') return { unit: unit.key, choice: 'use', reason: `output supplied by ${reason}` };
  return { unit: unit.key, choice, reason };
}
