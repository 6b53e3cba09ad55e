import type { JsonObject } from '../../json/json.ts';
import { wordText } from '../../pipeline/entities/command-syntax.ts';
import type { Resources } from '../../pipeline/entities/entities.ts';

/**
 * Entities and commands as a skill of UASP. What depends on an entity is invalidated with it by name. What UASP has no
 * word for is left out: {@link leftOutOfSkill}.
 */
export function exportSkill(name: string, { entities, commands: written }: Resources): JsonObject {
  const commands = written.map((one) => ({ ...one, invalidates: withDependents(one.invalidates, entities) }));
  const by = (key: 'creates' | 'invalidates', entity: string): string[] =>
    commands.filter((command) => command[key].includes(entity)).map(({ id }) => id);
  return {
    meta: { name },
    state: {
      entities: entities.map(({ name: entity, format, properties }) => ({
        name: entity,
        ...(format !== undefined && { format }),
        created_by: by('creates', entity),
        invalidated_by: by('invalidates', entity),
        ...(properties.length > 0 && { properties: [...properties] }),
      })),
    },
    commands: Object.fromEntries(
      commands.map(({ id, words, requires, creates, invalidates, returns }) => [
        id,
        {
          syntax: words.map(wordText).join(' '),
          ...(requires.length > 0 && { requires: [...requires] }),
          ...(creates.length > 0 && { creates: [...creates] }),
          ...(invalidates.length > 0 && { invalidates: [...invalidates] }),
          ...(returns !== undefined && { returns }),
        },
      ]),
    ),
  };
}

/** Entities, and all that depend on them. */
function withDependents(names: readonly string[], entities: Resources['entities']): string[] {
  const all = new Set(names);
  // A set also visits what is added to it meanwhile.
  for (const name of all) for (const one of entities) if (one.dependsOn.includes(name)) all.add(one.name);
  return [...all];
}

/** What {@link exportSkill} leaves out, a clause for each key: `lifetime of session`. */
export function leftOutOfSkill({ entities, commands }: Resources): string[] {
  const kept = [
    ...entities.flatMap(({ name, lifetime, margin }) => [
      { key: 'lifetime', of: name, isSet: lifetime !== undefined },
      { key: 'margin', of: name, isSet: margin > 0 },
    ]),
    ...commands.flatMap(({ id, onInvalid, setup, leaves }) => [
      { key: 'on-invalid', of: id, isSet: onInvalid === 'recover' },
      { key: 'setup', of: id, isSet: !setup },
      { key: 'leaves', of: id, isSet: leaves },
    ]),
  ];
  return kept.flatMap(({ key, of, isSet }) => (isSet ? [`${key} of ${of}`] : []));
}
