import { join } from 'node:path';
import type { AgentResult } from '../../agent/agent.ts';
import { GatelineError, isDiskFull } from '../../errors/gateline-error.ts';
import { comparePositions, type EndedRecord, type StartedRecord } from '../../run/records/record.ts';
import { isGoodEnough } from '../../run/state/fold-unit.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import { agentEnvironment, protocolVariables } from './agent-environment.ts';
import { notPrepared, verdictOn, withFiles } from './attempt-verdicts.ts';
import { claim, prepareAttempt, type BegunAttempt, type Preparation } from './begin-attempt.ts';
import type { Call } from '../call/call.ts';
import { effectsOfUnit } from '../entities/created.ts';
import { endLeftUnlessPassed } from '../entities/left-processes.ts';
import {
  canBeCompletedAgain,
  collectLearnings,
  collectMetrics,
  collectOutput,
  readOutput,
  removeAnswer,
  type WrittenOutput,
} from './collect-output.ts';
import { captureFiles, nameKept, nameReruns } from './capture-files.ts';
import { endWith, endWithoutSecrets, recordEnd } from './end-attempt.ts';
import { databaseAfter } from '../snapshots/database.ts';
import { placeFor } from './place.ts';
import { setUp, workFor } from '../plan/plan-unit.ts';
import { type Work } from '../plan/prepared-unit.ts';

/** Bytes to keep of each of an agent's output streams. */
const LOG_LIMIT = 1024 * 1024;

/** Failures that another attempt cannot fix. */
const FINAL: ReadonlySet<Verdict['kind']> = new Set(['no-secret', 'cancelled', 'claimed', 'contract', 'not-started']);

/**
 * Errors while writing the `ended` record after which no other record is written instead: the end is already recorded,
 * or the agent's result is kept on this machine and a later step uploads it.
 */
const NOT_REPLACED: ReadonlySet<string> = new Set(['RECORD_TAKEN', 'ARTIFACT_UPLOAD_FAILED', 'ARTIFACTS_OUTAGE']);

/** The last attempt of a unit in this call. */
export interface Attempted {
  readonly ended: EndedRecord;
  /** Why it could not be prepared, if the call can still continue with other units. */
  readonly error?: GatelineError;
}

/**
 * Runs a unit until it is satisfied, has no retries left, or another attempt makes no sense. Each attempt writes its
 * records.
 */
export async function runAttempts(call: Call, unit: Unit, first: Work, signal: AbortSignal): Promise<Attempted> {
  let work = first;
  let before: EndedRecord | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const attempted = await runAttempt(call, unit, work, signal, { attempt: attempt + 1, before });
    const { ended } = attempted;
    const settled =
      isGoodEnough(unit, ended, { ruling: 'stands' }) ||
      FINAL.has(ended.verdict.kind) ||
      signal.aborted ||
      // In a job's checkout the changes could not be undone then, and its content matches no request.
      (call.holder === 'job' && ended.snapshot === undefined);
    const retrying = !settled && attempt < unit.gate.retries && (await mayRetry(call, unit));
    const known = { state: call.journal.state(), records: call.journal.records() };
    await call.observe({ type: 'ended', unit: unit.key, record: ended, ...known, retrying });
    if (!retrying) return attempted;
    before = ended;
    // Files that an attempt left in the user's folder are now the user's version. The next attempt's request includes
    // them.
    if (call.holder !== 'job' && unit.gate.workspace === 'in-place') work = await workFor(call, unit, work.contract);
  }
}

/** Whether the budget allows another attempt; then it is reserved. */
async function mayRetry(call: Call, unit: Unit): Promise<boolean> {
  const asked = await call.budget.take(unit);
  if (asked === undefined || asked.choice === 'start') return true;
  await call.observe({ type: 'notice', unit: unit.key, message: `no further attempt: ${asked.reason}` });
  return false;
}

/** Where an attempt is in a row of them. */
interface InRow {
  /** From 1. */
  readonly attempt: number;
  /** The one before it. */
  readonly before: EndedRecord | undefined;
}

async function runAttempt(
  call: Call,
  unit: Unit,
  asked: Work,
  signal: AbortSignal,
  { attempt, before }: InRow,
): Promise<Attempted> {
  const work = await setUp(call, unit, asked, signal);
  const started = await claim(call, unit, work, { place: await placeFor(call, unit) });
  const known = { attempt, attempts: unit.gate.retries + 1, state: call.journal.state() };
  await call.observe({ type: 'started', unit: unit.key, record: started, ...known });
  const refused = await endWithoutSecrets(call, unit, started);
  if (refused !== undefined) return { ended: refused };
  let begun: BegunAttempt;
  try {
    begun = await prepareOrEnd(call, unit, work, started, { signal, before });
  } catch (error) {
    const ended = call.journal
      .archive()
      .ended.get(unit.key)
      ?.findLast((one) => comparePositions(one, started) === 0);
    const isOfThisGate = error instanceof GatelineError && error.fault !== 'gateline' && !isDiskFull(error);
    if (ended !== undefined && isOfThisGate) return { ended, error };
    throw error;
  }
  let result: AgentResult | undefined;
  let ended: EndedRecord | undefined;
  try {
    result = await startOrEnd(call, begun, signal);
    ended = await finishAttempt(call, begun, result);
    if (isInUsersFolder(call, started)) await nameReruns(call, started, ended);
    return { ended };
  } finally {
    // An agent that timed out or was ended by a signal may have left processes that still write there.
    const left = await endLeftUnlessPassed(call, begun.directory.path, result, ended);
    await begun.checkout.release(result?.outcome === 'exited', left);
    if (left.length > 0) await call.ports.agent.keepLeft(begun.directory.path);
    if (isInUsersFolder(call, started)) call.forgetSnapshot();
  }
}

