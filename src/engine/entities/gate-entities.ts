import { join } from 'node:path';
import { ENTITY_LOCKS_VARIABLE, readEntityLocks } from '../../environment.ts';
import { InvalidStateError, type GatelineError } from '../../errors.ts';
import type { JsonValue } from '../../json/json.ts';
import type { EntityUse, Gate, UnitKey } from '../../pipeline/pipeline.ts';
import type { EntityChange } from '../../run/entity/change.ts';
import { findConflict } from '../../run/entity/effects.ts';
import type { AttemptRef, ProcessId } from '../../run/entry.ts';
import type { UnitPlan } from '../../run/events.ts';
import { gateOf, type Unit } from '../../run/units.ts';
import { failedVerdict, type Verdict } from '../../verdict/verdict.ts';
import type { Call } from '../call.ts';
import { setUpEntities } from './commands.ts';
import { endEntities, readEntities, takeEntities } from './entities.ts';

function usesEntities({ requires, creates, invalidates }: EntityUse): boolean {
  return requires.length + creates.length + invalidates.length > 0;
}

/** Whether a gate changes an entity that a running gate names, or the other way round: they cannot run side by side. */
export function hasEntityConflict({ order }: Call, gate: Gate, running: readonly Gate[]): boolean {
  const { entities } = order.pipeline;
  const named = ({ requires, creates, invalidates }: EntityUse) => ({
    requires: requires.map((entity) => ({ entity })),
    changes: [...creates, ...invalidates].map((entity) => ({ entity })),
  });
  return running.some((other) => findConflict(entities, named(gate.entities), named(other.entities)) !== undefined);
}

/** Variables of an agent: the file with the values of required entities, and the ids of its locks. */
export function entityVariables(
  { ports, order }: Call,
  { gate }: Unit,
  directory: string,
  id: string,
): Record<string, string> {
  const { entities, commands } = order.pipeline;
  if (Object.keys(entities).length + Object.keys(commands).length === 0) return {};
  const locks = [...readEntityLocks(ports.environment), ...(usesEntities(gate.entities) ? [id] : [])];
  return { GATELINE_ENTITIES: join(directory, 'entities.json'), [ENTITY_LOCKS_VARIABLE]: locks.join('\n') };
}

/** Runs the commands that make valid what a unit requires, if it has `on-invalid: recover`. */
export async function recoverEntities(call: Call, unit: Unit, signal: AbortSignal): Promise<void> {
  const { ports, order } = call;
  const { requires, onInvalid } = unit.gate.entities;
  if (onInvalid === 'fail' || requires.length === 0) return;
  // One unit after the other: the next one finds valid what this one recovered.
  const turn = call.lastSetup.then(async () => {
    const missing = (await readEntities(ports, order)).effects.missing(requires, {});
    if (missing.length > 0)
      await setUpEntities(ports, order, missing, ports.workspace.root, signal, call.setupCommands);
  });
  call.lastSetup = turn.catch(() => undefined);
  return turn;
}

/**
 * Takes the entities of a unit for an attempt, when nobody else changes them, and writes their values for its agent.
 * @param agent undefined: it works by itself
 * @throws InvalidStateError; GatelineError `busy` (ENTITY_BUSY) if it is interrupted or works by itself
 */
export async function takeForAttempt(
  call: Call,
  unit: Unit,
  attempt: { readonly ref: AttemptRef; readonly id: string; readonly directory: string },
  agent: { readonly process: ProcessId | undefined } | undefined,
  signal: AbortSignal,
): Promise<void> {
  const use = unit.gate.entities;
  if (!usesEntities(use)) return;
  const processes = agent && (agent.process ? [agent.process] : []);
  const request = { id: attempt.id, by: { attempt: attempt.ref }, use, args: {}, processes };
  const onWait = ({ message, hint }: GatelineError) => {
    call.announce();
    call.notice(`it waits: ${message}`, { unit: unit.key, hint });
  };
  const values = await takeEntities(call.ports, call.order, request, { signal, onWait });
  await call.ports.attempts.write(attempt.directory, 'entities.json', JSON.stringify(values));
}

/** Ends what {@link takeForAttempt} took. @returns what changed */
export async function endForAttempt(
  { ports, order }: Call,
  { gate }: Unit,
  attempt: AttemptRef,
  verdict: Pick<Verdict, 'status'> | 'killed',
  value?: JsonValue,
): Promise<EntityChange[]> {
  const use = gate.entities;
  if (!usesEntities(use)) return [];
  const outcome = verdict === 'killed' ? 'killed' : verdict.status === 'passed' ? 'passed' : 'failed';
  return [...(await endEntities(ports, order, { by: { attempt }, use, args: {} }, { outcome, value }))];
}

/** Sets the outcome of a unit that does not start, because an entity that it requires is not valid or in use. */
export function setMissingEntities(call: Call, { key }: Unit, error: GatelineError): void {
  const issues = [{ severity: 'error', message: error.message }] as const;
  const verdict = failedVerdict('missing', error.hint ?? '', issues);
  call.outcomes.set(key, { result: 'failed', verdict, handedOn: [], reason: error.message, error });
  call.notice(`${key} does not start: ${error.message}`, { unit: key, hint: error.hint });
}

/**
 * Forces gates whose outputs were used, if a later unit with `on-invalid: recover` requires an entity that they create.
 * @param ran units whose agents ran in this call
 * @returns whether any was forced
 */
export async function forceCreators(call: Call, ran: readonly UnitKey[]): Promise<boolean> {
  const { graph, outcomes, order } = call;
  const forced = new Set<string>();
  for (const [key, { error }] of outcomes) {
    if (!(error instanceof InvalidStateError)) continue;
    const { gate } = graph.unit(key)!;
    if (gate.entities.onInvalid === 'fail') continue;
    const creators = graph.units.filter(
      (unit) =>
        graph.ancestors(gate.id).has(unit.gate.id) &&
        unit.gate.entities.creates.some((entity) => error.details.missing.includes(entity)) &&
        outcomes.get(unit.key)?.checkpoint !== undefined &&
        !ran.includes(unit.key) &&
        (order.only?.has(unit.gate.id) ?? true),
    );
    for (const unit of creators) {
      if (forced.has(unit.key)) continue;
      forced.add(unit.key).add(unit.gate.id);
      const reason = `${key} requires ${error.details.missing.join(', ')}, which is not valid any more`;
      await call.write({
        ...call.entryHead(),
        kind: 'decided',
        decision: 'force',
        unit: unit.key,
        actor: 'gateline',
        reason,
      });
    }
  }
  const isAfter = (id: string) => forced.has(id) || [...graph.ancestors(id)].some((other) => forced.has(other));
  for (const unit of graph.units) if (isAfter(unit.gate.id)) outcomes.delete(unit.key);
  return forced.size > 0;
}

/** Why a unit that is to run would not start: entities that are not valid and that no unit before it creates. */
export async function explainMissingEntities(
  call: Call,
  { gate }: Unit,
  plans: readonly UnitPlan[],
): Promise<string | undefined> {
  const { requires, onInvalid } = gate.entities;
  if (onInvalid === 'recover' || requires.length === 0) return undefined;
  const coming = plans.filter(({ choice }) => choice === 'run' || choice === 'depends').map(({ unit }) => gateOf(unit));
  const made = coming.flatMap((id) => call.graph.gate(id)!.entities.creates);
  const { effects } = await readEntities(call.ports, call.order);
  const missing = effects.missing(requires, {}).filter((entity) => !made.includes(entity));
  return missing.length === 0 ? undefined : new InvalidStateError(missing).message;
}
