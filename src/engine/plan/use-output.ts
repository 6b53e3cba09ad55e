import { isSameAttempt, NOT_APPLICABLE_END, originOf, type EndedEntry } from '../../run/entry.ts';
import type { Checkpoint } from '../../run/checkpoint.ts';
import { composeFiles, type FileChange, type GateFiles } from '../../run/files.ts';
import { attemptKey } from '../../run/state.ts';
import { approvalText } from '../../run/unit-state.ts';
import { NOT_APPLICABLE } from '../../verdict/verdict.ts';
import { judge } from '../../verdict/judge.ts';
import { listNames } from '../../verdict/texts.ts';
import type { Unit } from '../../run/units.ts';
import { nextAttempt } from '../attempt/attempt.ts';
import type { Call } from '../call.ts';
import type { UnitChoice } from './plan-unit.ts';
import type { Work } from './request.ts';
import { checkpointOf, extendCheckpoints, judgeContexts } from './checkpoints.ts';
import { legsEntry, setLegs } from '../legs.ts';
import { setFailure, setOutcome } from '../outcome.ts';
import { exportsOf, readValue } from '../values.ts';

type Use = Extract<UnitChoice, { choice: 'use' }>;
type PersonChoice = Extract<UnitChoice, { choice: 'skip' | 'adopt' }>;
type NotApplicable = Extract<UnitChoice, { choice: 'not-applicable' }>;

/** Ends a unit whose agent does not run: by an output that holds, by a decision, or as not applicable. */
export function carryOut(call: Call, unit: Unit, plan: Exclude<UnitChoice, { choice: 'run' }>): Promise<void> {
  if (plan.choice === 'use') return useOutput(call, plan);
  if (plan.choice === 'not-applicable') return endNotApplicable(call, unit, plan);
  return carryOutDecision(call, plan);
}

/** Uses a remembered output and puts its files back. Checkpoints come first, so a kill between the steps does no harm. */
async function useOutput(call: Call, { work, checkpoint, changes, left }: Use): Promise<void> {
  const { unit, needs, snapshot, rework } = work;
  const { workspace } = call.ports;
  await extendCheckpoints(call, { unit, before: snapshot, changes, output: { checkpoint, needs, rework } });
  if (changes.length > 0) {
    await workspace.keep(attemptKey(nextAttempt(call, unit), call.order.pipeline.id), snapshot);
    await workspace.storeVersions(changes);
  }
  const refused = await workspace.put(changes);
  const written = changes.filter(({ path }) => !refused.includes(path));
  if (written.length > 0) call.snapshot = undefined;
  const legs = await legsEntry(call, unit, checkpoint.output);
  const entry = { ...usedEntry(call, work, checkpoint, written), ...legs };
  const last = call.state.newestEnd.get(unit.key);
  const isJudgedAnew = last?.output !== undefined && last.verdict.status !== checkpoint.verdict.status;
  // The answer to a review is written at once: the next call must know of it after a kill.
  const isNews =
    rework !== undefined ||
    written.length > 0 ||
    isJudgedAnew ||
    !isSameAttempt(call.state.newestOutputs.get(unit.key), checkpoint.attempt) ||
    !isSameAttempt(last && originOf(last), checkpoint.attempt);
  if (isNews) await call.write(entry);
  else if (!wasUsedInRun(call, unit, checkpoint)) call.addUse(entry);
  call.observe({
    type: 'ended',
    unit: unit.key,
    n: entry.n,
    how: 'used',
    verdict: checkpoint.verdict,
    changes: written,
    ms: 0,
    approval: approvalText(call.state, checkpoint),
    retries: false,
  });
  if (left.length > 0)
    call.notice(`${listNames(left, 2)}: your version stays; ${unit.key} made another one`, {
      unit: unit.key,
      hint: `\`gateline run --force ${unit.gate.id}\` makes it again`,
    });
  if (refused.length === 0) await setOutcome(call, unit, checkpoint, needs);
  else {
    const blocker = refused.map((path) => workspace.findBlocker(path)).find((path) => path !== undefined);
    if (blocker === undefined)
      call.notice(`${listNames(refused, 2)} changed just now, or cannot be written`, {
        unit: unit.key,
        hint: 'run again',
      });
    else if (refused.includes(blocker))
      call.notice(`${blocker} is a folder with files, where ${unit.key} needs a file`, {
        unit: unit.key,
        hint: `move or remove ${blocker}, then run again`,
      });
    else
      call.notice(`${blocker} is a file or a link, where ${unit.key} needs a folder for ${listNames(refused, 2)}`, {
        unit: unit.key,
        hint: `move or remove ${blocker}, then run again`,
      });
    call.outcomes.set(unit.key, {
      result: 'failed',
      verdict: checkpoint.verdict,
      handedOn: [],
      reason: `${listNames(refused, 2)} could not be written`,
    });
  }
}

