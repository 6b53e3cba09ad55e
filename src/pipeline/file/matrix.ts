import { canonicalJson } from '../../json/canonical-json.ts';
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { MAX_LEGS } from './gateline-gate.ts';
import type { Leg } from '../pipeline.ts';

/** Maximum number of combinations before `exclude` is applied. */
const MAX_PRODUCT = 1_024;

/** Why a matrix has no legs. `path` is within the matrix. */
export interface MatrixProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** `strategy.matrix` as written: names to lists, `include` and `exclude`. */
export type MatrixEntry = Readonly<Record<string, readonly unknown[]>>;

interface Row {
  /** The values in the leg's name: those of the cross product, as GitHub names its jobs. */
  readonly named: JsonObject;
  readonly matrix: JsonObject;
}

/**
 * The legs of a matrix, in GitHub's order, by the rules of GitHub's own implementation (`MatrixBuilder` of
 * actions/runner) and documentation:
 * - the cross product of the lists, the first key slowest;
 * - `exclude` drops a combination that has all values of one of its maps (nested maps are compared by the keys they
 *   contain, values as with `==`: `linux` is `Linux`, `1` is `'1'`);
 * - each map of `include` adds its other keys to every combination whose values it shares, never changing an original
 *   value; a map that fits none is a leg of its own, which later ones do not extend.
 */
export function legsOf(entry: MatrixEntry): { legs: Leg[] } | { problems: MatrixProblem[] } {
  const { include = [], exclude = [], ...lists } = entry as Record<string, JsonValue[]>;
  const problems = [...checkLists(lists), ...checkRows(include, exclude, lists)];
  if (problems.length > 0) return { problems };
  const product = crossProduct(lists).filter((row) => !exclude.some((filter) => matches(row, filter)));
  const rows = [...extended(product, include as JsonObject[], new Set(Object.keys(lists)))];
  if (rows.length === 0) return { problems: [{ path: [], message: 'no leg is left' }] };
  if (rows.length > MAX_LEGS) {
    return { problems: [{ path: [], message: `${rows.length} legs are more than ${MAX_LEGS}` }] };
  }
  const canonical = rows.map((row) => canonicalJson(row.named));
  const twice = canonical.findIndex((text, index) => canonical.indexOf(text) !== index);
  if (twice >= 0) {
    return { problems: [{ path: [], message: `two legs are the same: ${canonical[twice]!.slice(0, 200)}` }] };
  }
  const ids = legIds(rows);
  return { legs: rows.map((row, index) => ({ id: ids[index]!, matrix: row.matrix })) };
}

function checkLists(lists: Readonly<Record<string, readonly unknown[]>>): MatrixProblem[] {
  const problems: MatrixProblem[] = [];
  let size = 1;
  for (const [key, values] of Object.entries(lists)) {
    size *= values.length;
    values.forEach((value, index) => {
      if (Array.isArray(value)) {
        problems.push({
          path: [key, index],
          message: 'a matrix value is text, a number, true, false or a map, not a list',
        });
      }
    });
  }
  if (size > MAX_PRODUCT) problems.push({ path: [], message: `${size} combinations are more than ${MAX_PRODUCT}` });
  return problems;
}

function checkRows(include: readonly JsonValue[], exclude: readonly JsonValue[], lists: object): MatrixProblem[] {
  const problems: MatrixProblem[] = [];
  const check = (name: string, rows: readonly JsonValue[], isFilter: (key: string) => boolean): void =>
    rows.forEach((row, index) => {
      const path = [name, index];
      const entries = Object.entries(row as JsonObject);
      if (entries.length === 0) problems.push({ path, message: 'this map is empty' });
      for (const [key, value] of entries) {
        if (isFilter(key) && holdsList(value)) {
          problems.push({ path: [...path, key], message: 'a list cannot be compared with a matrix value' });
        }
        if (name === 'exclude' && !Object.hasOwn(lists, key)) {
          problems.push({ path: [...path, key], message: `the matrix has no key \`${key}\`` });
        }
      }
    });
  check('include', include, (key) => Object.hasOwn(lists, key));
  check('exclude', exclude, () => true);
  return problems;
}

function holdsList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) || (isJsonObject(value) && Object.values(value).some(holdsList));
}

