import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { cyclesOf } from '../checks/cycles.ts';
import { explainIssues, type FileShape } from '../checks/structure.ts';
import { pointerTo, textsAt, type Located } from '../file/parts.ts';
import { inOrder, quoted, suggester, type Problem } from '../problem.ts';
import type { DefinitionSource } from '../source.ts';
import { readJsonSource } from './json-source.ts';
import { SET_FORMAT, setFileSchema, subjectGraph, subjectSchema, type SubjectGraph } from './subject-set.ts';

/** The largest file that is read, in bytes. */
export const MAX_SET_BYTES = 8 * 1_024 ** 2;
const MAX_DEPTH = 60;
const HINT = `A set is one JSON object: {"format": ${JSON.stringify(SET_FORMAT)}, "subjects": […]}`;
/** Problems beyond this number are only counted, in a final problem. */
const MAX_PROBLEMS = 200;

/** A set, or everything that is wrong with its file, in file order. */
export type ReadSet =
  | { readonly ok: true; readonly subjects: SubjectGraph }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** An entry of the file that has an id, even if other parts of it are wrong. */
interface SubjectPart extends Located<JsonObject> {
  readonly id: string;
}

/**
 * Reads and checks the file of a set. Never throws: any bytes are a set, or at least one error with its place. All
 * errors are found at once, except that a file which is not JSON has only that error.
 * @param file its name in messages
 */
export function readSet(bytes: Uint8Array, file: string): ReadSet {
  const source = readJsonSource(bytes, file, { maxBytes: MAX_SET_BYTES, maxDepth: MAX_DEPTH }, HINT);
  if (source.value === undefined) return { ok: false, problems: source.problems };
  const parsed = setFileSchema.safeParse(source.value);
  const found = parsed.success ? [] : explainIssues(parsed.error.issues, source, SHAPE);
  const problems = inOrder([...found, ...checkSubjects(source)]);
  if (parsed.success && problems.length === 0) {
    const subjects = parsed.data.subjects.map((one) => ({
      ...one,
      needs: [one.needs].flat(),
      metadata: one.metadata as JsonObject,
    }));
    return { ok: true, subjects: subjectGraph(subjects) };
  }
  return { ok: false, problems: limited(problems, source) };
}

const SHAPE: FileShape = {
  keysAt: (path) => Object.keys(path.length === 0 ? setFileSchema.shape : subjectSchema.shape),
  keyHint: () => undefined,
  valueHint: (path, found) =>
    path.length === 0 && Array.isArray(found)
      ? `write {"format": ${JSON.stringify(SET_FORMAT)}, "subjects": […]} around the list`
      : undefined,
};

/** What a schema cannot check: ids that are taken, and needs. */
function checkSubjects(source: DefinitionSource): Problem[] {
  const entries = entriesIn(source);
  const known = new Set(entries.map(({ id }) => id));
  const suggest = suggester([...known]);
  return [
    ...checkIds(entries, source),
    ...entries.flatMap((entry) => checkNeeds(entry, known, suggest, source)),
    ...checkCycles(entries, source),
  ];
}

function entriesIn({ value }: DefinitionSource): SubjectPart[] {
  const subjects = isJsonObject(value) ? value['subjects'] : undefined;
  if (!Array.isArray(subjects)) return [];
  return subjects.flatMap((entry, index) => {
    if (!isJsonObject(entry)) return [];
    const { id } = entry;
    return typeof id === 'string' ? [{ id, value: entry, path: ['subjects', index] }] : [];
  });
}

/** Ids name branches and files, and some systems do not distinguish upper and lower case there. */
function checkIds(entries: readonly SubjectPart[], source: DefinitionSource): Problem[] {
  const owners = new Map<string, SubjectPart>();
  return entries.flatMap((entry) => {
    const key = entry.id.toLowerCase();
    const owner = owners.get(key);
    if (owner === undefined) {
      owners.set(key, entry);
      return [];
    }
    const place = source.at(pointerTo(owner), { code: 'SUBJECT_DUPLICATE', message: '' }).place;
    const same = owner.id === entry.id ? quoted(entry.id) : `${quoted(entry.id)} and ${quoted(owner.id)}`;
    const message = `${same}: the subject at line ${place.line} has this id already`;
    return [source.at(pointerOf([...entry.path, 'id']), { code: 'SUBJECT_DUPLICATE', label: 'id', message })];
  });
}

function checkNeeds(
  entry: SubjectPart,
  known: ReadonlySet<string>,
  suggest: (text: string) => string | undefined,
  source: DefinitionSource,
): Problem[] {
  const seen = new Set<string>();
  return textsAt(entry, 'needs').flatMap((need) => {
    const isRepeated = seen.has(need.value);
    seen.add(need.value);
    const problem = (code: Problem['code'], message: string, hint?: string): Problem[] => [
      source.at(pointerTo(need), { code, label: 'needs', message: `${quoted(need.value)}: ${message}`, hint }),
    ];
    if (isRepeated) return problem('NEED_DUPLICATE', 'named twice');
    if (need.value === entry.id) return problem('NEED_SELF', 'a subject cannot need itself');
    return known.has(need.value) ? [] : problem('NEED_UNKNOWN', 'no such subject', suggest(need.value));
  });
}

function checkCycles(entries: readonly SubjectPart[], source: DefinitionSource): Problem[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const nodes = [...byId.values()].map((entry) => ({
    id: entry.id,
    needs: textsAt(entry, 'needs').map(({ value }) => value),
  }));
  return cyclesOf(nodes).map(({ path, size }) => {
    const first = byId.get(path[0]!)!;
    const place = textsAt(first, 'needs').find(({ value }) => value === path[1]) ?? first;
    const names = [...path, path[0]!].map((id) => quoted(id).slice(1, -1)).join(' → ');
    const more = size > path.length ? ` (${size} subjects form cycles; this is the shortest)` : '';
    const message = `these subjects wait for each other: ${names}${more}`;
    const hint = 'each needs the next; remove one of these needs';
    return source.at(pointerTo(place), { code: 'NEEDS_CYCLE', label: 'needs', message, hint });
  });
}

function limited(problems: readonly Problem[], source: DefinitionSource): readonly Problem[] {
  const left = problems.length - MAX_PROBLEMS;
  if (left <= 0) return problems;
  const more = source.at('', { code: 'PROBLEMS_MORE', message: `${left} more problems are not listed` });
  return [...problems.slice(0, MAX_PROBLEMS), more];
}
