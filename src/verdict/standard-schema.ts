import type { StandardSchemaV1 } from '@standard-schema/spec';
import { pointerOf } from '../json/pointer.ts';
import type { JsonValue } from '../json/json.ts';
import { MAX_ISSUES, type Issue } from './verdict.ts';
import { cut } from './words.ts';

/**
 * The issues of a value according to a Standard Schema. The schema is the caller's program: its errors are rethrown.
 */
export function standardValidator(schema: StandardSchemaV1): (value: JsonValue) => Issue[] | Promise<Issue[]> {
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
