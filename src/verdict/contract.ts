import { z } from 'zod';
import { GatelineError, type Place } from '../errors/gateline-error.ts';
import { pointerOf, POINTER_PATTERN } from '../json/pointer.ts';
import type { ContractSource } from '../pipeline/pipeline.ts';
import type { JsonValue } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import { MAX_ISSUES, MAX_LABEL_LENGTH, type ContractProblem } from './verdict.ts';
import type { ErrorCode } from '../errors/error-codes.ts';

/** Version of the contract format. Part of a contract's digest. */
export const CONTRACT_FORMAT = 'gateline-contract/1';

/** The largest schema file, in bytes. */
export const MAX_SCHEMA_BYTES = 16 * 1024 * 1024;

const pointer = z.string().max(4_096).regex(POINTER_PATTERN, 'must be a JSON pointer: empty, or /key/0/key');

const contractSchema = z.strictObject({
  format: z.literal(CONTRACT_FORMAT),
  schema: z.json().optional(),
  standard: z.string().min(1).max(1_000).optional(),
  score: pointer.optional(),
  threshold: z.number().min(0).max(100),
  partial: z.enum(['block', 'continue', 'pause']),
  checks: z.array(z.string().max(21_000)).max(MAX_ISSUES),
  exports: z.array(pointer).max(MAX_ISSUES).optional(),
  result: z
    .strictObject({ pointer, pass: z.array(z.string().min(1).max(MAX_LABEL_LENGTH)).min(1).max(MAX_ISSUES) })
    .optional(),
  message: pointer.optional(),
  redact: z.array(pointer).min(1).max(MAX_ISSUES).optional(),
});

/**
 * What an output must meet, with every file read and every default filled in: everything needed to judge it. It is JSON
 * and contains only what was written, so the digest of its canonical form identifies it.
 */
export interface Contract {
  readonly format: typeof CONTRACT_FORMAT;
  /** JSON Schema, draft 2020-12 or draft-07. Absent: any JSON value is valid. */
  readonly schema?: JsonValue;
  /**
   * Version of a Standard Schema that a program supplied in addition to the JSON Schema. The program itself is not
   * JSON: this text represents it in the digest, so outputs are checked again with another version.
   */
  readonly standard?: string;
  /** JSON pointer to a score of 0-100. Absent: the score is 100. */
  readonly score?: string;
  /** A score at or above it passes. 0-100. */
  readonly threshold: number;
  /** How a score below the threshold affects the gates that follow. */
  readonly partial: ContractSource['partial'];
  /** Conditions that must all be true. */
  readonly checks: readonly string[];
  /** JSON pointers to the parts that later gates see; they must exist. Absent: all of it. */
  readonly exports?: readonly string[];
  /** Where the agent's label for its result is, and the labels that pass. */
  readonly result?: NonNullable<ContractSource['result']>;
  /** JSON pointer to the line that is shown for an output that passed. */
  readonly message?: string;
  /** JSON pointers to values that are never stored. The output that is judged has `***` there. */
  readonly redact?: readonly string[];
}

/**
 * Parses a contract that was stored or sent, and checks its structure; `compileContract` checks its content.
 * @throws GatelineError `CONTRACT_MALFORMED` when it is not a contract.
 */
export function parseContract(stored: unknown): Contract {
  const parsed = contractSchema.safeParse(stored);
  if (parsed.success) return tidied(parsed.data as Contract);
  const problems = parsed.error.issues.map((issue) => ({
    code: 'CONTRACT_MALFORMED' as const,
    message: issue.message,
    pointer: pointerOf(issue.path),
  }));
  throw contractError(problems, undefined, 'CONTRACT_MALFORMED');
}

/**
 * The contract of a gate, from its pipeline's definition and the text of its schema file.
 *
 * @param schemaText the file's text if `source.schema` names one; `undefined`: there is no such file
 * @param place where the pipeline's definition names the contract, for errors
 * @param exports the gate's `exports`; all of the output if absent or `['']`
 * @throws GatelineError `CONTRACT_SCHEMA_MISSING`, `CONTRACT_SCHEMA_MALFORMED` (user)
 */
export function resolveContract(
  source: ContractSource,
  schemaText: string | undefined,
  place: Place | undefined,
  exports: readonly string[] = [''],
): Contract {
  const schema = resolveSchema(source, schemaText, place);
  return tidied({
    format: CONTRACT_FORMAT,
    ...(schema === undefined ? {} : { schema }),
    ...(source.score === undefined ? {} : { score: source.score }),
    threshold: source.threshold,
    partial: source.partial,
    checks: [...source.checks],
    exports: [...exports],
    ...(source.result === undefined ? {} : { result: source.result }),
    ...(source.message === undefined ? {} : { message: source.message }),
    ...(source.redact === undefined ? {} : { redact: source.redact }),
  });
}

function resolveSchema(
  source: ContractSource,
  text: string | undefined,
  place: Place | undefined,
): JsonValue | undefined {
  if (source.schema === undefined) return undefined;
  if ('inline' in source.schema) return source.schema.inline;
  const { path } = source.schema;
  if (text === undefined) {
    const message = `the schema file ${path} does not exist`;
    throw new GatelineError('CONTRACT_SCHEMA_MISSING', message, place && { place });
  }
  const parsed = parseJson(new TextEncoder().encode(text), { maxBytes: MAX_SCHEMA_BYTES });
  if (parsed.ok) return parsed.value;
  const { message, pointer } = parsed.issue;
  const where = pointer === undefined ? '' : ` at ${pointer}`;
  throw new GatelineError('CONTRACT_SCHEMA_MALFORMED', `${path}: ${message}${where}`, {
    place: pointer === undefined ? { file: path } : { file: path, pointer },
  });
}

/** Normalized: exports that name everything are removed, so that stating the default does not change the digest. */
function tidied(contract: Contract): Contract {
  const { exports, ...rest } = contract;
  return exports === undefined || exports.includes('') ? rest : { ...rest, exports };
}

/** Problems of a contract as one error, one line each. */
export function contractError(
  problems: readonly ContractProblem[],
  place?: Place,
  code: ErrorCode = 'CONTRACT_INVALID',
): GatelineError {
  const lines = problems.map(({ code, message, pointer, hint }) => {
    return `${pointer === '' ? 'the contract' : pointer}: ${message}${hint === undefined ? '' : `; ${hint}`} (${code})`;
  });
  const message = lines.length === 1 ? lines[0]! : `the contract has ${lines.length} problems:\n${lines.join('\n')}`;
  return new GatelineError(code, message, place && { place });
}
