import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { GatelineError, type Place } from '../errors.ts';
import type { HistoryEntry } from '../history/history-entry.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { parseJson, type JsonLimits } from '../json/parse-json.ts';
import { pointerOf } from '../json/pointer.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import { readYaml } from '../pipeline/read-yaml.ts';
import type { RunView } from '../report/view.ts';
import type { Issue } from '../verdict/verdict.ts';

/** The outputs of a run by unit, redacted, without those that are too large for files. */
export type OutputValues = ReadonlyMap<UnitKey, JsonValue>;

/** Texts by path below the folder of a format. `null`: the run has no such file, and an existing one is removed. */
export type WrittenFiles = Readonly<Record<string, string | null>>;

/** The data that files of a system are written from. */
export interface Source {
  readonly view: RunView;
  readonly values: OutputValues;
  /** Runs of all pipelines of the folder, the newest first. */
  readonly history: readonly HistoryEntry[];
  /** Markdown of `.gateline/memory/`, by name. */
  readonly documents: Readonly<Record<string, string>>;
}

/** The files of another system. */
export interface Format {
  readonly name: string;
  /** Folder of its files, relative to the workspace. */
  readonly folder: string;
  /** Whether the system writes a file at this path below `folder`: such files are no inputs of gates. */
  readonly isStateFile: (path: string) => boolean;
  /** Files about the current run, written after each entry. */
  readonly write: (source: Source) => WrittenFiles;
  /** Files about runs that have ended, written at the end of a call. */
  readonly writeHistory?: (source: Source) => WrittenFiles;
  /**
   * @param subject selects its files, if the folder has those of several
   * @throws GatelineError `usage` with every problem, each with its file and pointer
   */
  readonly read: (files: readonly SourceFile[], subject?: string) => ImportedRun;
}

/** A file of another system. */
export interface SourceFile {
  /** Relative to the folder that is imported, `/`-separated. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** When it was written, in milliseconds since 1970. */
  readonly modified?: number;
}

/** One run from the files of another system, in Gateline's words. */
export interface ImportedRun {
  /** Id for a new definition. */
  readonly pipeline?: string;
  readonly subject?: string;
  readonly task?: string;
  readonly metadata: JsonObject;
  /** In the order of the other system. */
  readonly gates: readonly ImportedGate[];
  readonly history: readonly HistoryEntry[];
  /** Markdown for `.gateline/memory/`, by name. */
  readonly documents: Readonly<Record<string, string>>;
  /** Notes for people, such as what was not imported; one sentence each. */
  readonly notes: readonly string[];
}

/** A gate, phase or node of another system. */
export interface ImportedGate {
  /** Its id, or its number. */
  readonly gate: string | number;
  /** Empty: no matrix. */
  readonly leg: string;
  readonly agent?: string;
  /** The gates before it, for a new definition. */
  readonly needs: readonly (string | number)[];
  /** Undefined: it is not completed, so it runs. */
  readonly output?: JsonValue;
  /** The validation in the state guide's file. The contract judges the output again. */
  readonly validation?: { readonly score: number; issues: string[]; passed: boolean };
  readonly issues: readonly string[];
  /** When it was completed: ISO 8601 in UTC. */
  readonly time?: string;
  readonly place: Place;
}

/** Limits of an import: bytes of all files together, and nesting of values. */
const MAX_IMPORT_BYTES = 64 * 1024 ** 2;
const MAX_IMPORT_DEPTH = 50;
/** At most this many problems are listed; the rest is counted. */
const MAX_PROBLEMS = 20;

/** Reads the files of an import, and collects their problems. */
export class SourceReader {
  readonly notes: string[] = [];
  readonly #problems: { readonly place: Place; readonly message: string }[] = [];
  #bytes = 0;

  reject(place: Place, message: string): undefined {
    this.#problems.push({ place, message });
    return undefined;
  }

