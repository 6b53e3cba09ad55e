import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import { parseJson } from '../../json/parse-json.ts';
import { shown } from '../../pipeline/problem.ts';
import { givenReworkSchema, type GivenRework } from '../../run/records/reworks.ts';
import type { Dispatch } from './dispatch.ts';

/**
 * The work that this run does again: the input `rework` of its event.
 * @throws GatelineError `DISPATCH_INVALID`
 */
export function readRework(dispatch: Dispatch | undefined): GivenRework | undefined {
  if (dispatch?.rework === undefined) return undefined;
  if (dispatch.resume === undefined) throw invalid('name the run that it continues as `resume`');
  const json = parseJson(Buffer.from(dispatch.rework));
  if (!json.ok) throw invalid(json.issue.message);
  const read = givenReworkSchema.safeParse(json.value);
  if (!read.success) throw invalid(shown(z.prettifyError(read.error).replaceAll(/\s+/g, ' '), 500));
  return read.data;
}

function invalid(message: string): GatelineError {
  return new GatelineError('DISPATCH_INVALID', `the input rework of this run: ${message}`);
}
