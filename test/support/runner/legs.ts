import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/json/json.ts';
import { expandMatrix } from '../../../src/pipeline/matrix.ts';
import { evaluateText, evaluateValue, type Contexts } from './expressions.ts';
import type { JobDefinition, Workflow } from './workflow.ts';

/** A copy of a job; a job without a matrix is its only leg. */
export interface Leg {
  /** As GitHub shows it: `build (node, linux)`. */
  readonly name: string;
  readonly contexts: { readonly matrix: JsonObject; readonly strategy: JsonObject };
}

/** In GitHub's order. @param name of the job */
export function legsOf(
  id: string,
  name: string,
  { strategy, name: template = '' }: JobDefinition,
  contexts: Contexts,
): Leg[] {
  const matrix = evaluateValue(strategy?.matrix ?? {}, contexts);
  if (!isJsonObject(matrix)) throw new Error(`the matrix of job ${id} is not a map`);
  const { include = [], exclude = [], ...lists } = matrix as Record<string, JsonObject[]>;
  const sole: { legs: { matrix: JsonObject }[] } = { legs: [{ matrix: {} }] };
  const expanded = strategy?.matrix === undefined ? sole : expandMatrix({ lists, include, exclude });
  if ('problem' in expanded) throw new Error(`the matrix of job ${id}: ${expanded.problem}`);
  const failFast = String(evaluateValue(strategy?.['fail-fast'] ?? true, contexts)) === 'true';
  const total = expanded.legs.length;
  return expanded.legs.map(({ matrix: row }, index) => {
    const isListed = (key: string): boolean => lists[key]?.some((item) => isSame(item, row[key])) === true;
    const keys = Object.keys(row).filter(isListed);
    // A leg is named after the values of the lists, not after what `include` adds.
    const values = (keys.length > 0 ? keys : Object.keys(row)).flatMap((key) => leavesOf(row[key]!));
    const numbers = { 'fail-fast': failFast, 'job-index': index, 'job-total': total, 'max-parallel': total };
    const suffix = values.length === 0 ? '' : ` (${values.join(', ')})`;
    const own = template.includes('matrix') ? evaluateText(template, { ...contexts, matrix: row }) : `${name}${suffix}`;
    return { name: own, contexts: { matrix: row, strategy: numbers } };
  });
}

function isSame(a: JsonValue, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function leavesOf(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return isJsonObject(value) ? Object.values(value).flatMap(leavesOf) : [String(value)];
}

type DeclaredInputs = NonNullable<NonNullable<Workflow['on'][string]>['inputs']>;

/** Inputs of a dispatch or a call by their declared types, with defaults. */
export function typedInputs(declared: DeclaredInputs, values: JsonObject, path: string): JsonObject {
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(declared, name));
  if (unknown !== undefined) throw new Error(`${path} has no input ${unknown}`);
  const entries = Object.entries(declared).map(([name, { default: fallback, required, type }]): [string, JsonValue] => {
    const value = values[name] ?? fallback;
    if (value === undefined && required) throw new Error(`${path} needs the input ${name}`);
    if (type === 'boolean') return [name, String(value) === 'true'];
    return [name, type === 'number' ? Number(value ?? 0) : String(value ?? '')];
  });
  return Object.fromEntries(entries);
}
