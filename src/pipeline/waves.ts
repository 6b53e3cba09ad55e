import { GatelineError } from '../errors/gateline-error.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { DEFAULT_RUNNER, jobMinutes, jobOrders } from './job-order.ts';
import type { Gate, Leg, Pipeline } from './pipeline.ts';

/** How many waves `pipeline.yml` has jobs for. */
export const MAX_WAVES = 12;

/** How many gates and legs a wave can have: each has a place among the outputs of its job. */
export const WAVE_WIDTH = 16;

/** One gate or leg in a wave, as the matrix of the wave's job has it. */
export interface WavePlace {
  /** For people. */
  readonly name: string;
  readonly gate: string;
  /** Its position in the wave, from 0: its digest is the output `digest-<slot>`. */
  readonly slot: number;
  /** The values of its leg. */
  readonly values: JsonObject;
  readonly runner: JsonValue;
  readonly minutes: number;
}

/**
 * The waves of a pipeline: gates are in a later wave than all gates that they need. A level of the graph
 * that is wider than {@link WAVE_WIDTH} is several waves.
 * @throws GatelineError `WAVES_UNSUPPORTED` if the jobs of a workflow that knows no gate cannot be these gates
 */
export function wavesOf(pipeline: Pipeline): readonly (readonly WavePlace[])[] {
  const problems = [...pipelineProblems(pipeline), ...pipeline.gates.flatMap(gateProblems)];
  if (problems.length > 0) throw unsupported(pipeline, problems);
  const levels = levelsOf(pipeline);
  const waves = levels.flatMap((gates) => chunks(gates.flatMap(placesOf)));
  if (waves.length <= MAX_WAVES) return waves.map((places) => places.map(withSlot));
  const problem = `it has ${waves.length} waves, and there are jobs for ${MAX_WAVES} of at most ${WAVE_WIDTH}`;
  throw unsupported(pipeline, [problem]);
}

function unsupported({ id }: Pipeline, problems: readonly string[]): GatelineError {
  return new GatelineError('WAVES_UNSUPPORTED', `pipeline ${id} cannot run as waves: ${problems.join(', ')}`);
}

function pipelineProblems({ workflowEnv, deliver }: Pipeline): string[] {
  return [...(workflowEnv === undefined ? [] : ['`workflow.env`']), ...(deliver === undefined ? [] : ['`deliver`'])];
}

function gateProblems({ id, uses, job, legsFrom }: Gate): string[] {
  const { permissions, services, container, environment, stepsBefore, runsOn } = job ?? {};
  const own = { uses, permissions, services, container, environment, 'steps-before': stepsBefore };
  const named = Object.entries(own).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  return [
    ...named.map((key) => `\`${key}\` of gate ${id}`),
    ...(JSON.stringify(runsOn ?? '').includes('${{') ? [`an expression in \`runs-on\` of gate ${id}`] : []),
    ...(legsFrom === undefined ? [] : [`the matrix over an output of gate ${id}`]),
  ];
}

/** Gates by how many come before them in a row. */
function levelsOf(pipeline: Pipeline): Gate[][] {
  const orders = jobOrders(pipeline);
  const levels = new Map<string, number>();
  const levelOf = (id: string): number => {
    const level = levels.get(id) ?? 1 + Math.max(-1, ...orders.get(id)!.needs.map(levelOf));
    levels.set(id, level);
    return level;
  };
  const byLevel = Map.groupBy(pipeline.gates, ({ id }) => levelOf(id));
  return [...byLevel].toSorted(([a], [b]) => a - b).map(([, gates]) => gates);
}

type WithoutSlot = Omit<WavePlace, 'slot'>;

function placesOf(gate: Gate): WithoutSlot[] {
  const common = { gate: gate.id, runner: gate.job?.runsOn ?? DEFAULT_RUNNER, minutes: jobMinutes(gate) };
  return gate.legs.map((leg) => ({ name: nameOf(gate, leg), values: leg.matrix, ...common }));
}

function nameOf({ id }: Gate, leg: Leg): string {
  return leg.id === '' ? id : `${id} (${leg.id})`;
}

function chunks(places: readonly WithoutSlot[]): WithoutSlot[][] {
  const found: WithoutSlot[][] = [];
  for (let at = 0; at < places.length; at += WAVE_WIDTH) found.push(places.slice(at, at + WAVE_WIDTH));
  return found;
}

function withSlot(place: WithoutSlot, slot: number): WavePlace {
  return { ...place, slot };
}
