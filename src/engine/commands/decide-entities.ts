import { GatelineError } from '../../errors/gateline-error.ts';
import type { JsonValue } from '../../json/json.ts';
import type { Command, Entity } from '../../pipeline/entities/entities.ts';
import { placesIn } from '../../run/entity/call-places.ts';
import { keptOf, type NamedEntity } from '../../run/entity/entity-state.ts';
import { depthsOf } from '../../run/entity/fold-entities.ts';
import { instancesGiven, instancesOf, MAX_INSTANCE } from '../../run/entity/instances.ts';
import { resolveUse, type Asking } from '../../run/entity/resolve-use.ts';
import { RUN_GATE } from '../../run/records/record.ts';
import { recordEntityDecision, type Decider } from '../attempt/record-decision.ts';
import { openCall, type Assignment, type Call } from '../call/call.ts';
import { keepJson } from '../call/content.ts';
import { commandNamed } from '../entities/command-attempt.ts';
import { checkArguments, shownArguments } from '../entities/command-words.ts';
import { firstOfMany, namePropertiesMissing, nameUnknown, partFor } from '../entities/created.ts';
import { endProcessesOf } from '../entities/left-processes.ts';
import { refuseWhileCreated } from '../entities/refuse-unusable.ts';
import { resourcesOf, viewEntities } from '../entities/view-entities.ts';
import type { EnginePorts, Observer } from '../ports.ts';

/** What a person does to an entity. */
export interface EntityChange {
  readonly action: 'create' | 'invalidate' | 'reset';
  readonly entity: string;
  /** Default: with `create` the one that its value names, otherwise all. */
  readonly instance?: string;
  /** With `create`. */
  readonly value?: JsonValue;
  /** With `create`: the command that created it elsewhere. It is no longer valid without what that required. */
  readonly by?: string;
  /** Arguments of a command, which may name instances. */
  readonly given?: Readonly<Record<string, string>>;
}

/** What was recorded of an entity. An empty instance is all of them. */
export interface EntityChanged {
  readonly action: EntityChange['action'];
  readonly entity: string;
  readonly instance: string;
}

/** The state of all entities, and the call that read it. Writes nothing. */
export async function readEntities(
  ports: EnginePorts,
  assignment: Assignment,
): Promise<{ readonly call: Call; readonly view: Asking }> {
  const call = await openCall(ports, assignment, () => undefined, { runNumber: 0, shows: true });
  return { call, view: await viewEntities(call) };
}

/**
 * Records what a person did to entities, in order, in the newest call: what a run that works now records next comes
 * after it. A reset ends the processes that they live in.
 * @param observe receives notices of properties that a value lacks, and of instances that are not there
 * @throws GatelineError `ENTITY_NOT_DEFINED`; `ENTITY_BUSY`, `ENTITY_HELD` while somebody creates what is to be created
 *   or reset; `GATE_CLAIMED`
 */
export async function decideEntities(
  ports: EnginePorts,
  assignment: Assignment,
  changes: readonly EntityChange[],
  decider: Decider,
  observe: Observer = () => undefined,
): Promise<EntityChanged[]> {
  for (const { entity, instance } of changes) refuseUnnamable(entity, instance);
  const named = changes.map((change) => ({ ...change, entity: entityNamed({ assignment }, change.entity) }));
  const { exclusively = (work) => work() } = ports;
  return exclusively(() => decideNow(ports, assignment, named, { decider, observe }));
}

