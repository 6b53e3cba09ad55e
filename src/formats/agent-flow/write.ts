import { DEEP_DIVE, deepDiveHeader } from './deep-dive.ts';
import type { ExportedRun, WrittenFile } from '../exchange.ts';
import { isJsonObject } from '../../json/json.ts';
import { resultOf } from '../../run/state/run-state.ts';
import type { GateGroup } from '../../pipeline/pipeline.ts';
import { phasesOf, type Phase } from '../phases.ts';
import { COMPLETE, orchestrationText, type FlowStatus, type Orchestration } from './orchestration.ts';

/** The seed's default. */
const MAX_ITERATIONS = 10;

/** The files of seed 002: that of a team if gates are in groups, and the map of the code base if there is one. */
export function writeAgentFlow(run: ExportedRun): WrittenFile[] {
  const dive = run.documents.find(({ name }) => name === DEEP_DIVE);
  const state = orchestrationOf(run);
  const agents = Object.fromEntries(run.pipeline.gates.map(({ id, agent }) => [id, agent]));
  const name = state.mode === undefined ? 'orchestration' : 'team-orchestration';
  return [
    { path: `${name}.local.md`, text: orchestrationText(state, agents) },
    ...(dive === undefined ? [] : [{ path: 'deep-dive.local.md', text: dive.text }]),
  ];
}

