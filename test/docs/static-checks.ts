import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/json/json.ts';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { problemText } from '../../src/pipeline/problem.ts';
import { isDefinition, isWorkflow, ROOT, type Block } from './pages.ts';

const LANGUAGES = ['sh', 'text', 'ts', 'run'];

/** What is wrong with a block as it stands, without its line. */
export function problemsOf(block: Block): string[] {
  const { language, text, notes, isOutput } = block;
  try {
    if ('not run' in notes) return notes['not run'] === '' ? ['say why it is not run'] : [];
    if (isDefinition(block)) return definitionProblems(text);
    if (language === 'json') return JSON.parse(text) === undefined ? ['is empty'] : [];
    if (language === 'yaml') return yamlProblems(block);
    if ('file' in notes) return [];
    if (!LANGUAGES.includes(language)) return [`a block of the language \`${language}\` must be a file`];
    return language === 'text' && !isOutput ? ['a block of text must follow what prints it, or be a file'] : [];
  } catch (error) {
    return [String(error)];
  }
}

function yamlProblems(block: Block): string[] {
  const { text, notes } = block;
  const value = parse(text) as JsonValue;
  if (isWorkflow(block) || notes['part'] === 'job')
    return listSteps(value).flatMap(([use, given]) => checkUse(use, given, text));
  if (notes['part'] !== undefined) return definitionProblems(JSON.stringify(definitionWith(notes['part'], value)));
  return 'file' in notes ? [] : ['yaml must have `jobs`, `gates`, or a note `part` or `file`'];
}

function definitionProblems(text: string): string[] {
  const parsed = parsePipeline(text, 'gateline.yml');
  return (parsed.ok ? parsed.warnings : parsed.problems).map((problem) => problemText(problem));
}

/** `gates.NAME`: keys of a gate. `gateline.yml`: keys of the file. Gates that it names and lacks are added. */
function definitionWith(part: string, value: JsonValue): JsonObject {
  const gate = { run: 'true' };
  if (part === 'gateline.yml') return { pipeline: 'p', gates: { design: gate }, ...(value as JsonObject) };
  const [, name] = /^gates\.([\w-]+)$/.exec(part) ?? [];
  if (name === undefined || !isJsonObject(value)) throw new Error('`part` is gates.NAME, gateline.yml or job');
  const needs = [value['needs'] ?? []].flat() as string[];
  const others = Object.fromEntries(needs.map((need) => [need, gate]));
  return { pipeline: 'p', gates: { ...others, [name]: { run: 'true', ...value } } };
}

function listSteps(value: JsonValue): [use: string, step: JsonObject][] {
  if (Array.isArray(value)) return value.flatMap(listSteps);
  if (!isJsonObject(value)) return [];
  const own: [string, JsonObject][] = typeof value['uses'] === 'string' ? [[value['uses'], value]] : [];
  return [...own, ...Object.values(value).flatMap((part) => listSteps(part ?? null))];
}

type Inputs = Readonly<Record<string, { required?: boolean; default?: unknown }>>;
type Manifest = { readonly inputs?: Inputs; readonly outputs?: Readonly<Record<string, unknown>> };

/** Inputs and outputs of an action of ours, or of a reusable workflow. */
function manifestOf(path: string): Manifest {
  const manifest = parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest & { on?: { workflow_call: Manifest } };
  return manifest.on?.workflow_call ?? manifest;
}

function checkUse(uses: string, { with: given = {}, id }: JsonObject, text: string): string[] {
  const [name = '', ref] = uses.split('@');
  if (!/^gateline\/gateline(?:\/|$)/.test(name)) return [];
  if (ref !== 'v1') return [`${uses}: write ${name}@v1`];
  const folder = name.split('/').slice(2).join('/');
  const path = folder.endsWith('.yml') ? folder : join(folder, 'action.yml');
  if (!existsSync(join(ROOT, path))) return [`${uses} is not there`];
  const { inputs = {}, outputs = {} } = manifestOf(path);
  const names = Object.keys(given ?? {});
  const needed = Object.keys(inputs).filter((key) => inputs[key]!.required && inputs[key]!.default === undefined);
  const isKnown = (key: string): boolean => key in outputs || /^attempt-\d+$/.test(key);
  const used = [...text.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)].filter(([, step]) => step === id);
  return [
    ...names.filter((key) => !(key in inputs)).map((key) => `${uses} has no input ${key}`),
    ...needed.filter((key) => !names.includes(key)).map((key) => `${uses} needs the input ${key}`),
    ...used.filter(([, , key = '']) => !isKnown(key)).map(([, , key]) => `${uses} has no output ${key}`),
  ];
}
