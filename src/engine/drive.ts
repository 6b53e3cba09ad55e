import { GatelineError } from '../errors/gateline-error.ts';
import type { SharedLimit } from '../in-parallel.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import { plannedUnit, type PlannedUnit } from '../run/plan/plan.ts';
import type { RunState } from '../run/state/run-state.ts';
import { descendantsOf, type Unit } from '../run/records/unit.ts';
import { loopOf, loopsBackTo } from './plan/loop-of.ts';
import { sendBack } from './attempt/send-back.ts';
import { runAttempts } from './attempt/attempt.ts';
import type { Call } from './call/call.ts';
import { contractErrors } from './call/contracts.ts';
import { planInPlace } from './attempt/place.ts';
import { decisionsIn, hasChanged, isHeld, learnMeanwhile, reopenBlocked } from './call/decided-meanwhile.ts';
import { onlyInBudget, preparedIfAsked } from './plan/may-start.ts';
import { stateNow } from './entities/gate-entities.ts';
import { planUnit } from './plan/plan-unit.ts';
import type { PreparedUnit } from './plan/prepared-unit.ts';
import { sequentialGroups } from './plan/sequential-groups.ts';
import { recordPlanned } from './attempt/record-planned.ts';

/** The result of a call. */
export interface Driven {
  readonly state: RunState;
  /** The plan of each unit at the time of its decision, in that order. */
  readonly planned: readonly PlannedUnit[];
  /** Errors that kept single units from running; other units continued. */
  readonly errors: readonly GatelineError[];
  /** Units whose agent runs by itself and has not completed yet. */
  readonly waiting: readonly UnitKey[];
  readonly cancelled: boolean;
}

/**
 * Continues a run: plans each unit as soon as its needs are settled, runs ready units in parallel, and returns when
 * nothing can continue. Every unit is tried once per call.
 * @param limit how many agents may work, shared with the calls for other subjects. Default: no limit
 */
export async function drive(call: Call, signal: AbortSignal, limit?: SharedLimit): Promise<Driven> {
  if (isHeld(call)) return { state: call.journal.state(), planned: [], errors: [], waiting: [], cancelled: false };
  const planned: PlannedUnit[] = [];
  const errors: GatelineError[] = [];
  const open = new Map(call.graph);
  const running = new Set<UnitKey>();
  const works = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const sentBack = new Set<UnitKey>();
  const awaiting = new Set<string>();
  const sequential = await sequentialGroups(call, signal);
  const asksForLegs = call.assignment.pipeline.gates.some(({ legsFrom }) => legsFrom !== undefined);
  const unsound = once(() => contractErrors(call.contracts, call.assignment.pipeline.gates));
  while (!signal.aborted && failures.length === 0) {
    // Read before planning: an attempt that ends during planning may make other units ready.
    const idle = works.size === 0;
    const found = { planned, errors, failures, works, sentBack, awaiting, sequential, asksForLegs, unsound, limit };
    const progressed = await startReady(call, open, running, signal, found);
    if (works.size > 0) await Promise.race(works);
    const isNew = await learnMeanwhile(call);
    if (isNew) reopenBlocked(call, open, planned);
    if (isHeld(call)) break;
    if (works.size === 0 && idle && !progressed && !isNew) break;
  }
  await Promise.all(works);
  if (failures.length > 0) throw failures[0];
  const waiting = planned.filter((one) => one.choice === 'wait').map((one) => one.key);
  const state = await stateNow(call);
  if (state !== call.journal.state()) await call.observe({ type: 'state', state });
  return { state, planned, errors, waiting, cancelled: signal.aborted };
}

interface PlannedRound {
  readonly planned: PlannedUnit[];
  readonly errors: GatelineError[];
  readonly failures: unknown[];
  /** Attempts, and what follows from them: the call continues until all have settled. */
  readonly works: Set<Promise<void>>;
  /** Units whose work was sent back in this call. */
  readonly sentBack: Set<UnitKey>;
  /** Gates and groups of which one has failed, and others have not ended: perhaps they will be reused. */
  readonly awaiting: Set<string>;
  /** Ids of groups whose gates run one at a time. */
  readonly sequential: ReadonlySet<string>;
  /** Whether an output may change the graph. */
  readonly asksForLegs: boolean;
  readonly limit: SharedLimit | undefined;
  /** Contracts that cannot be used, determined when the first agent is about to start. */
  readonly unsound: () => Promise<readonly GatelineError[]>;
}

