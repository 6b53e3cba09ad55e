import { GatelineError } from '../../errors/gateline-error.ts';
import type { FileFormat } from '../../formats/exchange.ts';
import { FORMATS } from '../../formats/formats.ts';
import { didYouMean } from '../../pipeline/problem.ts';

/** @throws GatelineError `FORMAT_UNKNOWN` */
export function formatNamed(name: string): FileFormat {
  if (Object.hasOwn(FORMATS, name)) return FORMATS[name]!;
  const names = Object.keys(FORMATS);
  const meant = didYouMean(name, names);
  throw new GatelineError('FORMAT_UNKNOWN', `there is no format ${name}${meant === undefined ? '' : `; ${meant}`}`, {
    hint: `Formats: ${names.join(', ')}.`,
  });
}
