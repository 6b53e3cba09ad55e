import { changed } from './check-environment.ts';
import { matrixSchema } from '../file/gateline-gate.ts';
import { isDuration } from '../file/gateline-values.ts';
import { legsOf } from '../file/matrix.ts';
import { gatesIn, mapAt, pointerTo, textsAt, textsInside, type GatePart, type Located } from '../file/parts.ts';
import { globProblem, pathProblem, treesProblem, type PathProblem } from '../file/paths.ts';
import { parentPointers, pointerOf, POINTER_PATTERN } from '../../json/pointer.ts';
import { quoted, type Problem } from '../problem.ts';
import type { DefinitionSource } from '../source.ts';
import { isEvaluatedOnGithub } from './check-github.ts';
import { labelOf } from './structure.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import type { ProblemCode } from '../../errors/error-codes.ts';

/** Problems of single values that have the right type: paths, globs, exports, scores, matrices, `${{ }}`. */
export function checkValues(source: DefinitionSource): Problem[] {
  const whole: Located<JsonObject> = { value: isJsonObject(source.value) ? source.value : {}, path: [] };
  const gates = gatesIn(source);
  return [
    ...checkPaths(textsAt(whole, 'defaults', 'run', 'working-directory'), pathProblem, 'PATH_INVALID', source),
    ...checkWorkspace(whole, source),
    ...checkSubstitution(source),
    ...gates.flatMap((gate) => checkGatePaths(gate, source)),
    ...gates.flatMap((gate) => checkExports(gate, source)),
    ...gates.flatMap((gate) => checkScore(gate, source)),
    ...gates.flatMap((gate) => checkRedacted(gate, source)),
    ...gates.flatMap((gate) => checkReuse(gate, source)),
    ...gates.flatMap((gate) => checkInPlace(gate, source)),
    ...gates.flatMap((gate) => checkMatrix(gate, source)),
  ];
}

function checkWorkspace(whole: Located<JsonObject>, source: DefinitionSource): Problem[] {
  const link = mapAt(whole.value, 'workspace')['link'];
  const globs = Array.isArray(link) ? textsAt(whole, 'workspace', 'link') : [];
  return [
    ...checkGlobs(globs, source),
    ...checkPaths(textsAt(whole, 'workspace', 'trees'), treesProblem, 'PATH_INVALID', source),
  ];
}

function checkGatePaths(gate: GatePart, source: DefinitionSource): Problem[] {
  const files = typeof gate.value['files'] === 'string' ? [] : textsAt(gate, 'files');
  return [
    ...checkPaths(textsAt(gate, 'working-directory'), pathProblem, 'PATH_INVALID', source),
    ...checkPaths(textsAt(gate, 'output', 'schema'), pathProblem, 'PATH_INVALID', source),
    ...checkGlobs(textsAt(gate, 'inputs'), source),
    ...checkGlobs(files, source),
  ];
}

function checkGlobs(globs: readonly Located<string>[], source: DefinitionSource): Problem[] {
  const problems = checkPaths(globs, globProblem, 'GLOB_INVALID', source);
  const [first] = globs;
  if (first === undefined || globs.some(({ value }) => !value.startsWith('!'))) return problems;
  const label = labelOf(first.path);
  const message = 'every glob excludes, so no file is left';
  const hint = 'first write what to include, such as `**`, then what to exclude';
  return [...problems, source.at(pointerTo(first), { code: 'GLOBS_ONLY_EXCLUDE', label, message, hint })];
}

function checkPaths(
  texts: readonly Located<string>[],
  problemOf: (text: string) => PathProblem | undefined,
  code: ProblemCode,
  source: DefinitionSource,
): Problem[] {
  return texts.flatMap((text) => {
    const problem = text.value.includes('${{') ? undefined : problemOf(text.value);
    if (problem === undefined) return [];
    const message = `${quoted(text.value)} ${problem.message}`;
    return [source.at(pointerTo(text), { code, label: labelOf(text.path), message, hint: problem.hint })];
  });
}

/** `${{ }}` is evaluated only in conditions and for a matrix; anywhere else it would reach the agent unchanged. */
function checkSubstitution(source: DefinitionSource): Problem[] {
  const isExpression = (path: readonly PropertyKey[]): boolean =>
    path[0] === 'gates' &&
    ((path.length === 3 && path[2] === 'if') ||
      (path.length === 4 && path[2] === 'output' && (path[3] === 'checks' || path[3] === 'schema')));
  const isMatrix = (path: readonly PropertyKey[]): boolean =>
    path[0] === 'gates' && path.length === 4 && path[2] === 'strategy' && path[3] === 'matrix';
  return [...textsInside(source.value, (path) => isExpression(path) || isEvaluatedOnGithub(path))].flatMap((text) => {
    if (isMatrix(text.path)) return [];
    const offset = text.value.indexOf('${{');
    if (offset < 0 || (text.path[0] === 'gates' && source.isLiteral(text.path[2]))) return [];
    const message = '`${{ }}` is not evaluated here';
    const details = { label: labelOf(text.path), message, hint: substitutionHint(text.path), offset };
    return [source.at(pointerTo(text), { code: 'EXPRESSION_NOT_ALLOWED', ...details })];
  });
}

