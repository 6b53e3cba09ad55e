import type { Digest } from '../json/digest.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';

/**
 * Everything that decides the output of a unit. The digest of its canonical form is the fingerprint, and the document
 * itself is stored under it. Names, time limits, retries and the contract are not in it.
 */
export interface Request {
  readonly format: 'gateline-request/3';
  readonly pipeline: string;
  readonly gate: string;
  readonly leg: string;
  readonly matrix: JsonObject;
  /** Only a subject that somebody gave. */
  readonly subject?: string;
  readonly task?: string;
  readonly metadata: JsonObject;
  /** The caller's input. */
  readonly input: JsonValue;
  readonly definition: JsonObject;
  /** Digest of the paths and versions of the input files, and what they were selected by. */
  readonly inputs: { readonly globs: readonly string[] | null; readonly digest: string };
  /** Digest of the files that needed gates handed on, with the versions that are in the folder now; empty: none. */
  readonly handedOn: string;
  /** Digest of the exports of each needed unit; `null`: it has no output. */
  readonly needs: Readonly<Record<string, Digest | null>>;
  readonly memory: Readonly<Record<string, Digest>>;
  readonly secrets: readonly string[];
  readonly tools: Readonly<Record<string, string>>;
  readonly platform: { readonly os: string; readonly arch: string };
  /** Outputs that sent the work back, by unit. */
  readonly rework?: Readonly<Record<string, { readonly output: Digest; readonly verdict: JsonValue }>>;
}
