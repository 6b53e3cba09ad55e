import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportSkill } from '../../../src/formats/uasp/export-skill.ts';
import { importSkills, type ImportedSkills } from '../../../src/formats/uasp/import-skills.ts';
import { parseSkill } from '../../../src/formats/uasp/skill.ts';
import { definePipeline } from '../../../src/local/define-pipeline.ts';
import type { Resources } from '../../../src/pipeline/entities/entities.ts';
import { yamlText } from '../../../src/pipeline/yaml/yaml-text.ts';
import { drawn } from '../../support/samples.ts';
import { texts } from '../arbitrary-values.ts';

const GATES = { gates: { none: {} } };
const ENTITIES = ['session', 'refs', 'page_state'];
const COMMANDS = ['open', 'click', 'close', 'wait'];

const word = texts.filter((text) => text.isWellFormed() && !text.includes('\0'));
const RESERVED = ['__proto__', '<<'];
const name = word
  .map((text) => text.slice(0, 200))
  .filter((text) => text.trim() !== '' && text.isWellFormed() && !RESERVED.includes(text));
const some = (names: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...names]);
const optional = <T>(key: string, value: fc.Arbitrary<T>): fc.Arbitrary<Readonly<Record<string, T>>> =>
  fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : { [key]: one }));

const resourcesOf = ({ entities, commands }: Pick<ImportedSkills, 'entities' | 'commands'>): Resources =>
  definePipeline({ entities, commands, ...GATES }).resources ?? { entities: [], commands: [] };

/** A skill as a file has it, read again. */
const reread = (skill: unknown): ReturnType<typeof importSkills> =>
  importSkills([parseSkill(yamlText(skill), 's.uasp.yaml')]);

/** Entities and commands as a definition has them, built. */
const resources: fc.Arbitrary<Resources> = fc
  .record({
    names: some(ENTITIES),
    entities: fc.array(
      fc.record({ format: fc.option(name, { nil: undefined }), properties: fc.uniqueArray(name, { maxLength: 3 }) }),
      { minLength: 3, maxLength: 3 },
    ),
    ids: some(COMMANDS),
    commands: fc.array(
      fc.record({
        words: fc.tuple(
          word.filter((program) => program.trim() !== ''),
          fc.array(
            fc.oneof(
              word.map((text) => ({ text })),
              fc.constantFrom({ argument: 'ref' }, { argument: 'a-b_1' }),
            ),
            { maxLength: 3 },
          ),
        ),
        requires: some(ENTITIES),
        creates: some(ENTITIES),
        invalidates: some(ENTITIES),
        returns: fc.option(name, { nil: undefined }),
      }),
      { minLength: 4, maxLength: 4 },
    ),
  })
  .map(({ names, entities, ids, commands }): Resources => {
    const known = (all: readonly string[]): string[] => all.filter((one) => names.includes(one));
    return {
      entities: names.map((own, at) => ({
        name: own,
        dependsOn: [],
        lifetime: undefined,
        margin: 0,
        ...entities[at]!,
      })),
      commands: ids.map((id, at) => {
        const {
          words: [program, rest],
          requires,
          creates,
          invalidates,
          returns,
        } = commands[at]!;
        const lists = { requires: known(requires), creates: known(creates), invalidates: known(invalidates) };
        const defaults = { onInvalid: 'fail' as const, leaves: false, setup: true, timeoutMinutes: 60 };
        return { id, words: [{ text: program }, ...rest], ...lists, returns, ...defaults };
      }),
    };
  });

/** Skills as people write them: what entities say of commands and what these say themselves need not agree. */
const skills = fc
  .record({
    entities: fc.dictionary(
      fc.oneof(fc.constantFrom(...ENTITIES), name),
      fc.tuple(some([...COMMANDS, 'timeout']), some([...COMMANDS, 'timeout']), optional('format', name)),
      { maxKeys: 4 },
    ),
    commands: fc.dictionary(
      fc.oneof(fc.constantFrom(...COMMANDS), name),
      fc.tuple(
        optional('syntax', fc.constantFrom('s', 's open <url>', 's "a b" [--x]', 's | y', "it's")),
        optional('requires', some(ENTITIES)),
        optional('creates', some(ENTITIES)),
        optional('invalidates', some(ENTITIES)),
      ),
      { maxKeys: 4 },
    ),
  })
  .map(({ entities, commands }) => ({
    meta: { name: 's' },
    state: {
      entities: Object.entries(entities).map(([own, [created_by, invalidated_by, format]]) => {
        return { name: own, ...format, created_by, invalidated_by };
      }),
    },
    commands: Object.fromEntries(
      Object.entries(commands).map(([id, parts]) => [id, Object.assign({}, ...parts) as object]),
    ),
  }));

describe('entities and commands', () => {
  it('are the same after they were written as a skill and read again', () => {
    fc.assert(
      fc.property(resources, (made) => {
        const { warnings, ...read } = reread(exportSkill('s', made));
        expect(warnings).toEqual([]);
        expect(resourcesOf(read)).toEqual(made);
      }),
      drawn(250),
    );
  });
});

describe('a skill', () => {
  it('is a sound definition, and the same when that is written as a skill and read again', () => {
    fc.assert(
      fc.property(skills, (skill) => {
        const { warnings: _, ...first } = reread(skill);
        const made = resourcesOf(first);
        const { warnings, ...second } = reread(exportSkill('s', made));
        expect(warnings).toEqual([]);
        expect(resourcesOf(second)).toEqual(made);
      }),
      drawn(250),
    );
  });
});
