import { GatelineError } from '../errors/gateline-error.ts';
import { formatProblem, type Problem } from '../pipeline/problem.ts';

/** Definition errors, all of them. Fault `user`, code `PIPELINE_INVALID`; the message is the list, a line each. */
export class PipelineInvalidError extends GatelineError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super('user', 'PIPELINE_INVALID', problems.map(formatProblem).join('\n'), {
      hint: 'Mend these and run again; nothing was run.',
    });
    this.problems = problems;
  }
}
