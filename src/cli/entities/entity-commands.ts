import type { CommandSpec } from '../command.ts';
import { ACTOR, JSON_OPTION, SUBJECT_OPTIONS } from '../options.ts';
import { ENTITY_ACTIONS } from './actions.ts';

/** Commands about entities, and the one that runs the commands of the definition. */
export const ENTITY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'do',
    summary: 'run a command of the definition, if what it requires is valid',
    positionals: [{ name: 'COMMAND', required: true, help: 'one of `commands` in gateline.yml' }],
    options: [
      ...SUBJECT_OPTIONS,
      { name: 'arg', value: 'NAME=VALUE', multiple: true, help: 'an argument of its `syntax`' },
      { name: 'wait', help: 'wait while another command or gate uses the same entities' },
      { name: 'dry-run', short: 'n', help: 'only show what would run' },
      JSON_OPTION,
    ],
    description:
      'Runs it in your folder (inside an agent: in its folder), without a shell, and records what it creates and invalidates. If an entity that it requires is not valid, it does not start; with `on-invalid: recover`, the commands that create it run first.\nTwo commands that use one entity never overlap, unless both only require it. It also works while `gateline run` does, and inside its agents, with the entities of that run.',
    examples: [
      { command: 'gateline do snapshot', what: 'run the command `snapshot`' },
      { command: 'gateline do click --arg ref=@e1', what: 'with an argument' },
    ],
    load: () => import('./do.ts'),
  },
  {
    name: 'entities',
    summary: 'show, check and change the state of entities',
    positionals: [
      { name: 'ACTION', required: false, help: `${ENTITY_ACTIONS.join(', ')} (default: show)`, words: ENTITY_ACTIONS },
      { name: 'NAME', required: false, help: 'an entity, or entity/instance; with check and apply a command' },
    ],
    options: [
      ...SUBJECT_OPTIONS,
      {
        name: 'arg',
        value: 'NAME=VALUE',
        multiple: true,
        help: 'with check and apply: an argument, which may name an instance',
      },
      { name: 'value', value: 'FILE', help: 'with create and apply: its value, a JSON file; - for standard input' },
      { name: 'from', value: 'FILE', multiple: true, help: 'with import: a skill of UASP' },
      { name: 'reason', value: 'TEXT', help: 'why; required with create, apply, invalidate and reset' },
      ACTOR,
      { name: 'wait', help: 'wait while a command or gate creates what is to be created or reset' },
      JSON_OPTION,
    ],
    description:
      "show lists the entities and their instances, or prints one with its value. check says what a command lacks, and which commands would create it; it runs nothing. manifest prints the state as UASP's manifest.\ncreate, invalidate and reset record what happened elsewhere: an entity becomes valid, becomes invalid, or is as if it had never existed (all of them without NAME). apply records what a command that ran elsewhere creates and invalidates. They also work while `gateline run` does, and inside its agents.\nimport prints skills of UASP as `entities` and `commands` for gateline.yml, and every command that they would make runnable; it writes and runs nothing. export prints those of the definition as a skill.",
    examples: [
      { command: 'gateline entities', what: 'what is valid, and why not' },
      { command: 'gateline entities check click', what: 'what `click` lacks' },
      {
        command: 'gateline entities invalidate session --reason "the server was restarted"',
        what: 'something that no command did',
      },
    ],
    load: () => import('./entities.ts'),
  },
];
