import { GatelineError } from '../../errors/gateline-error.ts';

/** One problem with the action's inputs. */
export interface InputProblem {
  /** Name of the input, as in the workflow. */
  readonly input: string;
  /** The problem and the expected value. Contains no values of inputs that may be secret. */
  readonly message: string;
  /** How to fix it. */
  readonly hint?: string;
}

/** A problem as one line: ``threshold: expected a number from 0 to 100, found the text "high"; leave …``. */
export function formatInputProblem({ input, message, hint }: InputProblem): string {
  return `${input}: ${message}${hint === undefined ? '' : `; ${hint}`}`;
}

/**
 * All problems with a step's inputs. Fault `user`, code `ACTION_INPUTS_INVALID`; the message lists them, one per line.
 */
export class ActionInputsError extends GatelineError {
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super('ACTION_INPUTS_INVALID', problems.map(formatInputProblem).join('\n'));
    this.problems = problems;
  }
}
