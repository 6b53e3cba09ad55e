import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { JsonValue } from '../../json/json.ts';
import { formatProblem } from '../../pipeline/problem.ts';
import { readSource } from '../../pipeline/yaml/read-source.ts';
import { firstProblems, issueLines } from '../read-state-file.ts';

const name = z.string().min(1).max(200);
const names = z
  .union([name, z.array(name).max(100)], 'expected a name, or a list of names')
  .default([])
  .transform((list) => (typeof list === 'string' ? [list] : list));

const entitySchema = z.looseObject({
  name,
  format: z.string().max(200).optional(),
  created_by: names,
  invalidated_by: names,
  properties: names,
});

const commandShape = z.looseObject({
  syntax: z.string().max(4_096).optional(),
  requires: names,
  creates: names,
  invalidates: names,
  returns: z.string().max(200).optional(),
});
const commandSchema = commandShape.nullable();

const skillSchema = z.looseObject({
  name: name.optional(),
  meta: z.looseObject({ name: name.optional() }).optional(),
  state: z.looseObject({ entities: z.array(entitySchema).max(1_000).default([]) }).optional(),
  commands: z.record(name, commandSchema).default({}),
});

/** An entity of a skill, as UASP writes it. */
export type UaspEntity = z.infer<typeof entitySchema>;
/** A command of a skill. */
export type UaspCommand = NonNullable<z.infer<typeof commandSchema>>;

/** A skill of UASP, as far as it is about state. */
export interface UaspSkill {
  readonly name: string;
  readonly entities: readonly UaspEntity[];
  readonly commands: ReadonlyMap<string, UaspCommand>;
  /** Parts that are not about state, as paths of keys: `meta.version`. */
  readonly others: readonly string[];
}

/**
 * Reads the text of a skill, which is YAML.
 * @throws GatelineError `SKILL_INVALID`
 */
export function parseSkill(text: string, file: string): UaspSkill {
  const source = readSource(text, file);
  const first = source.problems.find(({ severity }) => severity === 'error');
  if (first !== undefined) throw new GatelineError('SKILL_INVALID', formatProblem(first));
  return readSkill(source.value, file);
}

/**
 * Reads a skill. Parts that are not about state are only named.
 * @param file its name, such as `agent-browser.uasp.yaml`: the name of a skill that does not say its own
 * @throws GatelineError `SKILL_INVALID`
 */
function readSkill(value: JsonValue | undefined, file: string): UaspSkill {
  const parsed = skillSchema.safeParse(value, { reportInput: true });
  if (!parsed.success) {
    const problems = firstProblems(issueLines(parsed.error));
    throw new GatelineError('SKILL_INVALID', `${file} is no skill of UASP: ${problems}`.slice(0, 4_096));
  }
  const { meta, state, commands } = parsed.data;
  const none: UaspCommand = { requires: [], creates: [], invalidates: [] };
  return {
    name: meta?.name ?? parsed.data.name ?? file.replace(/^.*[/\\]/, '').replace(/(?:\.uasp)?\.ya?ml$/, ''),
    entities: state?.entities ?? [],
    commands: new Map(Object.entries(commands).map(([id, command]) => [id, command ?? none])),
    others: othersIn(parsed.data),
  };
}

/** Keys that are neither read nor the way to what is read. */
function othersIn({ meta = {}, state, commands, ...skill }: z.infer<typeof skillSchema>): string[] {
  const { entities = [], ...aboutState } = state ?? {};
  const parts: (readonly [path: string, part: object, known: readonly string[]])[] = [
    ['', skill, ['name']],
    ['meta.', meta, ['name']],
    ['state.', aboutState, []],
    ...entities.map((one) => [`${one.name}.`, one, Object.keys(entitySchema.shape)] as const),
    ...Object.entries(commands).map(([id, one]) => [`${id}.`, one ?? {}, Object.keys(commandShape.shape)] as const),
  ];
  return parts.flatMap(([path, part, known]) =>
    Object.keys(part).flatMap((key) => (known.includes(key) ? [] : [path + key])),
  );
}
