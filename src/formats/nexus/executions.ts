import { z } from 'zod';
import { historyEntrySchema, UNNAMED_UNIT, type HistoryEntry } from '../../history/history-entry.ts';
import { isJsonObject } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { SourceFile, SourceReader } from '../format.ts';
import { time, WORKFLOW_STATUSES, type WorkflowStatus } from './workflow-state.ts';

const count = z.int().min(0).max(10_000).default(0);
const names = z.array(z.string()).max(1_000).default([]);

/** A line of `executions.jsonl`. The examples of Nexus have seven of the twelve keys, its function writes all of them. */
const executionSchema = z.looseObject({
  id: z.string().min(1).max(200),
  workflowName: z.string().min(1),
  userTask: z.string(),
  status: z.enum(WORKFLOW_STATUSES),
  duration: z.number().min(0).nullable(),
  phasesCompleted: count,
  phasesFailed: count,
  phasesSkipped: count,
  pluginsUsed: names,
  mcpsUsed: names,
  timestamp: time,
  error: z.string().nullable().default(null),
});

const WORKFLOW_ID = /^workflow-\d{8}-\d{6}(?:-\d+)?$/;

/** Nexus has no status for a closed run: it becomes ERROR. */
export function workflowStatus(status: string): WorkflowStatus {
  return status === 'closed' ? 'ERROR' : (status.toUpperCase() as WorkflowStatus);
}

type RunName = Pick<HistoryEntry, 'pipeline' | 'subject' | 'run'>;

export function runKey({ pipeline, subject, run }: RunName): string {
  return JSON.stringify([pipeline, subject, run]);
}

/**
 * The workflow ids of runs: the subject if it is such an id, else made of the start time in UTC. A second run with the same
 * id gets a number.
 * @param entries the oldest first
 */
export function workflowIds(
  entries: readonly (RunName & Pick<HistoryEntry, 'started'>)[],
): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const ids = entries.map((entry) => {
    const [day, clock] = entry.started.replaceAll(/[-:]/g, '').split(/[T.]/);
    const first = WORKFLOW_ID.test(entry.subject) ? entry.subject : `workflow-${day}-${clock}`;
    let id = first;
    for (let n = 2; taken.has(id); n += 1) id = `${first}-${n}`;
    taken.add(id);
    return [runKey(entry), id] as const;
  });
  return new Map(ids);
}

/** The end of a run in milliseconds since 1970; `null`: it has not ended. */
export function endTimeOf({ status, ended }: { readonly status: string; readonly ended?: string }): number | null {
  return ended === undefined || status === 'executing' || status === 'paused' || status === 'initializing'
    ? null
    : Date.parse(ended);
}

/** The lines of `executions.jsonl`, with the twelve keys of Nexus's `appendToHistory`. @param history the newest first */
export function executionLines(history: readonly HistoryEntry[]): string {
  const entries = history.toReversed();
  const ids = workflowIds(entries);
  const lines = entries.map((entry) => {
    const { started, task, subject, pipeline, status, plugins, mcps, failure, units } = entry;
    const end = endTimeOf(entry);
    const countOf = (...statuses: string[]): number => units.filter((unit) => statuses.includes(unit.status)).length;
    return JSON.stringify({
      id: ids.get(runKey(entry)),
      workflowName: pipeline,
      userTask: task ?? subject,
      status: workflowStatus(status),
      duration: end === null ? null : end - Date.parse(started),
      phasesCompleted: countOf('passed'),
      phasesFailed: countOf('failed', 'partial', 'lost'),
      phasesSkipped: countOf('skipped', 'not-applicable'),
      pluginsUsed: plugins ?? [],
      mcpsUsed: mcps ?? [],
      timestamp: Date.parse(started),
      error: failure?.message ?? null,
    });
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** With more bad lines the file is rejected. */
const MAX_BAD_LINES = 1_000;
const MAX_LINE_DEPTH = 50;

/**
 * Reads one entry for each execution that ended. Nexus appends a line at each save, so the last valid line of an id
 * counts. Other lines, such as the last one of a killed process, are named and left out.
 */
export function readExecutions(file: SourceFile, reader: SourceReader): HistoryEntry[] {
  const entries = new Map<string, HistoryEntry | undefined>();
  const bad: number[] = [];
  for (const [index, line] of (reader.readText(file) ?? '').split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = parseJson(Buffer.from(line), { maxDepth: MAX_LINE_DEPTH });
    const execution =
      parsed.ok && isJsonObject(parsed.value) ? executionSchema.safeParse(parsed.value).data : undefined;
    if (execution === undefined) {
      bad.push(index + 1);
      continue;
    }
    // Deleted first, so that the order of the map is that of the last lines.
    entries.delete(execution.id);
    entries.set(execution.id, toEntry(execution));
  }
  if (bad.length > MAX_BAD_LINES) reader.reject({ file: file.path }, `${bad.length} lines are no executions`);
  else if (bad.length > 0)
    reader.notes.push(`${file.path}: no executions, left out: line ${bad.slice(0, 10).join(', ')}`);
  const open = [...entries].filter(([, entry]) => entry === undefined).map(([id]) => id);
  if (open.length > 0) reader.notes.push(`${file.path}: not over, left out: ${open.slice(0, 10).join(', ')}`);
  return [...entries.values()].flatMap((entry) => entry ?? []);
}

function toEntry(line: z.infer<typeof executionSchema>): HistoryEntry | undefined {
  const status = line.status.toLowerCase();
  if (status === 'executing' || status === 'initializing') return undefined;
  const { timestamp, duration, phasesCompleted, phasesFailed, phasesSkipped, pluginsUsed, mcpsUsed, error } = line;
  const ms = Math.round(duration ?? 0);
  const statuses = { passed: phasesCompleted, failed: phasesFailed, skipped: phasesSkipped };
  // The line has numbers of phases, without names.
  const words = Object.entries(statuses).flatMap(([word, number]) => Array<string>(number).fill(word));
  const entry = {
    v: 1,
    pipeline: line.workflowName,
    subject: line.id,
    run: 1,
    status,
    started: new Date(timestamp).toISOString(),
    ended: new Date(Math.min(timestamp + ms, 8.64e15)).toISOString(),
    ms,
    task: shorten(line.userTask),
    ...(error !== null && { failure: { unit: '', kind: 'agent-error', message: shorten(error) } }),
    ...(pluginsUsed.length > 0 && { plugins: pluginsUsed.map(shorten) }),
    ...(mcpsUsed.length > 0 && { mcps: mcpsUsed.map(shorten) }),
    units: words.map((word) => ({ unit: UNNAMED_UNIT, status: word, attempts: word === 'skipped' ? 0 : 1 })),
  };
  return historyEntrySchema.safeParse(entry).data;
}

function shorten(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200);
}
