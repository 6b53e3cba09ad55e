import { legsOf, type MatrixEntry } from '../../../src/pipeline/file/matrix.ts';
import type { JsonObject, JsonValue } from '../../../src/json/json.ts';
import { isJsonObject } from '../../../src/json/json.ts';
import { evaluateText, evaluateValue, type Contexts } from './expressions.ts';
import type { JobDefinition } from './workflow-file.ts';

/** One of the copies of a job that its matrix makes; a job without a matrix is its own only one. */
export interface JobLeg {
  /** As GitHub shows it: `build (node, linux)`, else the job's `name` or id. Unique in a run, unless names are alike. */
  readonly name: string;
  readonly matrix: JsonObject;
  /** The `strategy` context. */
  readonly strategy: JsonObject;
}

/** The legs of a job, in GitHub's order. Throws for a matrix that has none. */
export function jobLegs(id: string, definition: JobDefinition, contexts: Contexts): JobLeg[] {
  const { strategy } = definition;
  const matrix = strategy?.matrix === undefined ? undefined : evaluateValue(strategy.matrix, contexts);
  const given = evaluateValue(strategy?.['fail-fast'] ?? true, contexts);
  const failFast = given === true || given === 'true';
  const rows = matrix === undefined ? [{ row: {}, named: {} }] : rowsOf(id, matrix);
  return rows.map((row, index) => ({
    name: nameOf(id, definition, row, contexts),
    matrix: row.row,
    strategy: {
      'fail-fast': failFast,
      'job-index': index,
      'job-total': rows.length,
      'max-parallel': strategy?.['max-parallel'] ?? rows.length,
    },
  }));
}

interface Row {
  readonly row: JsonObject;
  /** What of it the leg is named by. */
  readonly named: JsonObject;
}

function rowsOf(id: string, matrix: JsonValue): Row[] {
  if (!isJsonObject(matrix)) throw new Error(`the matrix of job ${id} is no map`);
  const result = legsOf(matrix as unknown as MatrixEntry);
  if ('problems' in result) throw new Error(`job ${id}: ${result.problems.map(({ message }) => message).join('; ')}`);
  const { include: _, exclude: __, ...lists } = matrix;
  return result.legs.map(({ matrix: row }) => {
    const inLists = Object.entries(lists).map(([key, list]) => [key, row[key], list] as const);
    const isOfLists = inLists.every(([, value, list]) => Array.isArray(list) && list.some((one) => isSame(one, value)));
    const named = inLists.map(([key, value]) => [key, value!] as const);
    return { row, named: isOfLists && named.length > 0 ? Object.fromEntries(named) : row };
  });
}

/** A name that speaks of the matrix stands as it is; any other gets the values of the lists, and not what `include` adds. */
function nameOf(id: string, { name }: JobDefinition, { row, named }: Row, contexts: Contexts): string {
  if (name?.includes('matrix') ?? false) return evaluateText(name!, { ...contexts, matrix: row });
  const own = name === undefined ? id : evaluateText(name, contexts);
  const values = Object.values(named).flatMap(leaves);
  return values.length === 0 ? own : `${own} (${values.join(', ')})`;
}

function isSame(a: JsonValue, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function leaves(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(leaves);
  return isJsonObject(value) ? Object.values(value).flatMap(leaves) : [String(value)];
}
