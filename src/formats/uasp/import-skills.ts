import { firstNames } from '../../errors/first-names.ts';
import type { JsonObject } from '../../json/json.ts';
import { isFormat } from '../../pipeline/entities/entities.ts';
import { wordText, wordsOf } from '../../pipeline/entities/command-syntax.ts';
import { ID_PATTERN } from '../../pipeline/pipeline.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import type { UaspCommand, UaspEntity, UaspSkill } from './skill.ts';

/** Skills as parts of a gateline.yml. */
export interface ImportedSkills {
  readonly entities: Readonly<Record<string, JsonObject>>;
  readonly commands: Readonly<Record<string, ImportedCommand>>;
  /** What a person should look at, one sentence each. */
  readonly warnings: readonly string[];
}

/** A command of gateline.yml. */
type ImportedCommand = JsonObject & { readonly syntax: string };

/** Further parts that are left out are only counted. */
const NAMED = 8;

type Lists = Record<'requires' | 'creates' | 'invalidates', Set<string>>;

/**
 * Entities and commands of skills, for gateline.yml. What `created_by` and `invalidated_by` say is united with what the
 * commands say; a difference is a warning. Names there that are no command are events. What commands require or create
 * is an entity, also if the skill lists it nowhere: without it, they would run unguarded. A name that two skills have
 * gets the name of its skill before it.
 */
export function importSkills(skills: readonly UaspSkill[]): ImportedSkills {
  const entities: Record<string, JsonObject> = {};
  const commands: Record<string, ImportedCommand> = {};
  const warnings: string[] = [];
  const whole = skills.map((written) => withUnlisted(written, warnings));
  const isTwice = collisions(whole);
  const taken = new Set<string>();
  for (const skill of whole) {
    const { name, others } = skill;
    if (others.length > 0) warnings.push(`${name}: not about state, and left out: ${firstNames(others, NAMED)}`);
    const renamed = new Map<string, string>();
    const nameOf = (name: string): string => {
      const known = renamed.get(name);
      if (known !== undefined) return known;
      const own = untaken(idFor(isTwice(name) ? `${skill.name}-${name}` : name), taken);
      taken.add(own);
      if (own !== name) warnings.push(`${skill.name}: ${name} is called ${own}`);
      renamed.set(name, own);
      return own;
    };
    const effects = unite(skill, nameOf, warnings);
    for (const entity of skill.entities) entities[nameOf(entity.name)] = entityOf(skill, entity, warnings);
    for (const [id, command] of skill.commands) {
      const syntax = syntaxOf(skill, id, command, warnings);
      if (syntax === undefined) continue;
      const lists = Object.entries(effects.get(id)!).flatMap(([key, names]) =>
        names.size === 0 ? [] : [[key, [...names].map(nameOf)] as const],
      );
      const returns = command.returns === undefined ? {} : { returns: command.returns };
      commands[nameOf(id)] = { syntax, ...Object.fromEntries(lists), ...returns };
    }
  }
  return { entities, commands, warnings };
}

/** Whether two skills have a name. */
function collisions(skills: readonly UaspSkill[]): (name: string) => boolean {
  const owners = new Map<string, number>();
  for (const { entities, commands } of skills)
    for (const name of new Set([...entities.map((one) => one.name), ...commands.keys()]))
      owners.set(name, (owners.get(name) ?? 0) + 1);
  return (name) => (owners.get(name) ?? 0) > 1;
}

/** A skill with the entities that its commands require or create, and that it does not list. */
function withUnlisted(skill: UaspSkill, warnings: string[]): UaspSkill {
  const known = new Set(skill.entities.map(({ name }) => name));
  const used = new Set([...skill.commands.values()].flatMap(({ requires, creates }) => [...requires, ...creates]));
  const unlisted = [...used].filter((name) => !known.has(name));
  for (const name of unlisted) warnings.push(`${skill.name}: ${name} is not under state.entities: added`);
  const lists = { format: undefined, created_by: [], invalidated_by: [], properties: [] };
  return { ...skill, entities: [...skill.entities, ...unlisted.map((name) => ({ name, ...lists }))] };
}

