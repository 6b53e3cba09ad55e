import type { JsonObject } from '../../json/json.ts';
import { pointerTo, textsAt, type Located } from '../file/parts.ts';
import { quoted, type Problem } from '../problem.ts';
import type { DefinitionSource } from '../source.ts';

/** The keys of a gate or command that name entities. */
export type UseKey = 'requires' | 'creates' | 'invalidates';
export const USES: readonly UseKey[] = ['requires', 'creates', 'invalidates'];

/** A gate or command, with the entities that it uses. */
export interface EntityUser {
  readonly id: string;
  readonly part: Located<JsonObject>;
  readonly uses: Readonly<Record<UseKey, readonly Located<string>[]>>;
}

/** What is in the way of running two gates in any order. */
interface Clash {
  readonly place: Located<string>;
  readonly message: string;
}

/**
 * Two gates that use one entity, unless both only require it, have an order by their needs; also where one makes an
 * entity invalid together with the one that the other uses.
 * @param dependsOn what each entity depends on
 */
export function checkOrder(
  gates: readonly EntityUser[],
  commands: readonly EntityUser[],
  dependsOn: ReadonlyMap<string, readonly string[]>,
  source: DefinitionSource,
): Problem[] {
  const users = gates.filter(({ uses }) => USES.some((key) => uses[key].length > 0));
  const needs = new Map(gates.map(({ id, part }) => [id, textsAt(part, 'needs').map(({ value }) => value)]));
  const upstream = new Map(users.map(({ id }) => [id, allBefore(id, needs)]));
  const dependents = dependentsOf(dependsOn, [...gates, ...commands]);
  const ends = (name: string): ReadonlySet<string> => allBefore(name, dependents);
  return users.flatMap((gate, index) =>
    users.slice(0, index).flatMap((other) => {
      if (upstream.get(gate.id)!.has(other.id) || upstream.get(other.id)!.has(gate.id)) return [];
      const clash = sharedWith(gate, other) ?? endedBy(gate, other, ends) ?? endsFor(gate, other, ends);
      if (clash === undefined) return [];
      const { place, message } = clash;
      const details = { label: String(place.path[2]), message: `${message}, and neither gate needs the other` };
      const hint = 'let one of the two gates need the other';
      return [source.at(pointerTo(place), { code: 'ENTITY_UNORDERED', ...details, hint })];
    }),
  );
}

/** Entities by what makes them invalid: what they depend on, and what was required where they are created. */
function dependentsOf(
  dependsOn: ReadonlyMap<string, readonly string[]>,
  users: readonly EntityUser[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const add = (on: string, entity: string): unknown => found.set(on, [...(found.get(on) ?? []), entity]);
  for (const [entity, names] of dependsOn) for (const on of names) add(on, entity);
  for (const { uses } of users) {
    const spent = new Set(uses.invalidates.map(({ value }) => value));
    const kept = uses.requires.filter(({ value }) => !spent.has(value));
    for (const { value: entity } of uses.creates) for (const { value: on } of kept) if (on !== entity) add(on, entity);
  }
  return found;
}

/** Both use an entity, and one of them changes it. */
function sharedWith(gate: EntityUser, other: EntityUser): Clash | undefined {
  const isChanged = ({ value }: Located<string>): boolean => changesOf(other).some((one) => one.value === value);
  const changed = changesOf(gate).find(({ value }) => usesOf(other).some((one) => one.value === value));
  const place = changed ?? gate.uses.requires.find(isChanged);
  return place && { place, message: `${quoted(other.id)} uses ${quoted(place.value)}, too` };
}

/** The gate uses what the other one makes invalid with something else. */
function endedBy(gate: EntityUser, other: EntityUser, ends: (name: string) => ReadonlySet<string>): Clash | undefined {
  for (const { value } of other.uses.invalidates) {
    const place = usesOf(gate).find((one) => ends(value).has(one.value));
    if (place === undefined) continue;
    const message = `${quoted(other.id)} invalidates ${quoted(value)}, and ${quoted(place.value)} with it`;
    return { place, message };
  }
  return undefined;
}

/** The other one uses what the gate makes invalid with something else. */
function endsFor(gate: EntityUser, other: EntityUser, ends: (name: string) => ReadonlySet<string>): Clash | undefined {
  for (const place of gate.uses.invalidates) {
    const used = usesOf(other).find(({ value }) => ends(place.value).has(value));
    if (used !== undefined)
      return { place, message: `${quoted(other.id)} uses ${quoted(used.value)}, which becomes invalid with it` };
  }
  return undefined;
}

function changesOf({ uses }: EntityUser): readonly Located<string>[] {
  return [...uses.creates, ...uses.invalidates];
}

function usesOf({ uses }: EntityUser): readonly Located<string>[] {
  return USES.flatMap((key) => uses[key]);
}

function allBefore(id: string, needs: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set(needs.get(id));
  // A set also visits what is added to it meanwhile.
  for (const one of found) for (const need of needs.get(one) ?? []) found.add(need);
  return found;
}