async function decideNow(
  ports: EnginePorts,
  assignment: Assignment,
  named: readonly (Omit<EntityChange, 'entity'> & { readonly entity: Entity })[],
  { decider, observe }: { readonly decider: Decider; readonly observe: Observer },
): Promise<EntityChanged[]> {
  const call = await openCall(ports, assignment, observe, { runNumber: 0 });
  for (const { action, entity } of named)
    if (action !== 'invalidate') await refuseWhileCreated(call, entity.name, action);
  const { runNumber, runAttempt: newest } = call.journal.call;
  const runAttempt = Math.max(1, newest);
  const order = placesIn(call.journal.listing(), { runNumber, runAttempt }).next;
  const view = await viewEntities(call);
  let n = call.journal.nextAttempt(RUN_GATE);
  const changed: EntityChanged[] = [];
  for (const { action, entity, instance: written, value, by, given: raw = {} } of named) {
    // As those of redacted values and arguments are named.
    const instance = written === undefined ? undefined : call.redactor.redactText(written);
    if (action === 'reset') await endProcessesOf(call, { entity: entity.name, instance: instance ?? '' });
    const clean = value === undefined ? undefined : call.redactor.redactJson(value).value;
    if (clean !== undefined) await namePropertiesMissing(call, entity, clean, decider.actor);
    const content = clean === undefined ? undefined : await keepJson(ports.store, clean);
    const given = shownArguments(call, raw);
    const from = by === undefined ? undefined : requiredBy(commandNamed(call, by), { ...view, given });
    const found = instance === undefined ? instancesMeant(action, entity, clean, given) : [instance];
    for (const one of await firstOfMany(call, found, { name: entity.name, by: decider.actor })) {
      if (action !== 'create') await nameUnknown(call, view, [{ entity: entity.name, instance: one }]);
      const known = { ...(content && { value: content }), ...(from && { from }) };
      const about = { entity: entity.name, instance: one, action, order, ...known };
      await recordEntityDecision(call, { ...decider, entity: about }, { runAttempt, n });
      changed.push({ action, entity: entity.name, instance: one });
      n += 1;
    }
  }
  return changed;
}

/** An empty name would be all instances, and a shell that does not know a variable passes one. */
function refuseUnnamable(entity: string, instance: string | undefined): void {
  if (instance === undefined || (instance !== '' && instance.length <= MAX_INSTANCE)) return;
  const what = instance === '' ? 'empty' : 'too long';
  throw new GatelineError('ENTITY_NOT_DEFINED', `${entity}: the name of the instance is ${what}`, {
    hint: `It has 1 to ${MAX_INSTANCE} characters. Without \`/\`, ${entity} is all instances.`,
  });
}

/** What a command that ran elsewhere required, and has not used up. */
function requiredBy(command: Command, asking: Asking): NamedEntity[] {
  const { requires, invalidates } = resolveUse(command, asking);
  return keptOf(requires, invalidates).map(({ entity, instance }) => ({ entity, instance }));
}

function instancesMeant(
  action: EntityChange['action'],
  entity: Entity,
  value: JsonValue | undefined,
  given: Readonly<Record<string, string>>,
): string[] {
  if (action === 'create') return instancesOf(entity, value, given);
  const named = instancesGiven(entity, given);
  return named.length === 0 ? [''] : named;
}

/**
 * What a command that ran elsewhere creates and invalidates.
 * @param given its arguments, which may name instances; without any, it is about all of them
 * @throws GatelineError `COMMAND_NOT_DEFINED`, `COMMAND_ARGUMENT_REFUSED`
 */
export function effectsOfCommand(
  call: Pick<Call, 'assignment'>,
  id: string,
  value: JsonValue | undefined,
  given: Readonly<Record<string, string>> = {},
): EntityChange[] {
  const command = commandNamed(call, id);
  if (Object.keys(given).length > 0) checkArguments(call, command, given);
  const depthOf = depthsOf(resourcesOf(call).entities);
  return [
    ...command.invalidates.map((entity) => ({ action: 'invalidate' as const, entity, given })),
    // What another one depends on first: its life ends with the new one.
    ...command.creates
      .toSorted((a, b) => depthOf(a) - depthOf(b))
      .map((entity) => {
        const part = value === undefined ? undefined : partFor(entity, value);
        return { action: 'create' as const, entity, given, by: id, ...(part !== undefined && { value: part }) };
      }),
  ];
}

/** @throws GatelineError `ENTITY_NOT_DEFINED` */
export function entityNamed(call: Pick<Call, 'assignment'>, name: string): Entity {
  const { entities } = resourcesOf(call);
  const found = entities.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = entities.slice(0, 50).map((one) => one.name);
  throw new GatelineError('ENTITY_NOT_DEFINED', `there is no entity ${name}`, {
    hint: names.length === 0 ? 'Add it under `entities` in gateline.yml.' : `Entities: ${names.join(', ')}.`,
  });
}
