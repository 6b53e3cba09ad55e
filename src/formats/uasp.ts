import { Document, isScalar, visit } from 'yaml';
import { z } from 'zod';
import { GatelineError } from '../errors.ts';
import { pointerOf } from '../json/pointer.ts';
import type { CommandDefinition, EntityDefinition } from '../pipeline/pipeline.ts';

/** The entities and commands of a UASP skill, in Gateline's words. */
export interface Skill {
  readonly name: string;
  readonly entities: Readonly<Record<string, EntityDefinition>>;
  readonly commands: Readonly<Record<string, CommandDefinition>>;
}

/** Whether an entity is valid, and has a value. */
export interface EntityStatus {
  readonly valid: boolean;
  readonly has_value: boolean;
}

/** Without `/`, which separates an entity from its instance. */
const name = z.string().regex(/^[^/\0]{1,200}$/, 'expected a name of 1 to 200 characters without `/`');
const names = z
  .union([name, z.array(name)], 'expected a name or a list of names')
  .nullish()
  .transform((list) => (typeof list === 'string' ? [list] : (list ?? [])));

const skillSchema = z.looseObject({
  name: name.optional(),
  meta: z.looseObject({ name: name.optional() }).nullish(),
  state: z
    .looseObject({
      entities: z
        .array(
          z.looseObject({
            name,
            format: z.string().max(200).nullish(),
            created_by: names,
            invalidated_by: names,
            properties: z.array(z.string()).nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
  commands: z
    .record(
      name,
      z
        .looseObject({
          syntax: z.string().max(4_096).nullish(),
          requires: names,
          creates: names,
          invalidates: names,
          returns: z.string().max(200).nullish(),
        })
        .nullable(),
    )
    .nullish(),
});

const manifestSchema = z.looseObject({
  loaded_skills: z.array(
    z.looseObject({
      name,
      state: z.record(name, z.looseObject({ valid: z.boolean(), has_value: z.boolean() })).nullish(),
    }),
  ),
});

/**
 * Reads a skill. `created_by` and `invalidated_by` of entities are merged into its commands; names there that are no
 * command are events. Names in commands are entities, even if the skill does not list them.
 * @throws GatelineError `usage` with every problem
 */
export function readSkill(document: unknown): Skill {
  const data = parse(skillSchema, document, 'skill');
  const listed = data.state?.entities ?? [];
  const id = data.meta?.name ?? data.name ?? 'skill';
  const commands = Object.entries(data.commands ?? {}).map(([command, entry]): [string, CommandDefinition] => {
    const { syntax, requires = [], creates = [], invalidates = [], returns } = entry ?? {};
    const by = (list: 'created_by' | 'invalidated_by', own: readonly string[]) => [
      ...new Set([...own, ...listed.flatMap((entity) => (entity[list].includes(command) ? [entity.name] : []))]),
    ];
    return [
      command,
      {
        syntax: requiredPart(syntax ?? `${id} ${command}`),
        requires,
        creates: by('created_by', creates),
        invalidates: by('invalidated_by', invalidates),
        onInvalid: 'fail',
        returns: returns ?? undefined,
        setup: true,
        timeoutMinutes: 60,
      },
    ];
  });
  const used = commands.flatMap(([, use]) => [...use.requires, ...use.creates, ...use.invalidates]);
  const entities = [...listed, ...used.map((entity) => ({ name: entity, format: undefined, properties: undefined }))];
  // Reversed, so that the first definition of a name wins: that of the list.
  const definitions = entities
    .toReversed()
    .map(({ name: entity, format, properties }): [string, EntityDefinition] => [
      entity,
      { format: format ?? undefined, properties: properties ?? [], dependsOn: [], expiresAt: undefined },
    ]);
  const order = [...new Set(entities.map((entity) => entity.name))];
  const byName = new Map(definitions);
  return {
    name: id,
    entities: Object.fromEntries(order.map((entity) => [entity, byName.get(entity)!])),
    commands: Object.fromEntries(commands),
  };
}

/** Parts of a skill that a definition has no key for; one sentence each. */
export function skillNotes(document: unknown): string[] {
  const { state, commands } = parse(skillSchema, document, 'skill');
  const ids = Object.keys(commands ?? {});
  const listed = state?.entities ?? [];
  return [
    ...listed.flatMap(({ name: entity, created_by: by }) =>
      except(by, ids).map(
        (event) => `${event} creates ${entity} and is no command: \`gateline entities set ${entity} valid\``,
      ),
    ),
    ...listed.flatMap(({ name: entity, invalidated_by: by }) =>
      except(by, ids).map(
        (event) => `${event} invalidates ${entity} and is no command: \`gateline entities set ${entity} invalid\``,
      ),
    ),
    ...listed.flatMap(({ name: entity, properties }) =>
      properties?.includes('expires_at') ? `${entity} has expires_at: \`expires-at: /expires_at\` lets it expire` : [],
    ),
    ...Object.entries(commands ?? {}).flatMap(([command, entry]) => {
      const { syntax } = entry ?? {};
      if (!syntax) return `${command} has no syntax: write its command line`;
      return requiredPart(syntax) === syntax.trim() ? [] : `optional parts of ${command} are left out: ${syntax}`;
    }),
  ];
}

function except(list: readonly string[], others: readonly string[]): string[] {
  return list.filter((item) => !others.includes(item));
}

/** The states of a skill's entities in a manifest; undefined: this is no manifest, or it does not name the skill. */
export function readManifest(document: unknown, skill: string): Readonly<Record<string, EntityStatus>> | undefined {
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, 'loaded_skills')) return undefined;
  const { loaded_skills: skills } = parse(manifestSchema, document, 'manifest');
  const loaded = skills.find((other) => other.name === skill) ?? (skills.length === 1 ? skills[0] : undefined);
  return loaded?.state ?? undefined;
}

/** The keys `entities` and `commands` of a definition. */
export function definitionKeys({ entities, commands }: Skill): string {
  return yamlText({
    entities: mapValues(entities, ({ format, properties, dependsOn, expiresAt }) =>
      filled({ format, properties, 'depends-on': dependsOn, 'expires-at': expiresAt }),
    ),
    commands: mapValues(commands, ({ syntax, requires, creates, invalidates, returns }) => ({
      syntax,
      ...filled({ requires, creates, invalidates, returns }),
    })),
  });
}

/** Writes a definition as a skill. Skills have no dependents, so each command lists all entities that it makes invalid. */
export function writeSkill({ name: id, entities, commands }: Skill): string {
  const withDependents = (names: readonly string[]): string[] => {
    const all = new Set(names);
    // The loop also visits names that it adds.
    for (const invalid of all)
      for (const [entity, { dependsOn }] of Object.entries(entities)) if (dependsOn.includes(invalid)) all.add(entity);
    return [...all];
  };
  const uses = mapValues(commands, (use) => ({ ...use, invalidates: withDependents(use.invalidates) }));
  const by = (key: 'creates' | 'invalidates', entity: string) =>
    Object.keys(uses).filter((command) => uses[command]![key].includes(entity));
  return yamlText({
    name: id,
    state: {
      entities: Object.entries(entities).map(([entity, { format, properties }]) => {
        const lists = { created_by: by('creates', entity), invalidated_by: by('invalidates', entity), properties };
        return { name: entity, ...filled({ format, ...lists }) };
      }),
    },
    commands: mapValues(uses, ({ syntax, requires, creates, invalidates, returns }) => ({
      syntax,
      ...filled({ requires, creates, invalidates, returns }),
    })),
  });
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

/** The fields that are not empty. */
function filled(fields: Readonly<Record<string, string | readonly string[] | undefined>>) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value.length > 0));
}

/** YAML in block style, with lists of names in one line. */
function yamlText(value: object): string {
  const document = new Document(value);
  visit(document, {
    Seq: (_, list) => {
      if (list.items.every(isScalar)) list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** @throws GatelineError `usage` with every problem */
function parse<T>(schema: z.ZodType<T>, document: unknown, what: string): T {
  const parsed = schema.safeParse(document);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${pointerOf(path) || '/'}: ${message}`);
  throw new GatelineError('usage', `this is no ${what}:\n${problems.slice(0, 20).join('\n')}`);
}

/** A syntax without its optional parts in brackets. In quotes, brackets are text. */
function requiredPart(syntax: string): string {
  return syntax.replace(/("[^"]*"|'[^']*')|\s*\[[^\]]*\]/g, (_, quoted?: string) => quoted ?? '').trim();
}
