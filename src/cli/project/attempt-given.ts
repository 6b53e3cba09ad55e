import { GatelineError } from '../../errors/gateline-error.ts';

/** The number in `--attempt`. @throws GatelineError `OPTION_VALUE` */
export function attemptGiven(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new GatelineError('OPTION_VALUE', `--attempt ${text}: expected the number of an attempt, from 1`);
}
