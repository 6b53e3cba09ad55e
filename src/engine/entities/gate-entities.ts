import { GatelineError } from '../../errors/gateline-error.ts';
import { InvalidStateError } from '../../errors/invalid-state-error.ts';
import { setUpLines, type Command, type SetUp } from '../../pipeline/entities/entities.ts';
import { legOfCommands } from '../../run/entity/job-commands.ts';
import { covers, isValidAt } from '../../run/entity/entity-state.ts';
import { requiredState, resolveUse, type Asking, type ResolvedUse } from '../../run/entity/resolve-use.ts';
import type { RequiredEntities } from '../../run/plan/request.ts';
import type { RecordedUses } from '../../run/records/effects.ts';
import { claimIn } from '../../run/plan/archive.ts';
import { originIn } from '../../run/plan/reuse.ts';
import { unitOf, type EndedRecord } from '../../run/records/record.ts';
import { descendantsOf, type Unit } from '../../run/records/unit.ts';
import { blockedByEntities, withStale, type RunState } from '../../run/state/run-state.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Call } from '../call/call.ts';
import { stateInBudget } from '../call/call-budget.ts';
import { carryOut, claimCommand, type CommandPosition } from './command-attempt.ts';
import { recordedUses } from './created.ts';
import { notValid, refuseUnusable, setUpFor } from './refuse-unusable.ts';
import { learnCommands, viewEntities } from './view-entities.ts';

/** What a unit uses. */
interface UnitUse {
  readonly asking: Asking;
  readonly resolved: ResolvedUse;
}

async function resolveFor(call: Call, unit: Unit): Promise<UnitUse> {
  return resolveIn(await viewEntities(call), unit);
}

function resolveIn(view: Asking, { gate, leg }: Unit): UnitUse {
  const asking = { ...view, leg: leg.id };
  return { asking, resolved: resolveUse(gate.entities!, asking) };
}

/**
 * The entities that a unit requires, for its request. Their last values, also if they are no longer valid: whether they
 * are is asked before an agent starts, so that an attempt which invalidates them is not another one afterwards.
 */
export async function requiredEntities(call: Call, unit: Unit): Promise<RequiredEntities | undefined> {
  const { requires = [] } = unit.gate.entities ?? {};
  if (requires.length === 0) return undefined;
  const asking = { ...(await viewEntities(call)), leg: unit.leg.id };
  const later = new Set([unit.key, ...descendantsOf(call.graph, unit.key)]);
  const claim = call.journal
    .archive()
    .started.get(unit.key)
    ?.findLast((one) => one.entities !== undefined);
  return Object.fromEntries(
    requires.map((name) => {
      const state = requiredState(name, asking, false);
      // What it or a later gate created since is not what it was given.
      const given = state && later.has(state.creator) ? claim?.entities?.requires : undefined;
      const { instance = '', value } = given?.find(({ entity }) => entity === name) ?? state ?? {};
      return [name, { instance, value: value ?? null }] as const;
    }),
  );
}

/** An earlier output that may be used instead of running a unit. */
interface EarlierOutput {
  readonly choice: 'keep' | 'reuse';
  readonly checkpoint: EndedRecord;
}

/**
 * Why an earlier output of a unit is not used: what it made of entities does not hold any more. What it created is no
 * longer valid, or what it made invalid was created again by a gate before it.
 */
export async function staleReason(call: Call, unit: Unit, usable: EarlierOutput): Promise<string | undefined> {
  return changesEntities(unit) ? staleIn(await viewEntities(call), call, unit, usable) : undefined;
}

function changesEntities({ gate: { entities } }: Unit): boolean {
  return entities !== undefined && entities.creates.length + entities.invalidates.length > 0;
}

/** {@link staleReason}, in a view of the entities. */
function staleIn(view: Asking, call: Call, unit: Unit, usable: EarlierOutput): string | undefined {
  const { creates = [], invalidates = [] } = unit.gate.entities ?? {};
  const asking = { ...view, leg: unit.leg.id };
  return notValidAgain(call, unit, creates, asking, usable) ?? createdSince(call, unit, invalidates, asking);
}

/**
 * A lease that this run takes is given back by this run, also if nothing changed for the gate that does it. What a
 * command created is not looked at, except where this call ran it for one of its gates: others may still use it.
 */
function createdSince(
  { graph, recovery }: Call,
  { key }: Unit,
  invalidates: readonly string[],
  { states, now, leg = '' }: Asking,
): string | undefined {
  const isBefore = (creator: string): boolean =>
    recovery.ran.has(creator) || (graph.has(creator) && descendantsOf(graph, creator).includes(key));
  const again = [...states.values()].find(
    (one) =>
      invalidates.includes(one.entity) && covers(leg, one.instance) && isValidAt(one, now) && isBefore(one.creator),
  );
  return again && `${again.creator} created ${again.entity} again, and it makes that invalid`;
}

