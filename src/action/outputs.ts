import { runOnGithub } from '../run/records/attempt-text.ts';
import type { Difference } from '../run/plan/difference.ts';
import type { PlannedUnit } from '../run/plan/plan.ts';

/**
 * Every output of the action, as `action.yml` names them. All except `value` are scalars, ids or fixed words: they
 * never contain text of an agent, a pull request or a file, so that a workflow may use them in a shell line.
 */
export const OUTPUT_NAMES = [
  'decision',
  'reason',
  'gate',
  'leg',
  'status',
  'score',
  'passed',
  'digest',
  'legs',
  'files-digest',
  'iteration',
  'attempt',
  'token',
  'request-file',
  'output-file',
  'metrics-file',
  'learnings-file',
  'feedback-file',
  'attempt-directory',
  'artifact-id',
  'reused-from',
  'resumed-from',
  'value',
  'run-status',
  'badge',
  'failed-gates',
  'missing-entities',
  'waves',
  'subjects',
  'subject-files',
  'subject-waves',
  'commit',
  'pull-request',
  'patch-file',
] as const;

export type OutputName = (typeof OUTPUT_NAMES)[number];

/** Maximum size of `value` in bytes of UTF-8: all outputs of a job together may have 1 MiB. */
export const MAX_EXPOSED_BYTES = 256 * 1024;

/** The values of the output `decision`. */
export const DECISIONS = ['run', 'keep', 'reuse', 'adopt', 'skip', 'not-applicable', 'blocked'] as const;

export type GateDecision = (typeof DECISIONS)[number];

/** The decision for a planned unit's job: a unit that waits or depends on others is blocked for now. */
export function decisionOf({ choice }: Pick<PlannedUnit, 'choice'>): GateDecision {
  if (choice === 'wait') return 'run';
  return choice === 'depends' || choice === 'send-back' ? 'blocked' : choice;
}

/** The differences in words; their order is that of the sentence. */
const KINDS: Readonly<Record<Difference['what'], readonly [one: string, many: string]>> = {
  export: ['output of a needed gate', 'outputs of needed gates'],
  entity: ['value of an entity', 'values of entities'],
  rework: ['output that sent the work back', 'outputs that sent the work back'],
  file: ['input file', 'input files'],
  document: ['document', 'documents'],
  command: ['part of the definition', 'parts of the definition'],
  with: ['value of with', 'values of with'],
  env: ['variable', 'variables'],
  matrix: ['matrix value', 'matrix values'],
  task: ['task', 'task'],
  metadata: ['metadata value', 'metadata values'],
  subject: ['subject', 'subjects'],
  input: ['input of the caller', 'inputs of the caller'],
  tool: ['tool version', 'tool versions'],
  secret: ['secret name', 'secret names'],
  platform: ['part of the platform', 'parts of the platform'],
  format: ['format version', 'format versions'],
};

/**
 * The output `reason`: one line of at most 400 letters, digits, spaces and `.,:`, made of fixed words and numbers. The
 * plan's own reason contains names of files and gates and text of agents, and is for the log and the summary.
 */
export function reasonOf(planned: Pick<PlannedUnit, 'choice' | 'from' | 'differences'>): string {
  const { choice, from, differences } = planned;
  const source =
    from === undefined
      ? ''
      : `: attempt ${from.n} in ${runOnGithub(from)}${from.subject === undefined ? '' : ' of another subject'}`;
  switch (choice) {
    case 'run':
    case 'wait':
      return differences.length === 0
        ? 'No earlier output can be reused.'
        : `The inputs changed: ${inWords(differences)}.`;
    case 'keep':
      return `The gate is already done in this run${source}.`;
    case 'reuse':
      return `Inputs unchanged, and the earlier output meets the contract${source}.`;
    case 'adopt':
      return `Somebody decided to use an output from elsewhere${source}.`;
    case 'skip':
      return 'Somebody decided to skip the gate.';
    case 'not-applicable':
      return 'The condition of the gate is false.';
    case 'depends':
    case 'send-back':
    case 'blocked':
      return 'The gate cannot run now, see the log.';
  }
}

function inWords(differences: readonly Difference[]): string {
  const counts = new Map<Difference['what'], number>();
  for (const { what } of differences) counts.set(what, (counts.get(what) ?? 0) + 1);
  const parts = Object.entries(KINDS).flatMap(([what, [one, many]]) => {
    const count = counts.get(what as Difference['what']);
    return count === undefined ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return parts.length === 1 ? parts[0]! : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)!}`;
}
