import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonValue } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';
import type { Contract } from './contract.ts';
import { compileChecks, type CheckContexts } from './expression/conditions.ts';
import { MAX_ISSUES, type ContractProblem, type Issue } from './verdict.ts';
import { compileSchema } from './json-schema/compile-schema.ts';
import { cut } from './value-texts.ts';

/** A contract ready for judging; see `judge`. */
export interface CompiledContract {
  readonly contract: Contract;
  /** The issues of a value according to the schema. */
  readonly validate: (value: JsonValue) => Issue[] | Promise<Issue[]>;
  /** An issue for each check that fails. */
  readonly check: (contexts: CheckContexts) => Issue[];
}

/** A compiled contract, or everything that is wrong with it. */
export type ContractCompilation =
  | { readonly ok: true; readonly compiled: CompiledContract }
  | { readonly ok: false; readonly problems: readonly ContractProblem[] };

/** Options that only a program can supply. */
export interface CompileOptions {
  /**
   * A Standard Schema (https://standardschema.dev: zod, valibot, arktype, …), in addition to or instead of the
   * contract's JSON Schema; a value must meet both. Only its verdict is used: its changes to the value (defaults,
   * transforms) are ignored. It is not JSON, so the contract's digest does not include it.
   */
  readonly standard?: StandardSchemaV1;
}

/**
 * Compile a contract. All problems are reported at once: in its schema, its score, its checks. Loads the libraries for
 * schemas and expressions only if the contract has any.
 */
export async function compileContract(contract: Contract, options: CompileOptions = {}): Promise<ContractCompilation> {
  const schema = contract.schema === undefined ? undefined : await compileSchema(contract.schema);
  const checks = await compileChecks(contract.checks);
  const problems: ContractProblem[] = [];
  if (schema?.ok === false) {
    problems.push(...schema.problems.map((problem) => ({ ...problem, pointer: `/schema${problem.pointer}` })));
  }
  if (contract.score === undefined && contract.threshold > 0) {
    problems.push({
      code: 'CONTRACT_THRESHOLD_WITHOUT_SCORE',
      message: 'a threshold without `score` has no effect, since the score is then 100',
      pointer: '/threshold',
      hint: 'say where the score is: `score: /validationResult/score`',
    });
  }
  if (!checks.ok) problems.push(...checks.problems);
  if (problems.length > 0 || !checks.ok) return { ok: false, problems };
  const validators = [
    ...(schema?.ok === true ? [schema.validate] : []),
    ...(options.standard === undefined ? [] : [standardValidator(options.standard)]),
  ];
  return { ok: true, compiled: { contract, check: checks.run, validate: inTurn(validators) } };
}

type Validator = (value: JsonValue) => Issue[] | Promise<Issue[]>;

/** The first issues that any validator reports. Stays synchronous as long as the validators do. */
function inTurn(validators: readonly Validator[]): Validator {
  return (value) => {
    for (const [index, validator] of validators.entries()) {
      const issues = validator(value);
      if (issues instanceof Promise) {
        return issues.then((found) => (found.length > 0 ? found : inTurn(validators.slice(index + 1))(value)));
      }
      if (issues.length > 0) return issues;
    }
    return [];
  };
}

/**
 * The issues of a value according to a Standard Schema. The schema is the caller's program: its errors are rethrown.
 */
function standardValidator(schema: StandardSchemaV1): Validator {
  return (value) => {
    const result = schema['~standard'].validate(value);
    return result instanceof Promise ? result.then(issuesOf) : issuesOf(result);
  };
}

function issuesOf(result: StandardSchemaV1.Result<unknown>): Issue[] {
  if (result.issues === undefined) return [];
  // A library that fails a value without saying why has failed it.
  if (result.issues.length === 0) return [{ severity: 'error', message: 'the output: does not meet the schema' }];
  const issues = result.issues.slice(0, MAX_ISSUES).map(issueOf);
  const more = result.issues.length - MAX_ISSUES;
  if (more > 0) issues[MAX_ISSUES - 1] = { severity: 'error', message: `${more + 1} more problems` };
  return issues;
}

function issueOf({ message, path }: StandardSchemaV1.Issue): Issue {
  const keys = (path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment));
  const pointer = pointerOf(keys).toWellFormed();
  return {
    severity: 'error',
    message: cut(`${pointer === '' ? 'the output' : cut(pointer, 1_000)}: ${message}`, 4_096),
    pointer: cut(pointer, 4_096),
  };
}
