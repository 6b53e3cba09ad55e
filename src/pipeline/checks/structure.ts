import type { z } from 'zod';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import { foreignKeyHint } from './foreign-keys.ts';
import { gateSchema } from '../file/gateline-gate.ts';
import { gatelineFileSchema, type GatelineFile } from '../file/gateline-file.ts';
import { pointerOf } from '../../json/pointer.ts';
import { described, didYouMean, quoted, type Problem } from '../problem.ts';
import type { DefinitionSource } from '../source.ts';

type StructureIssue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** What the issues of a schema do not say about the file that it is for. */
export interface FileShape {
  /** The fixed keys of the map at a path. */
  keysAt(path: Path): readonly string[];
  /** What to write instead of a key, or of a value. */
  keyHint(key: string, path: Path): string | undefined;
  valueHint(path: Path, found: JsonValue | undefined): string | undefined;
}

const GATELINE_YML: FileShape = {
  keysAt: (path) => keysBelow(gatelineFileSchema, path),
  keyHint: foreignKeyHint,
  valueHint,
};

/** Checks the file against its schema: a typed file, or every structural problem. */
export function checkStructure(source: DefinitionSource): { file: GatelineFile } | { problems: Problem[] } {
  const parsed = gatelineFileSchema.safeParse(source.value);
  if (parsed.success) return { file: parsed.data };
  return { problems: explainIssues(parsed.error.issues, source, GATELINE_YML) };
}

/** The issues of a schema as problems with their places. */
export function explainIssues(
  issues: readonly StructureIssue[],
  source: DefinitionSource,
  shape: FileShape,
): Problem[] {
  return issues.flatMap((issue) => explain(issue, [], source, shape));
}

/** A path as shown in messages: `needs`, `output.score`, `env.KEY`; without the gate and without indices. */
export function labelOf(path: Path): string {
  const within = path[0] === 'gates' && path.length > 2 ? path.slice(2) : path;
  const keys = within.filter((key) => typeof key !== 'number').map((key) => String(key));
  return quoted(keys.join('.')).slice(1, -1) || 'file';
}

function explain(issue: StructureIssue, base: Path, source: DefinitionSource, shape: FileShape): Problem[] {
  const path = [...base, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(key, path, source, shape));
    case 'invalid_key': {
      const why = issue.issues[0]?.message ?? issue.message;
      const label = labelOf(path.slice(0, -1));
      const message = `${quoted(String(path.at(-1)))}: ${why}`;
      const problem = source.at(pointerOf(path), { code: 'NAME_INVALID', label, message, of: 'key' });
      return [problem, ...insideNamelessGate(path, source)];
    }
    case 'invalid_union': {
      const branch = likeliestBranch(issue.errors);
      if (branch !== undefined) return branch.flatMap((inner) => explain(inner, path, source, shape));
      return [wrongValue(issue.message, path, source, shape)];
    }
    default:
      return [wrongValue(issue.message, path, source, shape)];
  }
}

/** Problems inside a gate with an invalid id: the schema of a map does not check there. */
function insideNamelessGate(path: Path, source: DefinitionSource): Problem[] {
  if (path.length !== 2 || path[0] !== 'gates') return [];
  const parsed = gateSchema.safeParse(valueAt(source.value, path));
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => explain(issue, path, source, GATELINE_YML));
}

/** Of the shapes that a value may have, the one that matches at its top, so that the message is about its content. */
function likeliestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const isOfThatType = (issue: z.core.$ZodIssue): boolean =>
    issue.path.length > 0 || (issue.code !== 'invalid_type' && issue.code !== 'invalid_value');
  return branches.find((branch) => branch.length > 0 && branch.every(isOfThatType));
}

