import type { AgentResult } from '../../agent/agent.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import type { Entity, EntityUse } from '../../pipeline/entities/entities.ts';
import { digestOfJson } from '../../json/canonical-json.ts';
import { placesIn } from '../../run/entity/call-places.ts';
import { entityKey, type NamedEntity } from '../../run/entity/entity-state.ts';
import { endsIn, instancesOf } from '../../run/entity/instances.ts';
import { endOf } from '../../run/entity/why-not-valid.ts';
import type { LeftProcess, RecordedUses } from '../../run/records/effects.ts';
import type { Content, EndedRecord, StartedRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Asking, ResolvedUse } from '../../run/entity/resolve-use.ts';
import type { Call } from '../call/call.ts';
import { keepJson } from '../call/content.ts';
import { recordedProcesses } from './left-processes.ts';
import { readValue, resourcesOf } from './view-entities.ts';

/** The most instances that a record holds, of all entities of a command together. */
const MAX_CREATED = 1_000;

/** Who created, and what was given to it. */
export interface Creator {
  /** The unit or command, for notices. */
  readonly by: string;
  readonly given?: Readonly<Record<string, string>>;
  readonly leg?: string;
  /** What the attempt left running. */
  readonly processes?: readonly LeftProcess[];
}

/**
 * What an attempt that passed has created. Names properties that a value lacks.
 * @param output the part of it that others may see, redacted
 */
export async function effectsOf(
  call: Call,
  use: Pick<EntityUse, 'creates'>,
  output: Content | undefined,
  creator: Creator,
): Promise<NonNullable<EndedRecord['effects']>> {
  const value = output && (await readValue(call, output));
  const { by, processes = [] } = creator;
  const creates: NonNullable<EndedRecord['effects']>['creates'] = [];
  for (const { entity, part, instances, most } of createdFrom(call, use, value, creator)) {
    const content = part === value ? output : part && (await keepJson(call.ports.store, part));
    await nameFlaws(call, entity, part, { by, processes, instances });
    if (instances.length === 0) await nameNone(call, entity, by);
    const isMachine = entity.lifetime === 'machine';
    for (const instance of await firstOfMany(call, instances, { name: entity.name, by, most }))
      creates.push({
        entity: entity.name,
        instance,
        ...(content && { value: content }),
        ...(isMachine && { processes: [...processes] }),
      });
  }
  return { creates, invalidates: [] };
}

/** The instances that are recorded, with a notice if there are others. @param about its `by`: who created them */
export async function firstOfMany(
  { observe }: Pick<Call, 'observe'>,
  instances: readonly string[],
  { name, by, most = MAX_CREATED }: { readonly name: string; readonly by: string; readonly most?: number },
): Promise<readonly string[]> {
  if (instances.length > most) {
    const message = `${name}, created by ${by}: only the first ${most} of its ${instances.length} instances are valid`;
    await observe({ type: 'notice', message });
  }
  return instances.slice(0, most);
}

/** An entity that an output creates: its value, and its instances. */
interface CreatedFrom {
  readonly entity: Entity;
  readonly part: JsonValue | undefined;
  readonly instances: readonly string[];
  /** The most of these that a record holds. */
  readonly most: number;
}

/** An output with a key for an entity gives that entity that part of it, any other entity all of it. */
function createdFrom(
  call: Pick<Call, 'assignment'>,
  { creates }: Pick<EntityUse, 'creates'>,
  value: JsonValue | undefined,
  { given = {}, leg = '' }: Pick<Creator, 'given' | 'leg'>,
): CreatedFrom[] {
  // A long list of references leaves room for what is created with it.
  const most = Math.floor(MAX_CREATED / creates.length);
  return creates.map((name) => {
    const entity = resourcesOf(call).entities.find((one) => one.name === name)!;
    const part = value === undefined ? undefined : partFor(name, value);
    const found = leg === '' ? instancesOf(entity, part, given) : [leg];
    // What lives in processes that were left has a name, or nothing would end them.
    return { entity, part, instances: found.length === 0 && entity.lifetime === 'machine' ? [''] : found, most };
  });
}

/**
 * Whether the record of a unit says what its output creates, and nothing else. In CI, any code that runs in a job may
 * have written it.
 */
export async function isCreatedBy(call: Call, { gate, leg }: Unit, ended: EndedRecord): Promise<boolean> {
  const { verdict, how, exports, effects } = ended;
  const isCreator = how === 'ran' && verdict.status === 'passed' && gate.entities !== undefined;
  const value = exports && (await readValue(call, exports));
  const expected = isCreator ? createdFrom(call, gate.entities, value, { leg: leg.id }) : [];
  const digests = new Map(
    expected.flatMap(({ entity, part, instances, most }) => {
      const digest = part === value ? exports?.digest : part === undefined ? undefined : digestOfJson(part);
      return instances
        .slice(0, most)
        .map((instance) => [entityKey({ entity: entity.name, instance }), digest] as const);
    }),
  );
  const { creates = [], invalidates = [] } = effects ?? {};
  return (
    invalidates.length === 0 &&
    creates.length === digests.size &&
    creates.every((one) => digests.has(entityKey(one)) && digests.get(entityKey(one)) === one.value?.digest)
  );
}

