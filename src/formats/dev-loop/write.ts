import { keptSubject } from '../../history/entry.ts';
import type { HistoryEntry } from '../../history/entry.ts';
import type { JsonValue } from '../../json/json.ts';
import { withEntries } from '../../memory/entries.ts';
import type { ExportedRun, WrittenFile } from '../exchange.ts';
import { jsonText } from '../json-text.ts';
import { phasesOf, type Phase } from '../phases.ts';
import { EXECUTION_STATE_FORMAT, METRICS_FORMAT, NODE_GATES, prdWord, taskWord, type LoopState } from './loop-state.ts';

/** The files of seed 003. Checkpoints of LangGraph are written by `gateline/langgraph`. */
export function writeDevLoop(run: ExportedRun): WrittenFile[] {
  const phases = phasesOf(run);
  const own = run.history.filter(({ pipeline }) => pipeline === run.pipeline.id);
  const attempts = phases.reduce((sum, phase) => sum + phase.retries, 0);
  const retries = retriesOf(run, own, attempts);
  const document = (name: string): string | undefined => run.documents.find((one) => one.name === name)?.text;
  const progress = document('progress') ?? progressOf(own);
  const patterns = document('learned-patterns');
  return [
    { path: 'workflow-state.json', text: fileText(loopStateOf(run, phases, retries.get(run.state.subject) ?? 0)) },
    { path: 'retry-counts.json', text: fileText(Object.fromEntries(retries)) },
    { path: 'execution-state.json', text: fileText(executionStateOf(run, own)) },
    { path: 'metrics.json', text: fileText(metricsOf(own)) },
    ...(progress === undefined ? [] : [{ path: 'progress.md', text: progress }]),
    ...(patterns === undefined ? [] : [{ path: 'learned-patterns.md', text: patterns }]),
    ...(run.handoff === '' ? [] : [{ path: 'handoff.md', text: run.handoff }]),
  ];
}

function loopStateOf(
  { state, pipeline, metadata, handoff }: ExportedRun,
  phases: readonly Phase[],
  retries: number,
): LoopState {
  const outputOf = (gate: string): JsonValue => phases.find((phase) => phase.gate.id === gate)?.output ?? null;
  const failed = phases.find((phase) => !phase.done && (phase.status === 'failed' || phase.status === 'lost'));
  const title = state.task ?? pipeline.task;
  const task = { id: state.subject, title: title ?? state.subject, status: taskWord(state.status) };
  return {
    threadId: state.subject,
    task: outputOf(NODE_GATES.fetchTask) ?? task,
    context: Object.keys(metadata).length === 0 ? null : metadata,
    changes: outputOf(NODE_GATES.generateChanges),
    testResults: outputOf(NODE_GATES.runTests),
    status: taskWord(state.status),
    error: state.status === 'error' ? failed?.message || 'the run stopped' : null,
    retryCount: retries,
    handoffContext: handoff === '' ? {} : { document: handoff },
  };
}

/**
 * How often each task was tried again: its runs that failed, and were followed by another one, and in the exported run
 * the attempts after the first. Tasks that were not are left out.
 */
function retriesOf(
  { state: { subject, runNumber } }: ExportedRun,
  history: readonly HistoryEntry[],
  attempts: number,
): ReadonlyMap<string, number> {
  const retries = new Map<string, number>();
  for (const [kept, entries] of Map.groupBy(history, (entry) => entry.subject)) {
    const isExported = kept === keptSubject(subject);
    const newest = isExported ? runNumber : Math.max(...entries.map(({ run }) => run));
    const failed = entries.filter(({ run, status }) => run < newest && status === 'error').length;
    const count = failed + (isExported ? attempts : 0);
    if (count > 0) retries.set(isExported ? subject : kept, count);
  }
  return retries;
}

/** Each subject is a PRD; its newest run is its status. */
function executionStateOf({ state }: ExportedRun, history: readonly HistoryEntry[]): JsonValue {
  const newest = new Map(history.map((entry) => [entry.subject, entry]));
  const current = newest.get(keptSubject(state.subject));
  return {
    format: EXECUTION_STATE_FORMAT,
    activePrdSetId: current?.set ?? null,
    prds: Object.fromEntries(
      [...newest].map(([subject, { status, set, run }]) => [
        subject,
        { status: prdWord(status), set: set ?? null, run },
      ]),
    ),
  };
}

function metricsOf(history: readonly HistoryEntry[]): JsonValue {
  const count = (status: HistoryEntry['status']): number => history.filter((entry) => entry.status === status).length;
  const sum = (of: (entry: HistoryEntry) => number | undefined): number =>
    history.reduce((total, entry) => total + (of(entry) ?? 0), 0);
  return {
    format: METRICS_FORMAT,
    runs: history.length,
    completed: count('completed'),
    failed: count('error'),
    durationMs: sum(({ ms }) => ms),
    costUsd: Math.round(sum(({ cost }) => cost) * 1e6) / 1e6,
    tokens: sum(({ tokens }) => tokens),
  };
}

/** What completed runs were to achieve, if there is no document. */
function progressOf(history: readonly HistoryEntry[]): string | undefined {
  const done = history.filter(({ status, task }) => status === 'completed' && task !== undefined);
  if (done.length === 0) return undefined;
  const entries = done.map(({ subject, task }) => {
    return { category: 'Completed Tasks', text: `${subject}: ${task!}`, isDone: true as const };
  });
  return withEntries('', 'Progress', entries).document;
}

function fileText(value: JsonValue | LoopState): string {
  return `${jsonText(value, 2)}\n`;
}