function crossProduct(lists: Readonly<Record<string, readonly JsonValue[]>>): JsonObject[] {
  const keys = Object.keys(lists);
  if (keys.length === 0) return [];
  return keys.reduce<JsonObject[]>(
    (rows, key) => rows.flatMap((row) => lists[key]!.map((value) => Object.assign({}, row, { [key]: value }))),
    [{}],
  );
}

function* extended(
  product: readonly JsonObject[],
  include: readonly JsonObject[],
  keys: ReadonlySet<string>,
): Generator<Row> {
  const parts = include.map((map) => {
    const entries = Object.entries(map);
    return {
      filter: Object.fromEntries(entries.filter(([key]) => keys.has(key))),
      extra: Object.fromEntries(entries.filter(([key]) => !keys.has(key))),
      used: false,
    };
  });
  for (const row of product) {
    const added: JsonObject = {};
    for (const part of parts) {
      if (!matches(row, part.filter)) continue;
      part.used = true;
      Object.assign(added, part.extra);
    }
    yield { named: row, matrix: { ...row, ...added } };
  }
  for (const part of parts) {
    const matrix = { ...part.filter, ...part.extra };
    if (!part.used) yield { named: matrix, matrix };
  }
}

/** Whether a row matches every value of a filter. */
function matches(row: JsonValue | undefined, filter: JsonValue): boolean {
  if (!isJsonObject(filter)) return equalOnGithub(row, filter);
  return Object.entries(filter).every(([key, value]) => matches(isJsonObject(row) ? row[key] : undefined, value));
}

/** `==` of GitHub's expressions, using its official evaluator. */
function equalOnGithub(a: JsonValue | undefined, b: JsonValue): boolean {
  if (isJsonObject(a) || Array.isArray(a)) return false;
  const context = new data.Dictionary({ key: 'a', value: scalar(a) }, { key: 'b', value: scalar(b) });
  const result = new Evaluator(EQUALS, context).evaluate();
  return result instanceof data.BooleanData && result.value;
}

const EQUALS = new Parser(new Lexer('a == b').lex().tokens, ['a', 'b'], []).parse();

function scalar(value: JsonValue | undefined): data.ExpressionData {
  if (typeof value === 'string') return new data.StringData(value);
  if (typeof value === 'number') return new data.NumberData(value);
  return typeof value === 'boolean' ? new data.BooleanData(value) : new data.Null();
}

/** The leg of a job if only its own matrix values are known: named like legs of {@link legsOf}. */
export function legOf(matrix: JsonObject): Leg {
  const texts = leaves(matrix);
  const slug = slugOf(texts.join('-'));
  // `a-b` and `c` join to the same text as `a` and `b-c`.
  const isCertain = texts.length === 1 || texts.every((text) => !text.includes('-'));
  if (isCertain && isReadable(slug, texts.join('-'))) return { id: slug, matrix };
  return { id: withDigits(slug, fnv1a(canonicalJson(matrix)).slice(0, 12)), matrix };
}

/**
 * Ids of the legs: their values joined by `-`, if that is a valid id and no other leg has it. Otherwise that text made
 * valid, plus some digits of a digest of the values (plus their position, if even 16 digits are equal).
 */
function legIds(rows: readonly Row[]): string[] {
  const plain = rows.map((row) => leaves(row.named).join('-'));
  const slugs = plain.map(slugOf);
  for (let digits = 6; ; digits += 2) {
    const ids = slugs.map((slug, index) => {
      const isAmbiguous = slugs.indexOf(slug) !== index || slugs.lastIndexOf(slug) !== index;
      if (isReadable(slug, plain[index]!) && !isAmbiguous) return slug;
      const digest =
        digits > 16 ? String(index).padStart(3, '0') : fnv1a(canonicalJson(rows[index]!.named)).slice(0, digits);
      return withDigits(slug, digest);
    });
    if (new Set(ids).size === ids.length) return ids;
  }
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

function isReadable(slug: string, plain: string): boolean {
  return slug !== '' && slug === plain && slug.length <= 40;
}

function withDigits(slug: string, digits: string): string {
  return `${slug.slice(0, 39 - digits.length).replace(/-+$/, '') || 'leg'}-${digits}`;
}

/** 16 hex digits that distinguish texts: FNV-1a, 64 bits. Not safe against deliberate collisions. */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

function leaves(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(leaves);
  return isJsonObject(value) ? Object.values(value).flatMap(leaves) : [String(value)];
}