function isInUsersFolder({ holder }: Pick<Call, 'holder'>, { place }: StartedRecord): boolean {
  return holder !== 'job' && place === 'in-place';
}

/** Prepares a claimed attempt. If that fails, the attempt is ended with the error before the error is rethrown. */
export async function prepareOrEnd(
  call: Call,
  unit: Unit,
  work: Work,
  started: StartedRecord,
  preparation?: Preparation,
): Promise<BegunAttempt> {
  try {
    return await prepareAttempt(call, unit, work, started, preparation);
  } catch (error) {
    await endWith(call, unit, started, error);
    throw error;
  }
}

/** Runs the agent to its end. If it cannot be watched, the attempt is ended with the error before it is rethrown. */
async function startOrEnd(call: Call, begun: BegunAttempt, signal: AbortSignal): Promise<AgentResult> {
  try {
    return await startAgent(call, begun, signal);
  } catch (error) {
    await endWith(call, begun.unit, begun.started, error);
    throw error;
  }
}

function startAgent(call: Call, begun: BegunAttempt, signal: AbortSignal): Promise<AgentResult> {
  const { unit, directory, started } = begun;
  const others = new Set(call.assignment.pipeline.gates.flatMap((one) => one.secrets));
  const { task } = call.assignment;
  const protocol = protocolVariables(unit, started.n, directory, { ...begun, task });
  return call.ports.agent.run({
    directory: directory.path,
    command: unit.gate.run ?? '',
    shell: unit.gate.shell,
    workingDirectory: join(begun.checkout.root, unit.gate.workingDirectory),
    env: agentEnvironment(begun.checkout.environment(call.ports.environment), unit.gate, others, protocol),
    ...(unit.gate.entities?.leaves === true && { leaves: true }),
    timeoutMs: unit.gate.timeoutMinutes * 60_000,
    logLimit: LOG_LIMIT,
    live: true,
    signal,
    onLine: (stream, line) => void call.observe({ type: 'line', unit: unit.key, stream, line }),
    redact: (text) => call.redactor.redactText(text),
    redactStream: () => call.redactor.createStream(),
  });
}

/**
 * Judges what an agent left and writes the `ended` record. Also used for an agent that ran by itself, which the caller
 * may report as `stopped`.
 */
export async function finishAttempt(
  call: Call,
  begun: BegunAttempt,
  result: AgentResult,
  stopped?: Verdict,
): Promise<EndedRecord> {
  const { started } = begun;
  let ended: EndedRecord;
  let own = call;
  try {
    const read = await readOutput(call, begun);
    own = read.own;
    ended = await judgeAndEnd(own, begun, result, read.written, stopped);
  } catch (error) {
    // Once there is room, `complete` can be run again.
    if (isDiskFull(error) && canBeCompletedAgain(started)) throw error;
    await removeAnswer(call, begun);
    if (error instanceof GatelineError && NOT_REPLACED.has(error.code)) throw error;
    const verdict = isDiskFull(error) ? { ...notPrepared(error), kind: 'lost' as const } : notPrepared(error);
    await recordEnd(own, begun.unit, started, { verdict, result });
    throw error;
  }
  await removeAnswer(call, begun);
  return ended;
}

async function judgeAndEnd(
  call: Call,
  begun: BegunAttempt,
  result: AgentResult,
  written: WrittenOutput,
  stopped: Verdict | undefined,
): Promise<EndedRecord> {
  const { unit, directory, started } = begun;
  const { metrics, notices } = await collectMetrics(call, directory);
  const { learnings, notices: lost } = await collectLearnings(call, directory);
  const collected = await collectOutput(call, begun, written, stopped ?? verdictOn(call, result, unit));
  const captured = await captureFiles(call, begun);
  const verdict = withFiles(unit, collected.verdict, captured, [...notices, ...lost]);
  await nameKept(call, unit, captured);
  const database = captured.snapshot && (await databaseAfter(call, unit, verdict));
  const effects = verdict.status === 'passed' ? await effectsOfUnit(call, unit, collected.exports, result) : {};
  return recordEnd(call, unit, started, {
    ...collected,
    files: captured.files,
    touched: captured.touched,
    ...(captured.snapshot && { snapshot: { ...captured.snapshot, ...(database && { database }) } }),
    verdict,
    ...(verdict.status === 'failed' && { exports: undefined }),
    result,
    reported: { ...(metrics && { metrics }), ...(learnings && { learnings }), ...effects },
  });
}
