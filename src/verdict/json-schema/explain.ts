import { pointerOf } from '../../json/pointer.ts';
import { cut } from '../value-texts.ts';
import { MAX_ISSUES, type Issue } from '../verdict.ts';
import type { Branch, BrokenRule } from './collect-errors.ts';
import { explainKeyword } from './explain-keyword.ts';
import type { Rule, RuleBook } from './rules.ts';
import type { Validation } from './validator.ts';

/** Words for the root of the judged value: `the output`, `the schema`. */
export interface ExplainOptions {
  readonly root: string;
  readonly rules: RuleBook;
}

/** A broken rule that was looked up, with its message. */
interface ExplainedRule {
  readonly path: ReadonlyArray<string | number>;
  readonly rule: Rule;
  readonly text: string;
}

/**
 * The errors of a value against a schema, in plain words, in the order of the schema, each once; at most
 * {@link MAX_ISSUES}.
 */
export function explainValidation(validation: Validation, options: ExplainOptions): Issue[] {
  const findings = validation.errors.flatMap((error) => explain(error, options.rules));
  const byMessage = new Map(
    findings.map((finding) => issueOf(finding, options.root)).map((issue) => [issue.message, issue]),
  );
  const issues = [...byMessage.values()];
  const more = validation.total - validation.errors.length;
  if (more === 0 && issues.length <= MAX_ISSUES) return issues;
  const kept = issues.slice(0, MAX_ISSUES - 1);
  const left = more + issues.length - kept.length;
  return [...kept, { severity: 'error', message: `${left.toLocaleString('en')} more problems` }];
}

function issueOf({ path, rule, text }: ExplainedRule, root: string): Issue {
  const pointer = pointerOf(path).toWellFormed();
  const where = pointer === '' ? root : cut(pointer, 1_000);
  return {
    severity: 'error',
    message: cut(`${where}: ${text}`, 4_096),
    pointer: cut(pointer, 4_096),
    rule: cut(rule.pointer, 4_096),
  };
}

function explain(error: BrokenRule, rules: RuleBook): ExplainedRule[] {
  const rule = rules.find(error.rule);
  if (error.branches.length > 0) return explainAlternatives(error, rule, rules);
  return [{ path: error.path, rule, text: explainKeyword(error, rule) }];
}

function explainAlternatives(error: BrokenRule, rule: Rule, rules: RuleBook): ExplainedRule[] {
  const matching = error.branches.flatMap(({ valid }, index) => (valid ? [`#${index + 1}`] : []));
  if (matching.length > 1) {
    const text = `must match exactly one of ${error.branches.length} alternatives, matches ${matching.join(' and ')}`;
    return [{ path: error.path, rule, text }];
  }
  const kinds = onlyKinds(error, rules);
  if (kinds !== undefined) return [{ path: error.path, rule, text: kinds }];
  const number = closest(error, rules);
  const details = error.branches[number]!.errors.flatMap((inner) => explain(inner, rules));
  const which =
    error.branches.length === 1 ? '' : ` (alternative #${number + 1} of ${error.branches.length} is the closest)`;
  if (details.length === 1) return [{ ...details[0]!, text: details[0]!.text + which }];
  return [{ path: error.path, rule, text: `matches none of the alternatives${which}` }, ...details];
}

/** "must be a string or null, is 12", if every alternative only requires another kind of value. */
function onlyKinds(error: BrokenRule, rules: RuleBook): string | undefined {
  const wanted: string[] = [];
  let found = '';
  for (const { errors } of error.branches) {
    const [only] = errors;
    if (only === undefined || errors.length > 1 || only.path.length !== error.path.length) return undefined;
    const rule = rules.find(only.rule);
    if (!['type', 'const', 'enum'].includes(rule.keyword)) return undefined;
    const [, want, is] = /^must be (.*), is (.*?)(?:; did you mean .*)?$/s.exec(explainKeyword(only, rule)) ?? [];
    if (want === undefined || is === undefined) return undefined;
    wanted.push(want);
    found = is;
  }
  return `must be ${[...new Set(wanted)].join(' or ')}, is ${found}`;
}

/** The alternative that was probably meant: of the right kind, then with the fewest and the deepest errors. */
function closest(error: BrokenRule, rules: RuleBook): number {
  const ranks = error.branches.map((branch) => rank(branch, error.path.length, rules));
  let best = 0;
  for (let index = 1; index < ranks.length; index += 1) if (less(ranks[index]!, ranks[best]!)) best = index;
  return best;
}

function rank(branch: Branch, depth: number, rules: RuleBook): number[] {
  let kind = 0;
  for (const error of branch.errors) {
    const { keyword } = rules.find(error.rule);
    const own = error.path.length - depth;
    if (own === 0 && ['type', 'const', 'enum'].includes(keyword)) kind = Math.max(kind, 2);
    // A property that must be one value distinguishes the alternatives (OpenAPI's discriminator).
    if (own === 1 && (keyword === 'const' || keyword === 'enum')) kind = Math.max(kind, 1);
  }
  const deepest = Math.max(0, ...branch.errors.map((error) => error.path.length));
  return [kind, branch.errors.length, -deepest];
}

function less(a: readonly number[], b: readonly number[]): boolean {
  const differs = a.findIndex((part, index) => part !== b[index]);
  return differs >= 0 && a[differs]! < b[differs]!;
}
