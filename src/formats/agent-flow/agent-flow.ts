import type { GroupView } from '../../report/view.ts';
import type { Format, Source, WrittenFiles } from '../format.ts';
import { phasesOf, secondsText, type Phase } from '../phases.ts';
import {
  COMPLETE,
  orchestrationText,
  type FlowGate,
  type FlowGroup,
  type FlowStatus,
  type Orchestration,
} from './orchestration.ts';
import { deepDiveHeader, readAgentFlow } from './read.ts';

/** Files of a run without groups, of a run with groups, and of the deep dive. */
export const FILES = ['orchestration.local.md', 'team-orchestration.local.md', 'deep-dive.local.md'] as const;

/** The state files of agent-flow, in `.claude/`. */
export const agentFlow: Format = {
  name: 'agent-flow',
  folder: '.claude',
  isStateFile: (path) => FILES.some((name) => path === name),
  write: writeAgentFlow,
  read: readAgentFlow,
};

/** The default of agent-flow. */
const MAX_ITERATIONS = 10;

/** Writes the file of a team if gates are in groups, else the other one, and the deep dive if there is one. */
function writeAgentFlow(source: Source): WrittenFiles {
  const state = orchestrationOf(source);
  const agents = Object.fromEntries(source.view.units.map(({ gate, agent }) => [gate, agent]));
  const [alone, team, dive] = FILES;
  const text = orchestrationText(state, agents);
  return {
    [alone]: state.mode === undefined ? text : null,
    [team]: state.mode === undefined ? null : text,
    [dive]: source.documents['deep-dive'] ?? null,
  };
}

function orchestrationOf(source: Source): Orchestration {
  const { view } = source;
  const { groups, status, units } = view;
  const phases = sortPhases(phasesOf(source), groups);
  const isTeam = groups.length > 0;
  const mode = groups.some((group) => group.mode === 'parallel') ? 'team' : 'sequential';
  const limits = units.flatMap(({ loop }) => loop?.maxIterations ?? []);
  const inGroups = groups.map(({ id, units: keys }) => [id, groupOf(phases.filter(isIn(keys)))] as const);
  return {
    active: !['completed', 'rollback', 'closed'].includes(status),
    current_phase: status === 'completed' ? COMPLETE : currentPhase(phases, mode === 'team' ? groups : []),
    iteration: Math.max(1, ...phases.map(({ iteration }) => iteration)),
    max_iterations: limits.length === 0 ? MAX_ITERATIONS : Math.max(...limits),
    started_at: secondsText(view.started),
    task: view.task ?? view.subject,
    ...(isTeam && { mode, team_available: mode === 'team' }),
    deep_dive: deepDiveOf(source),
    ...(isTeam && { parallel_groups: Object.fromEntries(inGroups) }),
    gates: Object.fromEntries(gatesOf(phases, groups)),
  };
}

const isIn =
  (keys: GroupView['units']) =>
  ({ units }: Phase): boolean =>
    units.some(({ key }) => keys.includes(key));

/**
 * Sorts phases for agent-flow, where a phase can only have passed if all before it have: done ones come first, then groups
 * with some that are done.
 */
function sortPhases(phases: readonly Phase[], groups: readonly GroupView[]): Phase[] {
  const rankOf = (phase: Phase): number => {
    const group = groups.find(({ units }) => isIn(units)(phase));
    const step = group === undefined ? [phase] : phases.filter(isIn(group.units));
    if (step.every(({ done }) => done)) return 0;
    return step.some(({ done }) => done) ? 1 : 2;
  };
  return phases.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function currentPhase(phases: readonly Phase[], groups: readonly GroupView[]): string {
  const open = phases.filter(({ done }) => !done);
  const current = open.find(({ status }) => status === 'running') ?? open[0];
  if (current === undefined) return COMPLETE;
  return groups.find(({ units }) => isIn(units)(current))?.id ?? current.id;
}

/** The gates in order, with each group before its first member. */
function gatesOf(phases: readonly Phase[], groups: readonly GroupView[]): [string, FlowGate][] {
  const listed = new Set<string>();
  return phases.flatMap((phase) => {
    const entry: [string, FlowGate] = [phase.id, gateOf(phase)];
    const group = groups.find(({ units }) => isIn(units)(phase));
    if (group === undefined || listed.has(group.id)) return [entry];
    listed.add(group.id);
    const { status, started_at: started, completed_at: completed } = groupOf(phases.filter(isIn(group.units)));
    const timestamp = completed === '' ? started : completed;
    return [[group.id, { status, ...(timestamp !== '' && { timestamp }) }], entry];
  });
}

function gateOf(phase: Phase): FlowGate {
  const status = statusOf(phase);
  if (status === 'pending') return { status };
  const { agent, message } = phase;
  const isOver = status !== 'in_progress' && message !== '';
  return { status, timestamp: timestampOf(phase, status), agent, ...(isOver && { message }) };
}

function groupOf(phases: readonly Phase[]): FlowGroup {
  const statuses = phases.map(statusOf);
  const isOver = statuses.every((status) => status === 'passed' || status === 'failed');
  const isPending = statuses.every((status) => status === 'pending');
  const outcome = statuses.includes('failed') ? 'failed' : 'passed';
  const members = phases.map((phase) => {
    const status = statusOf(phase);
    const timestamp = status === 'pending' ? '' : timestampOf(phase, status);
    const result = status === 'failed' ? phase.result || phase.message : phase.result;
    return [phase.id, { status, agent: phase.agent, timestamp, result }] as const;
  });
  const ends = phases.flatMap(({ ended }) => ended ?? []).toSorted();
  return {
    status: isOver ? outcome : isPending ? 'pending' : 'in_progress',
    started_at: secondsText(phases.flatMap(({ started }) => started ?? []).toSorted()[0]),
    completed_at: isOver ? secondsText(ends.at(-1)) : '',
    ...Object.fromEntries(members),
  } as FlowGroup;
}

/** A done gate has passed, whatever its score. */
function statusOf({ status, done }: Phase): FlowStatus {
  if (done) return 'passed';
  if (status === 'running' || status === 'paused') return 'in_progress';
  return status === 'partial' || status === 'failed' || status === 'lost' ? 'failed' : 'pending';
}

function timestampOf({ started, ended }: Phase, status: FlowStatus): string {
  return secondsText(status === 'in_progress' ? started : (ended ?? started));
}

function deepDiveOf({ view, documents }: Source): Orchestration['deep_dive'] {
  const document = documents['deep-dive'];
  const header = document === undefined ? undefined : deepDiveHeader(document);
  return {
    available: document !== undefined,
    using: document !== undefined && view.units.some(({ memory }) => memory.includes('deep-dive')),
    scope: header?.scope ?? '',
    generated: secondsText(header?.generated),
  };
}
