import type { Pipeline } from '../src/pipeline/pipeline.ts';
import type { HistoryEntry } from '../src/history/entry.ts';
import type { AttemptContent, Part, ReportContent } from '../src/report/html/content.ts';
import { htmlReport } from '../src/report/html/page.ts';
import { digestOf } from '../src/json/digest.ts';
import { foldRun } from '../src/run/state/fold.ts';
import { unitOf, type GatelineRecord } from '../src/run/records/record.ts';
import { unitsOf } from '../src/run/records/unit.ts';
import { gate, NOW, pipelineOf, ran } from '../test/report/fixtures.ts';
import { examplePipeline, readRecording } from './write-run-image.ts';

/** A picture of the page about a run. */
export interface ReportPicture {
  readonly html: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly colours: 'light' | 'dark';
  readonly media: 'screen' | 'print';
  /** Id of the section at the top of the picture. Default: the top of the page. */
  readonly at?: string;
}

const SCREEN = { width: 900, height: 640, colours: 'light', media: 'screen' } as const;
const GATES_IN_A_ROW = 20;

/** The six pictures of docs/recipes/html-report.md, by the names of their files. */
export function reportPictures(): Readonly<Record<string, ReportPicture>> {
  const done = pictured(exampleRun());
  const failed = pictured(exampleRun(1));
  const large = pictured(largeRun());
  return {
    'report-light': { ...SCREEN, html: done, at: 'overview' },
    'report-dark': { ...SCREEN, html: done, colours: 'dark', at: 'history' },
    'report-print': { ...SCREEN, html: done, media: 'print', at: 'graph' },
    'report-narrow': { ...SCREEN, html: done, width: 320 },
    'report-large': { ...SCREEN, html: large, at: 'graph' },
    'report-failed': { ...SCREEN, html: failed, at: 'gate-4' },
  };
}

interface PicturedRun {
  readonly pipeline: Pipeline;
  readonly records: readonly GatelineRecord[];
  readonly now: string;
}

/** The recorded run of examples/web-tests. @param attempts only so many of its calls */
function exampleRun(attempts = Infinity): PicturedRun {
  const records = readRecording().records.filter(({ runAttempt }) => runAttempt <= attempts);
  const now = records
    .map(({ at }) => at)
    .toSorted()
    .at(-1)!;
  return { pipeline: examplePipeline(), records, now };
}

/** 400 gates, each after one of the row before. */
function largeRun(): PicturedRun {
  const idOf = (at: number): string => `gate-${at + 1}`;
  const gates = Array.from({ length: 400 }, (_, at) =>
    gate(idOf(at), at, at < GATES_IN_A_ROW ? {} : { needs: [idOf(at - GATES_IN_A_ROW)] }),
  );
  const pipeline = pipelineOf(gates, { id: 'large' });
  const records = gates.flatMap(({ id }, at) => ran(id, { pipeline, minute: Math.floor(at / GATES_IN_A_ROW) }));
  return { pipeline, records, now: NOW };
}

/** Fonts of many machines have no emoji: signs take their place. */
const SIGNS: Readonly<Record<string, string>> = { '✅': '✔', '❌': '✘', '⏳': '…', '⚪': '○', '♻️': '↻' };

function pictured(run: PicturedRun): string {
  const html = htmlReport(contentOf(run));
  return Object.entries(SIGNS).reduce((text, [emoji, sign]) => text.replaceAll(emoji, sign), html);
}

function contentOf({ pipeline, records, now }: PicturedRun): ReportContent {
  const { subject } = records[0]!;
  const state = foldRun(unitsOf(pipeline), { records, problems: [] }, { pipeline: pipeline.id, subject }, { now });
  const attempts = new Map([...state.units.keys()].map((key) => [key, attemptsOf(records, key)]));
  const history = [1, 2, 3, 4, 5, 6, 7, 8].map((run) => entryOf(pipeline.id, subject, run));
  return { pipeline, state, records, attempts, history, now, refresh: undefined, redact: (text) => text };
}

function attemptsOf(records: readonly GatelineRecord[], key: string): AttemptContent[] {
  return records
    .filter((one) => one.kind === 'ended' && unitOf(one) === key)
    .map((ended, at) => ({
      number: at + 1,
      claim: undefined,
      ended: ended as AttemptContent['ended'],
      parts: [partOf(key)],
      differences: at === 0 ? undefined : ['page/registration.html changed'],
    }));
}

function partOf(key: string): Part {
  const text = JSON.stringify({ gate: key, score: 95 }, null, 2);
  const command = `gateline show ${key} output`;
  return { name: 'output', bytes: text.length, digest: digestOf(text), text, left: undefined, command };
}

/** Of an earlier run. Every third one failed. */
function entryOf(pipeline: string, subject: string, number: number): HistoryEntry {
  const isFailed = number % 3 === 0;
  const started = `2026-11-${20 - number}T09:00:00.000Z`;
  return {
    format: 'gateline-history/2',
    pipeline,
    subject,
    run: 20 - number,
    attempt: 1,
    started,
    ended: started.replace('09:00', `09:0${(number * 3) % 7}`),
    status: isFailed ? 'error' : 'completed',
    ms: 60_000 * ((number * 3) % 7) + 20_000,
    gates: 6,
    passed: isFailed ? 4 : 6,
    failed: isFailed ? 1 : 0,
    skipped: 0,
    reused: number % 4,
    cost: ((number * 5) % 9) / 10,
    ...(isFailed && { failure: { gate: 'execute', kind: 'check', message: 'the form refuses every number' } }),
  };
}