/** Plans and starts what is ready. True if anything was settled. */
async function startReady(
  call: Call,
  open: Map<UnitKey, Unit>,
  running: Set<UnitKey>,
  signal: AbortSignal,
  found: PlannedRound,
): Promise<boolean> {
  let progressed = false;
  const before = call.journal.state();
  for (const unit of Array.from(open.values())) {
    if (signal.aborted || found.failures.length > 0) break;
    // Outputs that were reused in this round may ask for legs, which replace units that are still to come.
    if (found.asksForLegs && (await openLegs(call, open, running))) return true;
    if (unit.needs.some((key) => open.has(key) || running.has(key)) || !hasRoom(call, unit, running, found)) continue;
    // Gates that still work on what was sent back may send it back, too: then it is done once, with all their outputs.
    if (found.sentBack.has(unit.key) && isAwaited(call, unit, running)) continue;
    open.delete(unit.key);
    progressed = true;
    await noting(found, () => goOnWith(call, unit, open, running, signal, found));
  }
  // Once for all settled units: an observer that shows the whole run would otherwise do so a thousand times if a
  // thousand units are reused.
  const state = call.journal.state();
  if (state !== before) await call.observe({ type: 'state', state });
  return progressed;
}

/** Legs that a new output asks for are open, and what needs them waits for all of them. True: there are new ones. */
async function openLegs(call: Call, open: Map<UnitKey, Unit>, running: ReadonlySet<UnitKey>): Promise<boolean> {
  // What sent work back may have other legs that still run.
  if ([...running].some((key) => call.graph.get(key)!.gate.legsFrom !== undefined)) return false;
  const before = new Map(call.graph);
  if (!(await call.settleLegs())) return false;
  for (const key of before.keys()) if (!call.graph.has(key)) open.delete(key);
  for (const [key, unit] of call.graph) if (open.has(key) || !before.has(key)) open.set(key, unit);
  return true;
}

/** Plans one unit, and starts or settles it. */
async function goOnWith(
  call: Call,
  unit: Unit,
  open: Map<UnitKey, Unit>,
  running: Set<UnitKey>,
  signal: AbortSignal,
  found: PlannedRound,
): Promise<void> {
  const asked =
    stoppedBySibling(call, unit, found.planned, (key) => open.has(key) || running.has(key)) ??
    withinLimits(call, await planUnit(call, unit), found.planned);
  const sound = await onlyIfSound(await planInPlace(call, unit, asked), found);
  const prepared = sound.planned.choice === 'run' ? await onlyInBudget(call, unit, sound, 'take') : sound;
  const { planned } = prepared;
  // What gates that run leave of their reservations may be enough.
  if (planned.budget?.choice === 'wait' && running.size > 0) return void open.set(unit.key, unit);
  found.planned.push(planned);
  await call.observe({ type: 'planned', planned });
  if (prepared.error !== undefined) note(found, prepared.error);
  if (planned.choice === 'run') {
    const decided = decisionsIn(call);
    const attempts = noting(found, async () => {
      using _budget = { [Symbol.dispose]: () => call.budget.release(unit) };
      using turn = await found.limit?.take();
      if (found.limit !== undefined && (turn === undefined || (await hasChanged(call, decided)))) {
        open.set(unit.key, unit);
        return reopenBlocked(call, open, found.planned);
      }
      const { error } = await runAttempts(call, unit, prepared.work!, signal);
      const isReported = found.errors.some(({ code }) => code === error?.code);
      // What cannot be prepared for one gate, such as dependencies, usually fails for each: the gates' verdicts show
      // it.
      if (error !== undefined && !signal.aborted && !isReported) note(found, error);
    });
    running.add(unit.key);
    const work = attempts.then(async () => {
      running.delete(unit.key);
      if (!signal.aborted) await noting(found, () => sendBackIfFailed(call, unit, open, running, found));
      found.works.delete(work);
    });
    found.works.add(work);
  } else {
    await recordPlanned(call, unit, prepared);
    const isLast = found.awaiting.has(loopOf(call, unit)?.loop.cause ?? '');
    if (planned.choice === 'send-back' || isLast) await sendBackIfFailed(call, unit, open, running, found);
  }
}

/**
 * When a gate of a loop has failed and no other that may send back the same work still runs: the work is sent back,
 * once for all of them, and everything downstream of it is open again.
 */
