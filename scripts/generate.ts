import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { parse } from 'yaml';
import { z } from 'zod';
import { INPUTS } from '../src/action/inputs.ts';
import { AGENT_VARIABLES } from '../src/agent/environment.ts';
import { createProgram } from '../src/cli/main.ts';
import { createProcessContext } from '../src/cli/process-context.ts';
import { CALLER_VARIABLES } from '../src/environment.ts';
import { DISPATCH_INPUTS } from '../src/pipeline/pipeline.ts';
import { fileSchema } from '../src/pipeline/schema.ts';
import { setSchema } from '../src/pipeline/set.ts';
import { ROOT } from './run.ts';

/**
 * `npm run generate`: writes the files that are made from the sources: JSON Schemas for editors, the version, and parts of
 * the documentation between `<!-- generated: NAME -->` and `<!-- /generated -->`.
 */

type EditorSchema = z.core.JSONSchema.BaseSchema;
/** Maps of gateline.yml that have a table of their own. */
const MAPS = ['gates.<id>', 'gates.<id>.output', 'entities.<name>', 'commands.<id>'];

/**
 * The path and the text of every generated file.
 * @throws if a page names a section that does not exist, or no page shows one
 */
export function generatedFiles(): ReadonlyMap<string, string> {
  const definition = editorSchema(fileSchema, 'gateline.yml');
  const set = editorSchema(setSchema, 'A set of subjects for Gateline');
  const { version } = JSON.parse(readText('package.json')) as { version: string };
  const sections = new Map([
    ...keySections(definition, ['', ...MAPS], 'gateline.yml'),
    ...keySections(set, [''], 'a set'),
    ...Object.keys(INPUTS).flatMap(actionSections),
    ...commandSections(createProgram(createProcessContext({}), () => undefined)),
    ['inputs of a dispatch', nameTable('input', DISPATCH_INPUTS)],
    ['variables', nameTable('variable', CALLER_VARIABLES)],
    ['variables of an agent', nameTable('variable', AGENT_VARIABLES)],
  ]);
  const shown = new Set<string>();
  const filled = pages().map((path) => [path, fillIn(path, sections, shown)] as const);
  const unused = [...sections.keys()].filter((name) => !shown.has(name));
  if (unused.length > 0) throw new Error(`no page has ${unused.join(', ')}`);
  return new Map([
    ['schema/gateline.schema.json', `${JSON.stringify(definition, null, 2)}\n`],
    ['schema/set.schema.json', `${JSON.stringify(set, null, 2)}\n`],
    ['src/version.ts', `/** Version of this package, from package.json. */\nexport const VERSION = '${version}';\n`],
    ...filled,
  ]);
}

/** The pages of the documentation with generated sections. */
function pages(): string[] {
  const paths = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).toSorted();
  const docs = paths.map((path) => `docs/${path.replaceAll('\\', '/')}`);
  return docs.filter((path) => path.endsWith('.md') && readText(path).includes('<!-- generated: '));
}

const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Fills in the sections that a comment names: `<!-- generated: command plan, command run -->`. */
function fillIn(path: string, sections: ReadonlyMap<string, string>, shown: Set<string>): string {
  return readText(path).replaceAll(/^<!-- generated: (.+) -->\n[^]*?^<!-- \/generated -->$/gm, (_, names: string) => {
    const texts = names.split(', ').map((name) => {
      const section = sections.get(name);
      shown.add(name);
      if (section !== undefined) return section;
      throw new Error(`${path}: there is no section \`${name}\`; there are:\n${[...sections.keys()].join('\n')}`);
    });
    return `<!-- generated: ${names} -->\n\n${texts.join('\n')}\n<!-- /generated -->`;
  });
}

type Section = [name: string, text: string];
type Row = readonly string[];

