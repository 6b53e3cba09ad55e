import type { Expr } from '@actions/expressions';
import { pointerOf } from '../../json/pointer.ts';
import type { ExpressionRules } from '../../pipeline/expression.ts';
import { nearest, quoted } from '../../pipeline/problem.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { ContractProblem, Issue } from '../verdict.ts';
import { cut, shortValue } from '../value-texts.ts';
import type { Operand } from './operand.ts';
import { firstNames } from '../../errors/first-names.ts';

/** Contexts available to checks. */
export interface CheckContexts {
  readonly output: JsonValue;
  readonly score: number;
  readonly subject?: string | undefined;
  readonly metadata: JsonObject;
}

/** Compiled checks, or what is wrong with them, with pointers into the contract. */
export type CompiledChecks =
  | { readonly ok: true; readonly run: (contexts: CheckContexts) => Issue[] }
  | { readonly ok: false; readonly problems: readonly ContractProblem[] };

/** Contexts available to a gate's condition. `needs.<gate>` contains `status`, `score` and `output` (its exports). */
export interface ConditionContexts {
  readonly subject?: string | undefined;
  readonly metadata: JsonObject;
  readonly needs: JsonObject;
}

/** The result of a condition, with the values that it depends on, or why there is none. */
export type Condition = { readonly choice: boolean; readonly reason: string } | { readonly problem: string };

/** Number of values shown in a message. */
const SHOWN_READS = 4;

/** Compile all checks of a contract. `run` returns an issue for each that fails, none if the output meets them all. */
export async function compileChecks(checks: readonly string[]): Promise<CompiledChecks> {
  if (checks.length === 0) return { ok: true, run: () => [] };
  const { CHECK_RULES } = await import('../../pipeline/expression.ts');
  const { evaluate } = await import('./evaluate.ts');
  const problems: ContractProblem[] = [];
  const read: Array<{ text: string; expression: Expr }> = [];
  for (const [index, text] of checks.entries()) {
    const parsed = await parse(text, CHECK_RULES);
    if ('problem' in parsed)
      problems.push({ code: 'CONTRACT_CHECK_INVALID', pointer: `/checks/${index}`, ...parsed.problem });
    else read.push({ text, expression: parsed.expression });
  }
  if (problems.length > 0) return { ok: false, problems };
  const run = (contexts: CheckContexts): Issue[] =>
    read.flatMap(({ text, expression }) => {
      const result = evaluate(expression, known(contexts));
      if (!result.ok) {
        const pointer = result.context === 'output' && result.path !== undefined ? pointerOf(result.path) : undefined;
        return [issue(text, result.message, pointer)];
      }
      return result.choice
        ? []
        : [issue(text, readsInWords(result.reads) || 'it is false', pointerOfRead(result.reads))];
    });
  return { ok: true, run };
}

/**
 * Whether a gate's `if` is true. A path that does not exist is a problem, never false: a gate skipped because of a typo
 * would satisfy the gates that need it.
 */
export async function evaluateCondition(text: string, contexts: ConditionContexts): Promise<Condition> {
  const { IF_RULES } = await import('../../pipeline/expression.ts');
  const { evaluate } = await import('./evaluate.ts');
  const parsed = await parse(text, IF_RULES);
  if ('problem' in parsed) {
    const { message, hint } = parsed.problem;
    return { problem: `${cut(text, 500)}: ${message}${hint === undefined ? '' : `; ${hint}`}` };
  }
  const result = evaluate(parsed.expression, known(contexts));
  if (!result.ok) return { problem: cut(`${cut(text, 500)}: ${result.message}`, 2_000) };
  const reads = readsInWords(result.reads);
  const reason = `${cut(text, 500)} is ${result.choice}${reads === '' ? '' : `: ${reads}`}`;
  return { choice: result.choice, reason: cut(reason, 2_000) };
}

/** Contexts without a default subject. */
function known(contexts: CheckContexts | ConditionContexts): Record<string, JsonValue> {
  const { subject, ...others } = contexts;
  return subject === undefined ? others : { ...others, subject };
}

type ParsedCheck = { readonly expression: Expr } | { readonly problem: Pick<ContractProblem, 'message' | 'hint'> };

async function parse(text: string, rules: ExpressionRules): Promise<ParsedCheck> {
  const { functionNames, parseExpression } = await import('../../pipeline/expression.ts');
  const parsed = parseExpression(text, rules);
  if (parsed.ok) return { expression: parsed.expression };
  const { kind, message, name, offset } = parsed.problem;
  const names = kind === 'unknown-function' ? functionNames(rules) : kind === 'unknown-name' ? rules.contexts : [];
  const meant = nearest(name, [...names]);
  const known = names.length === 0 ? undefined : `known here: ${names.join(', ')}`;
  const hint = meant === undefined ? known : `did you mean ${quoted(meant)}?`;
  const where = `${message} (character ${offset + 1} of ${quoted(text)})`;
  return { problem: hint === undefined ? { message: where } : { message: where, hint } };
}

function issue(check: string, what: string, pointer: string | undefined): Issue {
  return {
    severity: 'error',
    message: cut(`${cut(check, 500)}: ${what}`, 4_096),
    ...(pointer === undefined ? {} : { pointer: cut(pointer, 4_096) }),
    rule: cut(check, 4_096),
  };
}

/** `output.failed is 3, output.passed is 7`. */
function readsInWords(reads: readonly Operand[]): string {
  const shown = reads.map(({ name, value }) => `${cut(name, 200)} is ${shortValue(value)}`);
  return firstNames(shown, SHOWN_READS);
}

function pointerOfRead(reads: readonly Operand[]): string | undefined {
  const ofOutput = reads.filter(({ name }) => /^output\b/.test(name));
  return ofOutput.length === 1 && ofOutput[0]!.path !== undefined ? pointerOf(ofOutput[0]!.path) : undefined;
}
