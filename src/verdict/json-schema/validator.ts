import { getShouldValidateFormat, setShouldValidateFormat } from '@hyperjump/json-schema/draft-07';
import '@hyperjump/json-schema/draft-2020-12';
import {
  addFormat,
  buildSchemaDocument,
  compile,
  getSchema,
  interpret,
  setFormatHandler,
  type CompiledSchema,
} from '@hyperjump/json-schema/experimental';
import '@hyperjump/json-schema/formats-lite';
import { isHostname, isIdnEmail } from '@hyperjump/json-schema-formats';
import idn from 'idn-hostname';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { ErrorCollector, type BrokenRule } from './collect-errors.ts';
import { DRAFT_URIS, type Draft } from './keywords.ts';
import { nodeOf } from './lazy-node.ts';
import { prepareSchema, type PreparedSchema } from './prepare.ts';
import { RuleBook } from './rules.ts';

const FORMATS = 'https://json-schema.org/format/';

addFormats();

/** The errors of a value against a schema; no errors: it is valid. */
export interface Validation {
  readonly errors: readonly BrokenRule[];
  /** Total number of errors; `errors` contains at most 100 of them. */
  readonly total: number;
}

/** A compiled schema. */
export interface SchemaValidator {
  /** Uses bounded memory for any value. Throws only for a schema with infinite recursion. */
  validate(value: JsonValue): Validation;
  /** Looks up rules by the URIs in {@link Validation}. */
  readonly rules: RuleBook;
}

/** How to compile a schema. */
export interface ValidatorOptions {
  /** Whether `format` is checked. Default true. */
  readonly formats?: boolean;
  /** URI of a schema without one of its own. */
  readonly base: string;
  /** Other schemas that it may refer to, by URI. A contract has none. */
  readonly others?: Readonly<Record<string, JsonValue>>;
  /** The schema was already validated against its meta-schema: the library does not repeat it. Default false. */
  readonly isValidated?: boolean;
}

/**
 * Compile a schema with the library `@hyperjump/json-schema`. Reads no file and uses no network: every URI that the
 * library sees has a scheme that it cannot fetch.
 * @throws Error if the schema is not valid; `checkSchema` says what is wrong with it.
 */
export async function createValidator(
  schema: JsonValue,
  draft: Draft,
  options: ValidatorOptions,
): Promise<SchemaValidator> {
  const cache: Record<string, unknown> = {};
  const rules = new RuleBook();
  for (const [uri, other] of Object.entries(options.others ?? {})) {
    keep(cache, prepareSchema(other, draft, uri), draft);
  }
  const prepared = prepareSchema(schema, draft, options.base);
  rules.addPrepared(prepared);
  const uri = keep(cache, prepared, draft);
  if (options.isValidated === true) markValidated(cache[uri] as SchemaDocument);
  const compiled = await compile(await getSchema(uri, { _cache: cache } as never));
  const formats = options.formats ?? true;
  return { rules, validate: (value) => withFormats(formats, () => run(compiled, value)) };
}

/** Documents that make up each draft's meta-schema. */
const META_DOCUMENTS: Readonly<Record<Draft, readonly string[]>> = {
  '2020-12': [
    DRAFT_URIS['2020-12'],
    ...['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'].map(
      (name) => `https://json-schema.org/draft/2020-12/meta/${name}`,
    ),
  ],
  'draft-07': [DRAFT_URIS['draft-07']],
};

/** The validator of a draft's own meta-schema. */
export async function createMetaValidator(draft: Draft): Promise<SchemaValidator> {
  const rules = new RuleBook();
  for (const uri of META_DOCUMENTS[draft]) {
    const { document } = await getSchema(uri);
    rules.addMeta(uri, document.root);
    // The drafts' own meta-schemas are valid.
    markValidated(document);
  }
  const compiled = await compile(await getSchema(DRAFT_URIS[draft]));
  return { rules, validate: (value) => withFormats(false, () => run(compiled, value)) };
}

function keep(cache: Record<string, unknown>, ready: PreparedSchema, draft: Draft): string {
  const retrieval = ready.resources.keys().next().value!;
  const document = buildSchemaDocument(ready.schema as JsonObject, retrieval, DRAFT_URIS[draft]);
  cache[retrieval] = document;
  return retrieval;
}

/**
 * The fields of the library's documents that mark them as validated. Its own switch for that is global to the process,
 * and compiling is asynchronous.
 */
interface SchemaDocument {
  validated?: boolean;
  /** The document itself, and schemas inside it that have an `$id`. */
  readonly embedded?: Readonly<Record<string, SchemaDocument>>;
}

function markValidated(document: SchemaDocument): void {
  for (const one of [document, ...Object.values(document.embedded ?? {})]) one.validated = true;
}

function run(compiled: CompiledSchema, value: JsonValue): Validation {
  const node = nodeOf(value);
  // Invalid values are evaluated twice: without a plugin the library is faster, and most values pass.
  if (interpret(compiled, node, 'FLAG').valid) return { errors: [], total: 0 };
  const collector = new ErrorCollector();
  interpret(compiled, node, { outputFormat: 'FLAG', plugins: [collector as never] });
  return collector.found;
}

/** The library's switch for `format` is global to the process; it is set for this call and restored. */
function withFormats<T>(judge: boolean, call: () => T): T {
  const before = getShouldValidateFormat();
  setShouldValidateFormat(judge);
  try {
    return call();
  } finally {
    setShouldValidateFormat(before);
  }
}

/**
 * Registers the formats that the validator's small set lacks. Its full set has them too, but prints messages about host
 * names to stdout, which is reserved for our own output. draft-07 also gets the two formats that were added later.
 */
function addFormats(): void {
  addFormat({ id: `${FORMATS}idn-email`, handler: (value) => typeof value !== 'string' || isIdnEmail(value) });
  addFormat({ id: `${FORMATS}idn-hostname`, handler: (value) => typeof value !== 'string' || isIdn(value) });
  addFormat({
    id: `${FORMATS}hostname`,
    handler: (value) => typeof value !== 'string' || (isHostname(value) && isIdn(value)),
  });
  for (const name of ['uuid', 'duration']) {
    setFormatHandler('https://json-schema.org/keyword/draft-07/format', name, FORMATS + name);
  }
}

function isIdn(hostname: string): boolean {
  if (/[.\uff0e\u3002\uff61]$/.test(hostname)) return false;
  try {
    return idn.isIdnHostname(hostname);
  } catch {
    // The library reports an invalid value by throwing.
    return false;
  }
}