/** What an attempt of a gate that passed has created; nothing if its gate uses no entities. */
export async function effectsOfUnit(
  call: Call,
  { gate, key: by, leg }: Unit,
  output: Content | undefined,
  result: Pick<AgentResult, 'left'>,
): Promise<Pick<EndedRecord, 'effects'>> {
  if (gate.entities === undefined) return {};
  const processes = recordedProcesses(call, result);
  return { effects: await effectsOf(call, gate.entities, output, { by, leg: leg.id, processes }) };
}

/** The part of an output that is the value of an entity: at the key with its name, else all of it. */
export function partFor(name: string, value: JsonValue): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : value;
}

/** Notices of the listed properties that a value lacks, and that nothing of what was created is valid. */
export async function nameFlaws(
  { observe, ports }: Pick<Call, 'observe' | 'ports'>,
  entity: Entity,
  value: JsonValue | undefined,
  { by, processes = [], instances }: Pick<Creator, 'by' | 'processes'> & { readonly instances: readonly string[] },
): Promise<void> {
  const lacks = value === undefined ? [] : lackedBy(value, entity);
  const about = { value: value ?? null, instances, isLeft: processes.length > 0 };
  const over = instances.length === 0 ? undefined : whyOver(entity, about, ports.now().getTime());
  const flaws = [
    ...(lacks.length === 0 ? [] : [`its value has no ${lacks.join(', ')}`]),
    ...(over === undefined ? [] : [`${over}, so it is not valid`]),
  ];
  for (const flaw of flaws) await observe({ type: 'notice', message: `${entity.name}, created by ${by}: ${flaw}` });
}

function lackedBy(value: JsonValue, { properties }: Entity): string[] {
  const items = Array.isArray(value) ? value : [value];
  return properties.filter((one) => !items.every((item) => isJsonObject(item) && Object.hasOwn(item, one)));
}

/** What was just created. */
interface JustCreated {
  readonly value: JsonValue;
  readonly instances: readonly string[];
  /** Whether a process was left. */
  readonly isLeft: boolean;
}

/** Why the life of what was just created is over, of the instance that lives longest; `undefined`: it is not. */
function whyOver(entity: Entity, { value, instances, isLeft }: JustCreated, now: number): string | undefined {
  const { lifetime, margin } = entity;
  if (lifetime === 'machine') return isLeft ? undefined : 'no process was left that runs';
  if (typeof lifetime !== 'string') return undefined;
  const until = instances.map(endsIn(entity, value, lifetime)).reduce((a, b) => Math.max(a, b));
  const end = endOf({ until });
  if (end === undefined) return `no time can be read at ${lifetime} of its value`;
  if (until <= now) return `its life ended at ${end}`;
  return until - margin <= now ? `its life ends at ${end}, which is within its margin` : undefined;
}

/** A notice that a list of nothing was created. */
export async function nameNone({ observe }: Pick<Call, 'observe'>, { name }: Entity, by: string): Promise<void> {
  const message = `${name}, created by ${by}: its value is an empty list, so there is no instance`;
  await observe({ type: 'notice', message });
}

/** A notice of named instances that do not exist: whoever names one may have mistyped it. */
export async function nameUnknown(
  { observe }: Pick<Call, 'observe'>,
  { states }: Pick<Asking, 'states'>,
  named: readonly NamedEntity[],
): Promise<void> {
  const isKnown = ({ entity, instance }: NamedEntity): boolean =>
    // One instance without a name stands for all.
    ['', instance].some((name) => states.has(entityKey({ entity, instance: name })));
  for (const one of named)
    if (one.instance !== '' && !isKnown(one))
      await observe({ type: 'notice', message: `there is no ${entityKey(one)}` });
}

/** What a claim says of the entities that it uses. @param place the call that the claim is part of */
export function recordedUses(
  call: Call,
  resolved: ResolvedUse,
  place: Pick<StartedRecord, 'runNumber' | 'runAttempt'> = call.journal.call,
): RecordedUses {
  return {
    ...(call.holder === 'process' && { order: placesIn(call.journal.listing(), place).next }),
    requires: resolved.requires.map(({ entity, instance, value }) => ({ entity, instance, ...(value && { value }) })),
    invalidates: [...resolved.invalidates],
    creates: [...resolved.creates],
  };
}
