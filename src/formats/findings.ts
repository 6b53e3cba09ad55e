import { Lexer } from 'yaml';
import type { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import { pointerOf } from '../json/pointer.ts';
import { problemText } from '../pipeline/problem-text.ts';
import { readSource } from '../pipeline/yaml/read-source.ts';
import type { FileProblem, ImportedRun, NotMoved, FormatReading, SourceFile } from './exchange.ts';

/** Most bytes of a file that is imported. */
export const MAX_IMPORT_BYTES = 64 * 1_024 ** 2;

/** How deep its values may nest. */
export const MAX_IMPORT_DEPTH = 50;

/** Most parts that are named. */
const MOST_NAMED = 1_000;

const FRONT_MATTER = /^---\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** What is found while files are read. */
export class FileFindings {
  readonly problems: FileProblem[] = [];
  readonly notMoved: NotMoved[] = [];
  readonly notes: string[] = [];
  #unnamed = 0;

  refuse(file: string, pointer: string, message: string): undefined {
    this.problems.push({ file, pointer, message });
    return undefined;
  }

  leave(file: string, pointer: string, reason: string): void {
    if (this.notMoved.length < MOST_NAMED) this.notMoved.push({ file, pointer, reason });
    else this.#unnamed += 1;
  }

  /** The JSON value of a file; `undefined`: it was refused. */
  json({ path, bytes }: Pick<SourceFile, 'path' | 'bytes'>): JsonValue | undefined {
    const parsed = parseJson(bytes, { maxBytes: MAX_IMPORT_BYTES, maxDepth: MAX_IMPORT_DEPTH });
    return parsed.ok ? parsed.value : this.refuse(path, parsed.issue.pointer ?? '', parsed.issue.message);
  }

  /** The text of a file, without a byte order mark; `undefined`: it was refused. */
  text({ path, bytes }: SourceFile): string | undefined {
    if (bytes.length > MAX_IMPORT_BYTES) return this.refuse(path, '', 'it has more than 64 MiB');
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      return this.refuse(path, '', 'it is not UTF-8');
    }
  }

  /**
   * A YAML mapping without tags, anchors, aliases and merge keys; `undefined`: it was refused.
   * @param linesBefore lines of the file before it
   */
  yaml(path: string, text: string, linesBefore = 0): JsonObject | undefined {
    // The source guards size, depth and characters first: only then is the text looked at token by token.
    const { value, problems } = readSource(text, path);
    for (const { severity, place, message } of problems)
      if (severity === 'error') this.refuse(path, place.pointer ?? '', `line ${place.line + linesBefore}: ${message}`);
    if (problems.some(({ severity }) => severity === 'error')) return undefined;
    const odd = specialToken(text);
    if (odd !== undefined) return this.refuse(path, '', `it has ${odd}: only plain YAML is read`);
    if (!isJsonObject(value)) return this.refuse(path, '', 'expected a mapping');
    // Values of YAML have no prototype; those of JSON do, and formats read both.
    return this.json({ path, bytes: Buffer.from(JSON.stringify(value)) }) as JsonObject | undefined;
  }

  /** The front matter of a Markdown file and the text after it; `undefined`: it was refused. */
  frontMatter(file: SourceFile): { readonly header: JsonObject; readonly body: string } | undefined {
    const text = this.text(file);
    if (text === undefined) return undefined;
    const [whole, yaml] = FRONT_MATTER.exec(text) ?? [];
    if (yaml === undefined) return this.refuse(file.path, '', 'it does not begin with front matter (`---`)');
    const header = this.yaml(file.path, yaml, 1);
    return header && { header, body: text.slice(whole!.length) };
  }

  /**
   * A value of this shape; `undefined`: it was refused, with each problem.
   * @param at pointer to the value in the file
   */
  shaped<T>(schema: z.ZodType<T>, value: unknown, file: string, at = ''): T | undefined {
    const parsed = schema.safeParse(value, { reportInput: true });
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues.slice(0, 20))
      this.refuse(file, at + pointerOf(issue.path), `${issue.path.at(-1)?.toString() ?? 'it'}: ${problemText(issue)}`);
    return undefined;
  }

  reading(run: Partial<ImportedRun>): FormatReading {
    const { problems, notMoved } = this;
    const more = this.#unnamed === 0 ? [] : [`${this.#unnamed} more parts are not moved, and not listed`];
    const notes = [...this.notes, ...more];
    return { run: { gates: [], keys: {}, documents: [], history: [], ...run }, problems, notMoved, notes };
  }
}

const SPECIAL: Readonly<Record<string, string>> = { '&': 'an anchor', '*': 'an alias', '!': 'a tag' };

function specialToken(text: string): string | undefined {
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (!isScalar && token !== '' && Object.hasOwn(SPECIAL, token[0]!)) return `${SPECIAL[token[0]!]} (${token})`;
    isScalar = token === '\x1f';
  }
  return undefined;
}
