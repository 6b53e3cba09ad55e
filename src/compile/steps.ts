import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';

/** The actions of a compiled workflow: `owner/name@ref`, with a comment for the release if the ref is a commit. */
export const PINS = {
  gateline: 'gateline/gateline@v1',
  checkout: 'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1',
  createPullRequest: 'peter-evans/create-pull-request@5f6978faf089d4d20b00c7766989d076bb2fc7f1 # v8.1.1',
} as const;
export type Pins = Readonly<Record<keyof typeof PINS, string>>;

/** The pins, with the refs of an earlier text of the workflow, where a bot may have updated them. */
export function findPins(existing: string): Pins {
  const find = (pin: string): string => {
    const name = pin.slice(0, pin.indexOf('@'));
    const line = new RegExp(String.raw`^ *(?:- )?uses: ${name}(?:/[a-z]+)?(@[\w./-]+(?: # v[\w.]+)?)$`, 'm');
    const ref = line.exec(existing)?.[1];
    return ref === undefined ? pin : name + ref;
  };
  return {
    gateline: find(PINS.gateline),
    checkout: find(PINS.checkout),
    createPullRequest: find(PINS.createPullRequest),
  };
}

/** Values that all jobs of a workflow share. */
export interface Shared {
  readonly pins: Pins;
  /** The input `file` of our actions; empty: its default. */
  readonly file: JsonObject;
}

/** The step that checks out the commit of the event, without a token for later steps. */
export function checkoutStep({ pins }: Shared): JsonObject {
  return { uses: pins.checkout, with: { 'persist-credentials': false } };
}

/** A step with one of our actions. */
export function gatelineStep(
  { pins, file }: Shared,
  action: 'gate' | 'begin' | 'complete' | 'report' | 'apply',
  inputs: JsonObject,
  needs: readonly string[] = [],
): JsonObject {
  const [name, ref] = pins.gateline.split('@') as [string, string];
  const values = {
    ...(action !== 'complete' && file),
    ...(needs.length > 0 && { needs: '${{ toJSON(needs) }}' }),
    ...inputs,
  };
  return {
    uses: `${name}${action === 'gate' ? '' : `/${action}`}@${ref}`,
    ...(Object.keys(values).length > 0 && { with: values }),
  };
}

/** Escapes a value, so that GitHub evaluates nothing in it. */
export function literal(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replaceAll('${{', "${{ '${{' }}");
  if (Array.isArray(value)) return value.map(literal);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [literal(key) as string, literal(inner)]));
}
