import type { JsonObject, JsonValue } from '../json/json.ts';
import { LEG_KEY, NO_LEG } from '../pipeline/data-legs.ts';
import type { UsedAction } from '../pipeline/job-settings.ts';
import type { Gate, LegSource } from '../pipeline/pipeline.ts';
import type { JobSettings } from '../pipeline/job-settings.ts';
import { DEFAULT_RUNNER, jobMinutes, type JobOrder } from '../pipeline/job-order.ts';
import { NO_DECISION } from './run-names.ts';
import { definitionInput, checkoutStep, literal, type Around } from './steps.ts';

/** Settings of a gate's job, besides the gate. */
export interface GatePlace {
  readonly order: JobOrder;
  /** Its output, or one that it builds on, may wait for a person. */
  readonly readsDecisions: boolean;
  /** Its output says how many legs other gates have. */
  readonly givesLegs: boolean;
  /** A run may be one of a pull request that the event does not name. */
  readonly readsPullRequest: boolean;
  /** When it fails, work may go back: that takes the outputs of all its legs. */
  readonly sendsBack: boolean;
}

/** The job of a gate. Its id is the gate's. */
export function gateJob(gate: Gate, place: GatePlace, around: Around): JsonObject {
  const { order } = place;
  const { job, uses } = gate;
  const condition = conditionOf(gate, order, around);
  const needs = order.needs.length === 1 ? order.needs[0]! : [...order.needs];
  return {
    ...(order.needs.length > 0 && { needs }),
    ...(condition !== undefined && { if: condition }),
    'runs-on': job?.runsOn ?? DEFAULT_RUNNER,
    ...surroundingsOf(job),
    'timeout-minutes': jobMinutes(gate),
    permissions: permissionsOf(gate, place),
    ...strategyOf(gate, place),
    outputs: {
      digest: outputOf(gate, 'digest'),
      ...(place.givesLegs && { legs: outputOf(gate, 'legs') }),
      ...(around.delivered.has(gate.id) && { 'files-digest': outputOf(gate, 'files-digest') }),
    },
    steps: [
      checkoutStep(around),
      ...(job?.stepsBefore ?? []),
      ...(uses === undefined ? [gateStep(gate, order, around)] : stepsAround(gate, uses, order, around)),
    ],
  };
}

function outputOf({ uses }: Gate, name: 'digest' | 'legs' | 'files-digest'): string {
  if (uses === undefined) return `\${{ steps.gate.outputs.${name} }}`;
  return `\${{ steps.complete.outputs.${name} || steps.begin.outputs.${name} }}`;
}

function conditionOf({ needs }: Gate, order: JobOrder, { decides }: Around): string | undefined {
  const guard = decides ? [NO_DECISION] : [];
  // The action itself says whether what the gate needs has passed.
  if (order.begins === 'ended') return inExpression(['!cancelled()', ...guard]);
  const passed = needs.map((need) => `needs.${need}.result == 'success'`);
  if (order.begins === 'named') return inExpression(['!cancelled()', ...passed]);
  return needs.length > 0 || guard.length === 0 ? undefined : guard[0];
}

/** `!` begins a tag in YAML. */
function inExpression(conditions: readonly string[]): string {
  return `\${{ ${conditions.join(' && ')} }}`;
}

function permissionsOf({ job }: Gate, { readsDecisions, readsPullRequest }: GatePlace): JsonObject {
  return {
    contents: 'read',
    actions: 'read',
    ...(readsDecisions && { checks: 'read' }),
    ...(readsPullRequest && { 'pull-requests': 'read' }),
    ...job?.permissions,
  };
}

function surroundingsOf({ environment, container, services }: JobSettings = {}): JsonObject {
  return {
    ...(environment !== undefined && { environment }),
    ...(container !== undefined && { container }),
    ...(services !== undefined && { services }),
  };
}

function strategyOf(
  { id, job, legsFrom, failFast, legsMaxParallel }: Gate,
  { sendsBack }: Pick<GatePlace, 'sendsBack'>,
): JsonObject {
  const matrix = legsFrom === undefined ? job?.matrix && literal(job.matrix) : { [LEG_KEY]: legIds(id, legsFrom) };
  if (matrix === undefined) return {};
  const parallel = legsMaxParallel === undefined ? {} : { 'max-parallel': legsMaxParallel };
  return { strategy: { 'fail-fast': failFast && !sendsBack, ...parallel, matrix } };
}

/** A gate that left no legs has failed: the job of the one leg that is left then says so. */
function legIds(id: string, { gate }: LegSource): string {
  return `\${{ fromJSON(needs.${gate}.outputs.legs || '{}')['${id}'] || fromJSON('["${NO_LEG}"]') }}`;
}

function gateStep(gate: Gate, order: JobOrder, around: Around): JsonObject {
  const inputs = { ...definitionInput(around), ...needsInput(order) };
  return {
    id: 'gate',
    uses: around.pins.gateline,
    ...(Object.keys(inputs).length > 0 && { with: inputs }),
    ...environmentOf(secretsOf(gate)),
  };
}

/** `begin`, the action that is the agent, and `complete`. */
function stepsAround(gate: Gate, uses: UsedAction, order: JobOrder, around: Around): JsonObject[] {
  const secrets = secretsOf(gate);
  const { gateline } = around.pins;
  // A variable without a value is the job's own.
  const given = Object.entries(gate.env).filter((entry): entry is [string, string] => entry[1] !== null);
  const token = '${{ steps.begin.outputs.token }}';
  const { output, metrics } = uses;
  const answers = {
    ...(output !== undefined && { output: `\${{ ${output} }}` }),
    ...(metrics !== undefined && { metrics: `\${{ ${metrics} }}` }),
  };
  return [
    {
      id: 'begin',
      uses: gateline,
      with: { command: 'begin', ...definitionInput(around), ...needsInput(order) },
      ...environmentOf(secrets),
    },
    {
      id: 'agent',
      if: "steps.begin.outputs.decision == 'run'",
      uses: uses.action,
      ...(Object.keys(uses.with).length > 0 && { with: uses.with }),
      ...environmentOf({ ...(literal(Object.fromEntries(given)) as JsonObject), ...secrets }),
      'timeout-minutes': Math.ceil(gate.timeoutMinutes),
    },
    {
      id: 'complete',
      if: "always() && steps.begin.outputs.token != ''",
      uses: gateline,
      with: {
        command: 'complete',
        ...definitionInput(around),
        token,
        outcome: '${{ steps.agent.outcome }}',
        ...answers,
      },
      ...environmentOf(secrets),
    },
  ];
}

function needsInput({ needs }: JobOrder): JsonObject {
  return needs.length === 0 ? {} : { needs: '${{ toJSON(needs) }}' };
}

function secretsOf({ secrets }: Gate): JsonObject {
  return Object.fromEntries(secrets.map((name) => [name, `\${{ secrets.${name} }}`]));
}

function environmentOf(variables: Readonly<Record<string, JsonValue>>): JsonObject {
  return Object.keys(variables).length === 0 ? {} : { env: { ...variables } };
}
