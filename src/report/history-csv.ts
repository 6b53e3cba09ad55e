import type { HistoryEntry } from '../history/entry.ts';
import { csvLines } from '../history/csv.ts';
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
  'kind',
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
export function runsCsv(entries: Iterable<HistoryEntry>): Generator<string> {
  return csvLines(RUN_COLUMNS, rowsOf(entries));
}

function* rowsOf(entries: Iterable<HistoryEntry>): Generator<object> {
  for (const { failure, ...entry } of entries) {
    const { gate: failedGate, kind, message } = failure ?? {};
    yield { ...entry, failedGate, kind, message };
  }
}

/** A gate in its runs as CSV, with names as in JSON. */
export function gateCsv(rows: Iterable<GateRow>): Generator<string> {
  return csvLines(GATE_COLUMNS, rows);
}