function wrongValue(expected: string, path: Path, source: DefinitionSource, shape: FileShape): Problem {
  const found = valueAt(source.value, path);
  const pointer = pointerOf(path);
  const label = labelOf(path);
  if (found === undefined && path.length > 0) {
    return source.at(pointer, { code: 'KEY_MISSING', label, message: `this key is missing: ${expected}` });
  }
  const details = { label, message: expected, found: described(found), hint: shape.valueHint(path, found) };
  return source.at(pointer, { code: 'VALUE_INVALID', ...details });
}

function unknownKey(key: string, path: Path, source: DefinitionSource, shape: FileShape): Problem {
  const known = shape.keysAt(path);
  const inside = path.length === 0 ? '' : ` under ${quoted(labelOf(path))}`;
  const all = known.length === 0 ? undefined : `known here: ${known.join(', ')}`;
  const hint = shape.keyHint(key, path) ?? didYouMean(key, known) ?? all;
  const message = `there is no such key${inside}`;
  return source.at(pointerOf([...path, key]), {
    code: 'KEY_UNKNOWN',
    label: labelOf([...path, key]),
    message,
    hint,
    of: 'key',
  });
}

/** The fixed keys of the map at a path below a schema: of a value with several shapes, those of each. */
function keysBelow(schema: z.core.$ZodType, path: Path): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [first, ...rest] = path;
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'nullable':
    case 'prefault':
    case 'readonly':
      return keysBelow(def.innerType, path);
    case 'pipe':
      return keysBelow(def.in, path);
    case 'union':
      return [...new Set(def.options.flatMap((option) => keysBelow(option, path)))];
    case 'array':
      return first === undefined ? [] : keysBelow(def.element, rest);
    case 'record':
      return first === undefined ? [] : keysBelow(def.valueType, rest);
    case 'object': {
      if (first === undefined) return Object.keys(def.shape);
      const inner = Object.hasOwn(def.shape, first) ? def.shape[String(first)] : undefined;
      return inner === undefined ? [] : keysBelow(inner, rest);
    }
    default:
      return [];
  }
}

function valueAt(value: JsonValue | undefined, path: Path): JsonValue | undefined {
  let here = value;
  for (const key of path) {
    if (Array.isArray(here)) here = here[Number(key)];
    else here = isJsonObject(here) ? here[String(key)] : undefined;
  }
  return here;
}

/** Keys under `output` whose values are JSON pointers. */
const POINTER_KEYS: ReadonlySet<PropertyKey | undefined> = new Set([
  'score',
  'exports',
  'pointer',
  'message',
  'redact',
]);

function valueHint(path: Path, found: JsonValue | undefined): string | undefined {
  const key = path.findLast((part) => typeof part === 'string');
  if (path.length === 1 && key === 'gates' && Array.isArray(found)) {
    return 'write each gate as a key, like `jobs` on GitHub: `design:` and its keys below it';
  }
  if (typeof found === 'string' && /^-?[0-9.]+$/.test(found)) return 'remove the quotes if you mean a number';
  if (POINTER_KEYS.has(key) && typeof found === 'string') return pointerHint(found);
  if (key === 'workspace' && path[0] === 'gates' && isJsonObject(found)) {
    return 'settings of all work trees belong at the top of the file, under `workspace`';
  }
  if (key === 'workspace' && path.length === 1 && typeof found === 'string') {
    return 'write `tree` and `in-place` at a gate; here `workspace` is a map';
  }
  if (key === 'shell') return 'for another shell write its command, such as `cmd /c {0}`';
  if (found === null && path.length > 0) return 'write a value, or remove the key';
  if (typeof found === 'number' && (key === 'subject' || key === 'agent')) return `put it in quotes: "${found}"`;
  return undefined;
}

function pointerHint(found: string): string | undefined {
  if (found.startsWith('#')) return 'leave the `#` out';
  const keys = found.replace(/^\$?\.?/, '').split(/[./]/);
  const isName = keys.every((key) => /^\w+$/.test(key));
  return isName && keys.length > 0 ? `write \`/${keys.join('/')}\`` : undefined;
}
