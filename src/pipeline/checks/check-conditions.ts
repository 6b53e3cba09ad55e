import {
  bareExpression,
  CHECK_RULES,
  functionNames,
  IF_RULES,
  offsetOf,
  parseExpression,
  type ExpressionProblem,
  type ExpressionRules,
} from '../expression.ts';
import { referencesIn, type Reference } from './expression-references.ts';
import { gatesIn, mapAt, pointerTo, textsAt, type GatePart, type Located } from '../file/parts.ts';
import { didYouMean, quoted, type Problem } from '../problem.ts';
import type { DefinitionSource } from '../source.ts';
import { labelOf } from './structure.ts';
import type { ProblemCode } from '../../errors/error-codes.ts';

/** Fields of `needs.<gate>`. */
const NEED_FIELDS = ['status', 'score', 'output'];
/** The values of `needs.<gate>.status`. */
const STATUSES = ['passed', 'partial', 'failed', 'lost', 'skipped', 'not-applicable'];
const STATUS_FUNCTIONS = new Set(['always', 'success', 'failure', 'cancelled']);

/** Problems of `if` and `checks`: their syntax and references. */
export function checkConditions(source: DefinitionSource): Problem[] {
  const gates = gatesIn(source);
  return gates.flatMap((gate) => [
    ...checkIf(gate, source, (reference) => ifReference(reference, gate, gates)),
    ...checkChecks(gate, source, (reference) => checkReference(reference, gate)),
  ]);
}

/** The uses of `subject` in `if` and `checks`, as the problems that they are if nobody gives a subject. */
export function checkSubjectReads(source: DefinitionSource): Problem[] {
  const read = ({ context }: Reference): ConditionFinding | undefined =>
    context === 'subject' ? NOT_GIVEN : undefined;
  const found = gatesIn(source).flatMap((gate) => [...checkIf(gate, source, read), ...checkChecks(gate, source, read)]);
  // Whatever else is wrong with a condition, `checkConditions` finds.
  return found.filter(({ code }) => code === NOT_GIVEN.code);
}

const NOT_GIVEN: ConditionFinding = {
  code: 'SUBJECT_NOT_GIVEN',
  message: 'reads `subject`, and no subject is set: the default one only names the records of a run',
  hint: 'set `subject:` at the top of gateline.yml, pass `--subject`, or set `subject` under `with:` of the step',
};

type JudgeReference = (reference: Reference) => ConditionFinding | undefined;

function checkIf(gate: GatePart, source: DefinitionSource, judge: JudgeReference): Problem[] {
  return textsAt(gate, 'if').flatMap((text) => check(text, IF_RULES, source, judge));
}

function checkChecks(gate: GatePart, source: DefinitionSource, judge: JudgeReference): Problem[] {
  return textsAt(gate, 'output', 'checks').flatMap((text) => check(text, CHECK_RULES, source, judge));
}

