import { GatelineError } from '../errors.ts';
import { extractJson } from '../json/extract-json.ts';
import { isJsonObject, type JsonValue } from '../json/json.ts';
import { decodeUtf8, parseJson, type ParsedJson } from '../json/parse-json.ts';
import { valueAt } from '../json/pointer.ts';
import { CHECK_CONTEXTS } from '../pipeline/expression.ts';
import { legsFromList, MAX_LEGS } from '../pipeline/matrix.ts';
import { createRedactor, redactPointers, type Redactor } from '../untrusted/redact.ts';
import type { Contract } from './contract.ts';
import { evaluateCondition, parseCondition, type Condition, type Contexts } from './expression.ts';
import { compileSchema, type ValidateSchema } from './schema.ts';
import { cutText, listNames, valueText } from './texts.ts';
import { failedVerdict, MAX_ISSUES, type Issue, type Verdict } from './verdict.ts';

/** Remarks of an agent about its own output that become notices, and their length. */
const MAX_REMARKS = 20;
const MAX_REMARK_LENGTH = 500;
/** Redacted secrets that become notices. */
const MAX_REDACTED = 20;

/** A contract ready for judging. */
export interface CompiledContract {
  readonly contract: Contract;
  readonly validate: ValidateSchema;
  readonly checks: readonly Condition[];
}

/** @throws GatelineError `usage` naming every problem with its pointer into the contract */
export async function compileContract(contract: Contract): Promise<CompiledContract> {
  const { schema, checks } = contract;
  const compiled = schema === undefined ? { validate: () => [] } : await compileSchema(schema);
  const conditions = checks.map((check) => parseCondition(check, CHECK_CONTEXTS));
  const schemaProblems = 'problems' in compiled ? compiled.problems : [];
  const problems = schemaProblems.map(({ pointer, message }) => `/schema${pointer}: ${message}`);
  for (const [index, condition] of conditions.entries()) {
    if ('problem' in condition) problems.push(`/checks/${index}: ${condition.problem}`);
  }
  if (problems.length > 0 || 'problems' in compiled) {
    const heading = problems.length === 1 ? '' : `${problems.length} problems:\n`;
    throw new GatelineError('usage', heading + problems.join('\n'));
  }
  return { contract, validate: compiled.validate, checks: conditions as Condition[] };
}

/**
 * Reads and judges what an agent wrote: parse (and extract), redact, judge. The values at `contract.redact` are secrets
 * wherever else they are in the output.
 * @returns the verdict, and the redacted value if there is one
 */
export async function judgeBytes(
  compiled: CompiledContract,
  bytes: Uint8Array,
  redactor: Redactor,
  contexts: Contexts,
): Promise<{ readonly verdict: Verdict; readonly value?: JsonValue }> {
  const { contract } = compiled;
  const parsed = parseOutput(bytes, contract.extract === 'json');
  if (!parsed.ok) {
    const { kind, message, pointer, advice } = parsed;
    return { verdict: failedVerdict(kind, advice, [redactIssue({ severity: 'error', message, pointer }, redactor)]) };
  }
  const { value: masked, secrets } = redactPointers(parsed.value, contract.redact);
  const { value: redacted, redacted: places } = redactor.json(masked);
  const outputRedactor = createRedactor(secrets);
  const value = contract.redact.length === 0 ? redacted : outputRedactor.json(redacted).value;
  const notices = parsed.notices.map((notice): Issue => ({ severity: 'notice', ...notice }));
  for (const { pointer, label } of places.slice(0, MAX_REDACTED)) {
    const message = `${pointer || 'the output'}: a secret was replaced by *** (${label})`;
    notices.push({ severity: 'notice', message, pointer });
  }
  const verdict = await judge(compiled, value, contexts);
  const safeNotices = notices.map((notice) => redactIssue(redactIssue(notice, redactor), outputRedactor));
  return { verdict: { ...verdict, issues: [...verdict.issues, ...safeNotices].slice(0, MAX_ISSUES) }, value };
}

/** An issue that can be stored. Its message and pointer hold keys of the output, which may be secrets of any length. */
export function redactIssue({ message, pointer, ...issue }: Issue, redactor: Redactor): Issue {
  const redact = (text: string): string => cutText(redactor.text(text), 4_096);
  return { ...issue, message: redact(message), ...(pointer !== undefined && { pointer: redact(pointer) }) };
}

function parseOutput(bytes: Uint8Array, isExtractable: boolean): ParsedJson {
  const parsed = parseJson(bytes);
  const text = parsed.ok || parsed.kind !== 'malformed' || !isExtractable ? undefined : decodeUtf8(bytes);
  if (text === undefined) return parsed;
  const extracted = extractJson(text);
  if ('problem' in extracted)
    return { ok: false, kind: 'malformed', message: extracted.problem, advice: 'Write one JSON value.' };
  const value = parseJson(new TextEncoder().encode(extracted.json));
  const notice = { message: 'the JSON value was taken out of the text around it (`extract: json`)' };
  return value.ok ? { ...value, notices: [notice, ...value.notices] } : value;
}

/**
 * Judges a value: schema, the agent's own label, lists of legs, score, checks, exports. The first of these that fails
 * decides the kind of the verdict, and all its errors are listed. If none fails, the score decides: passed at or above
 * the threshold, else partial.
 * @param contexts `subject` and `metadata`, for checks
 */
