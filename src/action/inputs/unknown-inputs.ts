import { distance } from 'fastest-levenshtein';
import { didYouMean, quoted } from '../../pipeline/problem.ts';
import type { InputProblem } from './input-problems.ts';
import { type CommandName } from './command-names.ts';
import { INPUT_NAMES } from './inputs-schema.ts';
import { firstNames } from '../../errors/first-names.ts';

/** Maximum edit distance of a typo, and minimum length of the input's name. `INPUT_DATE` is not a misspelt `gate`. */
const MOST_LETTERS = 2;
const SHORTEST_NAME = 6;
/** Maximum number of unknown inputs in a notice. */
const MOST_NAMED = 20;

/** The result of checking inputs that do not exist. */
export interface UnknownInputs {
  /** Names that are typos: the user would expect an effect. */
  readonly problems: readonly InputProblem[];
  /** The others, in one sentence. `undefined`: none, or another step of the job reports it. */
  readonly notice: string | undefined;
}

/**
 * Checks the `INPUT_*` variables that are not our inputs. Most are not a mistake: a job's `env: INPUT_PROMPT` reaches
 * every action in it. So they are ignored with a notice. Only a near miss is an error, and only before an agent starts.
 * @param names in lower case
 * @param command `undefined`: it is invalid
 */
export function unknownInputs(names: readonly string[], command: CommandName | undefined): UnknownInputs {
  const begins = command === 'run' || command === 'begin';
  const slips = begins ? names.filter(isSlip) : [];
  const others = names.filter((name) => !slips.includes(name));
  // The `begin` step of the same job has already reported it.
  const isNoticed = others.length === 0 || command === 'complete';
  return { problems: slips.map(problemOf), notice: isNoticed ? undefined : noticeOf(others) };
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
