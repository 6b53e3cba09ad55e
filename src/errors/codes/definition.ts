import type { CodeMeaning } from '../code-meaning.ts';

/** The pipeline's definition. */
export const DEFINITION_CODES = {
  PIPELINE_MISSING: {
    from: ['user'],
    means: 'There is no definition.',
    remedy: '`gateline init` creates one; `--file` names another one.',
  },
  PIPELINE_UNREADABLE: {
    from: ['user', 'platform'],
    means: 'The definition cannot be read.',
    remedy: 'It must be a UTF-8 text file.',
  },
  PIPELINE_INVALID: {
    from: ['user'],
    title: 'Pipeline invalid',
    means: 'The definition is invalid. The message lists the problems, each with its code.',
    remedy: 'Fix these errors and run again. Nothing ran.',
  },
  SUBJECT_NOT_GIVEN: {
    from: ['user', 'definition'],
    title: 'Subject missing',
    means: 'An `if` or a check reads `subject`, and none is set. The default subject only names the records of a run.',
    remedy: 'Set `subject:` in gateline.yml, pass `--subject TEXT`, or set `subject` under `with:` of the step.',
  },
  YAML_SYNTAX: {
    from: ['definition'],
    means: 'The file is not YAML.',
    remedy: 'Check the named place; the cause is often indentation, or text that needs quotes.',
  },
  YAML_DOCUMENTS: {
    from: ['definition'],
    means: 'There is more than one YAML document in the file.',
    remedy: 'Write one definition per file.',
  },
  YAML_VERSION: {
    from: ['definition'],
    means: 'The file requires an unsupported version of YAML.',
    remedy: 'Remove the `%YAML` line.',
  },
  YAML_TAG: {
    from: ['definition'],
    means: 'A YAML tag (`!…`) is unknown.',
    remedy: 'Remove it; put text that begins with `!` in quotes.',
  },
  YAML_ALIAS: {
    from: ['definition'],
    means: 'An alias (`*name`) cannot be used like this.',
    remedy: 'Write the value out.',
  },
  YAML_MERGE: {
    from: ['definition'],
    means: 'A merge key (`<<`) cannot be used like this.',
    remedy: 'Write the value out.',
  },
  FILE_TOO_DEEP: { from: ['definition'], means: 'Maps and lists are nested too deeply.', remedy: 'Make it flatter.' },
  TEXT_INVALID: { from: ['definition'], means: 'A text contains half a character.', remedy: 'Write it again.' },
  KEY_DUPLICATE: { from: ['definition'], means: 'A key is duplicated.', remedy: 'Remove one.' },
  KEY_RESERVED: { from: ['definition'], means: 'The key `__proto__` is not allowed.', remedy: 'Choose another name.' },
  KEY_UNKNOWN: { from: ['definition'], means: 'There is no such key.', remedy: 'See docs/reference/gateline-yml.md.' },
  KEY_MISSING: { from: ['definition'], means: 'A required key is missing.', remedy: 'Write it.' },
  VALUE_INVALID: {
    from: ['definition'],
    means: 'A value has the wrong type or format.',
    remedy: 'Write the value that the message expects.',
  },
  NAME_INVALID: {
    from: ['definition'],
    means: 'A name contains invalid characters, or is too long.',
    remedy: 'Write a name in the format that the message describes.',
  },
  NAME_RESERVED: {
    from: ['definition'],
    means: "A variable of that name is Gateline's or the runner's own.",
    remedy: 'Choose another name.',
  },
  NUMBER_CHANGED: {
    from: ['definition'],
    means: 'A number would be changed when it is read.',
    remedy: 'Put it in quotes.',
  },
  PROBLEMS_MORE: {
    from: ['definition'],
    means: 'There are more problems than listed.',
    remedy: 'Fix these first.',
  },
  GATES_COUNT: {
    from: ['definition'],
    means: 'There are no gates, or too many.',
    remedy: 'See docs/reference/gateline-yml.md for the limit.',
  },
  NEED_UNKNOWN: {
    from: ['definition'],
    means: '`needs` names an unknown gate or subject.',
    remedy: 'Correct the name.',
  },
  NEED_SELF: {
    from: ['definition'],
    means: 'A gate or a subject needs itself.',
    remedy: 'Remove it from its `needs`.',
  },
  NEED_DUPLICATE: { from: ['definition'], means: '`needs` names a gate or a subject twice.', remedy: 'Remove one.' },
  NEEDS_CYCLE: {
    from: ['definition'],
    means: 'The `needs` of gates or of subjects form a cycle.',
    remedy: 'Remove one need from the cycle that the message shows.',
  },
  NUMBER_DUPLICATE: { from: ['definition'], means: 'Two gates have the same `number`.', remedy: 'Give each its own.' },
  GROUP_GATE_UNKNOWN: {
    from: ['definition'],
    means: 'A group names an unknown gate.',
    remedy: 'Correct the name.',
  },
  GROUP_GATE_DUPLICATE: { from: ['definition'], means: 'A gate is named twice in groups.', remedy: 'Name it once.' },
  DELIVER_UNKNOWN: {
    from: ['definition'],
    means: '`deliver` names a gate that does not exist.',
    remedy: 'Correct the name.',
  },
  DELIVER_MATRIX: {
    from: ['definition'],
    means: '`deliver` names a gate with a matrix, whose files the last job cannot verify.',
    remedy: 'Name a gate after it that puts the files together.',
  },
  DELIVER_WITHOUT_FILES: {
    from: ['definition'],
    means: '`deliver` names a gate that hands on no files.',
    remedy: 'Add `files: changed` to the gate, or globs of its files.',
  },
  GOTO_UNKNOWN: {
    from: ['definition'],
    means: '`on-fail` sends work back to an unknown gate.',
    remedy: 'Correct the name.',
  },
  GOTO_NOT_UPSTREAM: {
    from: ['definition'],
    means: '`on-fail` sends work back to a gate that is not upstream.',
    remedy: 'Name a gate that the failing gate, or every gate of the group, needs directly or indirectly.',
  },
  GOTO_WITHOUT_FILES: {
    from: ['definition'],
    means: '`on-fail` sends work back to a gate without `files`: its next iteration starts without its earlier work.',
    remedy: 'Set `files` of that gate; `files: []` if its output is all of its work.',
  },
  GROUP_ID_TAKEN: { from: ['definition'], means: 'A group has the name of a gate.', remedy: 'Choose another name.' },
  ENTITY_UNKNOWN: {
    from: ['definition'],
    means: 'A gate, a command or an entity names an entity that is not under `entities`.',
    remedy: 'Add it there, or correct the name.',
  },
  ENTITY_CYCLE: {
    from: ['definition'],
    means: 'Entities depend on each other in a circle, or on themselves.',
    remedy: 'Remove one of the `depends-on`.',
  },
  ENTITY_UNUSED: {
    from: ['definition'],
    means: 'No gate and no command creates, requires or invalidates the entity.',
    remedy: 'Name it where it is used, or remove it.',
  },
  ENTITY_NEVER_CREATED: {
    from: ['definition'],
    means: 'A gate or a command requires an entity that no gate and no command creates.',
    remedy: 'Name it under `creates` of what makes it, or record it with `gateline entities create`.',
  },
  ENTITY_UNORDERED: {
    from: ['definition'],
    means:
      'Two gates use the same entity, and one of them creates or invalidates it, or invalidates what it depends on; and neither needs the other. Which one is first would be chance.',
    remedy: 'Let one of the two need the other.',
  },
  ENTITY_UNRECOVERABLE: {
    from: ['definition'],
    means:
      'With `on-invalid: recover`, no command without arguments can create a required entity: there is none, or such commands wait for each other.',
    remedy: 'Add a command that creates it and needs no argument, or remove `on-invalid: recover`.',
  },
  LEAVES_MISMATCH: {
    from: ['definition'],
    means:
      'A gate or command leaves processes and creates no entity with `lifetime: machine`, or creates such an entity and leaves none. An agent that runs by itself cannot leave any.',
    remedy: 'Write both, or neither.',
  },
  ENTITY_UNREACHABLE: {
    from: ['definition'],
    means: 'A gate requires an entity that lives in processes. Those of one job on GitHub are gone in the next one.',
    remedy:
      'Set `on-invalid: recover`, and define a command that creates it, so that the job creates it itself. On your own machine it works without.',
  },
  COMMAND_ID_TAKEN: {
    from: ['definition'],
    means: 'A command has the name of a gate.',
    remedy: 'Choose another name: gates and commands share one name space.',
  },
  MATRIX_INVALID: {
    from: ['definition'],
    means: 'The matrix has no legs, too many legs, or two legs with the same name; or it names no list of an output.',
    remedy: 'Follow the message.',
  },
  MATRIX_FROM_OUTPUT: {
    from: ['definition'],
    means: 'A job reads values of a matrix that come from an output: an agent could choose its runner or its steps.',
    remedy: 'Write the value itself. The agent finds the values in its request, under `matrix`.',
  },
  MAX_AGE_UNUSED: {
    from: ['definition'],
    means: '`max-age` has no effect, since nothing is reused.',
    remedy: 'Remove it.',
  },
  PATH_INVALID: {
    from: ['definition'],
    means: 'A path is invalid or outside the workspace.',
    remedy: 'Write it relative to the workspace, with `/`.',
  },
  GLOB_INVALID: { from: ['definition'], means: 'A glob is invalid.', remedy: 'Follow the message.' },
  GLOBS_ONLY_EXCLUDE: {
    from: ['definition', 'user'],
    means: 'All globs of a list exclude, so nothing can match.',
    remedy: 'First write what to include, for instance `**`, then what to exclude.',
  },
  EXPORT_DUPLICATE: { from: ['definition'], means: 'A part is exported twice.', remedy: 'Remove one.' },
  SCORE_MISSING: {
    from: ['definition'],
    means: 'There is a `threshold`, but no `score`.',
    remedy: 'Set `score` to the JSON pointer of the score.',
  },
  REDACTED_PART_USED: {
    from: ['definition'],
    means: 'The score, the result or the message is a part that `output.redact` names.',
    remedy: 'Redact only values that nothing reads.',
  },
  SECRET_IN_ENV: {
    from: ['definition'],
    means: 'A value under `env` looks like a secret, or is one.',
    remedy: 'Name it under `secrets` instead.',
  },
  SECRET_DUPLICATE: { from: ['definition'], means: 'A secret is named twice.', remedy: 'Remove one.' },
  USES_AND_RUN: {
    from: ['definition'],
    means: 'A gate has both `uses` and `run`, or `local` without `uses`.',
    remedy:
      'The agent is either an action or a command. `local` is the command on your machine where `uses` names an action.',
  },
  STEP_ID_TAKEN: {
    from: ['definition'],
    means: 'Two steps of a job have the same id, or a step has the id of one that `gateline compile` writes.',
    remedy: 'Choose another id than `gate`, `begin`, `agent` and `complete`.',
  },
  EXPRESSION_INVALID: {
    from: ['definition'],
    means: "A condition, or a text in `${{ }}`, is not an expression of GitHub's language.",
    remedy: 'See docs/reference/gateline-yml.md.',
  },
  EXPRESSION_MIXED: {
    from: ['definition'],
    means: '`${{ }}` is in the middle of a condition.',
    remedy: 'Remove `${{ }}`.',
  },
  EXPRESSION_NAME: {
    from: ['definition'],
    means: 'An expression uses a name that it cannot use here.',
    remedy: 'Use a name that the message lists.',
  },
  EXPRESSION_FUNCTION: {
    from: ['definition'],
    means: 'An expression calls an unknown function.',
    remedy: 'Use one that the message lists.',
  },
  EXPRESSION_NEED: {
    from: ['definition'],
    means: 'A condition refers to a gate that this one does not need, or to an unknown part of it.',
    remedy: 'Write `needs.<gate>.status`, `.score` or `.output`, and need the gate.',
  },
  EXPRESSION_STATUS: {
    from: ['definition'],
    means: 'A condition compares with an unknown status.',
    remedy: 'Use one that the message lists.',
  },
  EXPRESSION_NOT_ALLOWED: {
    from: ['definition'],
    means: '`${{ }}` is used where it is not evaluated.',
    remedy: 'Use the variables and files of the agent protocol.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
