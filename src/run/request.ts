import type { Digest } from '../json/digest.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';

/**
 * Everything that decides the output of a unit. The fingerprint is the digest of its canonical form, under which the
 * document is stored. Names, time limits, retries and the contract are not part of it.
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
  /** The globs of the input files (`null`: all files), and the digest of their paths and versions. */
  readonly inputs: { readonly globs: readonly string[] | null; readonly digest: string };
  /** Digest of the files that needed gates handed on, in their current versions; empty: there are none. */
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
