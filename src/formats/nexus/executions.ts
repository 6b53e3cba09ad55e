import { z } from 'zod';
import { fitEntry } from '../../history/entry-line.ts';
import { HISTORY_FORMAT, parseHistoryEntry, runKeyOf, type HistoryEntry } from '../../history/entry.ts';
import { isJsonObject } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import { RUN_GATE } from '../../run/records/record.ts';
import type { RunStatus } from '../../run/state/run-state.ts';
import type { SourceFile } from '../exchange.ts';
import { MAX_IMPORT_DEPTH, type FileFindings } from '../findings.ts';
import { jsonText } from '../json-text.ts';
import { nexusStatus, WORKFLOW_STATUSES } from './workflow-state.ts';

const count = z.int().min(0).max(1_000_000).default(0);
const names = z.array(z.string()).default([]);

/** A line of `executions.jsonl`. The seed's examples have seven of the twelve keys, its function writes all of them. */
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
  timestamp: z.number().min(0).max(8.64e15),
  error: z.string().nullable().default(null),
});

const WORKFLOW_ID = /^workflow-\d{8}-\d{6}(?:-\d+)?$/;

/** Runs of these statuses have ended. */
const ENDED: ReadonlySet<RunStatus> = new Set(['completed', 'error', 'rollback']);

/** When a run ended, in milliseconds; `null`: it has not. */
export function endTimeOf({ status, ended }: Pick<HistoryEntry, 'status' | 'ended'>): number | null {
  return ENDED.has(status) ? Date.parse(ended) : null;
}

/**
 * The id of each run: its subject, if that is such an id, otherwise one made of the time at which it began, UTC. A
 * second run with the same id gets a number.
 * @param entries the oldest first
 */
export function workflowIds(entries: readonly HistoryEntry[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const ids = entries.map((entry) => {
    const [day, clock] = entry.started.replaceAll(/[-:]/g, '').split(/[T.]/);
    const first = WORKFLOW_ID.test(entry.subject) ? entry.subject : `workflow-${day}-${clock}`;
    let id = first;
    for (let n = 2; taken.has(id); n += 1) id = `${first}-${n}`;
    taken.add(id);
    return [runKeyOf(entry), id] as const;
  });
  return new Map(ids);
}

/** The lines of `executions.jsonl`, with the twelve keys of the seed's `appendToHistory`. */
export function executionLines(entries: readonly HistoryEntry[]): string {
  const ids = workflowIds(entries);
  const lines = entries.map((entry) => {
    const { started, task, subject, pipeline, status, passed, failed, skipped, plugins, mcps, failure } = entry;
    const end = endTimeOf(entry);
    return jsonText({
      id: ids.get(runKeyOf(entry)),
      workflowName: pipeline,
      userTask: task ?? subject,
      status: nexusStatus(status),
      duration: end === null ? null : end - Date.parse(started),
      phasesCompleted: passed,
      phasesFailed: failed,
      phasesSkipped: skipped,
      pluginsUsed: plugins ?? [],
      mcpsUsed: mcps ?? [],
      timestamp: Date.parse(started),
      error: failure?.message ?? null,
    });
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** What `executions.jsonl` says. */
export interface ReadExecutions {
  readonly history: readonly HistoryEntry[];
  /** The id in the last line. */
  readonly last: string | undefined;
}

/**
 * One entry for each execution. The seed appends a line at each save: of several lines with one id, the last valid one
 * is used. Lines that are no executions are left out and named, as the last line of a killed process.
 */
export function readExecutions(file: SourceFile, findings: FileFindings): ReadExecutions {
  const found = new Map<string, ReadExecution>();
  const repeated = new Set<string>();
  let last: string | undefined;
  let damaged = 0;
  for (const [where, line] of linesOf(findings.text(file) ?? '')) {
    if (line.trim() === '') continue;
    const parsed = parsedLine(line);
    const entry = parsed && entryOf(parsed);
    if (typeof entry !== 'object') {
      damaged += 1;
      if (damaged > MOST_DAMAGED) {
        findings.refuse(file.path, where, `more than ${MOST_DAMAGED} lines are not executions`);
        break;
      }
      findings.leave(file.path, where, entry ?? 'this line is not an execution');
      continue;
    }
    const { id } = parsed!;
    last = id;
    if (found.has(id)) repeated.add(id);
    // The newest line of an execution is last, also in the order of the map.
    found.delete(id);
    found.set(id, { ...entry, where });
  }
  for (const id of repeated) findings.notes.push(`${file.path}: ${id} has several lines; the last valid one is used`);
  for (const [id, { entry, where }] of found)
    if (entry === undefined) findings.leave(file.path, where, `${id} is not over, so it has no entry`);
  return { history: [...found.values()].flatMap(({ entry }) => entry ?? []), last };
}

/** One more, and the file is not what its name says. */
const MOST_DAMAGED = 1_000;

interface ReadExecution {
  /** `undefined`: the execution is not over. */
  readonly entry: HistoryEntry | undefined;
  /** JSON pointer of its line. */
  readonly where: string;
}

/** The lines of a text that may have millions of them, each with its pointer. */
function* linesOf(text: string): Generator<readonly [string, string]> {
  for (let [start, index] = [0, 0]; start < text.length; index += 1) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    yield [`/${index}`, text.slice(start, end)];
    start = end + 1;
  }
}

function parsedLine(line: string): z.infer<typeof executionSchema> | undefined {
  const parsed = parseJson(Buffer.from(line), { maxDepth: MAX_IMPORT_DEPTH });
  return parsed.ok && isJsonObject(parsed.value) ? executionSchema.safeParse(parsed.value).data : undefined;
}

/** The entry of a line, or why it has none. */
function entryOf(line: z.infer<typeof executionSchema>): Pick<ReadExecution, 'entry'> | string {
  const status = line.status.toLowerCase() as RunStatus;
  if (status === 'executing' || status === 'initializing') return { entry: undefined };
  const from = Math.round(line.timestamp);
  const ended = Math.min(from + Math.round(line.duration ?? 0), 8.64e15);
  const { phasesCompleted: passed, phasesFailed: failed, phasesSkipped: skipped } = line;
  const read = parseHistoryEntry({
    format: HISTORY_FORMAT,
    pipeline: line.workflowName,
    subject: line.id,
    run: 1,
    attempt: 1,
    started: new Date(from).toISOString(),
    status,
    ended: new Date(ended).toISOString(),
    ms: ended - from,
    gates: passed + failed + skipped,
    passed,
    failed,
    skipped,
    task: short(line.userTask),
    // The line does not say which phase failed.
    ...(line.error !== null && { failure: { gate: RUN_GATE, message: short(line.error) } }),
    ...(line.pluginsUsed.length > 0 && { plugins: line.pluginsUsed.slice(0, 50).map(short) }),
    ...(line.mcpsUsed.length > 0 && { mcps: line.mcpsUsed.slice(0, 50).map(short) }),
  });
  if (read.state === 'present') return { entry: fitEntry(read.value) };
  return `${line.id} has no entry: ${read.state === 'unknown' ? read.problem.message : 'it is empty'}`;
}

function short(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200);
}
