import { discardRefused } from './attempt/capture-files.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import { unitKey } from '../pipeline/pipeline.ts';
import { digestOf } from '../json/digest.ts';
import { asRequest } from '../run/plan/difference.ts';
import { actorOf, NO_DECISIONS, rulingOn } from '../run/records/decisions.ts';
import { comparePositions, unitOf, type EndedRecord, type StartedRecord } from '../run/records/record.ts';
import type { Unit } from '../run/records/unit.ts';
import { parseContract } from '../verdict/contract.ts';
import { failed, type Verdict } from '../verdict/verdict.ts';
import type { AgentResult } from '../agent/agent.ts';
import { endWith, endWithoutSecrets, finishAttempt } from './attempt/attempt.ts';
import { missingSecrets } from './attempt/agent-environment.ts';
import { openCall, type Assignment, type Call } from './call/call.ts';
import { readToken, tokenMatches, type ClaimToken } from './attempt/claim-token.ts';
import { nameReruns } from './attempt/name-reruns.ts';
import { giveUpEnded, giveUpPlace } from './attempt/place.ts';
import { readReworkStart } from './attempt/rework-start.ts';
import { readPlace } from './attempt/place-file.ts';
import type { EnginePorts, Observer } from './ports.ts';
import type { JsonValue } from '../json/json.ts';
import { attemptInRun } from '../run/records/attempt-text.ts';
import type { JobCall } from './upstream/job-call.ts';

/** How the agent ended, as the caller reports it. */
export interface Completion {
  readonly token: string;
  /** Default 0. */
  readonly exitCode?: number;
  /** The agent did not finish or failed, as the caller reports. This is the verdict, whatever the agent wrote. */
  readonly stopped?: { readonly kind: 'cancelled' | 'agent-error' | 'timeout'; readonly advice: string };
  /**
   * There is no later attempt to complete it: if secrets of the gate are not set, the attempt ends without its output
   * being read.
   */
  readonly last?: true;
}

/**
 * Completes a gate that was begun: collects what the agent left, judges it by the contract that was fixed at `begin`,
 * and records the result.
 * @param job set for a job of a CI run: the claim belongs to this job and run attempt
 * @throws GatelineError `TOKEN_INVALID`, `TOKEN_UNKNOWN`, `ALREADY_COMPLETED`, `CLAIM_EXPIRED`; for a job also
 *   `SECRET_MISSING_AT_COMPLETE`, after which nothing is read or stored
 */
export async function completeGate(
  ports: EnginePorts,
  assignment: Assignment,
  completion: Completion,
  observe: Observer,
  job?: JobCall,
): Promise<EndedRecord> {
  const token = readToken(completion.token);
  const options = job?.call ?? { runNumber: token.run };
  const opened = await openCall(ports, { ...assignment, subject: token.subject }, observe, options);
  const { call, unit, started } = await claimOf(opened, token);
  if (job !== undefined) refuseOtherJob(ports, started);
  try {
    refuseEnded(call, started);
  } catch (error) {
    await giveUpPlace(call, started);
    throw error;
  }
  if (job !== undefined) {
    if (completion.last !== true) refuseWithoutSecrets(ports, unit);
    const ended = await endWithoutSecrets(call, unit, started);
    if (ended !== undefined) return ended;
  }
  const directory = await ports.attempts.open(started);
  const place = directory && (await readPlace(directory));
  const request = directory && place && { ...place, attempt: directory.path, files: unit.gate.files };
  const checkout = request && (await ports.workspace.reopen(request));
  if (directory === undefined || checkout === undefined) {
    const what =
      directory === undefined
        ? 'its directory is missing'
        : place === undefined
          ? 'place.json in its directory is missing or was altered'
          : 'its work tree is missing';
    const lost = new GatelineError(
      'ATTEMPT_LOST',
      `gate ${unit.key}: ${attemptInRun(started, begunOf(call, started))}: ${what}`,
    );
    await endWith(call, unit, started, lost);
    await giveUpPlace(call, started);
    throw lost;
  }
  await useContractOf(call, started, unit.gate.id);
  // Before anything is recorded: a contract that does not compile says nothing about the agent's output.
  await call.contracts.compile(unit.gate);
  const exitCode = completion.exitCode ?? 0;
  const result: AgentResult = { outcome: 'exited', exitCode, stdout: '', stderr: '' };
  const { stopped } = completion;
  const early = stopped ? failed(stopped.kind, stopped.advice) : job && overtime(call, unit, started, token);
  const rework = token.rework && (await readReworkStart(call, token.rework));
  const begun = { unit, started, directory, checkout, hasFeedback: false, ...(rework && { rework }) };
  const ended = await finishAttempt(call, begun, result, early).catch(async (error: unknown) => {
    await giveUpEnded(call, started);
    throw error;
  });
  await checkout.release(ended.verdict.kind !== 'timeout');
  if (job === undefined) await discardRefused(call);
  if (place?.place === 'in-place' && job === undefined) await nameReruns(call, started, ended);
  const state = call.journal.state();
  await observe({
    type: 'ended',
    unit: unit.key,
    record: ended,
    state,
    records: call.journal.records(),
    retrying: false,
  });
  return ended;
}