function table(heads: Row, rows: readonly Row[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows.map((cells) => cells.map(cell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** Escapes a cell: outside of code, `<` would begin a tag. */
function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part));
}

const code = (text: string): string => `\`${text}\``;
const nameTable = (head: string, meanings: Readonly<Record<string, string>>): string =>
  table(
    [head, 'meaning'],
    Object.entries(meanings).map(([name, meaning]) => [code(name), meaning]),
  );

/** Moves the sentence about the default out of a description. */
function splitDefault(description: string): [meaning: string, value: string] {
  const [, before = '', value = '', after = ''] = /^(.*?) ?Default: (.*?)\.(?: (.*))?$/.exec(description) ?? [];
  return value === '' ? [description, ''] : [[before, after].filter(Boolean).join(' '), value];
}

type Described = Readonly<Record<string, { description: string; required?: boolean; default?: string }>>;

/** Parts of the action of a gate: their tables omit rows that are the same in the table of the gate. */
const PARTS_OF_GATE = ['begin', 'complete'];

function actionSections(name: string): Section[] {
  const { inputs, outputs } = actionRows(name);
  const gate = PARTS_OF_GATE.includes(name) ? actionRows('gate') : { inputs: [], outputs: [] };
  const ownRows = (rows: readonly Row[], known: readonly Row[]) =>
    rows.filter((row) => !known.some((other) => other.join('|') === row.join('|')));
  const tables: [kind: string, heads: Row, rows: readonly Row[]][] = [
    ['inputs', ['input', 'meaning', 'default'], ownRows(inputs, gate.inputs)],
    ['outputs', ['output', 'meaning'], ownRows(outputs, gate.outputs)],
  ];
  return tables.flatMap(([kind, heads, rows]): Section[] =>
    rows.length === 0 ? [] : [[`${kind} of ${name}`, table(heads, rows)]],
  );
}

function actionRows(name: string): { inputs: Row[]; outputs: Row[] } {
  const text = readText(join(name === 'gate' ? '' : name, 'action.yml'));
  const { inputs, outputs = {} } = parse(text) as { inputs: Described; outputs?: Described };
  return {
    inputs: Object.entries(inputs).map(([key, input]) => {
      const [meaning, value] = splitDefault(input.description);
      return [code(key), meaning, input.required ? 'required' : input.default ? code(input.default) : value];
    }),
    outputs: Object.entries(outputs).map(([key, { description }]) => [code(key), description]),
  };
}

function editorSchema(schema: z.ZodType, title: string): EditorSchema {
  return { title, ...z.toJSONSchema(schema, { io: 'input', target: 'draft-7' }) };
}

/** A table for each of these maps. A key is in the table of the innermost map that has it. */
function keySections(schema: EditorSchema, maps: readonly string[], file: string): Section[] {
  const tableOf = (path: string) => maps.findLast((map) => map === '' || path.startsWith(`${map}.`));
  const keys = keysOf(schema, '');
  return maps.map((map) => {
    const rows = keys.filter(({ path }) => tableOf(path) === map);
    const lines = rows.map(({ path, cells }) => [code(map === '' ? path : path.slice(map.length + 1)), ...cells]);
    return [`keys of ${map === '' ? file : map}`, table(['key', 'type', 'default', 'meaning'], lines)];
  });
}

/** Every key below a schema, with its type, default and meaning. */
function keysOf(schema: EditorSchema, path: string): { path: string; cells: Row }[] {
  const { anyOf = [], properties = {}, additionalProperties: entry, items, required = [] } = schema;
  const below = (key: string): string => (path === '' ? key : `${path}.${key}`);
  const keys = Object.entries(properties as Readonly<Record<string, EditorSchema>>).flatMap(([key, value]) => {
    const [meaning, described] = splitDefault(value.description ?? '');
    const isWritten = value.default !== undefined && typeof value.default !== 'object';
    const preset = required.includes(key) ? 'required' : isWritten ? code(String(value.default)) : described;
    return [{ path: below(key), cells: [typeOf(value), preset, meaning] }, ...keysOf(value, below(key))];
  });
  return [
    ...anyOf.flatMap((option) => keysOf(option, path)),
    ...keys,
    ...(typeof entry === 'object' ? keysOf(entry, below(path === 'entities' ? '<name>' : '<id>')) : []),
    ...(items ? keysOf(items as EditorSchema, `${path}[]`) : []),
  ];
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  array: 'list',
  object: 'map',
};

function typeOf({ type, const: value, enum: choices, anyOf, minimum, maximum }: EditorSchema): string {
  if (value !== undefined) return code(String(value));
  if (choices) return choices.map((choice) => code(String(choice))).join(', ');
  if (anyOf) return [...new Set(anyOf.filter((option) => option.type !== 'null').map(typeOf))].join(' or ');
  const word = TYPES[String(type)] ?? String(type ?? 'any value');
  return minimum === undefined || maximum === undefined ? word : `${word}, ${minimum}-${maximum}`;
}

/** Options of at least this many commands are in one shared table. */
const SHARED_BY = 5;

function commandSections(program: Command): Section[] {
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  const uses = commands.flatMap((command) => command.options.map((option) => ({ command, option })));
  const groups = [...Map.groupBy(uses, ({ option }) => rowText(option)).values()];
  const shared = groups.filter(({ length }) => length >= SHARED_BY);
  const sharedRows = shared.map((group, index) => {
    const users = group.map(({ command }) => command);
    const before = shared[index - 1]?.map(({ command }) => command) ?? [];
    const others = commands.filter((command) => !users.includes(command));
    const names = (list: readonly Command[]): string => list.map((command) => code(nameOf(command))).join(', ');
    const rest = others.length === 0 ? 'all' : `all but ${names(others)}`;
    const isSame = before.length === users.length && before.every((command) => users.includes(command));
    return [...optionRow(group[0]!.option), isSame ? 'the same' : others.length < users.length ? rest : names(users)];
  });
  const sharedOptions = new Set(shared.flat().map(({ option }) => option));
  const ownOptions = ({ options }: Command) => options.filter((option) => !sharedOptions.has(option));
  return [
    ['shared options', table(['option', 'meaning', 'commands'], sharedRows)],
    ...commands.map((command, index): Section => {
      const usage = program.createHelp().commandUsage(command).replace(' [options]', '').replace(' [command]', '');
      const words = command.registeredArguments.map((word) => [code(word.name()), meaningOf(word)] as const);
      const named = words.filter(([, meaning]) => meaning !== A_GATE);
      const own = ownOptions(command);
      const texts = own.map(rowText);
      const model = commands.slice(0, index).find((other) => {
        const known = new Set(ownOptions(other).map(rowText));
        return own.length > SHARED_BY && texts.every((text) => known.has(text));
      });
      const missing = model ? ownOptions(model).filter((option) => !texts.includes(rowText(option))) : [];
      const options = model
        ? [['options', `those of ${code(nameOf(model))}, without ${missing.map(({ long }) => code(long!)).join(', ')}`]]
        : own.map(optionRow);
      const heading = `**${code(usage)}**: ${command.summary() || command.description()}\n`;
      const list = [...named, ...options].map(([name = '', meaning = '']) => `- ${name}: ${meaning}\n`);
      return [`command ${nameOf(command)}`, [heading, ...list].map(cell).join('')];
    }),
  ];
}

/** An argument that the page explains once for all commands. */
const A_GATE = 'a gate, or gate/leg';

function nameOf(command: Command): string {
  return command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
}

const rowText = (option: Option): string => `${option.flags} ${option.description}`;
const optionRow = (option: Option): Row => [code(option.flags), meaningOf(option)];

function meaningOf({ description, argChoices = [], defaultValue }: Option | Argument): string {
  const isNamed = defaultValue === undefined || description.includes('default: ');
  const rest = [argChoices.map(code).join(', '), isNamed ? '' : `default: ${code(String(defaultValue))}`];
  return [description, ...rest.filter(Boolean)].join('; ');
}

if (import.meta.main) {
  for (const [path, text] of generatedFiles()) writeFileSync(join(ROOT, path), text);
}
