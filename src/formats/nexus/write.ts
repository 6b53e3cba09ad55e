import { HISTORY_FORMAT, keptSubject, runKeyOf, type HistoryEntry } from '../../history/entry.ts';
import { dailySummaries } from '../../history/statistics/daily.ts';
import type { JsonValue } from '../../json/json.ts';
import { unitOf, type EndedRecord, type FileChange } from '../../run/records/record.ts';
import type { ExportedRun, WrittenFile } from '../exchange.ts';
import { jsonText } from '../json-text.ts';
import { phasesOf, type Phase } from '../phases.ts';
import { endTimeOf, executionLines, workflowIds } from './executions.ts';
import { nexusStatus, workflowStateText, type WorkflowState } from './workflow-state.ts';

/** The version of Nexus whose documents these are. */
const NEXUS_VERSION = '2.0.0';

/** The files of seed 004. The current state is its own newest backup, so that it can be recovered. */
export function writeNexus(run: ExportedRun): WrittenFile[] {
  const state = workflowStateOf(run);
  const text = workflowStateText(state);
  const summaries = dailySummaries(run.history.map(withDuration), run.pipeline.timezone);
  return [
    { path: `backups/${state.id}.json`, text },
    { path: 'executions.jsonl', text: executionLines(run.history) },
    { path: 'daily-summary.json', text: jsonText(summaries, 2) },
    { path: '.current-workflow.json', text },
  ];
}

/** Nexus sums up how long executions took, not how long agents worked; one that is not over took no time yet. */
function withDuration(entry: HistoryEntry): HistoryEntry {
  const end = endTimeOf(entry);
  return { ...entry, ms: end === null ? 0 : end - Date.parse(entry.started) };
}

function workflowStateOf(run: ExportedRun): WorkflowState {
  const { state, pipeline, records, history } = run;
  const entry = entryOf(run);
  const phases = phasesOf(run);
  const ids = (isOne: (phase: Phase) => boolean): string[] => phases.filter(isOne).map(({ gate }) => gate.id);
  const current = state.status === 'completed' ? undefined : currentPhase(phases);
  const ended = records.filter((one) => one.kind === 'ended').toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const checkpoints = ended.flatMap(checkpointOf);
  return {
    id: workflowIds(history).get(runKeyOf(entry))!,
    workflowName: pipeline.id,
    workflowFile: run.definition,
    userTask: state.task ?? pipeline.task ?? state.subject,
    status: nexusStatus(state.status),
    currentPhase: current?.gate.id ?? null,
    currentPhaseStartTime: timeOf(current?.started),
    startTime: Date.parse(entry.started),
    endTime: endTimeOf(entry),
    pausedAt: timeOf(state.decided.paused?.at),
    resumedAt: timeOf(state.decided.resumed?.at),
    completedPhases: ids((phase) => phase.done && !SKIPPED.has(phase.status)),
    skippedPhases: ids((phase) => phase.done && SKIPPED.has(phase.status)),
    failedPhases: ids((phase) => !phase.done && FAILED.has(phase.status)),
    results: Object.fromEntries(
      phases.flatMap(({ gate, output }): [string, JsonValue][] => (output === undefined ? [] : [[gate.id, output]])),
    ),
    error: errorOf(entry, phases),
    retries: Object.fromEntries(phases.flatMap(({ gate, retries }) => (retries > 0 ? [[gate.id, retries]] : []))),
    metadata: {
      nexusVersion: NEXUS_VERSION,
      pluginsUsed: [...(entry.plugins ?? [])],
      mcpsUsed: [...(entry.mcps ?? [])],
      totalPhases: phases.length,
      estimatedDuration: run.estimatedMs === undefined ? 0 : Math.round(run.estimatedMs / 60_000),
    },
    checkpoints,
    rollbackAvailable: checkpoints.length > 0,
  };
}

const SKIPPED: ReadonlySet<Phase['status']> = new Set(['skipped', 'not-applicable']);
const FAILED: ReadonlySet<Phase['status']> = new Set(['failed', 'lost', 'partial', 'paused']);

/** The phase that is running, else the one that stopped the run, else the next. */
function currentPhase(phases: readonly Phase[]): Phase | undefined {
  const open = phases.filter(({ done }) => !done);
  return open.find(({ status }) => status === 'running') ?? open.find(({ status }) => FAILED.has(status)) ?? open[0];
}

/** The entry of the exported run. */
function entryOf({ state, history }: ExportedRun): HistoryEntry {
  const { pipeline, subject, runNumber } = state;
  const found = history.find(
    (one) => one.pipeline === pipeline && one.subject === keptSubject(subject) && one.run === runNumber,
  );
  if (found !== undefined) return found;
  const at = state.startedAt ?? new Date(0).toISOString();
  const counts = { gates: 0, passed: 0, failed: 0, skipped: 0, reused: 0 };
  const { status, runAttempt: attempt, updatedAt: ended = at } = state;
  return {
    format: HISTORY_FORMAT,
    pipeline,
    subject,
    run: runNumber,
    attempt,
    started: at,
    ended,
    status,
    ms: 0,
    ...counts,
  };
}

function errorOf({ status, failure, ended }: HistoryEntry, phases: readonly Phase[]): WorkflowState['error'] {
  if (status !== 'error') return null;
  const failed = phases.find((phase) => !phase.done && FAILED.has(phase.status));
  return {
    phase: failed?.gate.id ?? failure?.gate ?? '',
    message: failure?.message ?? (failed?.message || 'the run stopped'),
    timestamp: Date.parse(failed?.ended ?? ended),
    // A run in error can always be continued.
    recoverable: true,
  };
}

/** What a gate left: the files that it changed, and the database. */
function checkpointOf(ended: EndedRecord): WorkflowState['checkpoints'] {
  if (ended.snapshot === undefined || ended.verdict.status === 'failed') return [];
  const timestamp = Date.parse(ended.at);
  const { database } = ended.snapshot;
  return [
    {
      id: `checkpoint-${timestamp}`,
      phase: unitOf(ended),
      timestamp,
      filesSnapshot: [...ended.files, ...ended.touched].map((change) => ({
        path: change.path,
        status: statusOf(change),
        contentHash: (change.after ?? change.before)?.blob ?? '',
        timestamp,
      })),
      databaseSnapshot: database === undefined ? null : { digest: database.digest, bytes: database.bytes },
    },
  ];
}

function statusOf({ before, after }: FileChange): 'A' | 'M' | 'D' {
  if (after === null) return 'D';
  return before === null ? 'A' : 'M';
}

function timeOf(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time);
}
