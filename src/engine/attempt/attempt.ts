import { randomUUID } from 'node:crypto';
import type { AgentResult } from '../../agent/agent.ts';
import type { JsonValue } from '../../json/json.ts';
import { canonicalChunks } from '../../json/canonical-json.ts';
import { attemptOf, type AttemptRef, type EndedEntry, type StartedEntry } from '../../run/entry.ts';
import type { GateFiles } from '../../run/files.ts';
import { totalOf } from '../../run/figures.ts';
import { endsOf, judgeTogether } from '../../run/repeat.ts';
import { attemptKey, isRemembered } from '../../run/state.ts';
import type { Unit } from '../../run/units.ts';
import { failedVerdict, type Verdict } from '../../verdict/verdict.ts';
import { snapshotFrom, snapshotId } from '../../workspace/workspace.ts';
import { redactIssue } from '../../verdict/judge.ts';
import { findHandOnProblems } from '../../workspace/hand-on.ts';
import type { Call } from '../call.ts';
import { judgeOutput, type JudgedOutput } from './judge-output.ts';
import { checkpointOf, extendCheckpoints } from '../plan/checkpoints.ts';
import { recordChanges, reportUndeclared, splitChanges } from './folder-changes.ts';
import type { Needs, Work } from '../plan/request.ts';
import { legsEntry } from '../legs.ts';
import { setFailure, setOutcome } from '../outcome.ts';
import { endForAttempt, entityVariables, takeForAttempt } from '../entities/gate-entities.ts';
import { exportsOf, storeValue } from '../values.ts';
import { prepareDirectory, taskOf } from './agent-files.ts';

/** An attempt that was started and has not ended. */
export interface OpenAttempt {
  readonly started: StartedEntry;
  readonly directory: string;
  readonly needs: Needs;
  readonly unit: Unit;
}

/** Runs the agent of a unit to its end. @throws as {@link takeForAttempt}, before the attempt is logged */
export async function runAttempt(
  call: Call,
  work: Work,
  { reason, feedback }: { readonly reason: string; readonly feedback?: Verdict },
  signal: AbortSignal,
): Promise<EndedEntry> {
  const attempt = nextAttempt(call, work.unit);
  const directory = await prepareAttempt(call, work, attempt, feedback);
  const id = randomUUID();
  const task = taskOf(call, work, attempt, directory, feedback !== undefined);
  const env = { ...task.env, ...entityVariables(call, work.unit, directory, id) };
  const agent = await call.ports.agents.prepare({ ...task, env });
  const started = { ...(await startedEntry(call, work, attempt)), process: agent.process ?? NOT_STARTED };
  try {
    await takeForAttempt(call, work.unit, { ref: attempt, id, directory }, agent, signal);
    await call.write(started);
  } catch (error) {
    // Ends the prepared process, which waits for `run`.
    await agent.run(AbortSignal.abort());
    throw error;
  }
  const { unit, n, at } = started;
  call.observe({ type: 'started', unit, n, reason, at });
  const result = await agent.run(signal);
  return finishAttempt(call, { started, directory, needs: work.needs, unit: work.unit }, result);
}

/** Process of an agent that could not be started: an entry without one is an attempt between `begin` and `complete`. */
const NOT_STARTED = { pid: 0, start: 'not started' };

/** The next attempt of a unit in the run. */
export function nextAttempt({ order, state }: Call, { key }: Unit): AttemptRef {
  const { runNumber, current } = state;
  const earlier = current?.run === runNumber ? (current.attempts.get(key) ?? []) : [];
  return { subject: order.subject, run: runNumber, unit: key, n: (earlier.at(-1)?.ref.n ?? 0) + 1 };
}

/** Stores request, contract, snapshot and database of an attempt, and writes the files of its agent. @returns their directory */
export async function prepareAttempt(call: Call, work: Work, attempt: AttemptRef, feedback?: Verdict): Promise<string> {
  const { contents, workspace } = call.ports;
  await contents.put(canonicalChunks(work.request as unknown as JsonValue));
  await storeValue(call, call.contracts.of(work.unit.gate).contract);
  await workspace.keep(attemptKey(attempt, call.order.pipeline.id), work.snapshot);
  await call.ports.database?.save(attempt);
  return prepareDirectory(call, work, attempt, feedback);
}

export async function startedEntry(call: Call, work: Work, attempt: AttemptRef): Promise<StartedEntry> {
  const { unit, fingerprint, snapshot, rework, request } = work;
  const { digest } = call.contracts.of(unit.gate);
  return {
    ...call.attemptHead(attempt),
    kind: 'started',
    fingerprint,
    contract: digest,
    snapshot: snapshotId(snapshot),
    iteration: rework?.iteration ?? 1,
    rework: rework !== undefined,
    writes: unit.gate.files !== undefined,
    ...(call.order.isIsolated && { isolated: true }),
    ...(unit.gate.files !== undefined && { head: await call.ports.workspace.readHead() }),
    ...(request.task !== undefined && { task: request.task.slice(0, 4_096) }),
  };
}

