import type { AttemptDirectory } from '../../agent/attempt-files.ts';
import { AGENT_VARIABLES, WITHHELD_FROM_AGENTS, type Environment } from '../../environment.ts';
import type { Gate } from '../../pipeline/pipeline.ts';
import type { Unit } from '../../run/records/unit.ts';

/** Names of the files in an attempt's directory. */
export const ATTEMPT_FILES = {
  request: 'request.json',
  output: 'output.json',
  metrics: 'metrics.json',
  learnings: 'learnings.md',
  feedback: 'feedback.json',
  handoff: 'handoff.md',
  place: 'place.json',
  refused: 'output.refused.txt',
} as const;

/** The agent protocol's variables for one attempt (docs/agent-protocol.md). */
export function protocolVariables(
  unit: Unit,
  n: number,
  directory: AttemptDirectory,
  {
    hasFeedback,
    hasHandoff,
    task,
  }: {
    readonly hasFeedback: boolean;
    readonly hasHandoff: boolean;
    readonly task: string | undefined;
  },
): Record<string, string> {
  const file = (name: keyof typeof ATTEMPT_FILES): string => directory.pathOf(ATTEMPT_FILES[name]);
  return {
    [AGENT_VARIABLES.request]: file('request'),
    [AGENT_VARIABLES.output]: file('output'),
    [AGENT_VARIABLES.metrics]: file('metrics'),
    [AGENT_VARIABLES.learnings]: file('learnings'),
    ...(hasHandoff && { [AGENT_VARIABLES.handoff]: file('handoff') }),
    ...(hasFeedback && { [AGENT_VARIABLES.feedback]: file('feedback') }),
    [AGENT_VARIABLES.attempt]: String(n),
    [AGENT_VARIABLES.gate]: unit.gate.id,
    ...(task !== undefined && { [AGENT_VARIABLES.task]: task }),
    ...(unit.leg.id !== '' && { [AGENT_VARIABLES.leg]: unit.leg.id }),
  };
}

/**
 * The complete environment of an agent: the caller's (without the runner's own variables and without secrets that only
 * other gates name), then the gate's `env`, then the protocol's variables. Nothing overrides the protocol's.
 */
export function agentEnvironment(
  inherited: Environment,
  gate: Gate,
  otherSecrets: ReadonlySet<string>,
  protocol: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined || WITHHELD_FROM_AGENTS.test(name)) continue;
    if (otherSecrets.has(name) && !gate.secrets.includes(name)) continue;
    env[name] = value;
  }
  for (const [name, value] of Object.entries(gate.env)) {
    if (value !== null && !WITHHELD_FROM_AGENTS.test(name)) env[name] = value;
  }
  return { ...env, ...protocol };
}

/** Secrets that a gate names but that are not set. */
export function missingSecrets(inherited: Environment, gate: Gate): string[] {
  return gate.secrets.filter((name) => (inherited[name] ?? '') === '');
}
