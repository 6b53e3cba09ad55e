import { z } from 'zod';
import {
  choiceOf,
  id,
  listOf,
  mapOf,
  matching,
  millisecondsOf,
  number,
  oneOrMore,
  pointer,
  SHORT_DURATION_PATTERN,
  shortDuration,
  text,
  yesOrNo,
} from './gateline-values.ts';
import { wordsOf } from '../entities/command-syntax.ts';
import { isFormat } from '../entities/entities.ts';

/** Maximum number of entities, and of commands, in a file. */
const MAX_ENTITIES = 1_000;

const names = oneOrMore(id, 0, 100, 'the name of an entity or a list of names');

/** Keys of gates and commands about the entities that they use. */
export const ENTITY_KEYS = {
  requires: names.default([]).describe('Entities that must be valid before it starts.'),
  creates: names.default([]).describe('Entities that are valid after it passed. Its output is their value.'),
  invalidates: names.default([]).describe('Entities that are invalid from its start on, whether or not it passes.'),
  'on-invalid': choiceOf('fail', 'recover')
    .default('fail')
    .describe(
      'What happens if a required entity is not valid: `recover` first runs the commands that create it, `fail` does not start.',
    ),
  leaves: z
    .literal('processes', { error: 'expected `processes`' })
    .optional()
    .describe(
      'Processes that it started stay when it has passed: a browser, a server. It must create an entity with `lifetime: machine`. Default: they are ended.',
    ),
};

const FORMAT = 'a format such as `resource_{id}`';
const LIFETIME = 'a time such as `30m` or `90s`, a JSON pointer such as `/expires_at`, or `machine`';

const entity = z
  .strictObject(
    {
      format: text(200, FORMAT)
        .refine(isFormat, {
          error: `expected ${FORMAT}: each \`{\` has its \`}\``,
        })
        .optional()
        .describe(
          'How an instance is displayed: `resource_{id}`. Placeholders are properties of the value, or arguments. Default: there is one instance.',
        ),
      properties: listOf(text(200, 'the name of a property'), 0, 100, 'a list of names')
        .default([])
        .describe('Properties that its value should have. A missing one is reported as a warning.'),
      'depends-on': names
        .default([])
        .describe('When one of these entities becomes invalid or ends, it is invalid, too.'),
      lifetime: z
        // The first one speaks for all of them.
        .union([matching(SHORT_DURATION_PATTERN, LIFETIME), pointer, z.literal('machine')], {
          error: `expected ${LIFETIME}`,
        })
        .optional()
        .describe(
          'How long it is valid: a time such as `30m` or `90s`, or a JSON pointer to the time in its value (ISO 8601, or seconds or milliseconds since 1970), or `machine`: as long as a process that its gate or command left. Default: no limit.',
        ),
      margin: shortDuration
        .optional()
        .describe('How long before the end of its `lifetime` it is no longer used: `5m`, `30s`. Default: not at all.'),
    },
    { error: 'expected a map with keys such as `format` and `lifetime`' },
  )
  .refine(({ lifetime, margin }) => margin === undefined || (lifetime !== undefined && lifetime !== 'machine'), {
    path: ['margin'],
    error: 'expected none without a `lifetime` that is a time or a JSON pointer: nothing says when its life ends',
  })
  .refine(
    ({ lifetime, margin }) =>
      margin === undefined || !isTime(lifetime) || millisecondsOf(margin) < millisecondsOf(lifetime),
    { path: ['margin'], error: 'expected less than its `lifetime`: otherwise it is never valid' },
  )
  .nullable();

/** Whether a lifetime is a time such as `30m`: not a pointer, and not `machine`. */
export function isTime(lifetime: string | undefined): lifetime is string {
  return lifetime !== undefined && lifetime !== 'machine' && !lifetime.startsWith('/') && lifetime !== '';
}

/** The entities of the file, by name. */
export const entities = mapOf(id, entity, 'a map of entities, keyed by name')
  .refine((map) => Object.keys(map).length <= MAX_ENTITIES, { error: `expected at most ${MAX_ENTITIES} entities` })
  .default({})
  .describe('Named resources with a life, such as a session, that gates and commands require, create and invalidate.');

const SYNTAX = 'a command line such as `agent-browser click <ref>`';

const command = z.strictObject(
  {
    syntax: text(4_096, SYNTAX)
      .refine((syntax) => 'words' in wordsOf(syntax), {
        error: ({ input }) => {
          const read = wordsOf(String(input));
          return 'words' in read ? `expected ${SYNTAX}` : `expected ${SYNTAX}: ${read.problem}`;
        },
      })
      .describe(
        'The program and its arguments, without a shell. `<name>` is one word, which `--arg name=VALUE` gives.',
      ),
    ...ENTITY_KEYS,
    returns: text(200, 'a name')
      .optional()
      .describe('Name of what the command prints: JSON, or a text. It is the value of what it creates.'),
    setup: yesOrNo
      .default(true)
      .describe('Whether it may be run to make what it creates valid again. Never with arguments.'),
    'timeout-minutes': number(0.001, 4_320, 'a number of minutes above 0 and up to 4320')
      .default(60)
      .describe('Minutes after which it is stopped. Fractions are allowed.'),
  },
  { error: 'expected a map with the key `syntax`' },
);

/** The commands of the file, by id. */
export const commands = mapOf(id, command, 'a map of commands, keyed by id')
  .refine((map) => Object.keys(map).length <= MAX_ENTITIES, { error: `expected at most ${MAX_ENTITIES} commands` })
  .default({})
  .describe('Commands that `gateline do` runs in your folder, any number of times.');
