import type { CodeMeaning, CodeOrigin, Fault } from './code-meaning.ts';
import { ACTION_CODES } from './codes/action.ts';
import { AGENTS_CODES } from './codes/agents.ts';
import { COMMAND_LINE_CODES } from './codes/command-line.ts';
import { CONTRACT_CODES } from './codes/contract.ts';
import { DEFINITION_CODES } from './codes/definition.ts';
import { DELIVERY_CODES } from './codes/delivery.ts';
import { ENGINE_CODES } from './codes/engine.ts';
import { GITHUB_CODES } from './codes/github.ts';
import { LANGGRAPH_CODES } from './codes/langgraph.ts';
import { SETS_CODES } from './codes/sets.ts';
import { STATE_CODES } from './codes/state.ts';
import { WORKSPACE_CODES } from './codes/workspace.ts';

interface CodeSection {
  readonly title: string;
  readonly codes: Readonly<Record<string, CodeMeaning>>;
}

const SECTIONS = [
  { title: 'Commands and options', codes: COMMAND_LINE_CODES },
  { title: 'Runs, claims and decisions', codes: ENGINE_CODES },
  { title: 'Starting agents', codes: AGENTS_CODES },
  { title: 'Files and git', codes: WORKSPACE_CODES },
  { title: "The pipeline's definition", codes: DEFINITION_CODES },
  { title: 'Sets of subjects', codes: SETS_CODES },
  { title: 'Contracts', codes: CONTRACT_CODES },
  { title: 'What is kept', codes: STATE_CODES },
  { title: 'Checkpoints of LangGraph', codes: LANGGRAPH_CODES },
  { title: 'The action', codes: ACTION_CODES },
  { title: 'Delivery, comments and removal', codes: DELIVERY_CODES },
  { title: "GitHub's services", codes: GITHUB_CODES },
] as const satisfies readonly CodeSection[];

/**
 * Every code, in the order in which docs/reference/errors.md lists them. A test checks this list against the sources.
 */
export const CODE_SECTIONS: readonly CodeSection[] = SECTIONS;

/** The codes of one of the tables, if one of their origins is this one. */
type CodeFrom<
  Origin extends CodeOrigin,
  Table = (typeof SECTIONS)[number]['codes'],
> = Table extends CodeSection['codes']
  ? { [Code in keyof Table]: Extract<Table[Code]['from'][number], Origin> extends never ? never : Code }[keyof Table]
  : never;

/** A code for thrown errors. */
export type ErrorCode = CodeFrom<Fault>;

/** A code of a problem in the list of a definition or a contract. */
export type ProblemCode = CodeFrom<'definition' | 'contract'>;

const MEANINGS = new Map(CODE_SECTIONS.flatMap(({ codes }) => Object.entries(codes)));

/** The meaning of a code: titles, hints and faults come from here when an error is created. */
export function meaningOf(code: ErrorCode): CodeMeaning {
  return MEANINGS.get(code)!;
}
