import type { Call } from '../../engine/call/call.ts';
import { readJson } from '../../engine/call/content.ts';
import { storedRequest } from '../../engine/call/content.ts';
import { jsonDifferences, type JsonDifference } from '../../json/json-difference.ts';
import type { JsonValue } from '../../json/json.ts';
import { outputDifferencesJson } from '../../report/json/output-differences.ts';
import { fit, oneLine } from '../../report/text.ts';
import { describeDifferences, differences, type Difference } from '../../run/plan/difference.ts';
import type { NumberedAttempt } from './attempt-numbered.ts';

/** The differences between two attempts of a gate, besides their files. */
export interface AttemptDifferences {
  /** `undefined`: a request is missing (an adopted output has none), or was written by another version. */
  readonly request: readonly Difference[] | undefined;
  readonly output: readonly JsonDifference[];
}

/** @throws GatelineError `CONTENT_MISSING` */
export async function attemptDifferences(
  call: Call,
  before: NumberedAttempt,
  after: NumberedAttempt,
): Promise<AttemptDifferences> {
  const [was, is] = await Promise.all([before, after].map((attempt) => requestOf(call, attempt)));
  const request = was === undefined || is === undefined ? undefined : differences(was, is);
  return { request, output: jsonDifferences(await outputOf(call, before), await outputOf(call, after)) };
}

async function requestOf(call: Call, { claim }: NumberedAttempt): ReturnType<typeof storedRequest> {
  return claim && storedRequest(call, claim.request);
}

async function outputOf(call: Call, { number, ended }: NumberedAttempt): Promise<JsonValue | undefined> {
  if (ended?.value === undefined) return undefined;
  return readJson(call.ports.store, ended.value, { what: `the output of attempt ${number} of gate ${ended.gate}` });
}

const LINES = 40;
const LONGEST = 200;

/** The differences for people, one line each; they come before a patch, where `git apply` ignores them. */
export function differenceLines({ request, output }: AttemptDifferences): string[] {
  const asked =
    request === undefined
      ? ['request: cannot be compared']
      : request.length === 0
        ? []
        : [`request: ${oneLine(describeDifferences(request))}`];
  const more = output.length - LINES;
  return [
    ...asked,
    ...output.slice(0, LINES).map(outputLine),
    ...(more > 0 ? [`output: and ${more} more places: --json lists them`] : []),
  ];
}

/** One place of an output, for people. */
export function outputLine({ pointer, before, after }: JsonDifference): string {
  const text = (value: JsonValue | undefined): string =>
    value === undefined ? 'nothing' : fit(oneLine(JSON.stringify(value)), LONGEST);
  return `output${pointer === '' ? '' : ` ${fit(oneLine(pointer), LONGEST)}`}: ${text(before)} → ${text(after)}`;
}

/** {@link AttemptDifferences} as `gateline-diff/1` has them; `null`: there is no value. */
export function differencesJson({ request, output }: AttemptDifferences): object {
  return {
    request: request?.map((one) => ({ ...one })) ?? null,
    output: outputDifferencesJson(output),
  };
}
