import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { showUnseen } from '../../json/visible.ts';

/** A place in a file of the repository, as named in an output. */
export interface NamedPlace {
  /** Relative to the repository, `/`-separated, inside it. */
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly endLine?: number;
  readonly column?: number;
}

const FILES = ['file', 'path', 'filename', 'fileName', 'file_name', 'filePath', 'file_path', 'uri'];
const LINES = ['line', 'lineNumber', 'line_number', 'startLine', 'start_line', 'beginLine', 'begin', 'row'];
const END_LINES = ['endLine', 'end_line', 'end'];
const COLUMNS = ['column', 'col', 'startColumn', 'start_column', 'character'];
/**
 * Keys under which a place may be an object, or the first item of a list: SARIF, ESLint, Code Climate, Playwright, LSP.
 */
const NESTED = [
  'location',
  'locations',
  'loc',
  'physicalLocation',
  'artifactLocation',
  'position',
  'range',
  'region',
  'lines',
  'start',
];
const DEEPEST = 4;

/** The base folders of paths. */
export interface PathOptions {
  /** The absolute path of the repository's folder: agents may use absolute paths. */
  readonly workspace?: string;
}

/**
 * The place that an object names in one of the usual shapes, with its line if there is one. `undefined`: none inside
 * the repository.
 */
export function namedPlace(object: JsonObject, options: PathOptions = {}): NamedPlace | undefined {
  const file = firstOf(object, (one) => fileIn(one, options));
  if (file === undefined) return undefined;
  const line = file.line ?? lineOf(object);
  const column = file.column ?? firstOf(object, (one) => numberIn(one, COLUMNS));
  const endLine = firstOf(object, (one) => numberIn(one, END_LINES));
  return {
    file: file.file,
    ...(line !== undefined && { line }),
    ...(line !== undefined && endLine !== undefined && endLine >= line && { endLine }),
    ...(line !== undefined && column !== undefined && { column }),
  };
}

/** The line that an object names, without a file. */
export function lineOf(object: JsonObject): number | undefined {
  return firstOf(object, (one) => numberIn(one, LINES));
}

/**
 * Converts an agent's path to one relative to the repository: not outside, not in `.git`, no other scheme or drive, no
 * invisible characters, and no command of GitHub's runner. `undefined` if it is not such a path.
 */
export function containedPath(text: string, { workspace }: PathOptions = {}): string | undefined {
  if (text === '' || text.length > 1_024 || showUnseen(text) !== text || /[\t\n]|##\[/.test(text)) return undefined;
  let path = text.replaceAll('\\', '/');
  const root = workspace?.replaceAll('\\', '/').replace(/\/*$/, '/');
  if (root !== undefined && root !== '/' && path.startsWith(root)) path = path.slice(root.length);
  if (/^[/~]|^[a-z][a-z0-9+.-]*:/i.test(path)) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.length === 0 || segments.includes('..') || /^\.git\W*$/i.test(segments[0]!)) return undefined;
  return segments.join('/');
}

/** The result of `read` for an object, or for one of the nested objects that describe its place. */
function firstOf<T>(object: JsonObject, read: (one: JsonObject) => T | undefined, depth = 0): T | undefined {
  const own = read(object);
  if (own !== undefined || depth === DEEPEST) return own;
  for (const key of NESTED) {
    const inner = objectIn(ownValue(object, key));
    const found = inner === undefined ? undefined : firstOf(inner, read, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function objectIn(value: JsonValue | undefined): JsonObject | undefined {
  const one = Array.isArray(value) ? value[0] : value;
  return isJsonObject(one) ? one : undefined;
}

function fileIn(object: JsonObject, options: PathOptions): NamedPlace | undefined {
  for (const key of [...FILES, 'location']) {
    const value = ownValue(object, key);
    if (typeof value !== 'string') continue;
    // `src/a.ts:12:3`, as compilers print it.
    const [, path, line, column] = /^(.{1,1024}?):(\d{1,7})(?::(\d{1,7}))?$/.exec(value.slice(0, 1_100)) ?? [];
    const file = containedPath(path ?? value, options);
    if (file === undefined || (key === 'location' && line === undefined)) continue;
    return { file, ...numbered('line', line), ...numbered('column', column) };
  }
  return undefined;
}

function numbered(name: 'line' | 'column', text: string | undefined): { line?: number; column?: number } {
  return Number(text) >= 1 ? { [name]: Number(text) } : {};
}

function numberIn(object: JsonObject, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = ownValue(object, key);
    const number = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number < 10_000_000) return number;
  }
  return undefined;
}

function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
