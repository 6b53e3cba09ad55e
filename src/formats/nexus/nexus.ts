import { estimateDuration, summarizeDays } from '../../history/statistics.ts';
import type { HistoryEntry } from '../../history/history-entry.ts';
import type { RunView, UnitView } from '../../report/view.ts';
import { gateOf } from '../../run/units.ts';
import { jsonText, type Format, type Source, type WrittenFiles } from '../format.ts';
import { phasesOf, type Phase } from '../phases.ts';
import { endTimeOf, executionLines, runKey, workflowIds, workflowStatus } from './executions.ts';
import { CURRENT, EXECUTIONS, isNexusFile, readNexus, SUMMARY } from './read.ts';
import type { WorkflowState } from './workflow-state.ts';

/** The state files of Nexus. Its own folder is in the home directory, ours in the workspace. */
export const nexus: Format = {
  name: 'nexus',
  folder: '.claude/skills/nexus/history',
  isStateFile: isNexusFile,
  write: (source) => ({ [CURRENT]: jsonText(workflowStateOf(source)) }),
  writeHistory,
  read: readNexus,
};

/** The version of Nexus with these documents. */
const NEXUS_VERSION = '2.0.0';

/** Writes the history, and the current state as a backup, from which Nexus can recover. */
function writeHistory(source: Source): WrittenFiles {
  const state = workflowStateOf(source);
  return {
    [`backups/${state.id}.json`]: jsonText(state),
    [EXECUTIONS]: executionLines(source.history),
    [SUMMARY]: jsonText(summarizeDays(source.history.map(withDuration))),
  };
}

/** An entry with the duration of its run, as Nexus counts, instead of that of its agents. Open runs have none. */
function withDuration(entry: HistoryEntry): HistoryEntry {
  const end = endTimeOf(entry);
  return { ...entry, ms: end === null ? 0 : end - Date.parse(entry.started) };
}

const SKIPPED: ReadonlySet<Phase['status']> = new Set(['skipped', 'not-applicable']);
const FAILED: ReadonlySet<Phase['status']> = new Set(['failed', 'lost', 'partial', 'paused']);

function workflowStateOf(source: Source): WorkflowState {
  const { view, history } = source;
  const phases = phasesOf(source);
  const ids = (isSelected: (phase: Phase) => boolean): string[] => phases.filter(isSelected).map(({ id }) => id);
  const current = view.status === 'completed' ? undefined : currentPhase(phases);
  const metrics = view.units.flatMap(({ attempts }) => attempts.flatMap((attempt) => attempt.metrics ?? []));
  const checkpoints = view.units.flatMap(checkpointsOf);
  const { started = new Date(0).toISOString(), pipeline, subject, run, ended } = view;
  const runs = history.toReversed().filter((entry) => runKey(entry) !== runKey(view));
  const earlier = history.filter((entry) => entry.pipeline === pipeline);
  const estimated = estimateDuration(gatesOf(view), earlier) ?? 0;
  const decidedAt = (decision: string) => timeOf(view.decisions.findLast((entry) => entry.decision === decision)?.at);
  return {
    id: workflowIds([...runs, { pipeline, subject, run, started }]).get(runKey(view))!,
    workflowName: pipeline,
    workflowFile: view.units[0]?.place.file ?? 'gateline.yml',
    userTask: view.task ?? subject,
    status: workflowStatus(view.status),
    currentPhase: current?.id ?? null,
    currentPhaseStartTime: timeOf(current?.started),
    startTime: Date.parse(started),
    endTime: endTimeOf({ status: view.status, ended: ended ?? lastEnd(view) }),
    pausedAt: decidedAt('pause'),
    resumedAt: decidedAt('resume'),
    completedPhases: ids((phase) => phase.done && !SKIPPED.has(phase.status)),
    skippedPhases: ids((phase) => phase.done && SKIPPED.has(phase.status)),
    failedPhases: ids((phase) => !phase.done && FAILED.has(phase.status)),
    results: Object.fromEntries(phases.flatMap(({ id, output }) => (output === undefined ? [] : [[id, output]]))),
    error: errorOf(view, phases),
    retries: Object.fromEntries(phases.flatMap(({ id, retries }) => (retries > 0 ? [[id, retries]] : []))),
    metadata: {
      nexusVersion: NEXUS_VERSION,
      pluginsUsed: [...new Set(metrics.flatMap(({ plugins }) => plugins ?? []))],
      mcpsUsed: [...new Set(metrics.flatMap(({ mcps }) => mcps ?? []))],
      totalPhases: phases.length,
      estimatedDuration: Math.round(estimated / 60_000),
    },
    checkpoints,
    rollbackAvailable: checkpoints.length > 0,
  };
}

function gatesOf({ units }: RunView): { readonly id: string; readonly needs: readonly string[] }[] {
  return [...Map.groupBy(units, ({ gate }) => gate)].map(([id, legs]) => ({
    id,
    needs: [...new Set(legs.flatMap(({ needs }) => needs.map(gateOf)))],
  }));
}

/** The running phase, else the one that stopped the run, else the next one. */
function currentPhase(phases: readonly Phase[]): Phase | undefined {
  const open = phases.filter(({ done }) => !done);
  return open.find(({ status }) => status === 'running') ?? open.find(({ status }) => FAILED.has(status)) ?? open[0];
}

function lastEnd({ units }: RunView): string | undefined {
  return units
    .flatMap(({ attempts }) => attempts.flatMap(({ ended }) => ended ?? []))
    .toSorted()
    .at(-1);
}

function errorOf(view: RunView, phases: readonly Phase[]): WorkflowState['error'] {
  if (workflowStatus(view.status) !== 'ERROR') return null;
  const failed = phases.find((phase) => !phase.done && FAILED.has(phase.status));
  return {
    phase: failed?.id ?? '',
    message: failed?.message || 'the run stopped',
    timestamp: timeOf(failed?.ended ?? lastEnd(view)) ?? 0,
    // Gateline can always continue a run.
    recoverable: true,
  };
}

/** The checkpoint of a gate: the files that it changed. */
function checkpointsOf({ key, done, attempts, changes }: UnitView): WorkflowState['checkpoints'] {
  const timestamp = timeOf(attempts.at(-1)?.ended);
  if (!done || timestamp === null) return [];
  const filesSnapshot = changes.map(({ path, before, after }) => ({
    path,
    status: after === null ? 'D' : before === null ? 'A' : 'M',
    contentHash: (after ?? before)!.split(' ').at(-1)!,
    timestamp,
  }));
  return [{ id: `checkpoint-${timestamp}`, phase: key, timestamp, filesSnapshot, databaseSnapshot: null }];
}

function timeOf(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time);
}
