import { GatelineError } from '../../errors/gateline-error.ts';
import { didYouMean } from '../../pipeline/problem.ts';
import type { Call } from '../call/call.ts';
import { argumentsOf, type Command } from '../../pipeline/entities/entities.ts';
import { MAX_INSTANCE, unnamable } from '../../run/entity/instances.ts';
import { resourcesOf } from './view-entities.ts';

/** The longest argument that every system can pass to a program, in bytes: Linux takes 128 KiB with the end. */
const MAX_ARGUMENT = 131_071;
const MAX_TOTAL = 1_000_000;

/**
 * The program and its arguments: each `<name>` is replaced by its argument as a whole.
 * @throws GatelineError `COMMAND_ARGUMENT_REFUSED`
 */
export function commandWords(
  { id, words }: Pick<Command, 'id' | 'words'>,
  given: Readonly<Record<string, string>>,
): [string, ...string[]] {
  const refuse = (message: string, hint?: string): GatelineError =>
    new GatelineError('COMMAND_ARGUMENT_REFUSED', `${id}: ${message}`, { hint });
  const known = argumentsOf({ words });
  const stranger = Object.keys(given).find((name) => !known.includes(name));
  if (stranger !== undefined) {
    const list = known.length === 0 ? 'It has none.' : `Its arguments: ${known.join(', ')}.`;
    throw refuse(`there is no argument ${stranger}`, didYouMean(stranger, known) ?? list);
  }
  let isAfterDashes = false;
  const filled = words.map((word): string => {
    if ('text' in word) {
      isAfterDashes ||= word.text === '--';
      return word.text;
    }
    const name = word.argument;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) throw refuse(`the argument ${name} is missing`, `Pass it: \`--arg ${name}=VALUE\`.`);
    if (value.includes('\0')) throw refuse(`the argument ${name} has the character NUL`);
    if (!value.isWellFormed()) throw refuse(`the argument ${name} has half a character`);
    const bytes = Buffer.byteLength(value);
    if (bytes > MAX_ARGUMENT)
      throw refuse(
        `the argument ${name} has ${bytes} bytes, and a program can be given ${MAX_ARGUMENT}`,
        'Write it to a file, and pass its path.',
      );
    if (value.startsWith('-') && !isAfterDashes)
      throw refuse(
        `the argument ${name} begins with -, so the program would take it for an option`,
        `Write \`--\` before \`<${name}>\` in its \`syntax\`, if the program understands that.`,
      );
    return value;
  });
  const total = filled.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (total > MAX_TOTAL)
    throw refuse(`its arguments have ${total} bytes together, and a program can be given ${MAX_TOTAL}`);
  return filled as [string, ...string[]];
}

/**
 * {@link commandWords}, of arguments that can also name the instances that they are to name.
 * @throws GatelineError `COMMAND_ARGUMENT_REFUSED`
 */
export function checkArguments(
  call: Pick<Call, 'assignment'>,
  command: Command,
  given: Readonly<Record<string, string>>,
): [string, ...string[]] {
  const words = commandWords(command, given);
  const used = new Set([...command.requires, ...command.invalidates, ...command.creates]);
  for (const entity of resourcesOf(call).entities) {
    const argument = used.has(entity.name) ? unnamable(entity, given) : undefined;
    if (argument === undefined) continue;
    const what = given[argument] === '' ? 'is empty' : 'is too long';
    const message = `${command.id}: the argument ${argument} ${what}, and names an instance of ${entity.name}`;
    throw new GatelineError('COMMAND_ARGUMENT_REFUSED', message, {
      hint: `The name of an instance has 1 to ${MAX_INSTANCE} characters.`,
    });
  }
  return words;
}

/** Arguments as records may have them: without secrets. They name instances, as the redacted values do. */
export function shownArguments(
  { redactor }: Pick<Call, 'redactor'>,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, redactor.redactText(value)]));
}
