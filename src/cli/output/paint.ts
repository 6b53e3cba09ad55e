import { CLI_VARIABLES, type Environment } from '../../environment.ts';
import { plain, type Paint, type Tone } from '../../report/text.ts';
import type { CliWorld, Screen } from '../world.ts';

const CODES: Readonly<Record<Tone, string>> = { good: '32', bad: '31', warning: '33', quiet: '2', strong: '1' };

/** Colours for a screen: on a terminal, unless NO_COLOR is set; otherwise only with FORCE_COLOR. */
export function paintFor(screen: Pick<Screen, 'interactive'>, environment: Environment): Paint {
  if ((environment[CLI_VARIABLES.noColor] ?? '') !== '') return plain;
  const forced = !['', '0', undefined].includes(environment[CLI_VARIABLES.forceColor]);
  if (!forced && !screen.interactive) return plain;
  return (tone, text) => (text === '' ? '' : `\u001B[${CODES[tone]}m${text}\u001B[0m`);
}

/** How wide tables are on standard output, and their colours. */
export function lookOf({ out, environment }: Pick<CliWorld, 'out' | 'environment'>): { width: number; paint: Paint } {
  return { width: out.columns, paint: paintFor(out, environment) };
}
