import { GatelineError } from '../../errors/gateline-error.ts';
import { isDuration } from '../../pipeline/file/gateline-values.ts';
import { textOption, type OptionValues } from '../command.ts';

/** The text of an option such as `30d`; `undefined` if it is not set. @throws GatelineError `OPTION_VALUE` */
export function durationOption(options: OptionValues, name: string): string | undefined {
  const text = textOption(options, name);
  if (text === undefined || isDuration(text)) return text;
  throw new GatelineError('OPTION_VALUE', `--${name} ${text}: expected a time such as \`12h\`, \`30d\` or \`8w\``);
}
