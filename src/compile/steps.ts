import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';

/** What a compiled workflow brings itself, as `uses` names it. */
export interface Pins {
  readonly gateline: string;
  readonly checkout: string;
}

/** What all jobs of a workflow share. */
export interface Around {
  readonly pins: Pins;
  /** Path of the definition in the repository; `undefined`: the action finds it by itself. */
  readonly file: string | undefined;
  /** There is a job that writes down decisions. */
  readonly decides: boolean;
  /** Gates whose files are delivered: their jobs hand on the digest of the files. */
  readonly delivered: ReadonlySet<string>;
}

/** The commit of the event, without a token that later steps could use. */
export function checkoutStep({ pins }: Around): JsonObject {
  return { uses: pins.checkout, with: { 'persist-credentials': false } };
}

/** The input `file`, where it is needed. */
export function definitionInput({ file }: Around): JsonObject {
  return file === undefined ? {} : { file: literal(file) };
}

/** A value in which GitHub evaluates nothing, whatever it holds. */
export function literal(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replaceAll('${{', "${{ '${{' }}");
  if (Array.isArray(value)) return value.map(literal);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, literal(inner)]));
}
