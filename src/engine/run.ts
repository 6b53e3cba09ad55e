import { GatelineError } from '../errors.ts';
import type { Group, UnitKey } from '../pipeline/pipeline.ts';
import type { EndedEntry } from '../run/entry.ts';
import { COST_HINT } from '../run/unit-state.ts';
import { gateOf, worksByItself, type Unit } from '../run/units.ts';
import { failedVerdict, type Verdict } from '../verdict/verdict.ts';
import { runAttempt } from './attempt/attempt.ts';
import { Call, type Outcome } from './call.ts';
import { forceCreators, hasEntityConflict, recoverEntities, setMissingEntities } from './entities/gate-entities.ts';
import { planUnit, toUnitPlan } from './plan/plan-unit.ts';
import { requireDocuments } from './attempt/memory.ts';
import { isDone, needsOf } from './needs.ts';
import type { Order, Ports } from './ports.ts';
import { recoverOpenAttempts } from './attempt/recover.ts';
import { warnAboutInputs, warnAboutVariables } from './warnings.ts';
import { buildRequest, fingerprintOf, type Needs, type Work } from './plan/request.ts';
import { sendBack } from './decide/rework.ts';
import { prepareNeeds } from './plan/use-needs.ts';
import { carryOut } from './plan/use-output.ts';

/** How a call of `run` ended. */
export interface RunResult {
  /** `nothing`: every output held, and nothing was written. */
  readonly status: 'completed' | 'nothing' | 'failed' | 'paused' | 'interrupted';
  /** The run of this call, or the newest one if it wrote nothing. */
  readonly run: number;
  readonly outcomes: ReadonlyMap<UnitKey, Outcome>;
  /** Units whose agents ran. */
  readonly ran: readonly UnitKey[];
}

/**
 * Runs a pipeline, or continues its run: each unit in order is used if an output holds for the inputs as they are now,
 * else its agent runs. Killed anywhere, the next call continues.
 * @throws GatelineError `busy` if an agent that declares files works between `begin` and `complete`
 */
export async function runPipeline(ports: Ports, order: Order, signal: AbortSignal): Promise<RunResult> {
  const call = await Call.open(ports, order);
  await requireDocuments(call);
  await recoverOpenAttempts(call);
  await prepareNeeds(call);
  const scheduler = new Scheduler(call, signal);
  await scheduler.drive();
  return scheduler.end();
}

/** Starts units when their needs are done: units without `files` side by side, each unit with `files` alone. */
class Scheduler {
  readonly #call: Call;
  readonly #signal: AbortSignal;
  readonly #running = new Map<UnitKey, Promise<void>>();
  readonly #ran: UnitKey[] = [];
  /** The newest run, if it was over before this call. */
  readonly #earlierRun: number | undefined;
  #error: Error | undefined;

  constructor(call: Call, signal: AbortSignal) {
    const { current } = call.state;
    this.#call = call;
    this.#signal = signal;
    this.#earlierRun = current?.finalStatus && current.run;
  }

