import { IndexAccess } from '@actions/expressions/ast';
import { isJsonObject, type JsonValue } from '../json/json.ts';
import { referencesIn } from './checks/expression-references.ts';
import { bareExpression, parseExpression } from './expression.ts';
import { MAX_LEGS } from './file/gateline-gate.ts';
import type { Gate, Leg, LegSource, Pipeline } from './pipeline.ts';

/** The id of the only leg of a matrix whose list is empty: GitHub refuses a matrix without legs. */
export const NO_LEG = 'none';

/** The key of a matrix over data in a workflow. Its values are ids of legs, never values of the output. */
export const LEG_KEY = 'leg';

/** The ids that legs of a matrix over data have. */
export const DATA_LEG = /^(?:none|leg-(?:0|[1-9][0-9]{0,2}))$/;

/**
 * The part of an output that `strategy.matrix` names: `${{ needs.plan.output.packages }}`. `undefined`: the text is
 * anything else.
 */
export function legSourceOf(text: string): LegSource | undefined {
  const bare = text.includes('${{') ? bareExpression(text) : undefined;
  const parsed = bare && parseExpression(bare.text, { contexts: ['needs'], functions: [] });
  if (parsed === undefined || !parsed.ok || !(parsed.expression instanceof IndexAccess)) return undefined;
  const [reference] = referencesIn(parsed.expression);
  const [gate, field, ...path] = reference?.path ?? [];
  if (gate === undefined || field?.toLowerCase() !== 'output' || reference?.isOpen !== false) return undefined;
  return { gate: gate.toLowerCase(), path };
}

/** A {@link LegSource} as it is written in the file. */
export function sourceText({ gate, path }: LegSource): string {
  return ['needs', gate, 'output', ...path].join('.');
}

/**
 * The legs that an output asks for, in the order of the list: `leg-0`, `leg-1`, …, or {@link NO_LEG} for an empty list.
 * A map is the values of its leg, any other item its `value`. A text: why there are none.
 */
export function legsOfOutput(output: JsonValue, source: LegSource): readonly Leg[] | string {
  let list: JsonValue | undefined = output;
  for (const key of source.path) list = isJsonObject(list) && Object.hasOwn(list, key) ? list[key] : undefined;
  const name = sourceText(source);
  if (list === undefined) return `${name} is not in the output`;
  if (!Array.isArray(list)) return `${name} is not a list`;
  if (list.length > MAX_LEGS) return `${name} has ${list.length} items, and a matrix at most ${MAX_LEGS} legs`;
  if (list.length === 0) return [{ id: NO_LEG, matrix: {} }];
  return list.map((item, index) => ({ id: `leg-${index}`, matrix: isJsonObject(item) ? item : { value: item } }));
}

/** The empty list that a unit stands for; `undefined`: it is a leg with work to do. */
export function emptyList({ gate, leg }: { readonly gate: Gate; readonly leg: Leg }): LegSource | undefined {
  return leg.id === NO_LEG ? gate.legsFrom : undefined;
}

/** A pipeline in which the legs of some gates are known. Gates that are not named keep theirs. */
export function withLegs<P extends Pick<Pipeline, 'gates'>>(
  pipeline: P,
  legs: ReadonlyMap<Gate['id'], readonly Leg[]>,
): P {
  if (legs.size === 0) return pipeline;
  const gates = pipeline.gates.map((gate) => ({ ...gate, legs: legs.get(gate.id) ?? gate.legs }));
  return { ...pipeline, gates };
}
