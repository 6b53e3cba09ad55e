import { messageOf } from '../errors/gateline-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import type { CompiledContract } from './compile-contract.ts';
import { valueAt } from '../json/json-pointer.ts';
import type { Contract } from './contract.ts';
import { failed, MAX_ISSUES, MAX_LABEL_LENGTH, MAX_MESSAGE_LENGTH, type Issue, type Verdict } from './verdict.ts';
import { cut, listed, shortValue } from './value-texts.ts';

/** Contexts for checks, besides the output and its score. */
export interface JudgeContext {
  /** `undefined`: there is none. A check that reads it fails. */
  readonly subject?: string | undefined;
  readonly metadata: JsonObject;
}

/** Most remarks of an agent about its own output that are kept, and the maximum length of each. */
const MAX_REMARKS = 20;
const MAX_REMARK_LENGTH = 500;

/**
 * Judge an output: schema, then the agent's own result, then score, then checks, then whether all exports exist. The
 * first of these that fails decides the kind; all errors of that step are listed. Never throws because of a value's
 * content, and returns a promise only for a Standard Schema that does.
 *
 * Passed: the score is at or above the threshold. Partial: below it, with all other requirements met.
 */
export function judge(compiled: CompiledContract, value: JsonValue, context: JudgeContext): Verdict | Promise<Verdict> {
  try {
    const found = compiled.validate(value);
    if (!(found instanceof Promise)) return rest(compiled, value, context, found);
    return found.then((issues) => rest(compiled, value, context, issues)).catch(broken);
  } catch (error) {
    return broken(error);
  }
}

/** The schema itself failed, not the value: it recurses infinitely, or a program in it threw. */
function broken(error: unknown): Verdict {
  const endless = error instanceof RangeError;
  const message = endless
    ? 'the schema refers to itself endlessly'
    : `the schema could not be evaluated: ${messageOf(error)}`;
  return failed('contract', 'Fix the contract; the output was not checked.', [
    { severity: 'error', message: cut(message, 4_096) },
  ]);
}

function rest(compiled: CompiledContract, value: JsonValue, context: JudgeContext, found: readonly Issue[]): Verdict {
  if (found.length > 0) return failed('schema', 'Make the output meet the schema.', [...found]);
  const { contract } = compiled;
  const label = readResult(value, contract.result);
  const verdict = 'verdict' in label ? label.verdict : afterResult(compiled, value, context);
  const { result } = label;
  return withMessage(
    { ...withRemarks(verdict, contract.score, value), ...(result !== undefined && { result }) },
    contract,
    value,
  );
}

function afterResult(compiled: CompiledContract, value: JsonValue, context: JudgeContext): Verdict {
  const read = readScore(value, compiled.contract.score);
  return 'issue' in read ? scoreless(read.issue) : afterScore(compiled, value, context, read.score);
}

/** The agent's own label for its result, and the verdict if it is not one that passes. */
function readResult(
  value: JsonValue,
  wanted: Contract['result'],
): { readonly result?: string } | { readonly result?: string; readonly verdict: Verdict } {
  if (wanted === undefined) return {};
  const { pointer, pass } = wanted;
  const found = valueAt(value, pointer);
  const result = typeof found === 'string' ? { result: cut(found, MAX_LABEL_LENGTH) } : {};
  if (typeof found === 'string' && pass.includes(found)) return result;
  const allowed = listed(
    pass.map((label) => shortValue(label)),
    'or',
  );
  const what =
    found === undefined
      ? 'there is no result'
      : typeof found === 'string'
        ? `the result is ${shortValue(found)}`
        : `the result must be a text, is ${shortValue(found)}`;
  const message = cut(`${pointer || 'the output'}: ${what}; only ${allowed} passes`, 4_096);
  const issue: Issue = { severity: 'error', message, pointer: cut(pointer, 4_096), rule: 'result' };
  const advice =
    typeof found === 'string'
      ? `The gate passes with ${allowed}. Fix what keeps the agent from that result.`
      : `Write ${allowed} at ${pointer || 'the root'}.`;
  return { ...result, verdict: failed('result', cut(advice, 2_048), [issue]) };
}