function wasUsedInRun(call: Call, unit: Unit, checkpoint: Checkpoint): boolean {
  const run = call.state.current;
  if (run === undefined || run.finalStatus) return false;
  const last = run.attempts.get(unit.key)?.at(-1);
  return isSameAttempt(last?.ended?.source ?? last?.ref, checkpoint.attempt);
}

function usedEntry(
  call: Call,
  { unit, rework }: Work,
  checkpoint: Checkpoint,
  changes: readonly FileChange[],
): EndedEntry {
  const { attempt, verdict, fingerprint, contract, output, exports, files } = checkpoint;
  return {
    ...call.attemptHead(nextAttempt(call, unit)),
    kind: 'ended',
    how: 'used',
    verdict,
    fingerprint,
    contract,
    iteration: rework?.iteration ?? 1,
    rework: rework !== undefined,
    ...(output && { output }),
    ...(exports && { exports }),
    source: attempt,
    files,
    changes: [...changes],
    undeclared: [],
    ms: 0,
  };
}

/** The files of a unit that are still as it left them. */
async function presentFiles(call: Call, { unit, snapshot }: Work): Promise<GateFiles> {
  const files = call.state.files.get(unit.key) ?? {};
  if (Object.keys(files).length === 0) return files;
  const versions = await call.ports.workspace.listFiles(snapshot);
  return composeFiles(files, (path) => versions.get(path) ?? snapshot.unstored[path] ?? null, []);
}

/** Ends a unit as a person decided: skipped, or with an output that the person supplied. */
async function carryOutDecision(call: Call, { work, decision }: PersonChoice): Promise<void> {
  const { unit, needs, fingerprint, rework } = work;
  const { digest, contract } = call.contracts.of(unit.gate);
  const compiled = await call.contracts.compile(unit.gate);
  const attempt = nextAttempt(call, unit);
  const output = decision.decision === 'adopt' ? decision.output : undefined;
  const value = output && (await readValue(call, output.digest));
  const verdict =
    value === undefined
      ? { ...NOT_APPLICABLE, advice: decision.reason }
      : await judge(compiled, value, judgeContexts(call));
  const exports = output && value !== undefined ? await exportsOf(call, value, contract.exports, output) : undefined;
  const entry: EndedEntry = {
    ...call.attemptHead(attempt),
    kind: 'ended',
    how: output ? 'adopted' : 'skipped',
    verdict,
    fingerprint,
    contract: digest,
    iteration: rework?.iteration ?? 1,
    rework: rework !== undefined,
    ...(output && { output, ...(await legsEntry(call, unit, output)) }),
    ...(exports && { exports }),
    files: await presentFiles(call, work),
    changes: [],
    undeclared: [],
    actor: decision.actor,
    reason: decision.reason,
    ms: 0,
  };
  const checkpoint = checkpointOf(entry, { attempt, how: output ? 'adopted' : 'skipped', startedAt: entry.at });
  if (verdict.status !== 'failed') {
    await call.ports.checkpoints.save(fingerprint, checkpoint);
    const { snapshot } = work;
    await extendCheckpoints(call, {
      unit,
      before: snapshot,
      changes: [],
      after: snapshot,
      output: { checkpoint, needs, rework },
    });
  }
  await call.write(entry);
  call.observe({
    type: 'ended',
    unit: unit.key,
    n: entry.n,
    how: entry.how,
    verdict,
    changes: [],
    ms: 0,
    retries: false,
  });
  if (verdict.status === 'failed') setFailure(call, unit, verdict);
  else await setOutcome(call, unit, checkpoint, needs);
}

/** Ends a unit whose condition is false: later gates may run, and get nothing from it. */
async function endNotApplicable(call: Call, unit: Unit, { output, reason }: NotApplicable): Promise<void> {
  const last = call.state.current?.finalStatus ? undefined : call.state.current?.attempts.get(unit.key)?.at(-1);
  const hasDecision = call.state.pendingDecisions.has(unit.key) || call.state.forceDecisions.has(unit.key);
  const entry: EndedEntry = {
    ...NOT_APPLICABLE_END,
    ...call.attemptHead(nextAttempt(call, unit)),
    files: call.state.files.get(unit.key) ?? {},
    reason,
  };
  // It answers the decision, which would wait for ever.
  if (hasDecision) await call.write(entry);
  else if (last?.ended?.how !== 'not-applicable') call.addUse(entry);
  call.outcomes.set(unit.key, { ...output, result: 'done', reason });
  await setLegs(call, unit, undefined);
}
