import type { CodeMeaning } from '../code-meaning.ts';

/** Entities and commands. */
export const ENTITIES_CODES = {
  STATE_INVALID: {
    from: ['user'],
    title: 'Required state is not valid',
    means: 'A gate or a command requires an entity that is absent, invalid or expired. It was not started.',
    remedy: 'Run the commands that create it, which the message names, or set `on-invalid: recover`.',
  },
  ENTITY_BUSY: {
    from: ['user'],
    means:
      'A command or gate that has not ended uses the same entity, and one of the two changes it; or it creates the entity that is to be created by hand, or reset.',
    remedy: 'Wait until it is done, or let `--wait` of `gateline do` or `gateline entities` wait.',
  },
  ENTITY_HELD: {
    from: ['user'],
    title: 'Command waits for its caller',
    means:
      'An agent, or a command, calls a command that uses an entity which the caller itself uses until it has ended. It would wait for ever. With `--wait`: what it would wait for waits itself, for a command that called this one.',
    remedy: 'Leave the entity out of the gate, so that only the commands that it calls use it.',
  },
  ENTITY_NOT_DEFINED: {
    from: ['user'],
    means: 'The definition has no entity of that name, or what names an instance of one is empty or too long.',
    remedy: '`gateline entities` lists them.',
  },
  COMMAND_NOT_DEFINED: {
    from: ['user'],
    means: 'The definition has no command of that name.',
    remedy: '`gateline entities export` lists them.',
  },
  GATES_NONE: {
    from: ['user'],
    means: 'The definition has commands or entities, and no gates that could run.',
    remedy: 'Run commands with `gateline do`, or add `gates`.',
  },
  SKILL_INVALID: {
    from: ['user'],
    means: 'A file is no skill of UASP.',
    remedy: 'Correct the place that the message names. docs/recipes/from-uasp.md shows such a file.',
  },
  SKILL_NOT_LOADED: {
    from: ['user'],
    means: 'The runtime has no skill of that name.',
    remedy: 'Load it first.',
  },
  COMMAND_ARGUMENT_REFUSED: {
    from: ['user'],
    means:
      'An argument of a command is missing, unknown, too long or no text that a program can be given, or it looks like an option.',
    remedy: 'Pass every argument of its `syntax` as `--arg NAME=VALUE`.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
