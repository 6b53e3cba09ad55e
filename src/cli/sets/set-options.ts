import type { DeliverAs } from '../../engine/set/deliver-set.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { listOption, textOption, type OptionValues } from '../command.ts';

/** Options that mean something only with `--set`. */
const ONLY_WITH_SET = ['only-set', 'max-parallel', 'deliver'];

/** Options about one run, and why they do not go with a set. */
const NOT_WITH_SET: ReadonlyMap<string, string> = new Map([
  ['subject', 'the file of the set names the subjects'],
  ['stand-in', 'it is for a single gate'],
  ['apply', 'a set leaves your folder as it is; use `--deliver`, or `gateline apply SUBJECT#RUN`'],
  ['gate', 'a subject is completed only when all of its gates are'],
  ['with-needs', 'a subject is completed only when all of its gates are'],
  ['until', 'a subject is completed only when all of its gates are'],
  ['max-gates', 'a subject is completed only when all of its gates are'],
  ['run', 'each subject has runs of its own'],
  ['at', 'each subject has runs of its own'],
  ['subjects', 'it lists the subjects that have runs'],
]);

/** @throws GatelineError `OPTION_CONFLICT` */
export function refuseSetOptions(options: OptionValues): void {
  const isSet = (name: string): boolean => {
    const value = options[name];
    return value !== undefined && (!Array.isArray(value) || value.length > 0);
  };
  if (!isSet('set')) {
    const idle = ONLY_WITH_SET.find(isSet);
    if (idle !== undefined) throw new GatelineError('OPTION_CONFLICT', `--${idle} can only be used with --set`);
    return;
  }
  for (const [name, why] of NOT_WITH_SET) {
    if (isSet(name)) throw new GatelineError('OPTION_CONFLICT', `--${name} cannot be used with --set: ${why}`);
  }
}

/** Of `gateline apply`. @throws GatelineError `OPTION_CONFLICT` */
export function refuseDeliveryOptions(options: OptionValues): void {
  const isDelivery = options['deliver'] !== undefined;
  if (options['set'] !== undefined && !isDelivery)
    throw new GatelineError('OPTION_CONFLICT', '--set can only be used with --deliver');
  if (isDelivery && listOption(options, 'gate').length > 0)
    throw new GatelineError('OPTION_CONFLICT', '--gate cannot be used with --deliver: a run is delivered completely');
}

/** @throws GatelineError `OPTION_VALUE` */
export function deliverOption(options: OptionValues): DeliverAs | undefined {
  const text = textOption(options, 'deliver');
  if (text === undefined || text === 'branch' || text === 'patch') return text;
  throw new GatelineError('OPTION_VALUE', `--deliver ${text}: expected branch or patch`);
}

/** @throws GatelineError `OPTION_VALUE` */
export function maxParallelOption(options: OptionValues): number | undefined {
  const text = textOption(options, 'max-parallel');
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= 256) return Number(text);
  throw new GatelineError('OPTION_VALUE', `--max-parallel ${text}: expected a whole number from 1 to 256`);
}
