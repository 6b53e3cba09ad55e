import { GatelineError } from '../../errors/gateline-error.ts';
import type { JsonValue } from '../../json/json.ts';
import type { Command, Entity } from '../../pipeline/entities/entities.ts';
import { placesIn } from '../../run/entity/call-places.ts';
import { entityKey, keptOf, type NamedEntity } from '../../run/entity/entity-state.ts';
import { depthsOf } from '../../run/entity/entity-fold.ts';
import { instanceMeant, instancesGiven, instancesOf, MAX_INSTANCE } from '../../run/entity/instances.ts';
import { resolveUse, type Asking } from '../../run/entity/resolve-use.ts';
import { RUN_GATE } from '../../run/records/record.ts';
import { recordEntityDecision, type Decider } from '../attempt/record-decision.ts';
import { openCall, type Assignment, type Call } from '../call/call.ts';
import { keepJson } from '../call/content.ts';
import { commandNamed } from '../entities/command-attempt.ts';
import { checkArguments, shownArguments } from '../entities/command-words.ts';
import { firstOfMany, nameFlaws, nameNone, nameUnknown, partFor } from '../entities/created.ts';
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
  const toChange = named.map(({ instance, ...change }) => {
    const asked = instance === undefined ? undefined : instanceAsked(call, view, change.entity, instance);
    return { ...change, asked };
  });
  let n = call.journal.nextAttempt(RUN_GATE);
  const changed: EntityChanged[] = [];
  for (const { action, entity, asked, value, by, given: raw = {} } of toChange) {
    if (action === 'reset') await endProcessesOf(call, { entity: entity.name, instance: asked ?? '' });
    const clean = value === undefined ? undefined : call.redactor.redactJson(value).value;
    const content = clean === undefined ? undefined : await keepJson(ports.store, clean);
    const given = shownArguments(call, raw);
    const from = by === undefined ? undefined : requiredBy(commandNamed(call, by), { ...view, given });
    const meant = asked === undefined ? instancesMeant(action, entity, clean, given) : [asked];
    if (meant.length === 0 && by !== undefined) await nameNone(call, entity, decider.actor);
    // A person says that it exists.
    const found = meant.length === 0 && by === undefined ? [''] : meant;
    if (action === 'create') await nameFlaws(call, entity, clean, { by: decider.actor, instances: found });
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

/**
 * The instance that a person names: one that there is, or that of a leg, or what the format makes of it. Named without
 * secrets, as those of values and arguments are.
 * @throws GatelineError `ENTITY_NOT_DEFINED`
 */
function instanceAsked({ graph, redactor }: Call, { states }: Asking, entity: Entity, written: string): string {
  const text = redactor.redactText(written);
  const isKnown =
    states.has(entityKey({ entity: entity.name, instance: text })) ||
    [...graph.values()].some(({ leg }) => leg.id === text);
  // An empty name would be all instances, and a shell that does not know a variable passes one.
  const instance = isKnown || text === '' ? text : instanceMeant(entity, text);
  if (instance) return instance;
  const what = text === '' ? 'empty' : 'too long';
  throw new GatelineError('ENTITY_NOT_DEFINED', `${entity.name}: the name of the instance is ${what}`, {
    hint: `It has 1 to ${MAX_INSTANCE} characters. Without \`/\`, ${entity.name} is all instances.`,
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
  const whole = entities.find((one) => instancesGiven(one, { '': name }).length > 0);
  const listed = names.length === 0 ? 'Add it under `entities` in gateline.yml.' : `Entities: ${names.join(', ')}.`;
  throw new GatelineError('ENTITY_NOT_DEFINED', `there is no entity ${name}`, {
    hint: whole === undefined ? listed : `The instance is \`${whole.name}/${name}\`.`,
  });
}
