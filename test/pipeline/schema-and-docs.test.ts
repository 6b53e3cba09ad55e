import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { registerSchema, validate } from '@hyperjump/json-schema/draft-07';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  editorSchema,
  type EditorSchema,
  keysOf,
  REFERENCE_FILE,
  SCHEMA_FILE,
  schemaText,
  SET_SCHEMA_FILE,
  setSchema,
  withKeyTable,
} from '../../scripts/write-schema.ts';
import { GATELINE } from '../../src/compile/pins.ts';
import { DEFAULT_FILES } from '../../src/pipeline/pipeline.ts';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { formatProblem } from '../../src/pipeline/problem.ts';
import { said } from './reading.ts';

const page = readFileSync(REFERENCE_FILE, 'utf8');
const blocks = [...page.matchAll(/^```(yaml wrong|yaml|text)\n([^]*?)^```$/gm)].map(([, kind, text]) => ({
  kind,
  text: text!,
}));
const examples = blocks.filter(({ kind }) => kind === 'yaml').map(({ text }) => text);
const schema = editorSchema();

registerSchema(
  JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')),
  'https://gateline.test/schema',
  'http://json-schema.org/draft-07/schema#',
);
const accepts = async (value: unknown): Promise<boolean> =>
  (await validate('https://gateline.test/schema', value as string)).valid;

type Path = readonly (string | number)[];

/** Where a value may be in a definition. */
function placesIn(inner: EditorSchema, path: Path = []): Path[] {
  const { anyOf = [], properties = {}, additionalProperties, items } = inner;
  const entry = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [
    ...(path.length === 0 ? [] : [path]),
    ...anyOf.flatMap((one) => placesIn(one, path)),
    ...Object.entries(properties).flatMap(([key, one]) => placesIn(one, [...path, key])),
    ...entry.flatMap((one) => placesIn(one, [...path, 'a'])),
    ...(items ? placesIn(items, [...path, 0]) : []),
  ];
}

/** What is said about a definition with a value at a place. */
function saidOf(path: Path, value: unknown): string[] {
  const around = path.toReversed().reduce((inner, key) => (key === 0 ? [inner] : { [key]: inner }), value);
  const gates = path[0] === 'gates' ? {} : { gates: { a: { run: 'x' } } };
  return said(JSON.stringify({ pipeline: 'p', ...(around as object), ...gates }));
}

describe('schema/gateline.schema.json', () => {
  it('is what the code says (node scripts/write-schema.ts writes it)', () => {
    expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(schemaText(schema));
  });

  it('has one beside it for sets, written by the same script', () => {
    expect(readFileSync(SET_SCHEMA_FILE, 'utf8')).toBe(schemaText(setSchema()));
  });

  it('describes every key', () => {
    const keys = keysOf(schema);
    expect(keys.length).toBeGreaterThan(40);
    for (const { path, schema: key } of keys) expect(key.description, path).toMatch(/^.{10,}\.$/s);
  });

  it('is explained in our words, whatever value a key has', () => {
    const wrong = ['x', 3, true, { zz: 1 }, [], null, [3]];
    const texts = placesIn(schema).flatMap((path) => wrong.flatMap((value) => saidOf(path, value)));
    expect(texts.length).toBeGreaterThan(500);
    expect(texts.filter((text) => /received|Invalid|Too (?:small|big)|Unrecognized/.test(text))).toEqual([]);
  });

  it.each(examples)('accepts example %#', async (text) => {
    expect(await accepts(parse(text))).toBe(true);
  });

  it.each(globSync('examples/*/gateline.yml'))('accepts %s, which is sound', async (file) => {
    const text = readFileSync(file, 'utf8');
    expect(await accepts(parse(text))).toBe(true);
    expect(said(text)).toEqual([]);
  });

  it.each([
    'gates: {}',
    'gates: {A: {}}',
    'gates: {a: {retries: two}}',
    'gates: {a: {agnet: x}}',
    'gates: {a: {output: {score: x}}}',
    'gates: {a: {env: {1A: x}}}',
    'gates: {a: {}}\nversion: 2',
    'pipeline: x',
  ])('refuses %s, as we do', async (text) => {
    expect(await accepts(parse(text))).toBe(false);
    expect(parsePipeline(text, 'f').ok).toBe(false);
  });
});

describe('docs/reference/gateline-yml.md', () => {
  it('has the key table of the schema (node scripts/write-schema.ts writes it)', () => {
    expect(withKeyTable(page, schema)).toBe(page);
    for (const { path } of keysOf(schema)) expect(page).toContain(`| \`${path}\` |`);
  });

  it('shows every key of a gate in an example', () => {
    const last = keysOf(schema).map(({ path }) => path.split('.').at(-1)!);
    const missing = last.filter((key) => !examples.some((text) => text.includes(`${key}:`)));
    expect(missing.filter((key) => key !== 'version' && key !== 'subject' && key !== 'number')).toEqual([]);
  });

  it.each(examples)('example %# is sound', (text) => {
    expect(said(text)).toEqual([]);
  });

  it('shows what really is said about its wrong example', () => {
    const wrong = blocks.findIndex(({ kind }) => kind === 'yaml wrong');
    const result = parsePipeline(blocks[wrong]!.text, 'gateline.yml');
    const problems = result.ok ? [] : result.problems;
    expect(`${problems.map(formatProblem).join('\n')}\n`).toBe(blocks[wrong + 1]!.text);
  });
});

describe('schema/catalog-entry.json', () => {
  const entry = JSON.parse(readFileSync(new URL('catalog-entry.json', SCHEMA_FILE), 'utf8')) as Record<string, unknown>;

  it('is an entry of the catalog of SchemaStore', () => {
    expect(entry).toEqual({
      name: expect.stringMatching(/^[A-Z]\w+$/),
      // Reviewers of the catalog refuse the word schema, and a description that ends in a full stop.
      description: expect.stringMatching(/^(?!.*schema).{10,}[^.]$/i),
      fileMatch: expect.any(Array),
      url: expect.stringMatching(/^https:/),
    });
  });

  it('matches the names that definitions are found by, wherever they are', () => {
    const names = new Set(DEFAULT_FILES.map((path) => posix.basename(path)));
    expect(entry['fileMatch']).toEqual([...names]);
  });

  it('leads to the file of this repository, in the newest release of its major version', () => {
    const root = new URL('..', SCHEMA_FILE).href;
    const path = SCHEMA_FILE.href.slice(root.length);
    const { repository } = JSON.parse(readFileSync(new URL('../package.json', SCHEMA_FILE), 'utf8')) as {
      repository: { url: string };
    };
    const [, name] = /github\.com\/(.+)\.git$/.exec(repository.url)!;
    const [, tag] = GATELINE.uses.split('@');
    expect(entry['url']).toBe(`https://raw.githubusercontent.com/${name}/${tag}/${path}`);
  });
});
