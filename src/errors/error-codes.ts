import type { CodeMeaning } from './code-meaning.ts';
import { ACTION_CODES } from './codes/action.ts';
import { AGENTS_CODES } from './codes/agents.ts';
import { COMMAND_LINE_CODES } from './codes/command-line.ts';
import { CONTRACT_CODES } from './codes/contract.ts';
import { DEFINITION_CODES } from './codes/definition.ts';
import { ENGINE_CODES } from './codes/engine.ts';
import { GITHUB_CODES } from './codes/github.ts';
import { STATE_CODES } from './codes/state.ts';
import { WORKSPACE_CODES } from './codes/workspace.ts';

/** Every code, in the order in which docs/reference/errors.md lists them. A test holds this equal to the sources. */
export const CODE_SECTIONS: readonly {
  readonly title: string;
  readonly codes: Readonly<Record<string, CodeMeaning>>;
}[] = [
  { title: 'Commands and options', codes: COMMAND_LINE_CODES },
  { title: 'Runs, claims and decisions', codes: ENGINE_CODES },
  { title: 'Starting agents', codes: AGENTS_CODES },
  { title: 'Files and git', codes: WORKSPACE_CODES },
  { title: "The pipeline's definition", codes: DEFINITION_CODES },
  { title: 'Contracts', codes: CONTRACT_CODES },
  { title: 'What is kept', codes: STATE_CODES },
  { title: 'The action', codes: ACTION_CODES },
  { title: "GitHub's services", codes: GITHUB_CODES },
];
