import { z } from 'zod';
import { ENV_NAME_PATTERN, isDuration, millisecondsOf } from '../../pipeline/file/gateline-values.ts';
import { ID_PATTERN } from '../../pipeline/pipeline.ts';
import type { DefinitionSource } from '../../pipeline/source.ts';
import { digestSchema, type Digest } from '../../json/digest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';

/*
 * The kinds of input values. The runner passes every input as text; blank text means that the input is not set and is
 * never read here. A message begins with "expected" and never contains the value: callers add it if it is no secret.
 */

type Refuse = (message: string) => never;

/** Reads YAML; the library for it is loaded only for steps that have such inputs. */
export type ReadYaml = (text: string, name: string) => DefinitionSource;

/** An input of some kind: `read` converts the text to a value, or refuses it. */
function kind<T>(read: (text: string, refuse: Refuse) => T): z.ZodOptional<z.ZodType<T, string>> {
  return z
    .string()
    .transform((text, context): T => {
      try {
        return read(text, (message) => {
          throw new Refusal(message);
        });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
        return z.NEVER;
      }
    })
    .optional();
}

/** Thrown by {@link kind} to refuse a value. Never leaves this file. */
class Refusal extends Error {}

export function oneOf<const T extends readonly string[]>(...choices: T) {
  const words = choices.map((choice) => `\`${choice}\``);
  const expected = `expected ${words.slice(0, -1).join(', ')} or ${words.at(-1)!}`;
  return kind((text, refuse): T[number] => choices.find((choice) => choice === text.trim()) ?? refuse(expected));
}

/** `true` or `false` in the spellings of YAML 1.2, as on GitHub. */
export const yesOrNo = kind((text, refuse) => {
  if (/^(?:true|True|TRUE)$/.test(text.trim())) return true;
  return /^(?:false|False|FALSE)$/.test(text.trim()) ? false : refuse('expected `true` or `false`');
});