async function sendBackIfFailed(
  call: Call,
  unit: Unit,
  open: Map<UnitKey, Unit>,
  running: ReadonlySet<UnitKey>,
  found: PlannedRound,
): Promise<void> {
  const own = loopOf(call, unit);
  if (own === undefined) return;
  if (own.choice.choice === 'await') found.awaiting.add(own.loop.cause);
  else found.awaiting.delete(own.loop.cause);
  const loops = loopsBackTo(call, own.loop.onFail.goto);
  const judges = new Set(loops.flatMap(({ loop }) => loop.gates));
  if ([...running].some((key) => judges.has(call.graph.get(key)!.gate.id))) return;
  if (own.choice.choice === 'used-up') {
    const more = own.choice.iterations === undefined ? '' : '; --max-iterations allows more';
    await call.observe({ type: 'notice', message: `${own.loop.cause}: not sent back: ${own.choice.reason}${more}` });
  }
  const back = loops.flatMap(({ loop, choice }) => (choice.choice === 'send-back' ? [{ loop, choice }] : []));
  const again = await sendBack(call, back);
  for (const [key, one] of call.graph) if (again.has(key)) open.set(key, one);
  for (const { loop, choice } of back) {
    const message = `sent back by ${loop.cause} (iteration ${choice.times + 1}): ${choice.reason}`;
    for (const { key } of choice.targets) {
      found.sentBack.add(key);
      await call.observe({ type: 'notice', unit: key, message });
    }
  }
}

/** Whether anything downstream of a unit still runs. */
function isAwaited({ graph }: Pick<Call, 'graph'>, { key }: Unit, running: ReadonlySet<UnitKey>): boolean {
  return running.size > 0 && descendantsOf(graph, key).some((one) => running.has(one));
}

/** Starts no agent, and so spends no money, while any contract of the pipeline is unusable. */
async function onlyIfSound(prepared: PreparedUnit, found: PlannedRound): Promise<PreparedUnit> {
  if (prepared.planned.choice !== 'run') return prepared;
  const errors = await found.unsound();
  if (errors.length === 0) return prepared;
  for (const error of errors) note(found, error);
  const count = errors.length === 1 ? 'a contract is' : `${errors.length} contracts are`;
  const reason = `${errors[0]!.code}: ${count} invalid, so no agent is started`;
  return { planned: { ...prepared.planned, choice: 'blocked', reason } };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Adds an error once, even if it affects several units. */
function note({ errors }: PlannedRound, error: GatelineError): void {
  if (!errors.includes(error)) errors.push(error);
}

/** Errors of the user or an agent stop one unit. Any other error ends the call after running units finish. */
async function noting(found: PlannedRound, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof GatelineError && ['user', 'agent'].includes(error.fault)) note(found, error);
    else found.failures.push(error);
  }
}

/**
 * With `fail-fast`, a leg that failed in this call after all retries keeps its siblings from starting, unless its
 * failure sends work back: that takes all outputs.
 * @param isOpen whether a unit still runs, or is to run again
 */
function stoppedBySibling(
  call: Call,
  unit: Unit,
  planned: readonly PlannedUnit[],
  isOpen: (key: UnitKey) => boolean,
): PreparedUnit | undefined {
  if (!unit.gate.failFast || unit.leg.id === '') return undefined;
  const states = call.journal.state().units;
  const failed = planned.find(
    (one) =>
      one.gate === unit.gate.id &&
      one.choice === 'run' &&
      one.key !== unit.key &&
      !isOpen(one.key) &&
      states.get(one.key)?.status === 'failed',
  );
  if (failed === undefined || loopOf(call, unit)?.choice.choice === 'await') return undefined;
  return { planned: plannedUnit(unit, 'blocked', `${failed.key} failed, and strategy.fail-fast is on`) };
}

/** A unit's plan within the limits of the call. */
function withinLimits(call: Call, prepared: PreparedUnit, before: readonly PlannedUnit[]): PreparedUnit {
  const started = new Set(before.filter(({ choice }) => choice === 'run').map(({ gate }) => gate));
  return preparedIfAsked(call.assignment, prepared, started);
}

/** Whether another attempt may run in parallel. An attempt in the user's folder runs alone. */
function hasRoom(
  { assignment, graph }: Pick<Call, 'assignment' | 'graph'>,
  { gate }: Unit,
  running: ReadonlySet<UnitKey>,
  { sequential }: Pick<PlannedRound, 'sequential'>,
): boolean {
  if (running.size >= assignment.pipeline.maxParallel) return false;
  if (running.size > 0 && gate.workspace === 'in-place') return false;
  const group = assignment.pipeline.groups.find(({ gates }) => gates.includes(gate.id));
  const isSequential = group !== undefined && sequential.has(group.id);
  let siblings = 0;
  for (const key of running) {
    const other = graph.get(key)!.gate;
    if (other.workspace === 'in-place') return false;
    if (isSequential && group.gates.includes(other.id)) return false;
    if (other.id === gate.id) siblings += 1;
  }
  return siblings < (gate.legsMaxParallel ?? Infinity);
}
