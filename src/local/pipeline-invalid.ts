import { GatelineError } from '../errors/gateline-error.ts';
import { showUnseen } from '../json/visible.ts';
import { formatProblem, type Problem } from '../pipeline/problem.ts';

/** An error that lists problems of a file: its message has one line for each. */
export abstract class ProblemsError extends GatelineError {
  abstract readonly problems: readonly Problem[];
  /** Errors inside the contracts that the file names, as far as these could be read. */
  readonly contracts: readonly GatelineError[] = [];
}

/** All errors in the file of a set. Fault `user`, code `SET_INVALID`. Each line has the JSON pointer, too. */
export class SetInvalidError extends ProblemsError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super('SET_INVALID', problems.map(withPointer).join('\n'));
    this.problems = problems;
  }
}

function withPointer(problem: Problem): string {
  const { pointer } = problem.place;
  return pointer === '' ? formatProblem(problem) : `${formatProblem(problem)} (at ${showUnseen(pointer)})`;
}

/**
 * All errors of a definition and of its contracts. Fault `user`, code `PIPELINE_INVALID`; the message lists them, one
 * per line.
 */
export class PipelineInvalidError extends ProblemsError {
  readonly problems: readonly Problem[];
  override readonly contracts: readonly GatelineError[];
  /** Further problems unless a subject is given; not in the message. */
  readonly subjectReads: readonly Problem[];

  constructor(
    problems: readonly Problem[],
    contracts: readonly GatelineError[] = [],
    subjectReads: readonly Problem[] = [],
  ) {
    super('PIPELINE_INVALID', [...problems.map(formatProblem), ...contracts.map(formatContract)].join('\n'));
    this.problems = problems;
    this.contracts = contracts;
    this.subjectReads = subjectReads;
  }
}

function formatContract({ code, message, place }: GatelineError): string {
  const file = place?.line === undefined ? place?.file : `${place.file}:${place.line}:${place.column ?? 1}`;
  const pointer = place?.line === undefined ? place?.pointer : undefined;
  const where = [file, pointer].filter((part) => part !== undefined).map((part) => `${part} `);
  return `${where.join('')}${code} ${message.replaceAll('\n', '; ')}`;
}