function substitutionHint(path: readonly PropertyKey[]): string {
  if (path[0] === 'workspace')
    return 'write the value itself; a command finds variables of the caller in its environment';
  if (path.includes('env')) return 'leave the value empty to take it from the caller, or name a secret under `secrets`';
  if (path.includes('run')) return 'read the file that `GATELINE_REQUEST` names, or set a variable under `env`';
  if (path.includes('matrix')) return 'write the values out';
  return 'write the value itself; an agent finds its inputs in the file that `GATELINE_REQUEST` names';
}

function checkExports(gate: GatePart, source: DefinitionSource): Problem[] {
  const pointers = textsAt(gate, 'output', 'exports').filter(({ value }) => POINTER_PATTERN.test(value));
  const all = new Set(pointers.map(({ value }) => value));
  const seen = new Set<string>();
  return pointers.flatMap((inner) => {
    const name = pointerName(inner.value);
    const outer = parentPointers(inner.value).find((parent) => all.has(parent));
    const isRepeated = seen.has(inner.value);
    seen.add(inner.value);
    if (!isRepeated && outer === undefined) return [];
    const why = isRepeated ? 'named twice' : `is part of ${pointerName(outer!)}, which is exported whole`;
    const message = `${name}: ${why}`;
    return [source.at(pointerTo(inner), { code: 'EXPORT_DUPLICATE', label: 'output.exports', message })];
  });
}

function pointerName(pointer: string): string {
  return pointer === '' ? 'the empty pointer (the whole output)' : quoted(pointer);
}

function checkScore(gate: GatePart, source: DefinitionSource): Problem[] {
  const output = mapAt(gate.value, 'output');
  if (output['score'] !== undefined) return [];
  const hint = 'write `score` with the JSON pointer to the score in the output';
  const needsScore = (key: string, severity: Problem['severity'], why: string): Problem[] =>
    output[key] === undefined
      ? []
      : [
          source.at(pointerOf([...gate.path, 'output', key]), {
            severity,
            code: 'SCORE_MISSING',
            label: `output.${key}`,
            message: why,
            hint,
            of: 'key',
          }),
        ];
  return [
    ...needsScore('threshold', 'error', 'there is no `score` to compare it with, so every output would pass'),
    ...needsScore('partial', 'warning', 'there is no `score`, so no output is ever partial'),
  ];
}

/** What is redacted cannot be read: `***` would be the score, the label or the message. */
function checkRedacted(gate: GatePart, source: DefinitionSource): Problem[] {
  const redacted = textsAt(gate, 'output', 'redact').map(({ value }) => value);
  const read = [['score'], ['result', 'pointer'], ['message']].flatMap((keys) => textsAt(gate, 'output', ...keys));
  return read.flatMap((one) => {
    if (!POINTER_PATTERN.test(one.value)) return [];
    const outer = [one.value, ...parentPointers(one.value)].find((pointer) => redacted.includes(pointer));
    if (outer === undefined) return [];
    const message = `${labelOf(one.path)}: ${pointerName(one.value)}: \`output.redact\` names ${pointerName(outer)}, so the value is never read`;
    return [source.at(pointerTo(one), { code: 'REDACTED_PART_USED', message })];
  });
}

function checkReuse(gate: GatePart, source: DefinitionSource): Problem[] {
  const age = gate.value['max-age'];
  if (gate.value['reuse'] !== 'never' || typeof age !== 'string' || !isDuration(age)) return [];
  const message = 'with `reuse: never` it has no effect';
  const details = { label: 'max-age', message, of: 'key' } as const;
  return [source.at(pointerOf([...gate.path, 'max-age']), { severity: 'warning', code: 'MAX_AGE_UNUSED', ...details })];
}

/** In the user's folder, the gate's own files would be its inputs, so its result would never be reused. */
function checkInPlace(gate: GatePart, source: DefinitionSource): Problem[] {
  const { workspace, inputs, files } = gate.value;
  const handsOn = typeof files === 'string' || (Array.isArray(files) && files.length > 0);
  if (workspace !== 'in-place' || inputs !== undefined || !handsOn) return [];
  const message = 'a gate that works in your folder and hands on files must declare its inputs';
  const hint = 'declare `inputs`, or leave `workspace` out, so that it works in a work tree of its own';
  const details = { label: 'workspace', message, hint };
  return [source.at(pointerOf([...gate.path, 'workspace']), { code: 'IN_PLACE_NEEDS_INPUTS', ...details })];
}

function checkMatrix(gate: GatePart, source: DefinitionSource): Problem[] {
  const path = [...gate.path, 'strategy', 'matrix'];
  const parsed = matrixSchema.safeParse(mapAt(gate.value, 'strategy')['matrix']);
  if (!parsed.success) return [];
  const result = legsOf(parsed.data);
  const problems = 'problems' in result ? result.problems : [];
  return [
    ...numbersChanged(mapAt(gate.value, 'strategy', 'matrix'), path, source),
    ...problems.map((problem) => {
      const { message, path: inner } = problem;
      const label = labelOf([...path, ...inner]);
      return source.at(pointerOf([...path, ...inner]), { code: 'MATRIX_INVALID', label, message });
    }),
  ];
}

function numbersChanged(matrix: JsonObject, path: readonly PropertyKey[], source: DefinitionSource): Problem[] {
  return Object.entries(matrix).flatMap(([key, values]) =>
    (Array.isArray(values) ? values : []).flatMap((value, index) => {
      const pointer = pointerOf([...path, key, index]);
      const written = source.numberAsWritten(pointer);
      if (typeof value !== 'number' || written === undefined || written === String(value)) return [];
      return [changed(labelOf([...path, key]), written, value, pointer, source)];
    }),
  );
}