/**
 * Ends an attempt: judges its output, finds what changed in the folder, saves checkpoints, and logs the end last, so
 * that all steps can be repeated after a kill.
 */
export async function finishAttempt(call: Call, open: OpenAttempt, result?: AgentResult): Promise<EndedEntry> {
  const { unit, needs, started, directory } = open;
  const before = snapshotFrom(started.snapshot);
  const judged = await judgeOutput(call, unit, directory, result);
  const after = await call.takeSnapshot();
  const changes = await splitChanges(call, open, before, after);
  const verdict = await judgeFiles(call, judged.verdict, changes.files);
  const { digest, contract } = call.contracts.of(unit.gate);
  const { value } = judged;
  const output = value === undefined ? undefined : await storeValue(call, value);
  // Entities before checkpoints: using a remembered output makes no entity valid.
  const effects = await endForAttempt(call, unit, attemptOf(started), verdict, value);
  const end: EndedEntry = {
    ...call.attemptHead(started),
    kind: 'ended',
    how: 'ran',
    verdict,
    fingerprint: started.fingerprint,
    contract: digest,
    iteration: started.iteration,
    rework: started.rework,
    ...(output && { output, ...(await legsEntry(call, unit, output)) }),
    ...(output &&
      value !== undefined &&
      verdict.status !== 'failed' && { exports: await exportsOf(call, value, contract.exports, output) }),
    ...recordChanges(call, changes),
    ...(effects.length > 0 && { effects }),
    snapshot: snapshotId(after),
    ...(await storeLogs(call, judged, result)),
    ms: result?.ms ?? Math.max(0, call.ports.clock.now().getTime() - Date.parse(started.at)),
  };
  await call.ports.workspace.storeVersions(changes.declared);
  const entry = judgeTogether(call.state, unit, end);
  const total = totalOf(endsOf(call.state.current, unit.key), entry);
  const made = { attempt: attemptOf(entry), how: 'ran', startedAt: started.at } as const;
  const checkpoint = { ...checkpointOf(entry, made), ...total };
  const isValid = entry.output !== undefined && !entry.part && isRemembered(entry.verdict, unit.gate);
  const holds = isValid && changes.disturbedInputs.length === 0 && !(await hasNewStash(call, open));
  const rework = started.rework ? call.state.current?.notes.get(unit.gate.id)?.rework : undefined;
  if (holds) await call.ports.checkpoints.save(started.fingerprint, checkpoint);
  await extendCheckpoints(call, {
    unit,
    before,
    changes: changes.declared,
    ...(changes.undeclared.length === 0 && { after }),
    ...(holds && { output: { checkpoint, needs, rework } }),
  });
  await call.write(entry);
  reportUndeclared(call, unit, changes);
  if (isValid) await setOutcome(call, unit, checkpoint, needs);
  else if (!entry.part) setFailure(call, unit, entry.verdict);
  return entry;
}

/** Whether something was stashed meanwhile: the files of the output may be in the stash. A moved HEAD is only reported. */
async function hasNewStash(call: Call, { started, unit }: OpenAttempt): Promise<boolean> {
  if (started.head === undefined) return false;
  const { head, stash } = await call.ports.workspace.readHead();
  if (head !== started.head.head)
    call.notice(`another commit was checked out while ${unit.key} worked`, { unit: unit.key });
  if (stash === started.head.stash) return false;
  call.notice(`something was stashed while ${unit.key} worked: its output serves this call only`, {
    unit: unit.key,
    hint: '`git stash pop` brings it back',
  });
  return true;
}

/** Files that cannot be handed on make the output fail: secrets that were not there before, links that lead outside. */
async function judgeFiles(call: Call, verdict: Verdict, files: GateFiles): Promise<Verdict> {
  // All files of the unit, because those of earlier attempts are handed on too.
  const changes = Object.entries(files).flatMap(([path, { base: before, after }]) =>
    before === after ? [] : [{ path, before, after }],
  );
  if (verdict.status === 'failed' || changes.length === 0) return verdict;
  const { redactor, pipeline } = call.order;
  const problems = await findHandOnProblems(call.ports.workspace, changes, redactor, pipeline.allowSecrets);
  if (problems.length === 0) return verdict;
  return failedVerdict(
    'files',
    'Let the agent leave that out of its files; `allow-secrets` in the definition lets a path through.',
    problems.slice(0, 50).map((message) => redactIssue({ severity: 'error', message }, redactor)),
  );
}

async function storeLogs(call: Call, judged: JudgedOutput, result?: AgentResult): Promise<Partial<EndedEntry>> {
  const { contents } = call.ports;
  const { metrics, learnings } = judged;
  return {
    ...(metrics && { metrics }),
    ...(learnings && { learnings: await contents.put([learnings]) }),
    ...(result && {
      logs: {
        ...(result.stdout && { stdout: await contents.put([result.stdout]) }),
        ...(result.stderr && { stderr: await contents.put([result.stderr]) }),
      },
    }),
    ...(result?.outcome === 'exited' && { exitCode: result.exitCode }),
  };
}