interface ConditionFinding {
  readonly severity?: Problem['severity'];
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

function check(
  text: Located<string>,
  rules: ExpressionRules,
  source: DefinitionSource,
  judge: JudgeReference,
): Problem[] {
  const label = labelOf(text.path);
  const report = (finding: ConditionFinding, offset?: number): Problem => {
    const shift = offset === undefined ? {} : { offset };
    return source.at(pointerTo(text), { ...finding, label, ...shift });
  };
  if (text.value.trim() === '') return [];
  const bare = bareExpression(text.value);
  if (bare === undefined) return [report(MIXED)];
  const parsed = parseExpression(bare.text, rules);
  if (!parsed.ok) return [report(explain(parsed.problem, rules), bare.offset + parsed.problem.offset)];
  return referencesIn(parsed.expression).flatMap((reference) => {
    const finding = judge(reference);
    return finding === undefined ? [] : [report(finding, bare.offset + offsetOf(bare.text, reference.start))];
  });
}

const MIXED: ConditionFinding = {
  code: 'EXPRESSION_MIXED',
  message: 'text around `${{ }}` makes a condition always true',
  hint: 'put the whole condition into one `${{ }}`, or leave `${{ }}` out',
};

function explain(problem: ExpressionProblem, rules: ExpressionRules): ConditionFinding {
  const { kind, message, name } = problem;
  if (kind === 'syntax') return { code: 'EXPRESSION_INVALID', message };
  if (kind === 'unknown-name') {
    const hint = didYouMean(name, rules.contexts) ?? `known here: ${rules.contexts.join(', ')}`;
    return { code: 'EXPRESSION_NAME', message, hint };
  }
  const code = 'EXPRESSION_FUNCTION';
  if (STATUS_FUNCTIONS.has(name.toLowerCase())) {
    const why = "a gate's condition is evaluated only when all its needs are satisfied";
    const hint = 'compare `needs.<gate>.status`, or leave it out';
    return { code, message: `\`${name}()\` has no meaning here: ${why}`, hint };
  }
  if (name.toLowerCase() === 'hashfiles') {
    return { code, message: '`hashFiles()` is not known here', hint: 'name the input files under `inputs`' };
  }
  const known = functionNames(rules);
  return { code, message, hint: didYouMean(name, known) ?? `known here: ${known.join(', ')}` };
}

function ifReference(reference: Reference, gate: GatePart, gates: readonly GatePart[]): ConditionFinding | undefined {
  if (reference.context !== 'needs') return textReference(reference);
  const [need, field] = reference.path;
  if (need === undefined) {
    const message = '`needs` must be followed by the id of a gate';
    return { code: 'EXPRESSION_NEED', message, hint: 'write `needs.<gate>.status`, `.score` or `.output`' };
  }
  const needs = textsAt(gate, 'needs').map(({ value }) => value);
  if (!needs.includes(need.toLowerCase())) return notNeeded(need, needs, gates);
  if (field === undefined || !NEED_FIELDS.includes(field.toLowerCase())) {
    const message =
      field === undefined ? `${quoted(`needs.${need}`)} is not a value` : `a gate has no ${quoted(field)}`;
    const meant = field === undefined ? undefined : didYouMean(field, NEED_FIELDS);
    return { code: 'EXPRESSION_NEED', message, hint: meant ?? 'it has `.status`, `.score` and `.output`' };
  }
  const status = reference.comparedWith;
  if (field.toLowerCase() !== 'status' || status === undefined) return undefined;
  if (STATUSES.includes(status.toLowerCase())) return undefined;
  const hint = didYouMean(status, STATUSES) ?? `a status is one of ${STATUSES.join(', ')}`;
  return { severity: 'warning', code: 'EXPRESSION_STATUS', message: `no gate is ever ${quoted(status)}`, hint };
}

function notNeeded(need: string, needs: readonly string[], gates: readonly GatePart[]): ConditionFinding {
  const code = 'EXPRESSION_NEED';
  if (gates.some(({ id }) => id === need.toLowerCase())) {
    const message = `${quoted(need)} is not one of this gate's \`needs\``;
    return { code, message, hint: `add ${quoted(need)} to \`needs\`` };
  }
  return { code, message: `${quoted(need)}: no such gate`, hint: didYouMean(need, needs) };
}

function checkReference(reference: Reference, gate: GatePart): ConditionFinding | undefined {
  if (reference.context !== 'score' || mapAt(gate.value, 'output')['score'] !== undefined)
    return textReference(reference);
  const message = 'there is no `score` in this contract, so that `score` is always 100';
  return { code: 'SCORE_MISSING', message, hint: 'write `score` with the JSON pointer to the score in the output' };
}

/** `subject` is text and `score` a number: they have no parts, and GitHub's evaluator would return null. */
function textReference({ context, path, isOpen }: Reference): ConditionFinding | undefined {
  if ((context !== 'subject' && context !== 'score') || (path.length === 0 && !isOpen)) return undefined;
  const what = context === 'subject' ? 'a text' : 'a number';
  const message = `\`${context}\` is ${what}, and has no properties`;
  return { code: 'EXPRESSION_NAME', message, hint: `compare \`${context}\` itself` };
}
