import type { JsonValue } from '../json/json.ts';
import type { Problem, ProblemPlace } from './problem.ts';

/** A definition as a JSON value, and where each part of it stands. */
export interface Source {
  /** `undefined` when the text is no YAML that could be read. */
  readonly value: JsonValue | undefined;
  /** What is wrong with the text itself. */
  readonly problems: readonly Problem[];
  /**
   * A problem at a part of the value. `offset`: characters into a text, where that text stands in the file as it is.
   * A pointer to something that is not there is placed at what would hold it.
   */
  at(pointer: string, details: ProblemDetails): Problem;
  /** Where a part of the value stands; `undefined` where no file holds it. */
  placeOf(pointer: string): ProblemPlace | undefined;
  /** How a number is written in the file (`1.10`), if the value there is one. */
  numberAsWritten(pointer: string): string | undefined;
  /** Whether the texts of a key of a gate are used as they are: `${{` in them is text. */
  isLiteral(key: PropertyKey | undefined): boolean;
}

/** Which part of an entry a problem points at. */
export type PlaceOf = 'key' | 'value';

/** A problem, but for its place. */
export interface ProblemDetails extends Pick<Problem, 'code' | 'message'> {
  readonly severity?: Problem['severity'];
  readonly hint?: string | undefined;
  readonly of?: PlaceOf;
  readonly offset?: number;
}