/**
 * Refuses to read outputs without the gate's secrets: outputs may contain them, and only known values can be redacted.
 */
function refuseWithoutSecrets({ environment }: Pick<EnginePorts, 'environment'>, { key, gate }: Unit): void {
  const names = missingSecrets(environment, gate);
  if (names.length === 0) return;
  throw new GatelineError(
    'SECRET_MISSING_AT_COMPLETE',
    `gate ${key}: ${names.join(', ')} ${names.length === 1 ? 'is a secret' : 'are secrets'} of the gate and not set in this step`,
  );
}

/** A job's claim has no deadline; the time limit is checked here. `undefined`: the agent was in time. */
function overtime(call: Call, unit: Unit, started: StartedRecord, token: ClaimToken): Verdict | undefined {
  const minutes = token.minutes ?? unit.gate.timeoutMinutes;
  if (call.ports.now().getTime() - Date.parse(started.at) <= minutes * 60_000) return undefined;
  return failed('timeout', `It took longer than ${minutes} minutes. Raise timeout-minutes, or give it less work.`);
}

/** Another job's files are not on this machine: ending its attempt here would lose them. */
function refuseOtherJob({ me }: Pick<EnginePorts, 'me'>, { by, gate }: StartedRecord): void {
  if (by.host === me.host && by.boot === me.boot && by.job === me.job) return;
  throw new GatelineError(
    'TOKEN_UNKNOWN',
    `gate ${gate} was begun by job ${by.job ?? 'unknown'}, and this is job ${me.job ?? 'unknown'}`,
    { hint: 'Complete a gate in the job that began it.' },
  );
}

/**
 * The claim that a token names, in a call with the metadata and the given subject of `begin`: checks may refer to them.
 */
async function claimOf(opened: Call, token: ClaimToken): Promise<{ call: Call; unit: Unit; started: StartedRecord }> {
  const unit = opened.graph.get(unitKey(token.gate, token.leg));
  const started = opened.journal
    .records()
    .find((record): record is StartedRecord => record.kind === 'started' && tokenMatches(token, record));
  if (unit === undefined || started === undefined) {
    throw new GatelineError('TOKEN_UNKNOWN', `gate ${token.gate} has no claim that matches this token`, {
      hint: 'Complete a gate in the workspace where it was begun, with the token that was printed there.',
    });
  }
  const read = await opened.ports.store.get(started.request);
  const text = read.state === 'present' ? new TextDecoder().decode(read.value) : 'null';
  const request = asRequest(JSON.parse(text) as JsonValue);
  if (request === undefined) {
    throw new GatelineError('CONTENT_MISSING', `the request that gate ${unit.key} began with cannot be read`, {
      hint: 'Begin the gate again.',
    });
  }
  const { metadata, subject } = request;
  const assignment = { ...opened.assignment, metadata, isDefaultSubject: subject === undefined };
  return { call: { ...opened, assignment }, unit, started };
}

function begunOf(call: Call, started: StartedRecord): readonly StartedRecord[] {
  return call.journal.archive().started.get(unitOf(started)) ?? [];
}

function refuseEnded(call: Call, started: StartedRecord): void {
  for (const record of call.journal.records()) {
    if (record.kind !== 'ended' || record.gate !== started.gate || record.leg !== started.leg) continue;
    if (comparePositions(record, started) === 0) {
      throw new GatelineError(
        'ALREADY_COMPLETED',
        `gate ${started.gate}: ${attemptInRun(started, begunOf(call, started))} has ended already (${record.verdict.status})`,
      );
    }
  }
  const later = call.journal
    .records()
    .some(
      (record) =>
        record.kind === 'started' &&
        record.gate === started.gate &&
        record.leg === started.leg &&
        comparePositions(record, started) > 0,
    );
  const ruling = rulingOn(
    started,
    call.journal.archive().decisions.get(unitOf(started)) ?? NO_DECISIONS,
    call.ports.now().toISOString(),
  );
  const expired = started.deadline !== undefined && Date.parse(started.deadline) <= call.ports.now().getTime();
  if (later || expired || ruling.ruling === 'voided') {
    const ended =
      ruling.ruling === 'voided' ? `was given up by ${actorOf(ruling.by)}` : `ended at ${started.deadline!}`;
    throw new GatelineError(
      'CLAIM_EXPIRED',
      `gate ${started.gate}: this claim ${later ? 'was taken over by a later attempt' : ended}`,
    );
  }
}

/** Judges by the contract that was stored with the claim, whatever the workspace contains now. */
async function useContractOf(call: Call, started: StartedRecord, gate: string): Promise<void> {
  const read = await call.ports.store.get(started.contract);
  if (read.state !== 'present' || digestOf(read.value) !== started.contract) {
    throw new GatelineError('CONTENT_MISSING', `the contract that gate ${gate} began with cannot be read`, {
      hint: 'Begin the gate again.',
    });
  }
  const value = JSON.parse(new TextDecoder().decode(read.value)) as JsonValue;
  call.contracts.fix(gate, { contract: parseContract(value), digest: started.contract });
}
