import { join } from 'node:path';
import type { Gate } from '../pipeline/pipeline.ts';

/** Names of the files in an attempt's directory that an agent reads or writes. */
export const ATTEMPT_FILES = {
  request: 'request.json',
  output: 'output.json',
  metrics: 'metrics.json',
  learnings: 'learnings.md',
  feedback: 'feedback.json',
  memory: 'memory',
  handoff: 'memory/handoff.md',
} as const;

/** The variables of agent protocol 1: name and meaning, as in docs/reference/agent-protocol.md. */
export const AGENT_VARIABLES = {
  GATELINE_REQUEST: 'File with everything that the agent is given, JSON.',
  GATELINE_OUTPUT: 'File that the agent writes its output to, one JSON value. It is not there yet.',
  GATELINE_METRICS: 'File for tokens, cost and model, JSON. Optional.',
  GATELINE_LEARNINGS: 'File for what later runs should know, Markdown. Optional.',
  GATELINE_FEEDBACK: 'File with the verdict on the failed attempt before, JSON. Set only for `retries`.',
  GATELINE_MEMORY: 'Folder with the documents of `memory`. Set only if the gate names any.',
  GATELINE_HANDOFF: 'File with the summary of the work before, Markdown. Set only if `memory` names `handoff`.',
  GATELINE_ENTITIES: 'File with the values of the entities that the gate requires, JSON. Set only where there are any.',
  GATELINE_ATTEMPT: 'Number of the attempt, from 1.',
  GATELINE_GATE: 'Id of the gate.',
  GATELINE_LEG: 'Id of the leg. Set only in a matrix.',
  GATELINE_TASK: 'The goal of the run. Set only if there is one.',
} as const;

/**
 * Variables that no agent inherits: those that a `run:` step of the same job would not have (actions/runner gives inputs,
 * states and credentials of its services only to actions), and Gateline's own. ACTIONS_ID_TOKEN_REQUEST_* stay: a `run:`
 * step has them too, if the job has `id-token: write`.
 */
const WITHHELD =
  /^(?:INPUT_.*|STATE_.*|ACTIONS_(?:RUNTIME|RESULTS|CACHE)_.*|GITHUB_ACTION_(?:REPOSITORY|REF)|GATELINE_.*)$/;

/** What the environment of one attempt is made of. */
export interface EnvironmentSource {
  /** The variables of the caller. */
  readonly caller: Readonly<Record<string, string | undefined>>;
  readonly gate: Pick<Gate, 'id' | 'env'>;
  /** Secrets that only other gates name. */
  readonly otherSecrets: readonly string[];
  /** Absolute path of the attempt's directory. */
  readonly directory: string;
  /** Empty: the gate has no matrix. */
  readonly leg: string;
  readonly attempt: number;
  readonly task: string | undefined;
  /** Whether the file of GATELINE_FEEDBACK was written. */
  readonly hasFeedback: boolean;
  /** Names of the documents that were copied. */
  readonly memory?: readonly string[];
}

/**
 * The whole environment of an agent: the caller's variables that it may inherit, then the gate's `env`, then the variables
 * of agent protocol 1, which nothing overrides. Values of any size are in files.
 */
export function agentEnvironment(source: EnvironmentSource): Record<string, string> {
  const { caller, gate, otherSecrets } = source;
  const env = { ...inheritedVariables(caller), ...inheritedVariables(gate.env) };
  for (const name of otherSecrets) if (typeof gate.env[name] !== 'string') delete env[name];
  return { ...env, ...protocolVariables(source) };
}

/** The variables that a program may inherit from these. */
export function inheritedVariables(
  variables: Readonly<Record<string, string | null | undefined>>,
): Record<string, string> {
  const entries = Object.entries(variables).filter(
    ([name, value]) => typeof value === 'string' && !WITHHELD.test(name),
  );
  return Object.fromEntries(entries as [string, string][]);
}

function protocolVariables(source: EnvironmentSource): Partial<Record<keyof typeof AGENT_VARIABLES, string>> {
  const { directory, gate, leg, attempt, task, hasFeedback, memory = [] } = source;
  const pathOf = (file: keyof typeof ATTEMPT_FILES) => join(directory, ATTEMPT_FILES[file]);
  return {
    GATELINE_REQUEST: pathOf('request'),
    GATELINE_OUTPUT: pathOf('output'),
    GATELINE_METRICS: pathOf('metrics'),
    GATELINE_LEARNINGS: pathOf('learnings'),
    ...(hasFeedback && { GATELINE_FEEDBACK: pathOf('feedback') }),
    ...(memory.length > 0 && { GATELINE_MEMORY: pathOf('memory') }),
    ...(memory.includes('handoff') && { GATELINE_HANDOFF: pathOf('handoff') }),
    GATELINE_ATTEMPT: String(attempt),
    GATELINE_GATE: gate.id,
    ...(leg !== '' && { GATELINE_LEG: leg }),
    ...(task !== undefined && { GATELINE_TASK: task }),
  };
}
