import type { ActionInputs, AboutDefinition } from './inputs.ts';
import { ActionInputsError, type InputProblem } from './input-problems.ts';
import { INPUT_USES } from './input-uses.ts';

/**
 * Checks the inputs against where the gate is defined: with a `gateline.yml`, no input may describe the gate. Without
 * one, `run` needs its command, and `report` needs the jobs: skipped ones left no record.
 * @param hasDefinition there is a `gateline.yml` for this step
 * @throws ActionInputsError
 */
export function checkDefinition(inputs: ActionInputs, hasDefinition: boolean): void {
  const problems = definitionProblems(inputs, hasDefinition);
  if (problems.length > 0) throw new ActionInputsError(problems);
}

/** The problems that {@link checkDefinition} throws. */
export function definitionProblems(inputs: AboutDefinition, hasDefinition: boolean): InputProblem[] {
  return hasDefinition ? describedTwice(inputs) : undescribed(inputs);
}

function describedTwice({ given, needs }: AboutDefinition): InputProblem[] {
  const names = [...given].filter((input) => INPUT_USES[input].describes === true);
  // GitHub's data about other jobs does not describe a gate.
  if (needs !== undefined && needs.results === undefined) names.push('needs');
  const message = '`gateline.yml` already sets this';
  const hint = 'remove it here, or change it in `gateline.yml`';
  return names.map((input) => ({ input, message, hint }));
}

function undescribed({ command, given, needs }: AboutDefinition): InputProblem[] {
  if (command === 'report' && (needs === undefined || needs.gates.length === 0)) {
    const message =
      'expected the jobs to report on, found nothing: without a `gateline.yml`, skipped gates are unknown';
    return [
      { input: 'needs', message, hint: 'needs: ${{ toJSON(needs) }}, with each gate among the `needs:` of this job' },
    ];
  }
  const numbered = (['mirror', 'stand-in'] as const).filter((input) => given.has(input) && command !== 'complete');
  if (numbered.length > 0) {
    const hint = 'add a `gateline.yml`, and check the repository out before this step';
    const message = 'expected a `gateline.yml`, which numbers the gates, found none';
    return numbered.map((input) => ({ input, message, hint }));
  }
  if (command !== 'run' || given.has('run')) return [];
  const hint = 'write the command, use `command: begin` and `complete` around another action, or add a `gateline.yml`';
  return [{ input: 'run', message: 'expected the command that the gate runs, found nothing', hint }];
}
