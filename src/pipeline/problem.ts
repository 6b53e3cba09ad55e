import { closest, distance } from 'fastest-levenshtein';
import { showUnseen } from '../json/visible.ts';
import type { ProblemCode } from '../errors/error-codes.ts';

/** Position of a problem. Lines and columns count from 1, columns in UTF-16 units; `pointer` is RFC 6901. */
export interface ProblemPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
}

/** One problem of a `gateline.yml`. Codes are stable, messages are for people. */
export interface Problem {
  /** `error`: there is no pipeline. `warning`: there is one, but it may not do what the user intended. */
  readonly severity: 'error' | 'warning';
  readonly code: ProblemCode;
  /** What is wrong. Starts with the key in question. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  readonly place: ProblemPlace;
}

/**
 * A problem as one line of text:
 * ``gateline.yml:12:9 NEED_UNKNOWN needs: `desing`: no such gate; did you mean `design`?`` Warnings are marked before
 * the code.
 */
export function formatProblem(problem: Problem): string {
  const { place } = problem;
  const where = `${place.file}:${place.line}:${place.column}`;
  const code = problem.severity === 'warning' ? `warning ${problem.code}` : problem.code;
  return `${where} ${code} ${problem.message}${problem.hint === undefined ? '' : `; ${problem.hint}`}`;
}

/** A message with the key in question before it and the value in question after it. */
export function inWords({ label, message, found }: { label?: string; message: string; found?: string }): string {
  return `${label === undefined ? '' : `${label}: `}${message}${found === undefined ? '' : `, found ${found}`}`;
}

/** Problems by position, each once. A text reached through two aliases is one problem. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  const once = problems.filter((problem) => {
    const { line, column } = problem.place;
    const key = `${line}:${column}:${problem.code}:${problem.message}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return once.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column || compare(a.code, b.code));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Text from the file for a message: at most `limit` characters, nothing hidden, on one line. */
export function shown(text: string, limit = 60): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return showUnseen(cut).replaceAll('\n', '␊').replaceAll('\t', '␉');
}

/** {@link shown}, in backticks. */
export function quoted(text: string): string {
  return `\`${shown(text)}\``;
}

/** The kind of a value, in words, for "expected …, found …". */
export function described(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return `the text ${JSON.stringify(shown(value, 40))}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'boolean') return `\`${value}\``;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return Object.keys(value).length === 0 ? 'an empty map' : 'a map';
}

/** The candidate that was probably meant, if one is close enough; case and `_` for `-` are ignored. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replaceAll('_', '-');
  const wanted = plain(text.slice(0, 80));
  const same = candidates.find((candidate) => plain(candidate) === wanted);
  if (same !== undefined || candidates.length === 0) return same;
  const best = closest(wanted, candidates.map(plain));
  const allowed = Math.max(1, Math.ceil((Math.min(wanted.length, best.length) - 1) / 3));
  const isSwapped = distance(wanted, best) === 2 && sorted(wanted) === sorted(best);
  if (distance(wanted, best) > allowed && !isSwapped) return undefined;
  return candidates.find((candidate) => plain(candidate) === best);
}

function sorted(letters: string): string {
  return [...letters].toSorted().join('');
}

/** Maximum number of suggestions for one list of candidates; each takes time for every candidate. */
const MAX_SUGGESTIONS = 100;

/** {@link didYouMean} for many texts and one list of candidates, each text once; after {@link MAX_SUGGESTIONS} none. */
export function suggester(candidates: readonly string[]): (text: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (text) => {
    if (!known.has(text)) {
      known.set(text, known.size < MAX_SUGGESTIONS ? didYouMean(text, candidates) : undefined);
    }
    return known.get(text);
  };
}

/** "did you mean `x`?", or nothing. */
export function didYouMean(text: string, candidates: readonly string[]): string | undefined {
  const meant = nearest(text, candidates);
  return meant === undefined ? undefined : `did you mean ${quoted(meant)}?`;
}
