import { z } from 'zod';
import { showUnseen } from '../../json/visible.ts';
import { jsonText } from '../json-text.ts';

/** The words for a gate, a group and its members. */
const flowStatus = z.enum(['pending', 'in_progress', 'passed', 'failed']);
export type FlowStatus = z.infer<typeof flowStatus>;

const text = z.string().max(65_536);
const count = z.int().min(0).max(1_000_000);

const flowGate = z.looseObject({
  status: flowStatus,
  timestamp: text.optional(),
  agent: text.optional(),
  message: text.optional(),
});

const flowMember = z.looseObject({ status: flowStatus, agent: text, timestamp: text, result: text });

/** Members are the keys that are maps. */
const flowGroup = z
  .object({ status: flowStatus, started_at: text, completed_at: text })
  .catchall(flowMember)
  .transform(({ status, started_at, completed_at, ...members }) => ({ status, started_at, completed_at, members }));

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
  parallel_groups: z.record(z.string(), flowGroup).optional(),
  gates: z.record(z.string(), flowGate),
});
export type Orchestration = z.infer<typeof orchestrationSchema>;

/** The phase of an orchestration whose gates have all passed. */
export const COMPLETE = 'complete';

/** The whole file: front matter and log. @param agents of gates, which the front matter of a team does not name */
export function orchestrationText(state: Orchestration, agents: Readonly<Record<string, string>>): string {
  const { mode, team_available: available, parallel_groups: groups = {} } = state;
  const isTeam = mode !== undefined;
  const header = [
    `active: ${state.active}`,
    `current_phase: ${quoted(state.current_phase)}`,
    `iteration: ${state.iteration}`,
    `max_iterations: ${state.max_iterations}`,
    `started_at: ${quoted(state.started_at)}`,
    `task: ${quoted(state.task)}`,
    ...(isTeam ? [`mode: ${quoted(mode)}`, `team_available: ${available === true}`] : []),
    'deep_dive:',
    ...lines({
      available: state.deep_dive.available,
      using: state.deep_dive.using,
      scope: state.deep_dive.scope,
      generated: state.deep_dive.generated,
    }),
    ...(isTeam ? ['parallel_groups:', ...Object.entries(groups).flatMap(groupLines)] : []),
    'gates:',
    ...Object.entries(state.gates).flatMap(([id, { status, timestamp, agent, message }]) => [
      `  ${key(id)}:`,
      ...lines({ status, timestamp, ...(!isTeam && { agent, message }) }, '    '),
    ]),
  ];
  return `---\n${header.join('\n')}\n---\n\n${log(state, agents)}`;
}

type FlowGroup = NonNullable<Orchestration['parallel_groups']>[string];

function groupLines([id, { status, started_at, completed_at, members }]: [string, FlowGroup]): string[] {
  return [
    `  ${key(id)}:`,
    ...lines({ status, started_at, completed_at }, '    '),
    ...Object.entries(members).flatMap(([member, state]) => [
      `    ${key(member)}:`,
      ...lines(
        { status: state.status, agent: state.agent, timestamp: state.timestamp, result: state.result },
        '      ',
      ),
    ]),
  ];
}

function lines(values: Readonly<Record<string, string | boolean | undefined>>, indent = '  '): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [`${indent}${name}: ${typeof value === 'string' ? quoted(value) : value}`];
  });
}

/** A JSON text is a quoted text of YAML, too, but for characters that only YAML wants escaped. */
function quoted(value: string): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return jsonText(value).replaceAll(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
}

function key(id: string): string {
  return /^[A-Za-z_][\w-]*$/.test(id) ? id : quoted(id);
}

function log(state: Orchestration, agents: Readonly<Record<string, string>>): string {
  const { mode, deep_dive: dive, parallel_groups: groups = {} } = state;
  const isTeam = mode !== undefined;
  const context = dive.using
    ? 'Available and in use'
    : dive.available
      ? `Available but not requested${isTeam ? '' : ' (use --use-deep-dive)'}`
      : 'Not available';
  const session = [
    '### Session Started',
    `- Task: ${quoted(state.task)}`,
    `- Max Iterations: ${state.max_iterations}`,
    ...(isTeam ? [`- Mode: ${mode}`, `- Team Available: ${state.team_available === true}`] : []),
    `- Started: ${state.started_at}`,
    `- Deep-Dive Context: ${context}`,
  ];
  const parallel = mode === 'team' ? groups : {};
  const inGroup = new Set(Object.values(parallel).flatMap(({ members }) => Object.keys(members)));
  const phases = Object.entries(state.gates).flatMap(([id, gate]) => {
    if (Object.hasOwn(groups, id) && mode !== 'team') return [];
    if (Object.hasOwn(parallel, id)) return groupLog(parallel[id]!, mode!);
    if (gate.status === 'pending' || inGroup.has(id)) return [];
    const agent = gate.agent ?? agents[id];
    const message = gate.message === undefined || isTeam ? [] : [`- Message: ${oneLine(gate.message)}`];
    const facts = [...(agent === undefined ? [] : [`- Agent: ${oneLine(agent)}`]), ...statusLines(gate)];
    return [[`### Phase: ${title(id)}`, ...facts, ...message]];
  });
  const blocks = [[isTeam ? '## Team Orchestration Log' : '## Orchestration Log'], session, ['---'], ...phases];
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`;
}

function groupLog({ status, started_at: started, members }: FlowGroup, mode: string): string[][] {
  if (status === 'pending') return [];
  const titles = Object.keys(members).map(title);
  return [
    [`### Phase: ${titles.join(' & ')} (PARALLEL)`, `- Started: ${started}`, `- Mode: ${mode}`],
    ...Object.entries(members).flatMap(([id, member]) => {
      if (member.status === 'pending') return [];
      const result = member.result === '' ? [] : [`- Result: ${oneLine(member.result)}`];
      return [[`#### ${title(id)} (${oneLine(member.agent)})`, ...statusLines(member), ...result]];
    }),
  ];
}

function statusLines({
  status,
  timestamp = '',
}: {
  readonly status: FlowStatus;
  readonly timestamp?: string | undefined;
}): string[] {
  return [
    `- Status: ${status.toUpperCase().replace('_', ' ')}`,
    `- ${status === 'in_progress' ? 'Started' : 'Timestamp'}: ${timestamp}`,
  ];
}

/** `review-tests` → `Review Tests` */
export function title(id: string): string {
  return id
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** People look at the log in a terminal. */
function oneLine(value: string): string {
  return showUnseen(value.replace(/\s+/g, ' ').trim());
}
