import { GatelineError } from '../../errors/gateline-error.ts';

/** A run as people name it: `N` of the present subject, or `SUBJECT#N`. */
export interface RunAsked {
  readonly subject: string | undefined;
  /** From 1; 0: the newest. */
  readonly number: number;
}

/**
 * Reads the name of a run.
 * @param where what it was given as, for the error: `--run`
 * @throws GatelineError `OPTION_VALUE`
 */
export function parseRunArgument(text: string | undefined, where: string): RunAsked {
  if (text === undefined) return { subject: undefined, number: 0 };
  const [, subject, digits] = /^(?:(.+)#)?([1-9][0-9]{0,8})$/s.exec(text) ?? [];
  if (digits !== undefined) return { subject, number: Number(digits) };
  throw new GatelineError('OPTION_VALUE', `${where} ${text}: expected a run number, or SUBJECT#NUMBER`, {
    hint: '`gateline status` prints the newest run, `gateline status --subjects` the subjects.',
  });
}