/** In its own run, this only matters to a gate that is still to come, and that no later gate creates it for. */
function notValidAgain(
  call: Call,
  unit: Unit,
  creates: readonly string[],
  asking: Asking,
  { choice, checkpoint }: EarlierOutput,
): string | undefined {
  const origin = originIn(checkpoint, call.journal.archive());
  for (const name of creates) {
    const own = origin.effects?.creates.filter(({ entity }) => entity === name) ?? [];
    const margin = asking.entities.find((one) => one.name === name)?.margin ?? 0;
    const isStillValid =
      own.length === 0
        ? requiredState(name, asking, true) !== undefined
        : [...asking.states.values()].some(
            (state) =>
              own.some(({ entity, instance }) => entity === state.entity && instance === state.instance) &&
              isValidAt(state, asking.now, margin),
          );
    if (isStillValid) continue;
    const wanted = wantedBy(call, unit, name);
    if ((choice === 'reuse' && !createdNone(call, name, origin)) || wanted !== undefined)
      return `${name} is not valid${wanted === undefined ? '' : `, ${wanted} needs it`}`;
  }
  return undefined;
}

/** An attempt was to create an entity, and its output was an empty list: no instance can have become invalid. */
function createdNone({ journal }: Call, name: string, ended: EndedRecord): boolean {
  const claim = claimIn(journal.archive(), unitOf(ended), ended);
  return (
    claim?.entities?.creates.includes(name) === true &&
    ended.effects?.creates.every(({ entity }) => entity !== name) === true
  );
}

/** A unit downstream that is not done, requires the entity, and gets it from this unit. */
function wantedBy({ graph, journal }: Call, { key, leg }: Unit, name: string): string | undefined {
  const { units } = journal.state();
  // A leg is not given what another leg created.
  const isForOther = (one: string): boolean => !['', leg.id].includes(graph.get(one)!.leg.id) && leg.id !== '';
  const after = descendantsOf(graph, key).filter((one) => !isForOther(one));
  const creators = after.filter((one) => graph.get(one)!.gate.entities?.creates.includes(name));
  const isFedByOther = new Set(creators.flatMap((creator) => descendantsOf(graph, creator)));
  return after.find(
    (one) =>
      graph.get(one)!.gate.entities?.requires.includes(name) === true &&
      !isFedByOther.has(one) &&
      units.get(one)?.done !== true,
  );
}

/**
 * The set-up commands that run before a unit's attempt, as the plan shows them: a clause, and a line for each.
 * @throws InvalidStateError if it lacks something and does not recover; GatelineError `ENTITY_BUSY`
 */
export async function plannedSetUp(
  call: Call,
  unit: Unit,
): Promise<{ readonly reason: string; readonly lines: readonly string[] } | undefined> {
  if (unit.gate.entities === undefined) return undefined;
  const { asking, resolved } = await resolveFor(call, unit);
  const setup = await setUpOf(call, unit, resolved, asking);
  if (setup.order.length === 0) return undefined;
  const verb = resolved.missing.length === 1 ? 'is' : 'are';
  const names = setup.order.map(({ id }) => id).join(', ');
  const reason = `${resolved.missing.join(', ')} ${verb} not valid: ${names} will run first`;
  return { reason, lines: setUpLines(setup, unit.key) };
}

/**
 * The state of a call's run, with the units that may not start because of the budget, or because they lack an entity
 * that nothing recovers, and with those that are done and run again for an entity. No record says so.
 */
export async function stateNow(call: Call): Promise<RunState> {
  const state = await stateInBudget(call);
  if (state.status === 'completed' || state.status === 'rollback' || state.decided.closed !== undefined) return state;
  if (![...call.graph.values()].some(({ gate }) => gate.entities !== undefined)) return state;
  const view = await viewEntities(call);
  const reasons = new Map<UnitKey, string>();
  const stale: UnitKey[] = [];
  for (const { key, status, done, ended } of state.units.values()) {
    const unit = call.graph.get(key);
    if (unit?.gate.entities === undefined) continue;
    if (done && ended !== undefined && changesEntities(unit)) {
      const usable = { choice: 'keep', checkpoint: ended } as const;
      if (staleIn(view, call, unit, usable) !== undefined) stale.push(key);
    }
    if (done || (status !== 'ready' && status !== 'lost')) continue;
    const { asking, resolved } = resolveIn(view, unit);
    const { missing } = resolved;
    const isRecovered =
      unit.gate.entities.onInvalid === 'recover' && setUpFor(call, asking, missing).unreachable.length === 0;
    if (missing.length > 0 && !isRecovered) reasons.set(key, notValid(call, key, missing, asking).message);
  }
  return withStale(blockedByEntities(state, reasons), stale);
}

