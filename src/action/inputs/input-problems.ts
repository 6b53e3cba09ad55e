import { GatelineError } from '../../errors/gateline-error.ts';

/** One thing that is wrong with the action's inputs. */
export interface InputProblem {
  /** Name of the input, as a workflow writes it. */
  readonly input: string;
  /** What is wrong and what is expected. Holds nothing of the values of inputs that may be secret. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** A problem as one line: ``threshold: expected a number from 0 to 100, found the text "high"; leave …``. */
export function formatInputProblem({ input, message, hint }: InputProblem): string {
  return `${input}: ${message}${hint === undefined ? '' : `; ${hint}`}`;
}

/** Everything that is wrong with the inputs of a step. Fault `user`, code `ACTION_INPUTS_INVALID`; the message is the list, a line each. */
export class ActionInputsError extends GatelineError {
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super('ACTION_INPUTS_INVALID', problems.map(formatInputProblem).join('\n'));
    this.problems = problems;
  }
}
