import { Lexer, Parser } from '@actions/expressions';
import { GatelineError, messageOf } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import { orderByNeeds } from '../pipeline/graph.ts';
import type { Gate, Matrix, Pipeline, UsedAction } from '../pipeline/pipeline.ts';
import { checkoutStep, gatelineStep, literal, type Shared } from './steps.ts';

/** Outputs of a job whose number of legs is only known in the run. */
const MAX_DATA_LEGS = 20;
/** Minutes for everything but the agent: checkout, uploads, and an outage of GitHub. */
const OVERHEAD_MINUTES = 15;
/** GitHub's longest time limit of a job: five days, on self-hosted runners. */
const MAX_JOB_MINUTES = 7_200;

/** Permissions of a gate's job: to read the commit, earlier runs, and decisions in comments. */
const PERMISSIONS = { contents: 'read', actions: 'read', 'pull-requests': 'read' } as const;

/** Keys that belong to the gate itself. `if` of a job would make GitHub count the skipped job as passed. */
const KEYS_OF_GATES = new Set(['needs', 'if', 'strategy', 'outputs', 'uses', 'with', 'secrets']);

/** Outputs of well-known actions: the output of the agent, and its metrics. */
const ACTION_OUTPUTS: Readonly<Record<string, { readonly output: string; readonly metrics?: string }>> = {
  'anthropics/claude-code-action': {
    output: 'steps.agent.outputs.structured_output',
    metrics: 'steps.agent.outputs.execution_file',
  },
  'openai/codex-action': { output: 'steps.agent.outputs.final-message' },
  'google-github-actions/run-gemini-cli': { output: 'steps.agent.outputs.summary' },
};

/** The job of a gate. @throws GatelineError `usage` for a key of `job` or an expression that cannot be compiled */
export function gateJob(pipeline: Pipeline, gate: Gate, shared: Shared): JsonObject {
  const { matrix, uses } = gate;
  const { steps = [], permissions, ...settings } = { ...pipeline.job, ...gate.job };
  checkJob({ steps, ...settings }, gate);
  const needs = jobNeeds(pipeline, gate);
  return {
    ...(needs.length > 0 && { needs }),
    ...(needs.length > 0 && conditionOf(pipeline, gate)),
    'runs-on': 'ubuntu-latest',
    'timeout-minutes': jobMinutes(gate),
    ...settings,
    permissions: typeof permissions === 'string' ? permissions : { ...PERMISSIONS, ...(permissions as JsonObject) },
    ...(matrix && { strategy: strategyOf(gate, matrix) }),
    outputs: outputsOf(pipeline, gate),
    steps: [
      checkoutStep(shared),
      ...(steps as JsonObject[]),
      ...(uses === undefined
        ? [{ id: 'gate', ...gatelineStep(shared, 'gate', {}, needs), ...secretsOf(gate) }]
        : stepsAround(gate, uses, needs, shared)),
    ],
  };
}

