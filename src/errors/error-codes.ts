import type { Fault } from './gateline-error.ts';
import { ACTION_CODES } from './codes/action.ts';
import { AGENTS_CODES } from './codes/agents.ts';
import { COMMAND_LINE_CODES } from './codes/command-line.ts';
import { CONTRACT_CODES } from './codes/contract.ts';
import { DEFINITION_CODES } from './codes/definition.ts';
import { ENGINE_CODES } from './codes/engine.ts';
import { GITHUB_CODES } from './codes/github.ts';
import { STATE_CODES } from './codes/state.ts';
import { WORKSPACE_CODES } from './codes/workspace.ts';

/**
 * Where a code comes from. A {@link Fault}: an error is thrown with it, and the fault decides the exit code. `definition`
 * and `contract`: a problem in the list that `PIPELINE_INVALID` or `CONTRACT_INVALID` carries. `state`: a problem with what
 * is kept, told beside the answer; nothing is thrown.
 */
export type CodeOrigin = Fault | 'definition' | 'contract' | 'state';

/** What a code stands for. Codes are stable; these texts are for people. */
export interface CodeMeaning {
  readonly from: readonly CodeOrigin[];
  /** One sentence. */
  readonly means: string;
  /** What to do about it. */
  readonly remedy: string;
}

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
