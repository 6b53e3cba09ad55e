import { stringify } from 'yaml';
import { z } from 'zod';
import { forTerminal } from '../../untrusted/escape.ts';

/** The words for a gate, a group and its members. */
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

/** Members are the keys that are maps. */
const group = z.object({ status, started_at: text, completed_at: text }).catchall(member);

/** The front matter of seed 002's orchestration files, in the order of its keys. */
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
  parallel_groups: z.record(z.string(), group).optional(),
  gates: z.record(z.string(), gate),
});
export type Orchestration = z.infer<typeof orchestrationSchema>;
export type FlowGate = Orchestration['gates'][string];
export type FlowGroup = NonNullable<Orchestration['parallel_groups']>[string];
export type FlowMember = z.infer<typeof member>;

/** The phase of an orchestration whose gates have all passed. */
export const COMPLETE = 'complete';

/** The members of a group, by id. */
export function membersOf(entry: FlowGroup): Record<string, FlowMember> {
  const { status: _status, started_at: _started, completed_at: _completed, ...members } = entry;
  return members;
}

/** The style of the seed: texts in double quotes, keys without. */
const STYLE = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 } as const;

/** The whole file: front matter and log. @param agents of gates, which the front matter of a team does not name */
export function orchestrationText(state: Orchestration, agents: Readonly<Record<string, string>>): string {
  const isTeam = state.mode !== undefined;
  const { gates } = state;
  const named = ({ status: word, timestamp, agent, message }: FlowGate) => ({
    status: word,
    timestamp,
    ...(!isTeam && { agent, message }),
  });
  const header = { ...state, gates: Object.fromEntries(Object.entries(gates).map(([id, one]) => [id, named(one)])) };
  return `---\n${stringify(header, STYLE).replace(INVISIBLE, escapeCharacter)}---\n\n${logText(state, agents)}`;
}

/** In a terminal such a character changes how the rest looks. They only stand in texts in quotes. */
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

function groupLog(entry: FlowGroup, mode: string): string[][] {
  if (entry.status === 'pending') return [];
  const members = Object.entries(membersOf(entry));
  const title = members.map(([id]) => titleOf(id)).join(' & ');
  return [
    [`### Phase: ${title} (PARALLEL)`, `- Started: ${entry.started_at}`, `- Mode: ${mode}`],
    ...members.flatMap(([id, one]) => {
      const result = one.result === '' ? [] : [`- Result: ${oneLine(one.result)}`];
      return one.status === 'pending'
        ? []
        : [[`#### ${titleOf(id)} (${oneLine(one.agent)})`, ...statusLines(one), ...result]];
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

/** People look at the log in a terminal. */
function oneLine(value: string): string {
  return forTerminal(value.replace(/\s+/g, ' ').trim());
}
