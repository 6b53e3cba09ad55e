import { noteChange } from './plan/since-approval.ts';
import { discardRefused, nameReruns } from './attempt/capture-files.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import { unitKey } from '../pipeline/pipeline.ts';
import { digestOf } from '../json/digest.ts';
import { attemptIn } from '../run/plan/archive.ts';
import { asRequest } from '../run/plan/difference.ts';
import { actorOf, NO_DECISIONS, rulingOn } from '../run/records/decisions.ts';
import { comparePositions, unitOf, type EndedRecord, type StartedRecord } from '../run/records/record.ts';
import type { Unit } from '../run/records/unit.ts';
import { parseContract } from '../verdict/contract.ts';
import { failed, type Verdict } from '../verdict/verdict.ts';
import type { AgentResult } from '../agent/agent.ts';
import { finishAttempt } from './attempt/attempt.ts';
import { endWith, endWithoutSecrets } from './attempt/end-attempt.ts';
import { missingSecrets } from './attempt/agent-environment.ts';
import { openCall, type Assignment, type Call } from './call/call.ts';
import { keepHistory, noteRun } from './call/keep-history.ts';
import { readToken, tokenMatches, type ClaimToken } from './attempt/claim-token.ts';
import { giveUpEnded, giveUpPlace, readPlace, type AttemptPlace } from './attempt/place.ts';
import { readReworkStart } from './attempt/rework-start.ts';
import type { BegunAttempt } from './attempt/begin-attempt.ts';
import type { EnginePorts, Observer } from './ports.ts';
import type { JsonValue } from '../json/json.ts';
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
  // What a job's agent did is recorded, whatever another job has written meanwhile.
  const options = job === undefined ? { runNumber: token.run } : { ...job.call, shows: true };
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
  await noteRun(call);
  const { directory, place, checkout } = await reopen(call, unit, started);
  await useContractOf(call, started, unit.gate.id);
  // Before anything is recorded: a contract that does not compile says nothing about the agent's output.
  await call.contracts.compile(unit.gate);
  const ended = await finish(call, { unit, started, directory, checkout }, completion, token, job !== undefined);
  await checkout.release(ended.verdict.kind !== 'timeout');
  if (job === undefined) await discardRefused(call);
  if (place.place === 'in-place' && job === undefined) await nameReruns(call, started, ended);
  await noteChange(call, unit, ended);
  await keepHistory(call);
  const [state, records] = [call.journal.state(), call.journal.records()];
  await observe({ type: 'ended', unit: unit.key, record: ended, state, records, retrying: false });
  return ended;
}

/** An attempt that another process began, as its directory and its place on disk have it. */
type Reopened = Pick<BegunAttempt, 'directory' | 'checkout'> & { readonly place: AttemptPlace };

/**
 * Opens the directory and the place of an attempt again. If one of them is missing, the attempt ends without its
 * output.
 * @throws GatelineError `ATTEMPT_LOST`
 */
async function reopen(call: Call, unit: Unit, started: StartedRecord): Promise<Reopened> {
  const { attempts, workspace } = call.ports;
  const directory = await attempts.open(started);
  if (directory === undefined) throw await giveUpLost(call, unit, started, 'its directory is missing');
  const place = await readPlace(directory);
  if (place === undefined)
    throw await giveUpLost(call, unit, started, 'place.json in its directory is missing or was altered');
  const checkout = await workspace.reopen({ ...place, attempt: directory.path, files: unit.gate.files });
  if (checkout === undefined) throw await giveUpLost(call, unit, started, 'its work tree is missing');
  return { directory, place, checkout };
}

/** Ends an attempt that cannot be completed, and returns the error about it. */
async function giveUpLost(call: Call, unit: Unit, started: StartedRecord, why: string): Promise<GatelineError> {
  const attempt = attemptIn(call.journal.archive(), started);
  const lost = new GatelineError('ATTEMPT_LOST', `gate ${unit.key}: ${attempt}: ${why}`);
  await endWith(call, unit, started, lost);
  await giveUpPlace(call, started);
  return lost;
}

/** Judges what the agent left, as the caller says that it ended, and records the result. */
async function finish(
  call: Call,
  attempt: Pick<BegunAttempt, 'unit' | 'started' | 'directory' | 'checkout'>,
  { exitCode = 0, stopped }: Completion,
  token: ClaimToken,
  isJob: boolean,
): Promise<EndedRecord> {
  const { unit, started } = attempt;
  const result: AgentResult = { outcome: 'exited', exitCode, stdout: '', stderr: '' };
  const late = isJob ? overtime(call, unit, started, token) : undefined;
  const early = stopped ? failed(stopped.kind, stopped.advice) : late;
  const rework = token.rework && (await readReworkStart(call, token.rework));
  const begun = { ...attempt, hasFeedback: false, hasHandoff: false, ...(rework && { rework }) };
  return finishAttempt(call, begun, result, early).catch(async (error: unknown) => {
    await giveUpEnded(call, started);
    throw error;
  });
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

/** @throws GatelineError `ALREADY_COMPLETED`, `CLAIM_EXPIRED` */
function refuseEnded(call: Call, started: StartedRecord): void {
  const archive = call.journal.archive();
  const ends = archive.ended.get(unitOf(started)) ?? [];
  const own = ends.find((record) => comparePositions(record, started) === 0);
  if (own !== undefined) {
    const attempt = attemptIn(archive, started);
    const message = `gate ${started.gate}: ${attempt} has ended already (${own.verdict.status})`;
    throw new GatelineError('ALREADY_COMPLETED', message);
  }
  const why = whyExpired(call, started);
  if (why !== undefined) throw new GatelineError('CLAIM_EXPIRED', `gate ${started.gate}: this claim ${why}`);
}

/** Why a claim without a result is not valid any more; `undefined`: it is. */
function whyExpired(call: Call, started: StartedRecord): string | undefined {
  const claims = call.journal.archive().started.get(unitOf(started)) ?? [];
  const isTakenOver = claims.some((claim) => comparePositions(claim, started) > 0);
  if (isTakenOver) return 'was taken over by a later attempt';
  const now = call.ports.now();
  const decisions = call.journal.archive().decisions.get(unitOf(started)) ?? NO_DECISIONS;
  const ruling = rulingOn(started, decisions, now.toISOString());
  if (ruling.ruling === 'voided') return `was given up by ${actorOf(ruling.by)}`;
  const { deadline } = started;
  return deadline !== undefined && Date.parse(deadline) <= now.getTime() ? `ended at ${deadline}` : undefined;
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
