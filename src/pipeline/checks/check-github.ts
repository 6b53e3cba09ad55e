import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import {
  bareExpression,
  expressionsInside,
  parseExpression,
  type ExpressionFunction,
  type ExpressionRules,
} from '../expression.ts';
import { OWN_STEPS } from '../file/github-keys.ts';
import { gatesIn, mapAt, textsInside, type GatePart, type Located } from '../file/parts.ts';
import type { Problem } from '../problem.ts';
import type { DefinitionSource } from '../source.ts';
import { labelOf } from './structure.ts';

type KeyPath = readonly PropertyKey[];

const STATUS_FUNCTIONS: readonly ExpressionFunction[] = ['always', 'cancelled', 'failure', 'success'].map((name) => ({
  name,
  minArgs: 0,
  maxArgs: 0,
}));
const HASH_FILES: ExpressionFunction = { name: 'hashFiles', minArgs: 1, maxArgs: 255 };

/** What settings of a job may depend on: nothing that an agent or somebody outside of the repository can write. */
const JOB_RULES: ExpressionRules = { contexts: ['matrix', 'vars'], functions: [] };
const CONTAINER_RULES: ExpressionRules = { contexts: ['matrix', 'vars', 'secrets'], functions: [] };
const WORKFLOW_RULES: ExpressionRules = { contexts: ['vars'], functions: [] };
/** What steps of a compiled workflow may refer to: more than anything else in it. */
export const STEP_RULES: ExpressionRules = {
  contexts: ['github', 'needs', 'strategy', 'matrix', 'job', 'runner', 'env', 'vars', 'secrets', 'steps', 'inputs'],
  functions: [...STATUS_FUNCTIONS, HASH_FILES],
};

const RULES_AT_A_GATE: Readonly<Record<string, ExpressionRules>> = {
  'runs-on': JOB_RULES,
  environment: JOB_RULES,
  container: CONTAINER_RULES,
  services: CONTAINER_RULES,
};

/** What a text may refer to that GitHub evaluates in a compiled workflow; `undefined`: GitHub does not evaluate it. */
function rulesAt(path: KeyPath): ExpressionRules | undefined {
  const isGate = path[0] === 'gates';
  const [key, ...rest] = isGate ? path.slice(2) : path;
  if (key === 'steps-before') return isStepText(rest) ? STEP_RULES : undefined;
  if (isGate && key === 'uses') return rest[0] === 'with' || isWholeInUses(rest[0]) ? STEP_RULES : undefined;
  if (key === 'runs-on') return JOB_RULES;
  if (!isGate) return key === 'workflow' ? WORKFLOW_RULES : undefined;
  return RULES_AT_A_GATE[String(key)];
}

function isWholeInUses(key: PropertyKey | undefined): boolean {
  return key === 'output' || key === 'metrics';
}

/** Not `run`: an expression there is put into the script before a shell reads it. */
function isStepText([, key]: KeyPath): boolean {
  return key === 'if' || key === 'with' || key === 'env';
}

/** Whether a text may hold `${{ }}` since GitHub evaluates it in a compiled workflow. */
export function isEvaluatedOnGithub(path: KeyPath): boolean {
  return rulesAt(path) !== undefined;
}

/** Problems of what only a compiled workflow uses: expressions, ids of steps, `uses` together with `run`. */
export function checkGithub(source: DefinitionSource): Problem[] {
  const top = { value: isJsonObject(source.value) ? source.value : {}, path: [] };
  const gates = gatesIn(source);
  return [
    ...checkExpressions(source),
    ...checkSteps(top, source),
    ...gates.flatMap((gate) => checkSteps(gate, source)),
    ...gates.flatMap((gate) => checkUses(gate, source)),
    ...keysWithExpressions(top.value['on'], ['on'], source),
    ...gates.flatMap((gate) => checkMatrixKeys(gate, source)),
  ];
}

function checkExpressions(source: DefinitionSource): Problem[] {
  return [...textsInside(source.value, () => false)].flatMap((text) => {
    const rules = rulesAt(text.path);
    return rules === undefined ? [] : checkText(text, rules, source);
  });
}

function checkText({ value, path }: Located<string>, rules: ExpressionRules, source: DefinitionSource): Problem[] {
  const label = labelOf(path);
  const pointer = pointerOf(path);
  // GitHub takes all of it for an expression, with or without `${{ }}`.
  const isWhole = path.at(-1) === 'if' || (path[2] === 'uses' && isWholeInUses(path[3]));
  const bare = isWhole ? bareExpression(value) : undefined;
  if (isWhole && bare === undefined) {
    const message = '`${{ }}` must be around all of it, or left out';
    return [source.at(pointer, { code: 'EXPRESSION_MIXED', label, message })];
  }
  const parts = bare === undefined ? expressionsInside(value) : [bare];
  if (parts === undefined) {
    return [source.at(pointer, { code: 'EXPRESSION_INVALID', label, message: 'a `${{` has no `}}`' })];
  }
  return parts.flatMap(({ text, offset }) => {
    const parsed = parseExpression(text, rules);
    if (parsed.ok) return [];
    const { kind, message } = parsed.problem;
    const at = { label, message, offset: offset + parsed.problem.offset };
    if (kind === 'syntax') return [source.at(pointer, { code: 'EXPRESSION_INVALID', ...at })];
    const code = kind === 'unknown-function' ? 'EXPRESSION_FUNCTION' : 'EXPRESSION_NAME';
    const hint = `it can use ${rules.contexts.map((one) => `\`${one}\``).join(', ')}`;
    return [source.at(pointer, { code, ...at, hint })];
  });
}

function checkSteps(part: Located<JsonObject>, source: DefinitionSource): Problem[] {
  const steps = part.value['steps-before'];
  const seen = new Set<string>();
  return (Array.isArray(steps) ? steps : []).flatMap((step, index) => {
    const id = isJsonObject(step) ? step['id'] : undefined;
    if (typeof id !== 'string') return [];
    const key = id.toLowerCase();
    const isTaken = seen.has(key) || OWN_STEPS.has(key);
    seen.add(key);
    if (!isTaken) return [];
    const path = [...part.path, 'steps-before', index, 'id'];
    const message = `another step has the id \`${id.slice(0, 60)}\``;
    return [source.at(pointerOf(path), { code: 'STEP_ID_TAKEN', label: labelOf(path), message })];
  });
}

function checkUses({ value, path }: GatePart, source: DefinitionSource): Problem[] {
  const refuse = (key: string, message: string): Problem[] =>
    value[key] === undefined
      ? []
      : [source.at(pointerOf([...path, key]), { code: 'USES_AND_RUN', label: key, message, of: 'key' })];
  if (value['uses'] === undefined) return refuse('local', 'there is no `uses`: write the command as `run`');
  return refuse('run', 'a gate has either `run` or `uses`; the command on your machine is `local`');
}

/** GitHub evaluates the keys of a matrix, too, and no text of ours may become an expression there. */
function checkMatrixKeys(gate: GatePart, source: DefinitionSource): Problem[] {
  return keysWithExpressions(mapAt(gate.value, 'strategy')['matrix'], [...gate.path, 'strategy', 'matrix'], source);
}

function keysWithExpressions(value: JsonValue | undefined, path: KeyPath, source: DefinitionSource): Problem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => keysWithExpressions(item, [...path, index], source));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const below = [...path, key];
    if (!key.includes('${{')) return keysWithExpressions(item, below, source);
    const message = '`${{ }}` is not evaluated in a key';
    return [source.at(pointerOf(below), { code: 'EXPRESSION_NOT_ALLOWED', label: labelOf(path), message, of: 'key' })];
  });
}
