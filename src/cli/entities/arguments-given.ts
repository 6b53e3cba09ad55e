import { GatelineError } from '../../errors/gateline-error.ts';
import { oneLine } from '../../report/text.ts';

/** The values of `--arg`, by name. @throws GatelineError `OPTION_VALUE` */
export function argumentsGiven(pairs: readonly string[]): Record<string, string> {
  const given: [string, string][] = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
    throw new GatelineError('OPTION_VALUE', `--arg ${oneLine(pair).slice(0, 100)}: expected NAME=VALUE`, {
      hint: 'For example `--arg ref=@e1`.',
    });
  });
  const names = given.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return Object.fromEntries(given);
  throw new GatelineError('OPTION_VALUE', `--arg ${twice} appears twice`, { hint: 'Each argument has one value.' });
}
