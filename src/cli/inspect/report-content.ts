import { stateInBudget } from '../../engine/call/call-budget.ts';
import type { Call } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { queryRuns, type HistorySource } from '../../history/query.ts';
import type { HistoryEntry } from '../../history/entry.ts';
import { boundedLog, boundedValue } from '../../report/html/bounds.ts';
import type { AttemptContent, Part, ReportContent } from '../../report/html/content.ts';
import { jsonText } from '../../report/json/json-text.ts';
import { oneLine } from '../../report/text.ts';
import type { Digest } from '../../json/digest.ts';
import type { UnitState } from '../../run/state/run-state.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import { attemptDifferences, differenceLines } from '../project/attempt-differences.ts';
import { attemptNumbered, type NumberedAttempt } from '../project/attempt-numbered.ts';
import type { OpenedRun } from '../project/open.ts';
import { contentOf, TEXT_PARTS } from '../project/show-parts.ts';

/** Parts of an attempt that the page has, in order. */
const PARTS = ['request', 'output', 'stdout', 'stderr', 'learnings'] as const;
/** Attempts of one gate that are shown: the latest. */
const MOST_ATTEMPTS = 10;
/** Earlier runs that are read. */
const MOST_RUNS = 50;
/** Bytes of text that are read for one page: more would not fit on it. */
const MOST_READ = 20_000_000;

/** What is read for a page, and how much more may be. */
interface Reading {
  readonly call: Call;
  /** `--file`, `--subject` and `--run`, for commands that show a part. */
  readonly about: string;
  left: number;
}

/** Reads all that the page about a run shows. @param about options that name the run, for commands */
export async function reportContent(
  { call, loaded }: Pick<OpenedRun, 'call' | 'loaded'>,
  { about, now, source }: { readonly about: string; readonly now: Date; readonly source: HistorySource },
): Promise<Omit<ReportContent, 'refresh'>> {
  const state = await stateInBudget(call);
  const reading: Reading = { call, about, left: MOST_READ };
  const attempts = new Map<UnitKey, readonly AttemptContent[]>();
  for (const unit of state.units.values()) attempts.set(unit.key, await attemptsOfUnit(reading, unit));
  const history: readonly HistoryEntry[] = queryRuns(source, { pipeline: state.pipeline }, MOST_RUNS).entries;
  const { redactText: redact } = call.redactor;
  const records = call.journal.archive().records;
  return { pipeline: loaded.pipeline, state, records, attempts, history, now: now.toISOString(), redact };
}

async function attemptsOfUnit(reading: Reading, unit: UnitState): Promise<AttemptContent[]> {
  const { length } = unit.numbered;
  const first = Math.max(1, length - MOST_ATTEMPTS + 1);
  const attempts: AttemptContent[] = [];
  let before: NumberedAttempt | undefined;
  for (let number = first; number <= length; number += 1) {
    const attempt = attemptNumbered(reading.call, unit, number);
    const differences = before && (await differencesTo(reading.call, before, attempt));
    attempts.push({ ...attempt, differences, parts: await partsOf(reading, unit, attempt, `${number}`) });
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
  number: string | undefined,
): Promise<Part[]> {
  const parts: Part[] = [];
  for (const name of PARTS) {
    const digest = contentOf({ unit, claim, ended, number: undefined }, name);
    if (digest === undefined) continue;
    const attempt = number === undefined ? '' : ` --attempt ${number}`;
    const command = `gateline show ${shellWord(oneLine(unit.key))} ${name}${attempt}${reading.about}`;
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
