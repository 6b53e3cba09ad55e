import { z } from 'zod';
import { GatelineError } from '../errors.ts';
import { pointerOf } from '../json/pointer.ts';
import type { CommandDefinition, EntityDefinition } from '../pipeline/pipeline.ts';

/** What a skill (seed 001) says about state, in Gateline's words. */
export interface Skill {
  readonly name: string;
  readonly entities: Readonly<Record<string, EntityDefinition>>;
  readonly commands: Readonly<Record<string, CommandDefinition>>;
}

/** `/` separates an entity from its instance. */
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

/**
 * Reads a skill. What `created_by` and `invalidated_by` say is united with what its commands say; names there that are
 * no command are events. What commands name is an entity, also if the skill lists it nowhere.
 * @throws GatelineError `usage` with every problem
 */
export function readSkill(document: unknown): Skill {
  const parsed = skillSchema.safeParse(document);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${pointerOf(path) || '/'}: ${message}`);
    throw new GatelineError('usage', `this is no skill:\n${problems.slice(0, 20).join('\n')}`);
  }
  const { data } = parsed;
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
  // The first one counts: that of the list.
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

/** Optional parts in brackets would be words of the command; in quotes, brackets are text. */
function requiredPart(syntax: string): string {
  return syntax.replace(/("[^"]*"|'[^']*')|\s*\[[^\]]*\]/g, (_, quoted?: string) => quoted ?? '').trim();
}
