import { stringify } from 'yaml';
import { z } from 'zod';
import { forTerminal } from '../../untrusted/escape.ts';

/** The statuses of a gate, a group and its members. */
const status = z.enum(['pending', 'in_progress', 'passed', 'failed']);
export type FlowStatus = z.infer<typeof status>;

const text = z.string().max(65_536);
const count = z.int().min(0).max(1_000_000);
const gate = z.looseObject({
  status,
  timestamp: text.optional(),
  agent: text.optional(),
  message: text.optional(),
});
const member = z.looseObject({ status, agent: text, timestamp: text, result: text });

/** Its other keys are members. */
const groupSchema = z.object({ status, started_at: text, completed_at: text }).catchall(member);

/** The front matter of agent-flow's orchestration files, in the order of its keys. */
export const orchestrationSchema = z.looseObject({
  active: z.boolean(),
  current_phase: text,
  iteration: count,
  max_iterations: count,
  started_at: text,
  task: text,
  /** Only of a team. */
  mode: z.enum(['team', 'sequential']).optional(),
  team_available: z.boolean().optional(),
  deep_dive: z.looseObject({ available: z.boolean(), using: z.boolean(), scope: text, generated: text }),
  parallel_groups: z.record(z.string(), groupSchema).optional(),
  gates: z.record(z.string(), gate),
});
export type Orchestration = z.infer<typeof orchestrationSchema>;
export type FlowGate = Orchestration['gates'][string];
export type FlowGroup = NonNullable<Orchestration['parallel_groups']>[string];
export type FlowMember = z.infer<typeof member>;

/** `current_phase` when all gates have passed. */
export const COMPLETE = 'complete';

/** The members of a group, by id. */
export function membersOf(entry: FlowGroup): Record<string, FlowMember> {
  const { status: _status, started_at: _started, completed_at: _completed, ...members } = entry;
  return members;
}

/** The style of agent-flow: double quotes around texts, none around keys. */
const STYLE = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 } as const;

/** The file: front matter and log. @param agents by gate, for the log, because the front matter of a team has none */
export function orchestrationText(state: Orchestration, agents: Readonly<Record<string, string>>): string {
  const isTeam = state.mode !== undefined;
  const { gates } = state;
  const named = ({ status: word, timestamp, agent, message }: FlowGate) => ({
    status: word,
    timestamp,
    ...(!isTeam && { agent, message }),
  });
  const header = {
    ...state,
    gates: Object.fromEntries(Object.entries(gates).map(([id, entry]) => [id, named(entry)])),
  };
  return `---\n${stringify(header, STYLE).replace(INVISIBLE, escapeCharacter)}---\n\n${logText(state, agents)}`;
}

/** Characters that change how a terminal shows the rest. They only occur in quotes, where an escape is valid. */
const INVISIBLE = /[\p{Cf}\x7f-\x9f\u2028\u2029]/gu;

function escapeCharacter(character: string): string {
  return `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`;
}

function logText(state: Orchestration, agents: Readonly<Record<string, string>>): string {
  const { mode, deep_dive: dive, parallel_groups: groups = {} } = state;
  const isTeam = mode !== undefined;
  const unused = `Available but not requested${isTeam ? '' : ' (use --use-deep-dive)'}`;
  const session = [
    '### Session Started',
    `- Task: ${JSON.stringify(state.task)}`,
    `- Max Iterations: ${state.max_iterations}`,
    ...(isTeam ? [`- Mode: ${mode}`, `- Team Available: ${state.team_available === true}`] : []),
    `- Started: ${state.started_at}`,
    `- Deep-Dive Context: ${dive.using ? 'Available and in use' : dive.available ? unused : 'Not available'}`,
  ];
  const parallel = mode === 'team' ? groups : {};
  const inGroup = new Set(Object.values(parallel).flatMap((entry) => Object.keys(membersOf(entry))));
  const phases = Object.entries(state.gates).flatMap(([id, entry]) => {
    if (Object.hasOwn(groups, id)) return Object.hasOwn(parallel, id) ? groupLog(parallel[id]!, mode!) : [];
    if (entry.status === 'pending' || inGroup.has(id)) return [];
    const agent = entry.agent ?? agents[id];
    const message = entry.message === undefined || isTeam ? [] : [`- Message: ${oneLine(entry.message)}`];
    const named = agent === undefined ? [] : [`- Agent: ${oneLine(agent)}`];
    return [[`### Phase: ${titleOf(id)}`, ...named, ...statusLines(entry), ...message]];
  });
  const blocks = [[isTeam ? '## Team Orchestration Log' : '## Orchestration Log'], session, ['---'], ...phases];
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`;
}

function groupLog(group: FlowGroup, mode: string): string[][] {
  if (group.status === 'pending') return [];
  const members = Object.entries(membersOf(group));
  const title = members.map(([id]) => titleOf(id)).join(' & ');
  return [
    [`### Phase: ${title} (PARALLEL)`, `- Started: ${group.started_at}`, `- Mode: ${mode}`],
    ...members.flatMap(([id, entry]) => {
      const result = entry.result === '' ? [] : [`- Result: ${oneLine(entry.result)}`];
      return entry.status === 'pending'
        ? []
        : [[`#### ${titleOf(id)} (${oneLine(entry.agent)})`, ...statusLines(entry), ...result]];
    }),
  ];
}

function statusLines({ status: word, timestamp = '' }: Pick<FlowGate, 'status' | 'timestamp'>): string[] {
  const label = word === 'in_progress' ? 'Started' : 'Timestamp';
  return [`- Status: ${word.toUpperCase().replace('_', ' ')}`, `- ${label}: ${timestamp}`];
}

/** `review-tests` → `Review Tests` */
export function titleOf(id: string): string {
  const words = id.split(/[-_]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

/** A text as one line that is safe in a terminal. */
function oneLine(value: string): string {
  return forTerminal(value.replace(/\s+/g, ' ').trim());
}
