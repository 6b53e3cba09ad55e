import type { HistoryEntry } from '../history/entry.ts';
import { csvOf } from '../history/csv.ts';
import type { GateRow } from '../history/query.ts';

const RUN_COLUMNS = [
  'pipeline',
  'subject',
  'run',
  'runId',
  'attempt',
  'status',
  'started',
  'ended',
  'ms',
  'gates',
  'passed',
  'failed',
  'skipped',
  'reused',
  'cost',
  'tokens',
  'failedGate',
  'kind',
  'message',
  'iteration',
  'task',
  'set',
  'closedBy',
  'commit',
  'branch',
  'event',
  'trust',
  'actor',
  'workflowFile',
  'tools',
  'mcps',
  'plugins',
  'models',
];

const GATE_COLUMNS = [
  'pipeline',
  'subject',
  'run',
  'runId',
  'started',
  'gate',
  'leg',
  'status',
  'score',
  'attempts',
  'first',
  'reused',
  'flaky',
  'ms',
  'tokens',
  'cost',
  'model',
  'fingerprint',
  'contract',
  'iteration',
  'group',
  'result',
  'message',
];

/** Runs as CSV, with names as in JSON; the failure is in three columns. */
export function runsCsv(entries: readonly HistoryEntry[]): string {
  const rows = entries.map(({ failure, ...entry }) => {
    const { gate: failedGate, kind, message } = failure ?? {};
    return { ...entry, failedGate, kind, message };
  });
  return csvOf(RUN_COLUMNS, rows);
}

/** A gate in its runs as CSV, with names as in JSON. */
export function gateCsv(rows: readonly GateRow[]): string {
  return csvOf(GATE_COLUMNS, rows);
}