export async function judge(compiled: CompiledContract, value: JsonValue, contexts: Contexts): Promise<Verdict> {
  const issues = compiled.validate(value);
  if (issues.length > 0) return failedVerdict('schema', 'Make the output meet the schema.', issues);
  const { contract } = compiled;
  const label = contract.result && valueAt(value, contract.result.pointer);
  const verdict = judgeLabel(contract, label) ?? judgeLists(contract, value) ?? judgeScore(compiled, value, contexts);
  const message = verdict.status === 'passed' ? readMessage(contract, value) : undefined;
  const remarks = listRemarks(contract, value);
  return {
    ...verdict,
    issues: [...verdict.issues.slice(0, MAX_ISSUES - remarks.length), ...remarks],
    ...(typeof label === 'string' && { result: cutText(label, 200) }),
    ...(message !== undefined && { message }),
  };
}

/** The verdict on an agent's own label; undefined: it passes, or the contract names none. */
function judgeLabel({ result }: Contract, label: JsonValue | undefined): Verdict | undefined {
  if (result === undefined || (typeof label === 'string' && result.pass.includes(label))) return undefined;
  const { pointer, pass } = result;
  const verb = typeof label === 'string' ? 'is' : 'must be a string, is';
  const problem = label === undefined ? 'there is no result' : `the result ${verb} ${valueText(label)}`;
  const labels = pass.map((text) => valueText(text));
  const allowed = listNames(labels, 8, 'or');
  const error = errorAt(pointer, `${problem}; only ${allowed} passes`, 'result');
  return failedVerdict('check', `The gate passes with ${allowed}.`, [error]);
}

/** The verdict on an output that lacks a list from which other gates take their legs; undefined: it has them all. */
function judgeLists({ lists = [] }: Contract, value: JsonValue): Verdict | undefined {
  const issues = lists.flatMap((pointer) => {
    const legs = legsFromList(valueAt(value, pointer), '');
    return 'problem' in legs ? [errorAt(pointer, `legs are made from it, but ${legs.problem}`, 'matrix')] : [];
  });
  if (issues.length === 0) return undefined;
  return failedVerdict('schema', `Write a list of at most ${MAX_LEGS} items.`, issues);
}

function judgeScore(compiled: CompiledContract, value: JsonValue, contexts: Contexts): Verdict {
  const { contract, checks } = compiled;
  const { score: pointer, threshold, partial } = contract;
  // Never converted: "95", null and true are not scores.
  const score = pointer === undefined ? 100 : valueAt(value, pointer);
  if (typeof score !== 'number' || !(score >= 0 && score <= 100)) {
    const problem =
      score === undefined ? 'there is no score' : `the score must be a number from 0 to 100, is ${valueText(score)}`;
    const advice = `Write a number from 0 to 100 at ${pointer || 'the root'}.`;
    return failedVerdict('score', advice, [errorAt(pointer!, problem, 'score')]);
  }
  const failures = checks.flatMap((check) => checkIssue(check, { ...contexts, output: value, score }));
  if (failures.length > 0)
    return { ...failedVerdict('check', "Make the output meet the gate's checks.", failures), score };
  const missing = contract.exports.filter((part) => valueAt(value, part) === undefined);
  if (missing.length > 0) {
    const errors = missing.map((part) => errorAt(part, 'is exported, but is not in the output', 'exports'));
    return { ...failedVerdict('check', 'Write the parts that the gate exports.', errors), score };
  }
  if (score >= threshold) return { status: 'passed', kind: 'passed', score, issues: [], advice: '' };
  const message = `the score is ${score}, below the threshold of ${threshold}`;
  return {
    status: 'partial',
    kind: 'partial',
    score,
    issues: [{ severity: 'warning', message }],
    advice: PARTIAL_ADVICE[partial],
  };
}

const PARTIAL_ADVICE = {
  block: 'Raise the score; later gates wait, because `partial` is `block`.',
  continue: 'Nothing to do: with `partial: continue` later gates run.',
  pause: 'Approve the output, or raise the score; later gates wait, because `partial` is `pause`.',
} as const;

function checkIssue(check: Condition, contexts: Contexts): Issue[] {
  const evaluation = evaluateCondition(check, contexts);
  if ('result' in evaluation && evaluation.result) return [];
  const reason = 'problem' in evaluation ? evaluation.problem : evaluation.reason;
  const message = cutText(`${cutText(check.text, 500)}: ${reason}`, 4_096);
  return [{ severity: 'error', message, pointer: evaluation.pointer, rule: cutText(check.text, 4_096) }];
}

/** The agent's line about an output that passed. */
function readMessage({ message: pointer }: Contract, value: JsonValue): string | undefined {
  const line = pointer === undefined ? undefined : valueAt(value, pointer);
  const text = typeof line === 'string' ? cutText(line.replace(/\s+/g, ' ').trim(), 300) : '';
  return text === '' ? undefined : text;
}

/** The agent's own remarks, as notices: the list `issues` beside its score. */
function listRemarks({ score = '/validationResult/score' }: Contract, value: JsonValue): Issue[] {
  const parent = valueAt(value, score.slice(0, Math.max(0, score.lastIndexOf('/'))));
  const list = isJsonObject(parent) && Object.hasOwn(parent, 'issues') ? parent['issues'] : undefined;
  const texts = Array.isArray(list) ? list.filter((remark) => typeof remark === 'string') : [];
  const notices = texts.slice(0, MAX_REMARKS).map((text) => cutText(text, MAX_REMARK_LENGTH));
  const more = texts.length - notices.length;
  if (more > 0) notices.push(`${more} more remarks of the agent`);
  return notices.map((message) => ({ severity: 'notice', message }));
}

function errorAt(pointer: string, problem: string, rule: string): Issue {
  return { severity: 'error', message: cutText(`${pointer || 'the output'}: ${problem}`, 4_096), pointer, rule };
}
