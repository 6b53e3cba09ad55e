import { GatelineError } from '../../errors/gateline-error.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import type { JsonValue } from '../../json/json.ts';
import { legsOfOutput, sourceText, withLegs } from '../../pipeline/data-legs.ts';
import type { Gate, Leg, LegSource, Pipeline } from '../../pipeline/pipeline.ts';
import type { UnitState } from '../../run/state/run-state.ts';
import { unitsOf, type Unit } from '../../run/records/unit.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { readJson } from './content.ts';
import type { Journal } from './journal.ts';

/** A larger output is not read for the legs that it asks for. */
const LEGS_LIMIT = 16 * 1024 * 1024;

/**
 * The legs that the output of a gate asks for.
 * @param state of the gate that has the output
 * @throws GatelineError `MATRIX_WITHOUT_LEGS`, and those of `readJson`
 */
export async function legsFrom(
  store: Pick<RecordStore, 'get'>,
  gate: Gate['id'],
  source: LegSource,
  { exports }: Pick<UnitState, 'exports'>,
): Promise<readonly Leg[]> {
  const refuse = (why: string): GatelineError =>
    new GatelineError('MATRIX_WITHOUT_LEGS', `gate ${gate}: its matrix has no legs: ${why}`);
  if (exports === undefined || exports === null) throw refuse(`gate ${source.gate} has no output`);
  const output = await readJson(store, exports, { limit: LEGS_LIMIT, what: `exports of ${source.gate}` });
  const legs = legsOfOutput(output, source);
  if (typeof legs === 'string') throw refuse(legs);
  return legs;
}

/**
 * Why a unit stands for legs that are not known.
 * @throws GatelineError as {@link legsFrom}; otherwise `MATRIX_WITHOUT_LEGS`
 */
export async function refuseUnknownLegs(
  { ports: { store }, journal }: SettledCall,
  { gate, leg }: Unit,
): Promise<void> {
  if (gate.legsFrom === undefined || leg.id !== '') return;
  await legsFrom(store, gate.id, gate.legsFrom, journal.state().units.get(gate.legsFrom.gate)!);
  const message = `gate ${gate.id}: ${sourceText(gate.legsFrom)} changed while it was read`;
  throw new GatelineError('MATRIX_WITHOUT_LEGS', message);
}

interface SettledCall {
  readonly ports: { readonly store: Pick<RecordStore, 'get'> };
  readonly journal: Pick<Journal, 'state'>;
}

/**
 * Gives each gate whose matrix is in an output the legs that this output asks for now, and takes them away if the
 * output is not valid any more. Until they are known the gate is one unit, which is never done.
 * @param graph changed in place: whoever holds it sees the legs
 * @returns a function that does so, and returns whether the graph has changed
 */
export function legSettler(
  pipeline: Pipeline,
  graph: Map<Unit['key'], Unit>,
  journal: Pick<Journal, 'state' | 'refold'>,
  store: Pick<RecordStore, 'get'>,
): () => Promise<boolean> {
  const waiting = pipeline.gates.flatMap(({ id, legsFrom: source }) => (source === undefined ? [] : [{ id, source }]));
  let before = new Map<string, readonly Leg[]>();
  return async () => {
    if (waiting.length === 0) return false;
    const states = journal.state().units;
    const known = new Map<string, readonly Leg[]>();
    for (const { id, source } of waiting) {
      const state = states.get(source.gate);
      const legs = state?.done === true ? await readableLegs(store, id, source, state) : undefined;
      if (legs !== undefined) known.set(id, legs);
    }
    if (textOf(known) === textOf(before)) return false;
    before = known;
    graph.clear();
    for (const [key, unit] of unitsOf(withLegs(pipeline, known))) graph.set(key, unit);
    journal.refold();
    return true;
  };
}

/** Without readable legs the gate stays one unit, and its plan shows the error. */
async function readableLegs(...about: Parameters<typeof legsFrom>): Promise<readonly Leg[] | undefined> {
  try {
    return await legsFrom(...about);
  } catch (error) {
    if (error instanceof GatelineError) return undefined;
    throw error;
  }
}

function textOf(legs: ReadonlyMap<string, readonly Leg[]>): string {
  return canonicalJson(Object.fromEntries(legs) as unknown as JsonValue);
}
