import type { JsonObject } from '../../json/json.ts';
import type { CommandWord, Resources } from '../../pipeline/entities/entities.ts';

/**
 * Entities and commands as a skill of UASP. What UASP has no word for is left out: `depends-on`, `lifetime`, `margin`,
 * `on-invalid` and `setup`.
 */
export function exportSkill(name: string, { entities, commands }: Resources): JsonObject {
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

/** A word as `syntax` has it: in quotes where it would be read as something else. */
function wordText(word: CommandWord): string {
  if ('argument' in word) return `<${word.argument}>`;
  if (/^[^\s"'<>|&;]+$/.test(word.text)) return word.text;
  const parts = word.text.split("'").map((part) => (part === '' ? '' : `'${part}'`));
  return word.text === '' ? "''" : parts.join(`"'"`);
}