/** The verdict with the agent's line about an output that passed. */
function withMessage(verdict: Verdict, { message: pointer }: Contract, value: JsonValue): Verdict {
  if (pointer === undefined || verdict.status !== 'passed') return verdict;
  const found = valueAt(value, pointer);
  const line = typeof found === 'string' ? cut(found.replace(/\s+/g, ' ').trim(), MAX_MESSAGE_LENGTH) : '';
  if (line !== '') return { ...verdict, message: line };
  const what = found === undefined ? 'there is no message' : `the message must be a text, is ${shortValue(found)}`;
  const notice: Issue = {
    severity: 'notice',
    message: cut(`${pointer || 'the output'}: ${what}`, 4_096),
    pointer: cut(pointer, 4_096),
  };
  return { ...verdict, issues: [...verdict.issues, notice].slice(0, MAX_ISSUES) };
}

function scoreless(issue: Issue): Verdict {
  return failed('score', `Write a number from 0 to 100 at ${cut(issue.pointer || 'the root', 1_000)}.`, [issue]);
}

function afterScore(compiled: CompiledContract, value: JsonValue, context: JudgeContext, score: number): Verdict {
  const { contract } = compiled;
  const checks = compiled.check({ ...context, output: value, score });
  if (checks.length > 0) {
    const isAbsent = checks.some(({ pointer }) => pointer !== undefined && valueAt(value, pointer) === undefined);
    const presence = isAbsent ? " In a check, `has(output, '/x')` tests whether a part is present." : '';
    const advice = `Make the output meet the gate's checks.${presence}`;
    return { ...failed('check', advice, checks), score };
  }
  const missing = (contract.exports ?? []).filter((pointer) => valueAt(value, pointer) === undefined);
  if (missing.length > 0) {
    return { ...failed('check', 'Write the parts that the gate exports.', missing.map(unexported)), score };
  }
  return scored(score, contract.threshold, contract.partial);
}

function unexported(pointer: string): Issue {
  const message = cut(`${pointer}: is exported, but is missing from the output`, 4_096);
  return { severity: 'error', message, pointer, rule: 'exports' };
}

const PARTIAL_ADVICE = {
  block: 'Raise the score. Later gates wait, since the gate does not have `partial: continue`.',
  continue: 'Nothing to do: with `partial: continue`, later gates run.',
  pause: 'Approve the output or raise the score. With `partial: pause`, later gates wait.',
} as const;

function scored(score: number, threshold: number, partial: keyof typeof PARTIAL_ADVICE): Verdict {
  if (score >= threshold) return { status: 'passed', kind: 'passed', score, issues: [], advice: '' };
  const message = `the score is ${score}, below the threshold of ${threshold}`;
  const issues: Issue[] = [{ severity: 'warning', message }];
  return { status: 'partial', kind: 'partial', score, issues, advice: PARTIAL_ADVICE[partial] };
}

/** The verdict with the agent's own remarks: the list `issues` next to its score. */
function withRemarks(verdict: Verdict, scorePointer: string | undefined, value: JsonValue): Verdict {
  const parent = (scorePointer ?? '/validationResult/score').replace(/\/[^/]*$/, '');
  const holder = valueAt(value, parent);
  const remarks = isJsonObject(holder) && Object.hasOwn(holder, 'issues') ? holder['issues'] : undefined;
  if (!Array.isArray(remarks)) return verdict;
  const texts = remarks.filter((remark) => typeof remark === 'string');
  const pointer = cut(`${parent}/issues`, 4_096);
  const notices: Issue[] = texts
    .slice(0, MAX_REMARKS)
    .map((text) => ({ severity: 'notice', message: cut(text, MAX_REMARK_LENGTH), pointer }));
  if (texts.length > MAX_REMARKS) {
    notices.push({ severity: 'notice', message: `${texts.length - MAX_REMARKS} more remarks from the agent`, pointer });
  }
  return { ...verdict, issues: [...verdict.issues.slice(0, MAX_ISSUES - notices.length), ...notices] };
}

/** A score of 0-100, or why there is none. */
export type Score = { readonly score: number } | { readonly issue: Issue };

/**
 * The score that an output states. Other values are never converted: `"95"`, null, true and 101 are not scores. Without
 * a pointer: 100.
 */
export function readScore(value: JsonValue, pointer: string | undefined): Score {
  if (pointer === undefined) return { score: 100 };
  const found = valueAt(value, pointer);
  if (typeof found === 'number' && found >= 0 && found <= 100) return { score: found };
  const where = pointer === '' ? 'the output' : pointer;
  const what =
    found === undefined ? 'there is no score' : `the score must be a number from 0 to 100, is ${shortValue(found)}`;
  return { issue: { severity: 'error', message: cut(`${where}: ${what}`, 4_096), pointer: cut(pointer, 4_096) } };
}