async function setUpOf(
  call: Call,
  { key, gate }: Unit,
  resolved: ResolvedUse,
  asking: Asking,
): Promise<Pick<SetUp, 'order' | 'reasons'>> {
  const { missing } = resolved;
  if (missing.length === 0 || gate.entities!.onInvalid === 'fail') {
    await refuseUnusable(call, { by: key, resolved }, asking);
    return { order: [], reasons: [] };
  }
  const setup = setUpFor(call, asking, missing);
  if (setup.unreachable.length > 0) throw notValid(call, key, setup.unreachable, asking);
  return setup;
}

/**
 * Runs the set-up commands for a unit that is about to start, in the same job. Each runs at most once per call.
 * @throws InvalidStateError; GatelineError `ENTITY_BUSY`
 */
export async function recoverFor(call: Call, unit: Unit, signal: AbortSignal): Promise<void> {
  if (unit.gate.entities === undefined) return;
  // One gate after the other: what one recovers, the next one finds.
  const turn = call.recovery.last.then(() => recoverNow(call, unit, signal));
  call.recovery.last = turn.catch(() => undefined);
  return turn;
}

async function recoverNow(call: Call, unit: Unit, signal: AbortSignal): Promise<void> {
  const { asking, resolved } = await resolveFor(call, unit);
  const setup = await setUpOf(call, unit, resolved, asking);
  const { order } = setup;
  const lines = setUpLines(setup, unit.key);
  const { exclusively = (work) => work() } = call.ports;
  const lacks = (why: string): InvalidStateError =>
    new InvalidStateError({ missing: resolved.missing, command: unit.key, setup: order.map(({ id }) => id) }, { why });
  for (const [at, command] of order.entries()) {
    if (call.recovery.ran.has(command.id)) throw lacks(`${command.id} has run in this call already.`);
    call.recovery.ran.add(command.id);
    // The log of a run has the lines of the plan already.
    const message = call.holder === 'job' ? lines[at]! : `${command.id} runs first`;
    await call.observe({ type: 'notice', unit: unit.key, message });
    const started = await exclusively(async () => {
      await learnCommands(call);
      return claimCommand(call, { command, given: {} }, positionFor(call, unit, command));
    });
    const { ended } = await carryOut(
      call,
      { command, given: {}, withheld: secretsOfOthers(call, unit) },
      started,
      signal,
    );
    if (ended.verdict.status !== 'passed') {
      const message = `${command.id} failed: ${ended.verdict.advice}`;
      await call.observe({ type: 'notice', unit: unit.key, message });
      throw lacks(message);
    }
  }
}

/** Secrets that only other gates name: what runs for a gate gets them as little as its agent does. */
function secretsOfOthers({ assignment: { pipeline } }: Call, { gate }: Unit): ReadonlySet<string> {
  const all = pipeline.gates.flatMap(({ secrets }) => secrets);
  return new Set(all.filter((name) => !gate.secrets.includes(name)));
}

/** In a job, right before the attempt of the unit that is to follow. */
function positionFor({ holder, journal, recovery }: Call, { key }: Unit, { id }: Command): CommandPosition {
  const { runNumber, runAttempt } = journal.call;
  if (holder === 'process') return { runNumber, runAttempt, n: journal.nextAttempt(id) };
  const inJob = { leg: legOfCommands(key), order: recovery.ran.size };
  return { runNumber, runAttempt, n: journal.nextAttempt(key), inJob };
}

/**
 * What the claim of a unit says of entities. The caller writes it within `exclusively`.
 * @param given what its request says that it is given
 * @throws InvalidStateError; GatelineError `ENTITY_BUSY`, `ENTITY_HELD`
 */
export async function usesOf(
  call: Call,
  unit: Unit,
  given: RequiredEntities | undefined,
): Promise<RecordedUses | undefined> {
  if (unit.gate.entities === undefined) return undefined;
  const { asking, resolved } = await resolveFor(call, unit);
  await refuseUnusable(call, { by: unit.key, resolved }, asking);
  const changed = resolved.requires.find(
    ({ entity, value, creator }) => !call.graph.has(creator) && given?.[entity]?.value?.digest !== value?.digest,
  );
  if (changed !== undefined) {
    const message = `${unit.key}: ${changed.creator} created ${changed.entity} again while the gate was being prepared`;
    throw new GatelineError('ENTITY_BUSY', message);
  }
  return recordedUses(call, resolved);
}