  async drive(): Promise<void> {
    const call = this.#call;
    for (;;) {
      const stopped = this.#isStopped || this.#error !== undefined;
      const isAlone = this.#running.size === 0;
      const reader = stopped ? undefined : this.#findReady((unit) => !unit.gate.files && this.#hasRoom(unit));
      const next = reader ?? (stopped || !isAlone ? undefined : this.#findReady(() => true));
      if (next) await this.#useOrStart(next);
      else if (!isAlone) await Promise.race(this.#running.values());
      else if (stopped || !((await sendBack(call)) || (await forceCreators(call, this.#ran)))) break;
    }
    if (this.#error !== undefined) throw this.#error;
  }

  /** Whether a person stopped this call. */
  get #isStopped(): boolean {
    return this.#signal.aborted || this.#call.state.current?.paused !== undefined || this.#isClosed;
  }

  /** Whether a person closed the run of this call, and not an earlier one. */
  get #isClosed(): boolean {
    const { current } = this.#call.state;
    return current?.finalStatus === 'closed' && current.run !== this.#earlierRun;
  }

  /** The first unit in file order that is wanted and can start. */
  #findReady(isWanted: (unit: Unit) => boolean): Unit | undefined {
    const { graph, outcomes, order, state } = this.#call;
    const open = new Set([...state.openAttempts.values()].filter(({ process }) => !process).map(({ unit }) => unit));
    const rejected = this.#listRejected();
    return graph.units.find(
      (unit) =>
        !outcomes.has(unit.key) &&
        (order.only === undefined || order.only.has(unit.gate.id)) &&
        !this.#running.has(unit.key) &&
        !open.has(unit.key) &&
        isWanted(unit) &&
        !this.#isLegStopped(unit) &&
        this.#needsOf(unit, rejected) !== undefined,
    );
  }

  /** Gates whose outputs a person rejected in this call. */
  #listRejected(): string[] {
    const { outcomes, state } = this.#call;
    if (state.rejections.size === 0) return [];
    return [...outcomes].flatMap(([key, { verdict }]) => (verdict.kind === 'cancelled' ? [gateOf(key)] : []));
  }

  /** The needs of a unit, if they are done, and made of nothing that was rejected since. */
  #needsOf(unit: Unit, rejected = this.#listRejected()): Needs | undefined {
    const ancestors = this.#call.graph.ancestors(unit.gate.id);
    return rejected.some((gate) => ancestors.has(gate)) ? undefined : needsOf(this.#call, unit);
  }

  /** A failed leg stops the legs that have not started, unless `fail-fast: false`. */
  #isLegStopped({ gate }: Unit): boolean {
    if (!gate.matrix?.failFast) return false;
    return (this.#call.graph.unitsOf(gate.id) ?? []).some(
      ({ key }) => this.#call.outcomes.get(key)?.result === 'failed',
    );
  }

  /** Whether a unit may start beside those that run: never beside one with `files`. */
  #hasRoom({ gate }: Unit): boolean {
    const { order } = this.#call;
    const running = [...this.#running.keys()].map((key) => this.#call.graph.unit(key)!.gate);
    const inGroup = (group: Group) => running.filter(({ id }) => group.gates.includes(id)).length;
    const groups = order.pipeline.groups.filter(({ gates, mode }) => mode === 'sequential' && gates.includes(gate.id));
    const legs = running.filter(({ id }) => id === gate.id).length;
    // A database is saved before each agent: only one at a time may change it.
    const limit = this.#call.ports.database ? 1 : (order.maxParallel ?? order.pipeline.maxParallel);
    return (
      running.length < limit &&
      running.every(({ files }) => files === undefined) &&
      !hasEntityConflict(this.#call, gate, running) &&
      legs < (gate.matrix?.maxParallel ?? Infinity) &&
      groups.every((group) => inGroup(group) === 0)
    );
  }

  /** Uses the remembered output of a unit whose needs are done, or starts its agent. */
  async #useOrStart(unit: Unit): Promise<void> {
    const call = this.#call;
    await call.refresh();
    const needs = this.#needsOf(unit);
    if (needs === undefined) return;
    const plan = await planUnit(call, unit, needs);
    call.observe({ type: 'planned', plan: toUnitPlan(unit, plan) });
    if (plan.choice !== 'not-applicable') await warnAboutInputs(call, plan.work);
    if (plan.choice !== 'run') return carryOut(call, unit, plan);
    const obstacle = obstacleOf(call, unit);
    if (obstacle !== undefined) {
      const verdict = failedVerdict('missing', obstacle.message);
      const { message, hint } = obstacle;
      const error = new GatelineError('failed', `${unit.key} does not start: ${message}`, { hint });
      call.outcomes.set(unit.key, { result: 'waiting', verdict, handedOn: [], reason: message, error });
      call.notice(`${unit.key} does not start: ${obstacle.message}`, { unit: unit.key, hint: obstacle.hint });
      return;
    }
    const work = this.#runAttempts(plan.work, plan.reason).catch((error: unknown) => {
      const needsEntities =
        error instanceof GatelineError && (error.code === 'STATE_INVALID' || error.code === 'ENTITY_BUSY');
      if (needsEntities) setMissingEntities(call, unit, error);
      else this.#error ??= error instanceof Error ? error : new Error(String(error));
    });
    const end = work.then(() => void this.#running.delete(unit.key));
    this.#running.set(unit.key, end);
  }

  async #runAttempts(first: Work, reason: string): Promise<void> {
    const call = this.#call;
    const { unit, needs } = first;
    await call.contracts.compileAll();
    warnAboutVariables(call, unit.gate);
    await recoverEntities(call, unit, this.#signal);
    let work = first;
    let feedback: Verdict | undefined;
    let tries = 0;
    for (let why = reason; ;) {
      const ended = await runAttempt(call, work, { reason: why, feedback }, this.#signal);
      if (work === first) this.#ran.push(unit.key);
      // A person decided about the unit meanwhile: the scheduler carries that out next.
      if (call.state.pendingDecisions.has(unit.key)) call.outcomes.delete(unit.key);
      const { how, verdict, changes, ms, metrics, part = false } = ended;
      const retries = this.#hasNextAttempt(unit, ended, tries);
      call.observe({
        type: 'ended',
        unit: unit.key,
        n: ended.n,
        how,
        verdict,
        score: unit.gate.contract.score === undefined ? undefined : verdict.score,
        changes,
        ms,
        costUsd: metrics?.costUsd,
        retries,
      });
      if (!retries) return;
      why = part ? 'its attempts are judged together' : `attempt ${(tries += 1)} of this call failed`;
      if (!part) feedback = verdict;
      call.outcomes.delete(unit.key);
      const snapshot = call.snapshot ?? (await call.takeSnapshot());
      const request = await buildRequest(call, unit, snapshot, needs, first.rework);
      work = { unit, needs, rework: first.rework, snapshot, request, fingerprint: fingerprintOf(request) };
    }
  }

  /** Whether another attempt follows: not if a person stopped the call, and not for an output that sends the work back. */
  #hasNextAttempt(unit: Unit, { verdict, part }: EndedEntry, tries: number): boolean {
    const { state, outcomes } = this.#call;
    const { key, gate } = unit;
    if (this.#isStopped || obstacleOf(this.#call, unit) !== undefined || this.#needsOf(unit) === undefined)
      return false;
    if (part) return !state.pendingDecisions.has(key);
    const isFailed = verdict.status !== 'passed' && outcomes.get(key)?.result === 'failed';
    return isFailed && verdict.kind !== 'cancelled' && tries < gate.retries;
  }

  async end(): Promise<RunResult> {
    const call = this.#call;
    const { outcomes, state, order } = call;
    const { gates } = order.pipeline;
    const allDone = gates.every(({ id }) => (order.only && !order.only.has(id)) || isDone(call, id));
    const isWhole = gates.every(({ id }) => isDone(call, id));
    const isOpen = state.current !== undefined && !state.current.finalStatus;
    // The next call after a closed run whose gates are done makes a completed one.
    if (isWhole && !this.#isClosed && state.current?.finalStatus !== 'completed') await call.completeRun();
    else if ((isOpen || state.current === undefined || order.run !== undefined) && call.hasUses) await call.write();
    const run = state.current?.run ?? 0;
    return { status: this.#status(allDone, isWhole), run, outcomes, ran: this.#ran };
  }

  #status(allDone: boolean, isWhole: boolean): RunResult['status'] {
    const { wrote, state, outcomes } = this.#call;
    if (this.#signal.aborted) return 'interrupted';
    if (this.#isClosed) return 'failed';
    if (allDone) return wrote || !isWhole ? 'completed' : 'nothing';
    const waits = [...outcomes.values()].some(({ result }) => result === 'waiting');
    const fails = [...outcomes.values()].some(({ result }) => result === 'failed');
    return state.current?.paused || (waits && !fails) ? 'paused' : 'failed';
  }
}

/** Why no agent of a unit may start now. */
function obstacleOf(call: Call, { gate, key }: Unit): { message: string; hint: string } | undefined {
  const message = call.costObstacle();
  if (message !== undefined) return { message, hint: COST_HINT };
  if (worksByItself(gate)) return { message: 'its agent works by itself', hint: `\`gateline begin ${key}\`` };
  return undefined;
}
