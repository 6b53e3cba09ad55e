import type { JsonValue } from '../json/json.ts';
import type { Problem, ProblemPlace } from './problem.ts';

/** A definition as a JSON value, with the position of each part. */
export interface DefinitionSource {
  /** `undefined` if the text is not readable as YAML. */
  readonly value: JsonValue | undefined;
  /** Problems of the text itself. */
  readonly problems: readonly Problem[];
  /**
   * A problem at a part of the value. `offset`: characters into a text, if that text appears unchanged in the file. A
   * pointer to a missing part is placed at its parent.
   */
  at(pointer: string, details: ProblemDetails): Problem;
  /** Position of a part of the value; `undefined` if it is not in a file. */
  placeOf(pointer: string): ProblemPlace | undefined;
  /** A number as written in the file (`1.10`), if the value there is one. */
  numberAsWritten(pointer: string): string | undefined;
  /** Whether the texts of a gate's key are used unchanged: `${{` in them is text. */
  isLiteral(key: PropertyKey | undefined): boolean;
}

/** Which part of an entry a problem points at. */
export type PlaceOf = 'key' | 'value';

/** A problem, except for its place. */
export interface ProblemDetails extends Pick<Problem, 'code' | 'message'> {
  /** The key in question, as in the file: `output.score`. The source puts it before the message. */
  readonly label?: string;
  /** The value in question, in words. The source puts it after the message. */
  readonly found?: string;
  readonly severity?: Problem['severity'];
  readonly hint?: string | undefined;
  readonly of?: PlaceOf;
  readonly offset?: number;
}