export function wholeNumber(min: number, max: number) {
  return kind((text, refuse) => {
    const number = /^[0-9]{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : refuse(`expected a whole number from ${min} to ${max}`);
  });
}

/** Fractions are allowed. */
export function numberFrom(min: number, max: number) {
  return kind((text, refuse) => {
    const number = /^[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text.trim()) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : refuse(`expected a number from ${min} to ${max}`);
  });
}

/** A time such as `30d`, as milliseconds. */
export function age(days: number) {
  const expected = `expected a time of at least ${days} days, such as \`${days}d\` or \`8w\``;
  return kind((text, refuse) => {
    const milliseconds = isDuration(text.trim()) ? millisecondsOf(text.trim()) : 0;
    return milliseconds >= millisecondsOf(`${days}d`) ? milliseconds : refuse(expected);
  });
}

/** Text that matches a pattern, trimmed. */
export function matching(pattern: RegExp, what: string) {
  return kind((text, refuse) => (pattern.test(text.trim()) ? text.trim() : refuse(`expected ${what}`)));
}

/** One line, trimmed. */
export function line(max: number, what: string) {
  return kind((text, refuse) => {
    const trimmed = text.trim();
    if (/[\0\r\n]/.test(trimmed)) return refuse(`expected ${what} on one line`);
    return trimmed.length <= max ? trimmed : refuse(`expected ${what} of at most ${max} characters`);
  });
}

/** Unchanged text. */
export const block = kind((text) => text);

/** Text with a maximum size in bytes of UTF-8. */
export function bounded(maxBytes: number, otherwise: string) {
  return kind((text, refuse) =>
    Buffer.byteLength(text) <= maxBytes ? text : refuse(`expected at most ${maxBytes} bytes: ${otherwise}`),
  );
}

/** A number for `gateline.yml`'s own checks; these report any other text. */
export const numberOrText = kind((text): JsonValue => {
  const trimmed = text.trim();
  return /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(trimmed) ? Number(trimmed) : trimmed;
});

/** One entry per line, without blank lines, or a JSON list of texts. `[]` is the empty list. */
export const lines = kind(linesOf);

/** As {@link lines}, or a single word that is not a list. */
export function linesOr(word: string) {
  return kind((text): string | string[] => (text.trim() === word ? word : linesOf(text)));
}

function linesOf(text: string): string[] {
  const trimmed = text.trim();
  const parsed = trimmed.startsWith('[') ? parseJson(Buffer.from(trimmed)) : undefined;
  if (parsed?.ok === true && Array.isArray(parsed.value)) {
    const list = parsed.value.filter((item) => typeof item === 'string');
    if (list.length === parsed.value.length) return list;
  }
  return trimmed
    .split(/\r?\n/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** Names separated by commas, spaces or line breaks; brackets and quotes around them are ignored. */
export function wordsOf(text: string): string[] {
  const bare = text.trim().replace(/^\[([^]*)\]$/, '$1');
  return bare
    .split(/[\s,]+/)
    .map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
    .filter((word) => word !== '');
}

/** Some of these words, each once and in this order; `none`: none of them. */
export function someOf<const T extends readonly string[]>(...choices: T) {
  const words = choices.map((choice) => `\`${choice}\``);
  const expected = `expected some of ${words.join(', ')}, or \`none\``;
  return kind((text, refuse): readonly T[number][] => {
    const given = wordsOf(text);
    if (given.length === 1 && given[0] === 'none') return [];
    if (given.length === 0 || given.some((word) => !choices.includes(word))) return refuse(expected);
    return choices.filter((choice) => given.includes(choice));
  });
}

/** Ids of gates. */
export const gateIds = kind((text, refuse) => {
  const ids = wordsOf(text);
  return ids.every((id) => ID_PATTERN.test(id)) ? [...new Set(ids)] : refuse('expected ids of gates');
});

/** Names of variables. An invalid name may be the secret itself, so it is not shown. */
export const variableNames = kind((text, refuse) => {
  const names = wordsOf(text);
  const wrong = names.findIndex((name) => !ENV_NAME_PATTERN.test(name));
  if (wrong < 0) return names;
  const more = 'write `secrets: API_KEY`, and set `API_KEY` under `env:` of the step';
  return refuse(`expected names of variables, but entry ${wrong + 1} is not one: ${more}`);
});

/** `NAME` (taken from the step's own environment) or `NAME=VALUE`, one per line. Trailing spaces of values are kept. */
export const variableLines = kind((text, refuse): Record<string, string | null> => {
  const variables: Record<string, string | null> = {};
  for (const [index, written] of text.split(/\r?\n/).entries()) {
    if (written.trim() === '') continue;
    const [, name, value] = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:=(.*))?$/.exec(written) ?? [];
    if (name === undefined) return refuse(`expected NAME or NAME=VALUE on each line, but line ${index + 1} is neither`);
    if (Object.hasOwn(variables, name)) return refuse(`expected each variable once, but \`${name}\` is listed twice`);
    variables[name] = value ?? null;
  }
  return variables;
});

/** A map in YAML or JSON, by the rules of `gateline.yml`. */
export function map(readYaml: ReadYaml) {
  return kind((text, refuse): JsonObject => {
    const value = yamlOf(readYaml, text, refuse, 'a map in YAML or JSON');
    return isJsonObject(value) ? value : refuse('expected a map in YAML or JSON, such as `model: large`');
  });
}

/** Names of programs, or a map in YAML or JSON of names to commands. */
export function wordsOrMap(readYaml: ReadYaml) {
  return kind((text, refuse): JsonValue => {
    if (isWords(text)) return wordsOf(text);
    const value = yamlOf(readYaml, text, refuse, 'names of programs, or a map of names to commands');
    return isJsonObject(value) ? value : refuse('expected names of programs, or a map of names to commands');
  });
}

/** A path, or a JSON Schema written out in YAML or JSON. */
export function pathOrSchema(readYaml: ReadYaml) {
  return kind((text, refuse): JsonValue => {
    if (isPath(text)) return text.trim();
    const value = yamlOf(readYaml, text, refuse, 'the path of a JSON Schema file, or a schema');
    return isJsonObject(value) ? value : refuse('expected the path of a JSON Schema file, or a schema');
  });
}

/** Whether the input `tools` is a list of names, and not a map. */
export function isWords(text: string): boolean {
  return !text.includes(':');
}

/** Whether the input `schema` is a path, and not a schema itself. */
export function isPath(text: string): boolean {
  return !/^\{|[\r\n]/.test(text.trim());
}

/** One JSON value. */
export const json = kind((text, refuse): JsonValue => {
  const parsed = parseJson(Buffer.from(text));
  return parsed.ok ? parsed.value : refuse(`expected one JSON value, but this is ${parsed.kind}`);
});

/** Digests by name, as JSON. */
export const digestsByName = kind((text, refuse): Readonly<Record<string, Digest>> => {
  const parsed = parseJson(Buffer.from(text));
  const digests = parsed.ok ? z.record(z.string(), digestSchema).safeParse(parsed.value) : undefined;
  return digests?.success === true ? digests.data : refuse('expected digests by name, as JSON');
});

/** The `toJSON` of a context: an object, or `null` (`undefined` here) if there is none. */
export const contextJson = kind((text, refuse): JsonObject | undefined => {
  const parsed = parseJson(Buffer.from(text));
  if (parsed.ok && parsed.value === null) return undefined;
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : refuse('expected a JSON object or `null`');
});

function yamlOf(readYaml: ReadYaml, text: string, refuse: Refuse, what: string): JsonValue | undefined {
  const { value, problems } = readYaml(text, 'input');
  const first = problems.find(({ severity }) => severity === 'error');
  if (first !== undefined) return refuse(`expected ${what}; ${first.place.line}:${first.place.column} ${first.code}`);
  return value;
}
