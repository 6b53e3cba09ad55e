import { distance } from 'fastest-levenshtein';
import { didYouMean, quoted } from '../../pipeline/problem.ts';
import type { InputProblem } from './input-problems.ts';
import { type CommandName } from './command-names.ts';
import { INPUT_NAMES } from './inputs-schema.ts';
import { firstNames } from '../../errors/first-names.ts';

/** A slip is at most so many letters away from a name of at least so many. `INPUT_DATE` is no misspelt `gate`. */
const MOST_LETTERS = 2;
const SHORTEST_NAME = 6;
/** The most unknown inputs that a notice names. */
const MOST_NAMED = 20;

/** What the inputs that do not exist come to. */
export interface UnknownInputs {
  /** Names that are slips of the pen: somebody would believe that they did something. */
  readonly problems: readonly InputProblem[];
  /** The others, all in one sentence. `undefined`: there are none, or another step of the job says it. */
  readonly notice: string | undefined;
}

/**
 * Judges the `INPUT_*` variables that are no inputs of ours. Most are no mistake: `env: INPUT_PROMPT` of a job reaches every
 * action in it. So they are ignored with a notice, and only a near miss is an error, and only before an agent starts.
 * @param names in lower case
 * @param command `undefined`: it could not be read
 */
export function unknownInputs(names: readonly string[], command: CommandName | undefined): UnknownInputs {
  const begins = command === 'run' || command === 'begin';
  const slips = begins ? names.filter(isSlip) : [];
  const others = names.filter((name) => !slips.includes(name));
  // A gate that is completed was begun by a step of the same job, which has said it.
  const isTold = others.length === 0 || command === 'complete';
  return { problems: slips.map(problemOf), notice: isTold ? undefined : noticeOf(others) };
}

function isSlip(name: string): boolean {
  const plain = name.slice(0, 80).replaceAll('_', '-');
  return INPUT_NAMES.some((known) => known.length >= SHORTEST_NAME && distance(plain, known) <= MOST_LETTERS);
}

function problemOf(input: string): InputProblem {
  const hint = suggestionFor(input) ?? 'docs/reference/action.md lists them';
  return { input, message: 'there is no such input', hint };
}

function noticeOf(names: readonly string[]): string {
  const listed = names.map((name) => {
    const suggestion = suggestionFor(name);
    return suggestion === undefined ? quoted(name) : `${quoted(name)} (${suggestion})`;
  });
  return `Unknown inputs, ignored: ${firstNames(listed, MOST_NAMED)}. They are under \`with:\` of the step, or variables \`INPUT_…\` of the job.`;
}

function suggestionFor(input: string): string | undefined {
  return isSlip(input) ? didYouMean(input, INPUT_NAMES) : undefined;
}