function orchestrationOf(run: ExportedRun): Orchestration {
  const { state, pipeline } = run;
  const { groups, gates } = pipeline;
  const phases = inLine(phasesOf(run).map(withImportedTime), groups);
  const isTeam = groups.length > 0;
  const mode = groups.some((group) => group.mode !== 'sequential') ? 'team' : 'sequential';
  const loops = [...gates, ...groups].flatMap(({ onFail }) => onFail?.maxIterations ?? []);
  const isOver = state.status === 'completed' || state.status === 'rollback' || state.decided.closed !== undefined;
  return {
    active: !isOver,
    current_phase: state.status === 'completed' ? COMPLETE : currentPhase(run, phases, mode),
    iteration: Math.max(1, ...phases.map(({ iteration }) => iteration)),
    max_iterations: loops.length === 0 ? MAX_ITERATIONS : Math.max(...loops),
    started_at: timeText(state.startedAt),
    task: state.task ?? pipeline.task ?? state.subject,
    ...(isTeam && { mode, team_available: mode === 'team' }),
    deep_dive: deepDiveOf(run),
    ...(isTeam && {
      parallel_groups: Object.fromEntries(
        groups.map(({ id, gates: members }) => [id, groupOf(phases.filter(({ gate }) => members.includes(gate.id)))]),
      ),
    }),
    gates: Object.fromEntries(gatesOf(run, phases, isTeam)),
  };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** An output that was imported has the time at which its gate passed: here, it was adopted later. */
function withImportedTime(phase: Phase): Phase {
  const { units, output } = phase;
  const ended = units[0] && resultOf(units[0]);
  const isAdopted = ended?.how === 'adopted' || ended?.source?.adopted !== undefined;
  const time = isAdopted && isJsonObject(output) ? output['timestamp'] : undefined;
  return typeof time === 'string' && TIME.test(time) ? { ...phase, started: time, ended: time } : phase;
}

/**
 * The seed's phases are a line, in which none has passed before one above it. Gates that ran side by side are put into
 * such a line: those that are done are first, then groups with some that are.
 */
function inLine(phases: readonly Phase[], groups: readonly GateGroup[]): Phase[] {
  const place = (phase: Phase): number => {
    const group = groups.find((one) => one.gates.includes(phase.gate.id));
    const step = group === undefined ? [phase] : phases.filter(({ gate }) => group.gates.includes(gate.id));
    if (step.every(({ done }) => done)) return 0;
    return step.some(({ done }) => done) ? 1 : 2;
  };
  return phases.toSorted((a, b) => place(a) - place(b));
}

function currentPhase({ pipeline }: ExportedRun, phases: readonly Phase[], mode: string): string {
  const open = phases.filter(({ done }) => !done);
  const current = open.find(({ status }) => status === 'running') ?? open[0];
  if (current === undefined) return COMPLETE;
  const group = pipeline.groups.find(({ gates }) => gates.includes(current.gate.id));
  return mode === 'team' && group !== undefined ? group.id : current.gate.id;
}

/** The gates in order; a group is listed before the first of its members. */
function gatesOf(
  { pipeline }: ExportedRun,
  phases: readonly Phase[],
  isTeam: boolean,
): [string, Orchestration['gates'][string]][] {
  const listed = new Set<string>();
  return phases.flatMap((phase) => {
    const group = pipeline.groups.find(({ gates }) => gates.includes(phase.gate.id));
    const own: [string, Orchestration['gates'][string]] = [phase.gate.id, gateOf(phase)];
    if (!isTeam || group === undefined || listed.has(group.id)) return [own];
    listed.add(group.id);
    const { status, started_at, completed_at } = groupOf(phases.filter(({ gate }) => group.gates.includes(gate.id)));
    const timestamp = completed_at === '' ? started_at : completed_at;
    return [[group.id, { status, ...(timestamp !== '' && { timestamp }) }], own];
  });
}

function gateOf(phase: Phase): Orchestration['gates'][string] {
  const status = flowStatusOf(phase);
  if (status === 'pending') return { status };
  const message = messageOf(phase);
  return {
    status,
    timestamp: timestampOf(phase, status),
    agent: phase.gate.agent,
    ...(status !== 'in_progress' && message !== '' && { message }),
  };
}

function groupOf(phases: readonly Phase[]): NonNullable<Orchestration['parallel_groups']>[string] {
  const statuses = phases.map(flowStatusOf);
  const isOver = statuses.every((status) => status === 'passed' || status === 'failed');
  const status = isOver
    ? statuses.includes('failed')
      ? 'failed'
      : 'passed'
    : statuses.every((one) => one === 'pending')
      ? 'pending'
      : 'in_progress';
  const started = phases.flatMap((phase) => phase.started ?? []).toSorted()[0];
  const ended = isOver
    ? phases
        .flatMap((phase) => phase.ended ?? [])
        .toSorted()
        .at(-1)
    : undefined;
  const members = phases.map((phase) => {
    const own = flowStatusOf(phase);
    const result = own === 'failed' ? phase.result || messageOf(phase) : phase.result;
    const timestamp = own === 'pending' ? '' : timestampOf(phase, own);
    return [phase.gate.id, { status: own, agent: phase.gate.agent, timestamp, result }] as const;
  });
  return {
    status,
    started_at: timeText(started),
    completed_at: timeText(ended),
    members: Object.fromEntries(members),
  };
}

/** A gate after which others may run has passed, whatever its score. */
function flowStatusOf({ status, done }: Phase): FlowStatus {
  if (done) return 'passed';
  if (status === 'running' || status === 'paused') return 'in_progress';
  return FAILED.has(status) ? 'failed' : 'pending';
}

const FAILED: ReadonlySet<Phase['status']> = new Set(['partial', 'failed', 'lost']);

function timestampOf({ started, ended, units }: Phase, status: FlowStatus): string {
  return timeText(status === 'in_progress' ? started : (ended ?? units[0]?.decided?.at ?? started));
}

/** The line of an output; why a gate without one is done. */
function messageOf({ message, status, units }: Phase): string {
  const why = status === 'skipped' || status === 'lost' ? (units[0]?.reason ?? '') : '';
  return why === '' ? message : why;
}

function deepDiveOf({ pipeline, documents }: ExportedRun): Orchestration['deep_dive'] {
  const document = documents.find(({ name }) => name === DEEP_DIVE);
  const header = document && deepDiveHeader(document.text);
  return {
    available: document !== undefined,
    using: document !== undefined && pipeline.gates.some(({ memory }) => memory.includes(DEEP_DIVE)),
    scope: header?.scope ?? '',
    generated: timeText(header?.generated),
  };
}

/** Whole seconds, as in the seed. */
function timeText(time: string | undefined): string {
  return (time ?? '').replace(/\.\d+(?=Z$)/, '');
}
