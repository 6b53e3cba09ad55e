import type { Call } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { HistoryEntry } from '../../history/entry.ts';
import { boundedLog, boundedValue } from '../../report/html/bounds.ts';
import type { AttemptContent, Part, ReportContent } from '../../report/html/content.ts';
import { jsonText } from '../../report/json/json-text.ts';
import { oneLine } from '../../report/text.ts';
import type { Digest } from '../../json/digest.ts';
import type { RunState, UnitState } from '../../run/state/run-state.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { attemptDifferences, differenceLines } from './attempt-differences.ts';
import { attemptNumbered, type NumberedAttempt } from './attempt-numbered.ts';
import { contentOf, TEXT_PARTS } from './parts.ts';

/** Parts of an attempt that the page has, in order. */
const PARTS = ['request', 'output', 'stdout', 'stderr', 'learnings'] as const;
/** Attempts of one gate that are shown: the latest. */
const MOST_ATTEMPTS = 10;
/** Bytes of text that are read for one page: more would not fit on it. */
const MOST_READ = 20_000_000;

/** Data that a page shows besides the records and contents of its run. */
export interface ReportAbout {
  readonly pipeline: ReportContent['pipeline'];
  readonly state: RunState;
  /** Runs of the pipeline, the newest first. */
  readonly history: readonly HistoryEntry[];
  readonly now: Date;
  /** The command that prints a whole part. @param attempt its number; `undefined`: of an earlier run */
  readonly commandFor: (unit: UnitKey, part: string, attempt: number | undefined) => string;
}

/** The contents read for a page, and the remaining size. */
interface Reading extends Pick<ReportAbout, 'commandFor'> {
  readonly call: Call;
  left: number;
}

/** Reads all that the page about a run shows. */
export async function reportContent(
  call: Call,
  { pipeline, state, history, now, commandFor }: ReportAbout,
): Promise<Omit<ReportContent, 'refresh'>> {
  const reading: Reading = { call, commandFor, left: MOST_READ };
  const attempts = new Map<UnitKey, readonly AttemptContent[]>();
  for (const unit of state.units.values()) attempts.set(unit.key, await attemptsOfUnit(reading, unit));
  const { redactText: redact } = call.redactor;
  const records = call.journal.archive().records;
  return { pipeline, state, records, attempts, history, now: now.toISOString(), redact };
}

async function attemptsOfUnit(reading: Reading, unit: UnitState): Promise<AttemptContent[]> {
  const { length } = unit.numbered;
  const first = Math.max(1, length - MOST_ATTEMPTS + 1);
  const attempts: AttemptContent[] = [];
  let before: NumberedAttempt | undefined;
  for (let number = first; number <= length; number += 1) {
    const attempt = attemptNumbered(reading.call, unit, number);
    const differences = before && (await differencesTo(reading.call, before, attempt));
    attempts.push({ ...attempt, differences, parts: await partsOf(reading, unit, attempt, number) });
    before = attempt;
  }
  // Of a reused output there is no attempt in this run: what is reused is shown.
  if (length === 0 && unit.ended !== undefined) {
    const attempt = { number: unit.ended.n, claim: undefined, ended: unit.ended };
    attempts.push({ ...attempt, differences: undefined, parts: await partsOf(reading, unit, attempt, undefined) });
  }
  return attempts;
}

async function differencesTo(call: Call, before: NumberedAttempt, after: NumberedAttempt): Promise<string[]> {
  try {
    return differenceLines(await attemptDifferences(call, before, after));
  } catch (error) {
    if (error instanceof GatelineError) return [`cannot be compared: ${oneLine(error.message)}`];
    throw error;
  }
}

async function partsOf(
  reading: Reading,
  unit: UnitState,
  { claim, ended }: NumberedAttempt,
  number: number | undefined,
): Promise<Part[]> {
  const parts: Part[] = [];
  for (const name of PARTS) {
    const digest = contentOf({ claim, ended }, name);
    if (digest === undefined) continue;
    const command = reading.commandFor(unit.key, name, number);
    parts.push({ name, digest, command, ...(await textOf(reading, name, digest)) });
  }
  return parts;
}

async function textOf(
  reading: Reading,
  name: (typeof PARTS)[number],
  digest: Digest,
): Promise<Pick<Part, 'bytes' | 'text' | 'left'>> {
  if (reading.left <= 0) return { bytes: undefined, text: undefined, left: 'The page is full.' };
  const read = await reading.call.ports.store.get(digest);
  if (read.state !== 'present') {
    const why = read.state === 'unknown' ? read.problem.message : 'it is missing from the store';
    return { bytes: undefined, text: undefined, left: `It cannot be read: ${oneLine(why)}.` };
  }
  const whole = new TextDecoder().decode(read.value);
  const isText = TEXT_PARTS.has(name);
  const shown = isText ? boundedLog(whole) : boundedValue(indented(whole));
  reading.left -= shown.text.length;
  return { bytes: read.value.length, ...shown };
}

/** JSON as people read it. Stored values are canonical, without line breaks. */
function indented(text: string): string {
  try {
    return jsonText(JSON.parse(text)).trimEnd();
  } catch {
    return text;
  }
}
