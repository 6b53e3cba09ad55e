import { messageOf } from '../../errors/gateline-error.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import type { Issue, ContractProblem } from '../verdict.ts';
import { checkSchema, NO_URI, unknownDialect } from './check-schema.ts';
import { draftOf, type Draft } from './keywords.ts';

/** A compiled schema, or everything that is wrong with it. Pointers are into the schema. */
export type CompiledSchema =
  | { readonly ok: true; readonly draft: Draft; readonly validate: (value: JsonValue) => Issue[] }
  | { readonly ok: false; readonly problems: readonly ContractProblem[] };

/** How strictly a schema is read. The defaults are for contracts; the other values are for the conformance tests. */
export interface SchemaOptions {
  /** Refuse unknown keywords and formats, and references to other documents. Default true. */
  readonly refuse?: boolean;
  /** Whether `format` is checked. Default true. */
  readonly formats?: boolean;
  /** The draft if there is no `$schema`. Default 2020-12. */
  readonly draft?: Draft;
  /** Other schemas that this one may refer to, by URI. Default none. */
  readonly others?: Readonly<Record<string, JsonValue>>;
}

/** Maximum nesting of a schema; the validator recurses into it. */
const MAX_SCHEMA_DEPTH = 200;

/**
 * Compile a JSON Schema: draft 2020-12 or draft-07, according to its `$schema`. `validate` returns the errors of a
 * value, none if it is valid. Never uses the network or reads a file.
 */
export async function compileSchema(schema: JsonValue, options: SchemaOptions = {}): Promise<CompiledSchema> {
  const refuse = options.refuse ?? true;
  const refused = (...problems: ContractProblem[]): CompiledSchema => ({ ok: false, problems });
  if (!isJsonObject(schema) && typeof schema !== 'boolean') {
    return refused({ code: 'CONTRACT_SCHEMA_INVALID', message: 'a schema is an object, true or false', pointer: '' });
  }
  if (depthOf(schema) > MAX_SCHEMA_DEPTH) {
    const message = `the schema is nested more than ${MAX_SCHEMA_DEPTH} deep`;
    return refused({ code: 'CONTRACT_SCHEMA_INVALID', message, pointer: '' });
  }
  const named = isJsonObject(schema) ? schema['$schema'] : undefined;
  const draft = (typeof named === 'string' ? draftOf(named) : undefined) ?? options.draft ?? '2020-12';
  if (refuse && typeof named === 'string' && draftOf(named) === undefined)
    return refused(unknownDialect(named, '/$schema'));
  if (refuse) {
    const problems = [...(await metaProblems(schema, draft)), ...checkSchema(schema, draft)];
    if (problems.length > 0) return { ok: false, problems };
  }
  return prepared(schema, draft, options, refuse);
}

async function prepared(
  schema: JsonValue,
  draft: Draft,
  options: SchemaOptions,
  isValidated: boolean,
): Promise<CompiledSchema> {
  const [{ createValidator }, { explainValidation }] = await loadSchemaLibraries();
  try {
    const { formats, others } = options;
    const validator = await createValidator(schema, draft, {
      base: NO_URI,
      isValidated,
      ...(formats === undefined ? {} : { formats }),
      ...(others === undefined ? {} : { others }),
    });
    const explained = { root: 'the output', rules: validator.rules };
    return { ok: true, draft, validate: (value) => explainValidation(validator.validate(value), explained) };
  } catch (error) {
    const message = `the schema cannot be used: ${messageOf(error)}`;
    return { ok: false, problems: [{ code: 'CONTRACT_SCHEMA_INVALID', message, pointer: '' }] };
  }
}

/** Errors of a schema according to its draft's meta-schema. */
async function metaProblems(schema: JsonValue, draft: Draft): Promise<ContractProblem[]> {
  const [{ createMetaValidator }, { explainValidation }] = await loadSchemaLibraries();
  const validator = await createMetaValidator(draft);
  const issues = explainValidation(validator.validate(schema), { root: 'the schema', rules: validator.rules });
  return issues.map(({ message, pointer = '' }) => {
    const place = `${pointer}: `;
    const text = message.startsWith(place) ? message.slice(place.length) : message;
    return { code: 'CONTRACT_SCHEMA_INVALID', message: text, pointer };
  });
}

/**
 * Loaded with the first schema, so that commands that judge nothing start quickly; or earlier, by a caller that has to
 * wait for something else.
 */
export function loadSchemaLibraries() {
  return Promise.all([import('./validator.ts'), import('./explain.ts')]);
}

function depthOf(value: JsonValue): number {
  let level: JsonValue[] = [value];
  let depth = 0;
  while (level.length > 0 && depth <= MAX_SCHEMA_DEPTH) {
    depth += 1;
    level = level.flatMap((item) => (item !== null && typeof item === 'object' ? Object.values(item) : []));
  }
  return depth;
}
