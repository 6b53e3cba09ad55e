import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { LEG_KEY, legSourceOf, sourceText } from '../data-legs.ts';
import { bareExpression, expressionsInside, parseExpression } from '../expression.ts';
import { gatesIn, mapAt, pointerTo, textsAt, textsInside, type GatePart, type Located } from '../file/parts.ts';
import { didYouMean, quoted, type Problem } from '../problem.ts';
import type { DefinitionSource } from '../source.ts';
import { STEP_RULES } from './check-github.ts';
import { referencesIn } from './expression-references.ts';
import { labelOf } from './structure.ts';

/** Keys of a job that GitHub evaluates and that the top of the file may set for all gates. */
const SHARED = ['runs-on', 'steps-before'];
const OF_GATE = [...SHARED, 'environment', 'container', 'services', 'uses'];
/** Keys whose steps may read the id of the leg: it can name a file, and chooses nothing. */
const OF_STEPS: ReadonlySet<PropertyKey | undefined> = new Set(['steps-before', 'uses']);

/** Problems of matrices that an output gives: which list it is, and who reads values that are not in the workflow. */
export function checkDataMatrices(source: DefinitionSource): Problem[] {
  const gates = gatesIn(source);
  const top: Located<JsonObject> = { value: isJsonObject(source.value) ? source.value : {}, path: [] };
  return gates.flatMap((gate) => {
    const matrix = mapAt(gate.value, 'strategy')['matrix'];
    if (typeof matrix !== 'string') return [];
    return [...checkList(gate, matrix, gates, source), ...checkReaders(gate, top, source)];
  });
}

function checkList(gate: GatePart, text: string, gates: readonly GatePart[], source: DefinitionSource): Problem[] {
  const path = [...gate.path, 'strategy', 'matrix'];
  const refuse = (message: string, hint?: string): Problem[] => [
    source.at(pointerOf(path), { code: 'MATRIX_INVALID', label: labelOf(path), message, hint }),
  ];
  const list = legSourceOf(text);
  if (list === undefined) return refuse('expected `${{ needs.GATE.output.KEY }}`, a list in the output of one gate');
  const needs = textsAt(gate, 'needs').map(({ value }) => value);
  if (!needs.includes(list.gate)) {
    const name = quoted(list.gate);
    const isGate = gates.some(({ id }) => id === list.gate);
    const hint = isGate ? `add ${name} to \`needs\`` : didYouMean(list.gate, needs);
    return refuse(isGate ? `${name} is not one of this gate's \`needs\`` : `${name}: no such gate`, hint);
  }
  const giver = gates.find(({ id }) => id === list.gate);
  if (giver?.value['strategy'] === undefined) return [];
  return refuse(`${sourceText(list)}: gate ${quoted(list.gate)} has a matrix itself, and so no output of its own`);
}

/** In the workflow a leg has an id and no values, so that no output can choose a runner, an environment or a step. */
function checkReaders(gate: GatePart, top: Located<JsonObject>, source: DefinitionSource): Problem[] {
  const inherited = SHARED.filter((key) => gate.value[key] === undefined);
  const texts = [
    ...OF_GATE.flatMap((key) => [...textsInside(gate.value[key], () => false, [...gate.path, key])]),
    ...inherited.flatMap((key) => [...textsInside(top.value[key], () => false, [key])]),
  ];
  return texts.flatMap((text) => {
    const isStep = OF_STEPS.has(text.path[0] === 'gates' ? text.path[2] : text.path[0]);
    const read = valueRead(text.value, text.path.at(-1) === 'if', isStep);
    if (read === undefined) return [];
    const message = `\`${read}\`: the values of gate ${quoted(gate.id)}'s matrix come from an output, and are not in its job`;
    const hint = 'the agent finds them in the file that `GATELINE_REQUEST` names, under `matrix`';
    return [source.at(pointerTo(text), { code: 'MATRIX_FROM_OUTPUT', label: labelOf(text.path), message, hint })];
  });
}

/** The first part of the matrix that a text reads and must not. */
function valueRead(text: string, isWhole: boolean, isStep: boolean): string | undefined {
  const bare = isWhole ? bareExpression(text) : undefined;
  const parts = bare === undefined ? (expressionsInside(text) ?? []) : [bare];
  for (const part of parts) {
    const parsed = parseExpression(part.text, STEP_RULES);
    if (!parsed.ok) continue;
    const read = referencesIn(parsed.expression).find(
      ({ context, path, isOpen }) =>
        context === 'matrix' && !(isStep && path.length === 1 && path[0] === LEG_KEY && !isOpen),
    );
    if (read !== undefined) return ['matrix', ...read.path].join('.');
  }
  return undefined;
}
