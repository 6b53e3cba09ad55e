import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';
import type { Leg } from './pipeline.ts';
import { slugOf } from './slug.ts';

/** The most legs of a matrix, as on GitHub. */
export const MAX_LEGS = 256;
/** Combinations before `exclude` is applied. */
const MAX_COMBINATIONS = 1_024;
const MAX_LEG_ID = 80;

/** `strategy.matrix` as written: lists of values by key. */
export interface MatrixEntry {
  readonly lists: Readonly<Record<string, readonly JsonValue[]>>;
  readonly include: readonly JsonObject[];
  readonly exclude: readonly JsonObject[];
}

export type Legs = { readonly legs: readonly Leg[] } | { readonly problem: string };

interface Row {
  /** The values that its id is made of: those of the lists, as GitHub names its jobs. */
  readonly idValues: JsonObject;
  readonly matrix: JsonObject;
}

/**
 * The legs of a matrix, in GitHub's order and by its rules (`MatrixBuilder` of actions/runner):
 * - the cross product of the lists, the first key slowest;
 * - `exclude` drops a combination that has all values of one of its maps;
 * - each map of `include` adds its other keys to every combination whose values it shares, never changing a value of
 *   the lists; a map that fits none is a leg of its own, which later ones do not extend.
 */
export function expandMatrix({ lists, include, exclude }: MatrixEntry): Legs {
  const size = Object.values(lists).reduce((product, { length }) => product * length, 1);
  if (size > MAX_COMBINATIONS) return { problem: `${size} combinations are more than ${MAX_COMBINATIONS}` };
  const combinations = crossProduct(lists).filter((row) => !exclude.some((filter) => matches(row, filter)));
  return createLegs(extendRows(combinations, include, lists));
}

/**
 * The legs for the items of a list in an output, in their order. Each item is the value of `variable`; with the variable
 * `''` an item that is a map holds all values of its leg, and any other item is the leg's `value`.
 */
export function legsFromList(items: JsonValue | undefined, variable: string): Legs {
  if (!Array.isArray(items)) return { problem: items === undefined ? 'it is not in the output' : 'it is not a list' };
  if (items.length === 0) return { legs: [] };
  return createLegs(
    items.map((item) => {
      const matrix = variable === '' && isJsonObject(item) ? item : { [variable || 'value']: item };
      return { idValues: matrix, matrix };
    }),
  );
}

const KEY = String.raw`\.[A-Za-z_][\w-]*|\[(?:'(?:[^']|'')*'|\d+)\]`;
const OUTPUT = new RegExp(String.raw`^\$\{\{\s*needs\.([\w-]+)\.output((?:${KEY})*)\s*\}\}$`);

/** The gate and the pointer into its output that `${{ needs.GATE.output.KEY }}` names; undefined for any other text. */
export function parseOutputReference(text: string): { gate: string; pointer: string } | undefined {
  const [, gate, rest = ''] = OUTPUT.exec(text.trim()) ?? [];
  if (gate === undefined) return undefined;
  const keys = [...rest.matchAll(/\.([\w-]+)|\[(?:'((?:[^']|'')*)'|(\d+))\]/g)];
  return {
    gate,
    pointer: pointerOf(keys.map(([, name, text, index]) => name ?? index ?? text!.replaceAll("''", "'"))),
  };
}

/** What to write instead of an expression of GitHub such as `fromJSON(needs.plan.outputs.list)`. */
export function outputReferenceHint(text: string): string {
  const [, gate = 'GATE', key = '.KEY'] = /needs\.([\w-]+)\.outputs?((?:\.[\w-]+)*)/.exec(text) ?? [];
  return `write \`\${{ needs.${gate}.output${key} }}\`: a list in the output of a gate`;
}

function crossProduct(lists: MatrixEntry['lists']): JsonObject[] {
  const entries = Object.entries(lists);
  if (entries.length === 0) return [];
  return entries.reduce<JsonObject[]>(
    (rows, [key, values]) => rows.flatMap((row) => values.map((value) => Object.assign({}, row, { [key]: value }))),
    [{}],
  );
}

function extendRows(combinations: readonly JsonObject[], include: readonly JsonObject[], lists: object): Row[] {
  const parts = include.map((map) => {
    const select = (inLists: boolean) =>
      Object.fromEntries(Object.entries(map).filter(([key]) => Object.hasOwn(lists, key) === inLists));
    return { map, filter: select(true), extra: select(false) };
  });
  const rows = combinations.map((row) => {
    const added = parts.filter(({ filter }) => matches(row, filter)).map(({ extra }) => extra);
    return { idValues: row, matrix: Object.assign({}, row, ...added) as JsonObject };
  });
  const rest = parts.filter(({ filter }) => !combinations.some((row) => matches(row, filter)));
  return [...rows, ...rest.map(({ map }) => ({ idValues: map, matrix: map }))];
}

/** Whether a value meets a filter: a map by the filter's keys, any other value regardless of case and type. */
function matches(value: JsonValue | undefined, filter: JsonValue): boolean {
  if (isJsonObject(filter)) {
    return Object.entries(filter).every(([key, part]) => matches(isJsonObject(value) ? value[key] : undefined, part));
  }
  if (value === undefined || isJsonObject(value)) return false;
  return textsIn(value).join().toLowerCase() === textsIn(filter).join().toLowerCase();
}

/** The id of a leg is the slug of its values, or its index where the slug is empty, too long or not unique. */
function createLegs(rows: readonly Row[]): Legs {
  if (rows.length === 0) return { problem: 'no leg is left' };
  if (rows.length > MAX_LEGS) return { problem: `${rows.length} legs are more than ${MAX_LEGS}` };
  const slugs = rows.map(({ idValues }) => slugOf(textsIn(idValues).join('-')));
  const isId = (slug: string): boolean =>
    slug !== '' && slug.length <= MAX_LEG_ID && slugs.indexOf(slug) === slugs.lastIndexOf(slug);
  const legs = rows.map(({ matrix }, index) => {
    let id = isId(slugs[index]!) ? slugs[index]! : `leg-${index}`;
    while (!isId(slugs[index]!) && slugs.includes(id)) id += '_';
    return { id, matrix };
  });
  return { legs };
}

function textsIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [String(value)];
}
