import { Script } from 'node:vm';
import type { Ajv, Options } from 'ajv';
import { messageOf } from '../errors.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { isJsonObject, type JsonValue } from '../json/json.ts';
import { explainErrors } from './explain-errors.ts';
import { checkSchema, listSchemas, patternError, type ContractProblem } from './schema-keywords.ts';
import { cutText } from './texts.ts';
import type { Issue } from './verdict.ts';

/** The issues of a value; none if it is valid. */
export type ValidateSchema = (value: JsonValue) => Issue[];

const DRAFTS: Readonly<Record<string, string>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'http://json-schema.org/draft-07/schema': 'draft-07',
};

/** Of OpenAPI's registry (https://spec.openapis.org/registry/format/), pydantic and zod: accepted, not checked. */
const UNCHECKED_FORMATS =
  'int8 int16 uint8 uint16 uint32 uint64 double-int decimal decimal128 single-bit char commonmark html media-range http-date unixtime date-time-local time-local base64 base64url json-string json_string path file-path directory-path multi-host-uri name-email color uuid1 uuid3 uuid4 uuid5 uuid6 uuid7 uuid8 ipvanyaddress ipvanyinterface ipvanynetwork ipv4network ipv6network ipv4interface ipv6interface cidrv4 cidrv6 mac e164 emoji nanoid cuid cuid2 ulid xid ksuid jwt guid markdown color-hex regex-flags lowercase uppercase url';

const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?`;
const DATE_TIME = new RegExp(`^.{10}[t ]${TIME}$`, 'i');
const PART = String.raw`\d+(?:\.\d+)?`;

/**
 * Times and durations are what pydantic and zod write for values without a time zone, too. The international formats are
 * only checked for plausibility.
 */
const OWN_FORMATS: Readonly<Record<string, RegExp>> = {
  time: new RegExp(`^${TIME}$`, 'i'),
  duration: new RegExp(
    `^[+-]?P(?!$)(?:${PART}Y)?(?:${PART}M)?(?:${PART}W)?(?:${PART}D)?(?:T(?=\\d)(?:${PART}H)?(?:${PART}M)?(?:${PART}S)?)?$`,
  ),
  'idn-email': /^\S+@\S+$/u,
  'idn-hostname': /^[^\s.]+(?:\.[^\s.]+)*$/u,
  iri: /^[a-z][a-z0-9+.-]*:\S*$/iu,
  'iri-reference': /^\S*$/u,
};

/**
 * Compiles a JSON Schema of draft 2020-12 or draft-07 (`$schema`; default 2020-12) by ajv, which is loaded on the first
 * call. `format` asserts. Nothing is fetched.
 * @param limitMs milliseconds that one value may take if the schema has patterns or formats. Default: 10,000
 * @returns a validator, or everything that is wrong with the schema
 */
export async function compileSchema(
  schema: JsonValue,
  limitMs = 10_000,
): Promise<{ readonly validate: ValidateSchema } | { readonly problems: readonly ContractProblem[] }> {
  const dialect = isJsonObject(schema) && Object.hasOwn(schema, '$schema') ? String(schema['$schema']) : undefined;
  const draft = dialect === undefined ? '2020-12' : DRAFTS[dialect.replace(/#$/, '')];
  if (draft === undefined) {
    const message = `\`${dialect}\` is not supported; write ${Object.keys(DRAFTS).join(' or ')}`;
    return { problems: [{ pointer: '/$schema', message }] };
  }
  let pattern = '';
  const ajv = await createAjv(draft, (source) => (pattern = source));
  const keywords = Object.keys(ajv.RULES.keywords).map((keyword) => [keyword, valueTypes(ajv, keyword)] as const);
  const formats = new Set(Object.keys(ajv.formats));
  const problems = checkSchema(schema, { draft, keywords: new Map(keywords), formats });
  if (problems.length > 0) return { problems };
  // ajv's strict mode must know the annotations that `checkSchema` accepts.
  for (const { schema: part } of listSchemas(schema)) {
    for (const keyword of Object.keys(part as object)) ajv.RULES.keywords[keyword] ??= true;
  }
  try {
    const validate = ajv.compile(schema as object);
    const isLimited = /"(?:pattern|patternProperties|format)":/.test(JSON.stringify(schema));
    const run = (value: JsonValue) => (isLimited ? runWithin(limitMs, () => validate(value)) : validate(value));
    return {
      validate: (value) => {
        try {
          return run(value) ? [] : explainErrors(validate.errors ?? [], schema);
        } catch (error) {
          return [{ severity: 'error', message: explainFailure(error, pattern, limitMs) }];
        }
      },
    };
  } catch (error) {
    return { problems: [{ pointer: '', message: messageOf(error) }] };
  }
}

/** @param onPattern called before each use of a pattern of the schema */
async function createAjv(draft: string, onPattern: (source: string) => void): Promise<Ajv> {
  const { fullFormats } = await import('ajv-formats/dist/formats.js');
  const { validate: isDate } = fullFormats.date as { validate: (text: string) => boolean };
  const regExp = (source: string, flags: string) => {
    const pattern = new RegExp(source, flags);
    const test = (text: string): boolean => {
      onPattern(source);
      return pattern.test(text);
    };
    return { test, toString: () => String(pattern) };
  };
  const unchecked = Object.fromEntries(UNCHECKED_FORMATS.split(' ').map((format) => [format, true as const]));
  const options: Options = {
    allErrors: true,
    verbose: true,
    ownProperties: true,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowMatchingProperties: true,
    logger: false,
    // The schema is checked by `checkSchema`; the meta-schemas take 100 ms to compile.
    meta: false,
    validateSchema: false,
    formats: {
      ...fullFormats,
      ...unchecked,
      ...OWN_FORMATS,
      regex: (text: string) => patternError(text) === undefined,
      'date-time': (text: string) => isDate(text.slice(0, 10)) && DATE_TIME.test(text),
    },
    code: { regExp: Object.assign(regExp, { code: 'regExp' }) },
  };
  const ajv =
    draft === 'draft-07'
      ? new (await import('ajv')).default.Ajv(options)
      : new (await import('ajv/dist/2020.js')).default.Ajv2020(options);
  // ajv has no rule for `$anchor`, refuses `id`, which zod writes, and takes quadratic time for `uniqueItems`.
  ajv.RULES.keywords['$anchor'] = true;
  ajv.removeKeyword('id').removeKeyword('uniqueItems');
  return ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isOn: boolean, items: JsonValue[]) => !isOn || new Set(items.map(canonicalJson)).size === items.length,
  });
}

/** The JSON types that the value of a keyword may have; empty: unknown. */
function valueTypes(ajv: Ajv, keyword: string): readonly string[] {
  const rule = ajv.RULES.all[keyword];
  return typeof rule === 'object' && 'definition' in rule ? rule.definition.schemaType : [];
}

const LIMITED = new Script('run()');

/** Interrupts the call after some milliseconds, even in the middle of a regular expression. */
function runWithin(limitMs: number, call: () => boolean): boolean {
  let result = false;
  const run = (): void => {
    result = call();
  };
  LIMITED.runInNewContext({ run }, { timeout: limitMs });
  return result;
}

function explainFailure(error: unknown, pattern: string, limitMs: number): string {
  // An error of the other vm context is no instance of our `Error`.
  if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
    const subject = pattern === '' ? 'the schema' : `the pattern \`${cutText(pattern, 200)}\``;
    return `${subject} took longer than ${limitMs / 1000} s; make it simpler`;
  }
  if (error instanceof RangeError) return 'the schema refers to itself endlessly';
  return `the schema could not be used: ${messageOf(error)}`;
}
