import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_LOG } from '../../agent/attempt-files.ts';
import { stateNow } from '../../engine/entities/gate-entities.ts';
import { openCall, type Call } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { AttemptRecords } from '../../local/report/parts.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { OpenedRun } from './open.ts';

/** Time between two looks at a run or at what an agent prints, in milliseconds. */
export const LOOK_MS = 200;
/** If nothing happens for this long, the run is treated as not running. */
const LONGEST_QUIET_MS = 10_000;
/** More bytes than the file of an agent's lines ever has. */
const LARGEST = 64 * 1_024 ** 2;

/** A run at one moment. */
export interface RunLook {
  readonly opened: OpenedRun;
  readonly state: RunState;
  /** Nothing works on the run any more: this is the last look. */
  readonly isOver: boolean;
}

/** An attempt, as its records are now. */
export interface LiveAttempt extends AttemptRecords {
  readonly call: Call;
  readonly key: UnitKey;
}

/**
 * Looks at a run of another process again and again until it ends, or nothing has worked on it for 10 seconds: a run
 * may stop with gates left to do. A run that has not begun is waited for.
 * @param every milliseconds between two looks
 */
export async function* followRun(first: OpenedRun, every: number): AsyncGenerator<RunLook> {
  let { call } = first;
  let state = await stateNow(call);
  let wasOpen = false;
  for (let last = performance.now(); ;) {
    wasOpen ||= isOpen(state);
    const isWorking = isOpen(state) || (wasOpen && (await isBetweenAttempts(call, state)));
    const isOver = !isWorking || performance.now() - last > LONGEST_QUIET_MS;
    yield { opened: { ...first, call, graph: call.graph }, state, isOver };
    if (isOver) return;
    await sleep(every);
    const before = state;
    call = await readAgain({ ...first, call });
    state = await stateNow(call);
    if (!isQuiet(before, state)) last = performance.now();
  }
}

/** Whether some command may be working on the run. */
export function isOpen({ status }: RunState): boolean {
  return status === 'initializing' || status === 'executing';
}

/** Whether a run only looks failed: its process is there, and may not have begun the next attempt or gate yet. */
async function isBetweenAttempts({ journal, ports }: Call, { status, runNumber }: RunState): Promise<boolean> {
  if (status !== 'error') return false;
  const records = journal.archive().records.filter((record) => record.runNumber === runNumber);
  const [newest] = records.toSorted((a, b) => (a.at < b.at ? 1 : -1));
  return newest !== undefined && !(await ports.isGone(newest.by));
}

/** Whether no gate runs and nothing was recorded between two looks. */
function isQuiet(before: RunState, { status, units, updatedAt }: RunState): boolean {
  const isWorking = [...units.values()].some((unit) => unit.status === 'running');
  return status !== 'initializing' && !isWorking && before.updatedAt === updatedAt;
}

/** The run as it is now. */
export function readAgain({ ports, assignment, call }: OpenedRun): Promise<Call> {
  return openCall(ports, assignment, call.observe, { runNumber: call.journal.state().runNumber, shows: true });
}

/**
 * The output that the agent of an attempt has printed so far, redacted. Empty once the attempt has ended.
 * @throws GatelineError `CONTENT_MISSING`
 */
export async function printedSoFar({ call, key, claim }: Omit<LiveAttempt, 'ended'>): Promise<Buffer> {
  const directory = claim && (await call.ports.attempts.open(claim));
  const file = await directory?.read(LIVE_LOG, LARGEST);
  if (file?.state === 'present') return Buffer.from(file.bytes);
  if (file === undefined || file.state === 'absent') return Buffer.alloc(0);
  const why = file.state === 'refused' ? file.why : `it has ${file.size} bytes`;
  throw new GatelineError('CONTENT_MISSING', `the output of gate ${key} cannot be read: ${why}`);
}

/** Whether the call that made an attempt may begin the next one: a retry begins right after an attempt has failed. */
export async function mayBeRetried({ call, key, claim, ended }: LiveAttempt): Promise<boolean> {
  const { gate } = call.graph.get(key)!;
  if (claim?.holder !== 'process' || gate.retries === 0 || ended?.verdict.status === 'passed') return false;
  const claims = call.journal.archive().started.get(key) ?? [];
  const begun = claims.filter((one) => one.runNumber === claim.runNumber && one.runAttempt === claim.runAttempt);
  return begun.length <= gate.retries && !(await call.ports.isGone(claim.by));
}
