import type { CodeMeaning, CodeOrigin, Fault } from './code-meaning.ts';
import { ACTION_CODES } from './codes/action.ts';
import { AGENTS_CODES } from './codes/agents.ts';
import { COMMAND_LINE_CODES } from './codes/command-line.ts';
import { CONTRACT_CODES } from './codes/contract.ts';
import { DEFINITION_CODES } from './codes/definition.ts';
import { ENGINE_CODES } from './codes/engine.ts';
import { GITHUB_CODES } from './codes/github.ts';
import { LANGGRAPH_CODES } from './codes/langgraph.ts';
import { STATE_CODES } from './codes/state.ts';
import { WORKSPACE_CODES } from './codes/workspace.ts';

/**
 * Every code, in the order in which docs/reference/errors.md lists them. A test checks this list against the sources.
 */
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
  { title: 'Checkpoints of LangGraph', codes: LANGGRAPH_CODES },
  { title: 'The action', codes: ACTION_CODES },
  { title: "GitHub's services", codes: GITHUB_CODES },
];

/** Every code with its meaning: titles, hints and faults come from here when an error is created. */
export const ERROR_CODES = {
  ...COMMAND_LINE_CODES,
  ...ENGINE_CODES,
  ...AGENTS_CODES,
  ...WORKSPACE_CODES,
  ...DEFINITION_CODES,
  ...CONTRACT_CODES,
  ...STATE_CODES,
  ...LANGGRAPH_CODES,
  ...ACTION_CODES,
  ...GITHUB_CODES,
} satisfies Readonly<Record<string, CodeMeaning>>;

type CodeFrom<Origin extends CodeOrigin> = {
  [Code in keyof typeof ERROR_CODES]: Extract<(typeof ERROR_CODES)[Code]['from'][number], Origin> extends never
    ? never
    : Code;
}[keyof typeof ERROR_CODES];

/** A code for thrown errors. */
export type ErrorCode = CodeFrom<Fault>;

/** A code of a problem in the list of a definition or a contract. */
export type ProblemCode = CodeFrom<'definition' | 'contract'>;

/** The meaning of a code. */
export function meaningOf(code: ErrorCode): CodeMeaning {
  return ERROR_CODES[code];
}
