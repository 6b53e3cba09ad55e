import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { GUIDE_SCHEMAS } from '../src/formats/state-guide/guide-schemas.ts';
import { gatelineFileSchema } from '../src/pipeline/file/gateline-file.ts';
import { setFileSchema } from '../src/pipeline/subjects/subject-set.ts';

/*
 * Writes the files generated from the schemas of gateline.yml and of sets: schema/gateline.schema.json and
 * schema/set.schema.json for editors, those of the state guide in schema/state-guide/, and the key table of docs/reference/gateline-yml.md. Run it after changing the schema: `node scripts/write-schema.ts`.
 */

export const SCHEMA_FILE = new URL('../schema/gateline.schema.json', import.meta.url);
export const SET_SCHEMA_FILE = new URL('../schema/set.schema.json', import.meta.url);
/** Folder with the schemas of the outputs of the state guide. */
export const GUIDE_SCHEMA_FOLDER = new URL('../schema/state-guide/', import.meta.url);
export const REFERENCE_FILE = new URL('../docs/reference/gateline-yml.md', import.meta.url);
const TABLE = /(<!-- keys -->\n)[^]*(<!-- \/keys -->)/;

/** The part of a JSON Schema that this script uses. */
export interface EditorSchema {
  $schema?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: EditorSchema[];
  items?: EditorSchema;
  properties?: Record<string, EditorSchema>;
  additionalProperties?: EditorSchema | boolean;
  propertyNames?: EditorSchema;
  minimum?: number;
  maximum?: number;
  required?: string[];
}

/** One key of the file: its path (`gates.<gate>.run`) and its schema. */
export interface DocumentedKey {
  readonly path: string;
  readonly schema: EditorSchema;
  readonly isRequired: boolean;
}

/** The JSON Schema (draft-07, which every editor supports) of gateline.yml. */
export function editorSchema(): EditorSchema {
  return z.toJSONSchema(gatelineFileSchema, { io: 'input', target: 'draft-7' }) as EditorSchema;
}

/** The JSON Schema of the file of a set. */
export function setSchema(): EditorSchema {
  return z.toJSONSchema(setFileSchema, { io: 'input', target: 'draft-7' }) as EditorSchema;
}

/** Every key with a fixed name, in the order of the schema. */
export function keysOf(schema: EditorSchema, base = ''): DocumentedKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const path = base === '' ? key : `${base}.${key}`;
    const isRequired = schema.required?.includes(key) ?? false;
    const entry = typeof inner.additionalProperties === 'object' ? inner.additionalProperties : {};
    return [
      { path, schema: inner, isRequired },
      ...keysOf(inner, path),
      ...keysOf(mapIn(entry), `${path}.<${key.replace(/ies$/, 'y').replace(/s$/, '')}>`),
    ];
  });
}

/** The map of a schema that allows something else, too. One whose keys are GitHub's own says nothing of them. */
function mapIn(schema: EditorSchema): EditorSchema {
  const map = schema.anyOf?.find(({ type }) => type === 'object');
  const keys = Object.values(map?.properties ?? {});
  return map !== undefined && keys.every(({ description }) => description !== undefined) ? map : schema;
}

/** The table of all keys, in Markdown. */
export function keyTable(schema: EditorSchema): string {
  const rows = keysOf(schema).map(({ path, schema: key, isRequired }) => {
    const fallback = key.default === undefined ? (isRequired ? 'required' : '') : `\`${JSON.stringify(key.default)}\``;
    return `| \`${path}\` | ${typeOf(key)} | ${fallback} | ${cell(key.description ?? '')} |`;
  });
  return ['| key | type | default | meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

function typeOf(schema: EditorSchema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'array':
      return schema.items === undefined || typeOf(schema.items) === 'anything'
        ? 'list'
        : `list of ${typeOf(schema.items)}`;
    case 'object':
      return 'map';
    case 'boolean':
      return '`true`, `false`';
    case 'integer':
      return `whole number, ${schema.minimum} to ${schema.maximum}`;
    case 'number':
      return `number, ${schema.minimum} to ${schema.maximum}`;
    default:
      return 'anything';
  }
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** The reference page with its table replaced by the schema's. */
export function withKeyTable(page: string, schema: EditorSchema): string {
  if (!TABLE.test(page)) throw new Error(`${fileURLToPath(REFERENCE_FILE)} has no <!-- keys --> … <!-- /keys -->`);
  return page.replace(TABLE, (_all, start: string, end: string) => `${start}\n${keyTable(schema)}\n${end}`);
}

/** The schema file's text. */
export function schemaText(schema: EditorSchema): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

if (import.meta.main) {
  const schema = editorSchema();
  writeFileSync(SCHEMA_FILE, schemaText(schema));
  writeFileSync(SET_SCHEMA_FILE, schemaText(setSchema()));
  mkdirSync(GUIDE_SCHEMA_FOLDER, { recursive: true });
  for (const [gate, one] of GUIDE_SCHEMAS.entries())
    writeFileSync(new URL(`gate${gate}.schema.json`, GUIDE_SCHEMA_FOLDER), `${JSON.stringify(one, null, 2)}\n`);
  writeFileSync(REFERENCE_FILE, withKeyTable(readFileSync(REFERENCE_FILE, 'utf8'), schema));
}