  /** Parses a JSON file by a schema; undefined: it was rejected. */
  readJson<T>(schema: z.ZodType<T>, { path, bytes }: SourceFile): T | undefined {
    if (!this.#fits(path, bytes)) return undefined;
    const parsed = parseShape(schema, bytes, { maxDepth: MAX_IMPORT_DEPTH });
    if ('value' in parsed) return parsed.value;
    for (const { pointer, message } of parsed.issues) this.reject({ file: path, pointer }, message);
    return undefined;
  }

  /** Reads a text file; undefined: it was rejected. */
  readText({ path, bytes }: SourceFile): string | undefined {
    if (!this.#fits(path, bytes)) return undefined;
    if (!isUtf8(bytes)) return this.reject({ file: path }, 'it is not UTF-8');
    return Buffer.from(bytes).toString();
  }

  /** Parses the front matter of a Markdown file by a schema; undefined: it was rejected. */
  readFrontMatter<T>(schema: z.ZodType<T>, file: SourceFile): FrontMatter<T> | undefined {
    const { path } = file;
    const text = this.readText(file);
    if (text === undefined) return undefined;
    const parts = splitFrontMatter(text);
    if (parts === undefined) return this.reject({ file: path }, 'it does not begin with a front matter between `---`');
    const read = readYaml(parts.header, path);
    if (!read.ok) {
      for (const { message, place } of read.problems) this.reject({ ...place, line: (place.line ?? 0) + 1 }, message);
      return undefined;
    }
    const checked = schema.safeParse(read.yaml.value);
    if (checked.success) return { value: checked.data, body: parts.body, text };
    for (const issue of checked.error.issues) {
      const place = read.yaml.placeOf(issue.path);
      this.reject({ ...place, line: (place.line ?? 0) + 1 }, issue.message);
    }
    return undefined;
  }

  #fits(path: string, bytes: Uint8Array): boolean {
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_IMPORT_BYTES) this.reject({ file: path }, 'the files have more than 64 MiB');
    return this.#bytes <= MAX_IMPORT_BYTES;
  }

  /** @throws GatelineError `usage`, if anything was rejected */
  throwProblems(): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    const lines = this.#problems
      .slice(0, MAX_PROBLEMS)
      .map(({ place: { file, pointer = '' }, message }) => `${file}${pointer}: ${message}`);
    const rest = this.#problems.length - lines.length;
    if (rest > 0) lines.push(`and ${rest} more`);
    throw new GatelineError('usage', lines.join('\n'), {
      hint: 'Nothing was imported. Correct the files, or leave those out that are not meant.',
      place: first.place,
      code: 'IMPORT_REFUSED',
    });
  }
}

interface FrontMatter<T> {
  readonly value: T;
  /** The text after it. */
  readonly body: string;
  /** The whole file. */
  readonly text: string;
}

/** The parts of a Markdown file; undefined: it does not begin with a front matter. */
export function splitFrontMatter(text: string): { readonly header: string; readonly body: string } | undefined {
  const [whole, header] = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text) ?? [];
  return header === undefined ? undefined : { header, body: text.slice(whole!.length) };
}

/** Parses JSON by a schema. @returns the value, or issues that quote no value */
export function parseShape<T>(
  schema: z.ZodType<T>,
  bytes: Uint8Array,
  limits: JsonLimits = {},
): { readonly value: T } | { readonly issues: readonly Issue[] } {
  const parsed = parseJson(bytes, limits);
  if (!parsed.ok) return { issues: [{ severity: 'error', message: parsed.message, pointer: parsed.pointer }] };
  const checked = schema.safeParse(parsed.value);
  if (checked.success) return { value: checked.data };
  const issues = checked.error.issues.map(({ path, message }) => ({ pointer: pointerOf(path), message }));
  return { issues: issues.map((issue) => ({ severity: 'error', ...issue })) };
}

/** Indented JSON, or in one line if it had more lines than other systems read. */
export function jsonText(value: unknown, maxLines = 100_000): string {
  const text = JSON.stringify(value, null, 2);
  return `${text.split('\n', maxLines + 1).length > maxLines ? JSON.stringify(value) : text}\n`;
}
