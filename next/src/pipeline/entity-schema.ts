import { choiceOf, id, listOf, mapOf, minutes, oneOrMore, pointer, text, yesOrNo } from './values.ts';

const names = oneOrMore(id, 0, 100, 'the name of an entity or a list of names').default([]);

/** Keys of gates and commands about the entities that they use. */
export const entityUse = {
  requires: names.describe('Entities that must be valid before it starts.'),
  creates: names.describe('Entities that are valid after it passed. Its output is their value.'),
  invalidates: names.describe('Entities that are invalid from its start on, whether or not it passes.'),
  'on-invalid': choiceOf('fail', 'recover')
    .default('fail')
    .describe(
      'If a required entity is not valid: `recover` first runs the commands that create it, `fail` does not start.',
    ),
};

export const entitySchema = mapOf(
  {
    format: text(200, 'a format such as `resource_{id}`')
      .optional()
      .describe('How an instance is named: `resource_{id}`. Default: there is one instance.'),
    properties: listOf(text(200, 'the name of a property'), 0, 100, 'a list of names')
      .default([])
      .describe('Properties that its value should have.'),
    'depends-on': names.describe('It becomes invalid with one of these entities.'),
    'expires-at': pointer.optional().describe('JSON pointer to the time in its value at which it becomes invalid.'),
  },
  'a map with keys such as `format` and `depends-on`',
).nullable();

export const commandSchema = mapOf(
  {
    syntax: text(4_096, 'a command line such as `agent-browser click <ref>`').describe(
      'The program and its arguments, without a shell. `<name>` is an argument.',
    ),
    ...entityUse,
    returns: text(200, 'a name').optional().describe('Name of what it prints: the value of what it creates.'),
    setup: yesOrNo.default(true).describe('Whether it may run by itself to make what it creates valid again.'),
    'timeout-minutes': minutes.default(60).describe('Minutes after which it is stopped. Fractions are allowed.'),
  },
  'a map with the key `syntax`',
);
