import { pointerSegments } from '../../json/pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { containedPath, lineOf, namedPlace, type NamedPlace, type PathOptions } from './named-place.ts';

/** The severity of a finding or an issue: GitHub's three levels of annotations. */
export type Level = 'error' | 'warning' | 'notice';

/** An output's statement about a place in a file. Its text is untrusted. */
export interface LocatedIssue extends NamedPlace {
  readonly level: Level;
  readonly message: string;
}

/** Maximum number of values of an output to examine. */
const MOST_VALUES = 100_000;
/** Maximum number of findings to collect. */
const MOST_FINDINGS = 1_000;

const MESSAGES = ['message', 'description', 'text', 'reason', 'error', 'summary', 'title', 'issue'];
const LEVELS = ['severity', 'level', 'priority'];
/** Keys under which test reports state a result. */
const ENDINGS = ['status', 'outcome', 'result', 'state'];

const LEVEL_WORDS: Readonly<Record<string, Level>> = {
  error: 'error',
  fatal: 'error',
  blocker: 'error',
  critical: 'error',
  high: 'error',
  major: 'error',
  failure: 'error',
  warning: 'warning',
  warn: 'warning',
  medium: 'warning',
  moderate: 'warning',
  minor: 'warning',
};
const GOOD = new Set(['passed', 'pass', 'ok', 'success', 'skipped', 'pending', 'expected', 'fixed', 'resolved']);

/**
 * An output's findings about places in files: objects with a message, a file, and a line or a severity, in the shapes
 * of `{file, line, message}`, SARIF results, ESLint, Code Climate, Playwright and compilers
 * (`"location": "src/a.ts:12:3"`). Objects that say that they passed are ignored. In the order of the output, without
 * duplicates; bounded.
 */
export function findingsOf(value: JsonValue, options: PathOptions = {}): LocatedIssue[] {
  const found = new Map<string, LocatedIssue>();
  const pending: Array<{ value: JsonValue; file: string | undefined }> = [{ value, file: undefined }];
  for (let looked = 0; pending.length > 0 && looked < MOST_VALUES && found.size < MOST_FINDINGS; looked += 1) {
    const { value, file } = pending.pop()!;
    if (typeof value !== 'object' || value === null) continue;
    let inherited = file;
    if (isJsonObject(value)) {
      const finding = findingIn(value, file, options);
      if (finding !== undefined) found.set(`${finding.file}:${finding.line}:${finding.message}`, finding);
      // A SARIF result contains objects that look like findings.
      if (finding !== undefined && Object.hasOwn(value, 'locations')) continue;
      inherited = namedPlace(value, options)?.file ?? file;
    }
    const inner = Array.isArray(value) ? value : Object.values(value);
    for (let at = Math.min(inner.length, MOST_VALUES) - 1; at >= 0; at -= 1)
      pending.push({ value: inner[at]!, file: inherited });
  }
  return [...found.values()];
}

/** The place for a JSON pointer: named by the value there, or by the nearest enclosing object that names a line. */
export function placeAt(value: JsonValue, pointer: string, options: PathOptions = {}): NamedPlace | undefined {
  let place: NamedPlace | undefined;
  let at: JsonValue | undefined = value;
  for (const segment of [undefined, ...segmentsOf(pointer)]) {
    if (segment !== undefined) at = childOf(at, segment);
    if (at === undefined) break;
    const own = isJsonObject(at) ? namedPlace(at, options) : undefined;
    if (own?.line !== undefined) place = own;
  }
  return place;
}

function segmentsOf(pointer: string): string[] {
  return pointer.startsWith('/') ? pointerSegments(pointer.slice(0, 4_096)) : [];
}

function childOf(value: JsonValue | undefined, segment: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,8})$/.test(segment) ? value[Number(segment)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

function findingIn(object: JsonObject, file: string | undefined, options: PathOptions): LocatedIssue | undefined {
  const message = messageIn(object);
  if (message === undefined || saysWell(object)) return undefined;
  const place = namedPlace(object, options) ?? inheritedPlace(object, file);
  const level = levelIn(object);
  if (place === undefined || (place.line === undefined && level === undefined)) return undefined;
  return { ...place, level: level ?? 'notice', message };
}

/** ESLint names the file once and lists its findings below. */
function inheritedPlace(object: JsonObject, file: string | undefined): NamedPlace | undefined {
  const line = lineOf(object);
  return file === undefined || line === undefined || containedPath(file) === undefined ? undefined : { file, line };
}

function messageIn(object: JsonObject): string | undefined {
  for (const key of MESSAGES) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    const text = isJsonObject(value) && Object.hasOwn(value, 'text') ? value['text'] : value;
    if (typeof text === 'string' && text.trim() !== '') return text;
  }
  return undefined;
}

function levelIn(object: JsonObject): Level | undefined {
  for (const key of LEVELS) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    // ESLint: 2 is an error, 1 a warning
    if (value === 2) return 'error';
    if (value === 1) return 'warning';
    if (typeof value !== 'string' || value.length > 20) continue;
    const word = value.toLowerCase();
    return Object.hasOwn(LEVEL_WORDS, word) ? LEVEL_WORDS[word] : 'notice';
  }
  return undefined;
}

function saysWell(object: JsonObject): boolean {
  if (object['passed'] === true || object['ok'] === true) return true;
  return ENDINGS.some((key) => {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    return typeof value === 'string' && value.length < 20 && GOOD.has(value.toLowerCase());
  });
}
