import type { HistoryEntry } from '../../../src/history/entry.ts';
import type { AttemptContent, ReportContent } from '../../../src/report/html/content.ts';
import { digestOf } from '../../../src/json/digest.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import { decided, gate, NOW, pipelineOf, ran, stateOf } from '../fixtures.ts';

/** A run in which every text that somebody else may say is this one. */
export function hostileContent(text: string): ReportContent {
  const name = text === '' ? 'x' : text;
  const pipeline = pipelineOf([gate('data', 0, { agent: text }), gate('last', 1, { needs: ['data'] }), gate(name, 2)]);
  const where = { pipeline, subject: name };
  const issue = { severity: 'error' as const, message: text, pointer: text, rule: text };
  const change = { path: name, before: null, after: { blob: 'b', mode: '100644' as const } };
  const verdict = {
    status: 'failed' as const,
    kind: 'check' as const,
    score: 1,
    issues: [issue],
    advice: text,
    message: text,
    result: text,
  };
  const over = { verdict, files: [change], touched: [change], signal: text, metrics: { model: text, costUsd: 1 } };
  const records: GatelineRecord[] = [
    ...ran('data', where, over),
    ...ran(name, { ...where, minute: 1 }, over),
    decided('last', where, { actor: name, reason: text }),
  ];
  const problems = [{ code: 'CORRUPT' as const, where: text, message: text, quarantine: text }];
  const state = { ...stateOf(records, { ...where, problems }).state, task: text };
  const part = { name: 'output', bytes: 5, digest: digestOf('x'), text, left: text, command: text };
  const attemptOf = (key: string): AttemptContent[] =>
    records.flatMap((record) =>
      record.kind === 'ended' && record.gate === key
        ? [1, 2].map((number) => ({ number, claim: undefined, ended: record, parts: [part], differences: [text] }))
        : [],
    );
  const attempts = new Map([...state.units.keys()].map((key) => [key, attemptOf(key)]));
  const history = [entryOf(text), entryOf(text)];
  return { pipeline, state, records, attempts, history, now: NOW, refresh: undefined, redact: (one) => one };
}

/** The entry of a run that failed with this text. */
function entryOf(text: string): HistoryEntry {
  return {
    format: 'gateline-history/2',
    pipeline: 'p',
    subject: text,
    run: 1,
    attempt: 1,
    started: '2026-01-02T03:00:00.000Z',
    status: 'error',
    ended: '2026-01-02T03:01:00.000Z',
    ms: 60_000,
    gates: 2,
    passed: 1,
    failed: 1,
    skipped: 0,
    reused: 0,
    cost: 0.5,
    failure: { gate: text, message: text },
  };
}
