import type { CommandName } from './command-names.ts';
import type { InputProblem } from './input-problems.ts';
import { INPUT_USES } from './input-uses.ts';
import { INPUT_NAMES, type InputName } from './inputs-schema.ts';

/** Problems between several inputs. @param given inputs that are not blank, by name */
export function contradictions(
  given: Readonly<Record<string, string>>,
  command: CommandName | undefined,
): readonly InputProblem[] {
  const problems: InputProblem[] = [];
  for (const input of ['input', 'output'] as const) {
    if (given[input] === undefined || given[`${input}-file`] === undefined) continue;
    problems.push({ input, message: `is set together with \`${input}-file\``, hint: 'remove one of them' });
  }
  if (command === 'complete' && given['token'] === undefined) {
    const message = 'expected the token from `command: begin`, found nothing';
    const hint = "`token: ${{ steps.<id>.outputs.token }}`, and `if: steps.<id>.outputs.decision == 'run'`";
    problems.push({ input: 'token', message, hint });
  }
  if (command === 'apply' && given['gates'] === undefined && given['set'] === undefined) {
    const message = 'expected the gates whose files are delivered, found nothing';
    problems.push({ input: 'gates', message, hint: 'gates: implement' });
  }
  const isOfSet = given['deliver'] === 'branch';
  if (command === 'apply' && given['deliver'] !== 'patch' && isOfSet !== (given['set'] !== undefined)) {
    const message = isOfSet
      ? 'expected the file of a set as `set` for branches of subjects, found nothing'
      : 'expected `branch` or `patch` for a set';
    problems.push({ input: 'deliver', message, hint: 'deliver: patch' });
  }
  if (given['learnings'] !== undefined && given['set'] !== undefined) {
    const message = 'is set together with `set`';
    problems.push({ input: 'learnings', message, hint: 'remove one of them' });
  }
  if (command === 'set' && given['set'] === undefined) {
    const message = 'expected the file of the set, found nothing';
    problems.push({ input: 'set', message, hint: 'set: subjects.json' });
  }
  const standIn = given['stand-in']?.trim();
  if (command !== 'report' && standIn !== undefined && standIn !== 'file' && standIn !== 'input')
    problems.push({ input: 'stand-in', message: 'expected `file` or `input`', hint: 'stand-in: file' });
  if (command === 'comment' && given['workflow'] === undefined) {
    const message = 'expected the workflow file of the pipeline, found nothing';
    problems.push({ input: 'workflow', message, hint: 'workflow: gates.yml' });
  }
  return problems;
}

/** Inputs that the command does not use. @param given inputs that are not blank, by name */
export function misplacedInputs(
  given: Readonly<Record<string, string>>,
  command: CommandName,
): { input: InputName; message: string; hint: string }[] {
  return INPUT_NAMES.flatMap((input) => {
    const { commands } = INPUT_USES[input];
    if (given[input] === undefined || commands.includes(command)) return [];
    const message = `does nothing with \`command: ${command}\``;
    return [{ input, message, hint: `it is an input of ${commands.map((one) => `\`${one}\``).join(', ')}` }];
  });
}
