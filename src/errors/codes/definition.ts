import type { CodeMeaning } from '../error-codes.ts';

/** The pipeline's definition. */
export const DEFINITION_CODES = {
  PIPELINE_MISSING: {
    from: ['user'],
    means: 'There is no definition.',
    remedy: '`gateline init` makes one; `--file` names another one.',
  },
  PIPELINE_UNREADABLE: {
    from: ['user', 'platform'],
    means: 'The definition cannot be read.',
    remedy: 'It must be a UTF-8 text file that you may read.',
  },
  PIPELINE_INVALID: {
    from: ['user'],
    means: 'The definition is wrong; the problems are listed, each with its code.',
    remedy: 'Mend them and run again; nothing was run.',
  },
  YAML_SYNTAX: {
    from: ['definition'],
    means: 'It is not YAML.',
    remedy: 'Look at the place; often it is indentation, or text that needs quotes.',
  },
  YAML_DOCUMENTS: {
    from: ['definition'],
    means: 'There is more than one YAML document in the file.',
    remedy: 'Write one definition a file.',
  },
  YAML_VERSION: {
    from: ['definition'],
    means: 'The file asks for a version of YAML that is not known.',
    remedy: 'Leave out the `%YAML` line.',
  },
  YAML_TAG: {
    from: ['definition'],
    means: 'A YAML tag (`!…`) is not known.',
    remedy: 'Leave it out; put text that begins with `!` in quotes.',
  },
  YAML_ALIAS: {
    from: ['definition'],
    means: 'An alias (`*name`) cannot be used like this.',
    remedy: 'Write out what it stands for.',
  },
  YAML_MERGE: {
    from: ['definition'],
    means: 'A merge key (`<<`) cannot be used like this.',
    remedy: 'Write out what it stands for.',
  },
  FILE_TOO_DEEP: { from: ['definition'], means: 'Maps and lists are nested too deeply.', remedy: 'Make it flatter.' },
  TEXT_INVALID: { from: ['definition'], means: 'A text holds half a character.', remedy: 'Write it again.' },
  KEY_DUPLICATE: { from: ['definition'], means: 'A key is there twice.', remedy: 'Remove one.' },
  KEY_RESERVED: { from: ['definition'], means: 'The key `__proto__` is not allowed.', remedy: 'Choose another name.' },
  KEY_UNKNOWN: { from: ['definition'], means: 'There is no such key.', remedy: 'See docs/reference/gateline-yml.md.' },
  KEY_MISSING: { from: ['definition'], means: 'A key that must be there is missing.', remedy: 'Write it.' },
  VALUE_INVALID: {
    from: ['definition'],
    means: 'A value is not of the kind that belongs there.',
    remedy: 'Write what the message expects.',
  },
  NAME_INVALID: {
    from: ['definition'],
    means: 'A name has characters that it may not have, or is too long.',
    remedy: 'Write a name of the form that the message tells.',
  },
  NAME_RESERVED: {
    from: ['definition'],
    means: "A variable of that name is Gateline's or the runner's own.",
    remedy: 'Choose another name.',
  },
  NUMBER_CHANGED: {
    from: ['definition'],
    means: 'A number would not be kept as it is written.',
    remedy: 'Put it in quotes.',
  },
  PROBLEMS_MORE: {
    from: ['definition'],
    means: 'There are more problems than are listed.',
    remedy: 'Mend these first.',
  },
  GATES_COUNT: {
    from: ['definition'],
    means: 'There are no gates, or too many.',
    remedy: 'See docs/reference/gateline-yml.md for the limit.',
  },
  NEED_UNKNOWN: { from: ['definition'], means: '`needs` names a gate that is not there.', remedy: 'Correct the name.' },
  NEED_SELF: { from: ['definition'], means: 'A gate needs itself.', remedy: 'Remove it from its `needs`.' },
  NEED_DUPLICATE: { from: ['definition'], means: '`needs` names a gate twice.', remedy: 'Remove one.' },
  NEEDS_CYCLE: {
    from: ['definition'],
    means: 'Gates need each other in a circle.',
    remedy: 'Take out one need of the path that the message shows.',
  },
  NUMBER_DUPLICATE: { from: ['definition'], means: 'Two gates have one `number`.', remedy: 'Give each its own.' },
  GROUP_GATE_UNKNOWN: {
    from: ['definition'],
    means: 'A group names a gate that is not there.',
    remedy: 'Correct the name.',
  },
  GROUP_GATE_DUPLICATE: { from: ['definition'], means: 'A gate is named twice in groups.', remedy: 'Name it once.' },
  GROUP_ID_TAKEN: { from: ['definition'], means: 'A group has the name of a gate.', remedy: 'Choose another name.' },
  MATRIX_INVALID: {
    from: ['definition'],
    means: 'The matrix has no legs, too many, or legs of one name.',
    remedy: 'Do what the message says.',
  },
  MAX_AGE_UNUSED: {
    from: ['definition'],
    means: '`max-age` does nothing, since nothing is reused.',
    remedy: 'Remove it.',
  },
  PATH_INVALID: {
    from: ['definition'],
    means: 'A path leads out of the workspace or cannot be one.',
    remedy: 'Write it relative to the workspace, with `/`.',
  },
  GLOB_INVALID: { from: ['definition'], means: 'A glob cannot be right.', remedy: 'Do what the message says.' },
  GLOBS_ONLY_EXCLUDE: {
    from: ['definition', 'user'],
    means: 'All globs of a list exclude, so nothing can match.',
    remedy: 'Write first what should match.',
  },
  EXPORT_DUPLICATE: { from: ['definition'], means: 'A part is exported twice.', remedy: 'Remove one.' },
  SCORE_MISSING: {
    from: ['definition'],
    means: 'A threshold is given, but not where the score stands.',
    remedy: 'Write `score` with its JSON pointer.',
  },
  SECRET_IN_ENV: {
    from: ['definition'],
    means: 'A value under `env` looks like a secret, or is one.',
    remedy: 'Name it under `secrets` instead.',
  },
  SECRET_DUPLICATE: { from: ['definition'], means: 'A secret is named twice.', remedy: 'Remove one.' },
  EXPRESSION_INVALID: {
    from: ['definition'],
    means: "A condition is not an expression of GitHub's language.",
    remedy: 'See docs/reference/gateline-yml.md.',
  },
  EXPRESSION_MIXED: {
    from: ['definition'],
    means: '`${{ }}` stands in the middle of a condition.',
    remedy: 'Leave `${{ }}` out.',
  },
  EXPRESSION_NAME: {
    from: ['definition'],
    means: 'A condition names something that there is not.',
    remedy: 'Take one of the names that the message lists.',
  },
  EXPRESSION_FUNCTION: {
    from: ['definition'],
    means: 'A condition calls a function that there is not.',
    remedy: 'Take one of those that the message lists.',
  },
  EXPRESSION_NEED: {
    from: ['definition'],
    means: 'A condition speaks of a gate that this one does not need, or of no part of it.',
    remedy: 'Write `needs.<gate>.status`, `.score` or `.output`, and need the gate.',
  },
  EXPRESSION_STATUS: {
    from: ['definition'],
    means: 'A condition compares with a status that no gate ever has.',
    remedy: 'Take one that the message lists.',
  },
  EXPRESSION_NOT_ALLOWED: {
    from: ['definition'],
    means: '`${{ }}` stands where it is not evaluated.',
    remedy: 'Use the variables and files of the agent protocol.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