/** @throws GatelineError `usage` naming the first key that cannot be copied */
function checkJob(job: JsonObject, { id, place, matrix }: Gate): void {
  const refuse = (key: string, reason: string, hint: string): never => {
    throw new GatelineError('usage', `\`${key}\` in the \`job\` of ${id} ${reason}`, { hint, place });
  };
  const key = Object.keys(job).find((name) => KEYS_OF_GATES.has(name));
  if (key !== undefined) refuse(key, 'is not a key of the job', 'write what it should do at the gate itself');
  const { steps, ...settings } = job;
  if (!Array.isArray(steps) || !steps.every(isJsonObject))
    return refuse('steps', 'is not a list of steps', 'write the steps that come before the gate');
  for (const { run, shell } of steps)
    if (/\$\{\{/.test(`${String(run)}${String(shell)}`))
      refuse('run', 'has `${{ }}`, whose value would be a command', 'set a variable under `env` of the step');
  // The output of an agent must not choose the machine, the container or the environment.
  if (matrix && 'from' in matrix && /\$\{\{[^]*matrix/.test(JSON.stringify(settings)))
    refuse('matrix', 'is the output of an agent', 'use it under `with` or `env` of a step');
}

/** The jobs that a gate's job needs: its needs and, in a sequential group, the gate before it. */
function jobNeeds({ gates, groups }: Pipeline, { id, needs }: Gate): string[] {
  const sorted = orderByNeeds(gates);
  const order = 'order' in sorted ? sorted.order.map((gate) => gate.id) : [];
  const members = groups.find((group) => group.mode === 'sequential' && group.gates.includes(id))?.gates ?? [];
  const inOrder = order.filter((gate) => members.includes(gate));
  const before = inOrder[inOrder.indexOf(id) - 1];
  return gates.map((gate) => gate.id).filter((gate) => gate === before || needs.includes(gate));
}

/** The `if` of a job. Without it, a job would also need the success of the gate before it in a sequential group. */
function conditionOf({ groups }: Pipeline, { needs, standIn }: Gate): JsonObject {
  if (standIn) return { if: '${{ !cancelled() }}' };
  if (!groups.some(({ mode }) => mode === 'sequential')) return {};
  const passed = needs.map((need) => `needs.${need}.result == 'success'`);
  return { if: `\${{ ${['!cancelled()', ...passed].join(' && ')} }}` };
}

/** Time limit in minutes: long enough for all attempts, so that the step can report a timeout itself. */
function jobMinutes({ timeoutMinutes, retries, uses }: Gate): number {
  const attempts = uses === undefined ? retries + 1 : 1;
  return Math.min(MAX_JOB_MINUTES, Math.ceil(timeoutMinutes * attempts) + OVERHEAD_MINUTES);
}

function strategyOf({ id, onFail }: Gate, matrix: Matrix): JsonObject {
  const { failFast, maxParallel } = matrix;
  return {
    // A review that sends work back needs the outputs of all legs.
    'fail-fast': failFast && onFail === undefined,
    ...(maxParallel !== undefined && { 'max-parallel': maxParallel }),
    matrix:
      'legs' in matrix
        ? { include: matrix.legs.map((leg) => literal(leg.matrix)) }
        : { leg: legsExpression(id, matrix.from.gate) },
  };
}

function legsExpression(id: string, gate: string): string {
  const legs = `fromJSON(needs.${gate}.outputs.legs)['${id}']`;
  return `\${{ ${legs}[0] && ${legs} || fromJSON('[""]') }}`;
}

function outputsOf({ gates }: Pipeline, { id, matrix, uses }: Gate): JsonObject {
  const valueOf = (name: string): string => {
    const steps = uses === undefined ? ['gate'] : ['complete', 'begin'];
    return `\${{ ${steps.map((step) => `steps.${step}.outputs.${name}`).join(' || ')} }}`;
  };
  const count = matrix === undefined ? 0 : 'legs' in matrix ? matrix.legs.length : MAX_DATA_LEGS;
  // An empty list has one job without a leg.
  const attempts = matrix && 'legs' in matrix ? [] : ['attempt'];
  for (let index = 0; index < count; index += 1) attempts.push(`attempt-${index}`);
  const givesLegs = gates.some((gate) => gate.matrix && 'from' in gate.matrix && gate.matrix.from.gate === id);
  return Object.fromEntries([...attempts, ...(givesLegs ? ['legs'] : [])].map((name) => [name, valueOf(name)]));
}

/** The steps of a gate whose agent is an action: `begin`, the action, and `complete`. */
function stepsAround(gate: Gate, uses: UsedAction, needs: readonly string[], shared: Shared): JsonObject[] {
  const known = ACTION_OUTPUTS[uses.action.replace(/@.*/, '')];
  const output = uses.output ?? known?.output;
  if (output !== undefined) checkExpression(output, gate);
  // Without variables that the job has already.
  const variables = Object.fromEntries(Object.entries(gate.env).filter(([, value]) => value !== null));
  const inputs = {
    token: '${{ steps.begin.outputs.token }}',
    outcome: '${{ steps.agent.outcome }}',
    ...(output !== undefined && { output: `\${{ ${output} }}` }),
    ...(known?.metrics !== undefined && { metrics: `\${{ ${known.metrics} }}` }),
  };
  const secrets = secretsOf(gate);
  const environment = { ...(literal(variables) as JsonObject), ...(secrets['env'] as JsonObject) };
  const values = Object.entries(uses.with).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return [
    { id: 'begin', ...gatelineStep(shared, 'begin', {}, needs), ...secrets },
    {
      id: 'agent',
      if: "steps.begin.outputs.choice == 'run'",
      uses: uses.action,
      ...(values.length > 0 && { with: Object.fromEntries(values) as JsonObject }),
      ...(Object.keys(environment).length > 0 && { env: environment }),
      'timeout-minutes': Math.ceil(gate.timeoutMinutes),
    },
    {
      id: 'complete',
      if: "always() && steps.begin.outputs.token != ''",
      ...gatelineStep(shared, 'complete', inputs),
      ...secrets,
    },
  ];
}

/** @throws GatelineError `usage` if the text is not one expression, such as one that ends early by `}}` */
function checkExpression(text: string, { id, place }: Gate): void {
  try {
    const { tokens } = new Lexer(text).lex();
    new Parser([...tokens], ['steps', 'env', 'vars', 'job', 'runner', 'github', 'matrix', 'needs'], []).parse();
  } catch (error) {
    const hint = 'Write one expression, such as `steps.agent.outputs.result`.';
    throw new GatelineError('usage', `the \`output\` of ${id}: ${messageOf(error)}`, { hint, place, cause: error });
  }
}

function secretsOf({ secrets }: Gate): JsonObject {
  if (secrets.length === 0) return {};
  return { env: Object.fromEntries(secrets.map((name) => [name, `\${{ secrets.${name} }}`])) };
}