/** An id, with a number after it if another name has become that id. */
function untaken(id: string, taken: ReadonlySet<string>): string {
  let own = id;
  for (let n = 2; taken.has(own); n += 1) own = `${id.slice(0, 39 - String(n).length)}-${n}`;
  return own;
}

/** What each command requires, creates and invalidates. */
function unite(
  { name: skill, entities, commands }: UaspSkill,
  nameOf: (name: string) => string,
  warnings: string[],
): Map<string, Lists> {
  const known = new Set(entities.map(({ name }) => name));
  const effects = new Map<string, Lists>();
  for (const [id, command] of commands) {
    const only = (names: readonly string[]): Set<string> => {
      for (const name of names)
        if (!known.has(name)) warnings.push(`${skill}: ${id} names ${name}, which is no entity: left out`);
      return new Set(names.filter((name) => known.has(name)));
    };
    const { requires, creates, invalidates } = command;
    effects.set(id, { requires: only(requires), creates: only(creates), invalidates: only(invalidates) });
  }
  for (const { name, created_by, invalidated_by } of entities) {
    const sides = [
      { key: 'creates', said: 'created_by', by: created_by, verb: 'create' },
      { key: 'invalidates', said: 'invalidated_by', by: invalidated_by, verb: 'invalidate' },
    ] as const;
    for (const { key, said, by, verb } of sides) {
      for (const id of by) {
        const own = effects.get(id);
        if (own === undefined)
          warnings.push(
            `${skill}: ${id} is no command but an event: \`gateline entities ${verb} ${nameOf(name)} --reason ${shellWord(id)}\` records it`,
          );
        else if (!own[key].has(name)) {
          warnings.push(`${skill}: ${said} of ${name} has ${id}, whose \`${key}\` has not: united`);
          own[key].add(name);
        }
      }
      for (const [id, own] of effects)
        if (by.length > 0 && own[key].has(name) && !by.includes(id))
          warnings.push(`${skill}: \`${key}\` of ${id} has ${name}, whose ${said} has not: united`);
    }
  }
  return effects;
}

function entityOf(skill: UaspSkill, { name, format, properties }: UaspEntity, warnings: string[]): JsonObject {
  const isSound = format !== undefined && isFormat(format);
  if (format !== undefined && !isSound)
    warnings.push(`${skill.name}: the format of ${name} is left out: \`${format}\` does not close each \`{\``);
  return { ...(isSound && { format }), ...(properties.length > 0 && { properties }) };
}

/** Optional parts in brackets are left out: they would be words of the command. In quotes, brackets are text. */
function syntaxOf(
  { name: skill }: UaspSkill,
  id: string,
  { syntax: written }: UaspCommand,
  warnings: string[],
): string | undefined {
  if (written === undefined) {
    const syntax = [skill, id].map((text) => wordText({ text })).join(' ');
    warnings.push(`${skill}: ${id} has no syntax: \`${syntax}\` is a guess`);
    return syntax;
  }
  const syntax = written.replace(/("[^"]*"|'[^']*')|\s*\[[^\]]*\]/g, (_, quoted?: string) => quoted ?? '').trim();
  if (syntax !== written.trim()) warnings.push(`${skill}: the optional parts of ${id} are left out: \`${written}\``);
  const read = wordsOf(syntax);
  if ('words' in read) return syntax;
  warnings.push(`${skill}: ${id} is left out: ${read.problem}`);
  return undefined;
}

/** A name as an id of gateline.yml. Several names may have one id. */
export function idFor(name: string): string {
  // No map of JSON can have this key.
  if (name === '__proto__') return '_proto_';
  if (ID_PATTERN.test(name)) return name;
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '_')
    .replace(/^[^a-z_]+/, '_')
    .slice(0, 40);
  return plain === '' ? '_' : plain;
}
