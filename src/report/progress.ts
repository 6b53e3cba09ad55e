import type { UnitKey } from '../pipeline/pipeline.ts';
import type { EngineEvent, UnitPlan } from '../run/events.ts';
import { verdictText } from '../verdict/verdict.ts';
import { countOf, formatDuration, formatMoney, formatScore, joinTexts, listNames } from './amounts.ts';
import { renderTable, safeLine, safeText, type Column, type Screen, type Tone } from './table.ts';

type Opened = Extract<EngineEvent, { type: 'opened' }>;
type Ended = Extract<EngineEvent, { type: 'ended' }>;

/** The current row of a unit. */
interface Row {
  readonly key: UnitKey;
  readonly word: string;
  readonly tone: Tone;
  readonly reason: string;
  /** ISO 8601. Only while its agent works. */
  readonly started?: string;
  readonly ms?: number;
}

/** The events of a call as lines for a log, and as a table for a terminal. */
export class Progress {
  readonly #isVerbose: boolean;
  readonly #rows = new Map<UnitKey, Row>();
  readonly #plans = new Map<UnitKey, UnitPlan>();
  readonly #notes = new Set<string>();
  #head = '';

  /** @param isVerbose shows what agents print, each line after `gate | ` */
  constructor(isVerbose = false) {
    this.#isVerbose = isVerbose;
  }

  /** Applies an event. @returns text for a log, safe for a terminal; undefined: none */
  apply(event: EngineEvent): string | undefined {
    switch (event.type) {
      case 'opened':
        for (const key of event.units) if (!this.#rows.has(key)) this.#set(key, 'pending', 'quiet', '');
        return this.#open(event);
      case 'planned':
        return this.#plan(event.plan);
      case 'started': {
        const { unit, n, reason, at } = event;
        this.#set(unit, 'running', 'strong', reason, { started: at });
        const hint = this.#plans.get(unit)?.hint;
        const line = safeText(`${unit}: attempt ${n} starts: ${reason}`);
        return n > 1 || hint === undefined ? line : `${line}\n  ${safeText(hint)}`;
      }
      case 'output':
        return this.#isVerbose ? `${safeText(event.unit)} | ${safeLine(event.line)}` : undefined;
      case 'ended':
        return this.#end(event);
      case 'rework': {
        const reason = `iteration ${event.iteration}, sent back by ${listNames(event.causes)}`;
        for (const key of this.#rows.keys())
          if (key === event.gate || key.startsWith(`${event.gate}/`)) this.#set(key, 'pending', 'warning', reason);
        return safeText(`${event.gate}: ${reason}`);
      }
      case 'checkpoint':
        return event.text;
      case 'notice': {
        const note = safeText(`note: ${event.message}${event.hint === undefined ? '' : ` (${event.hint})`}`);
        if (this.#notes.has(note)) return undefined;
        this.#notes.add(note);
        return note;
      }
    }
  }

  isRunning(unit: UnitKey): boolean {
    return this.#rows.get(unit)?.word === 'running';
  }

  /** Names the run, once: a call that first gives attempts up reports it twice. */
  #open({ pipeline, subject, run, folder, units }: Opened): string | undefined {
    const head = safeText(`Run ${run} of ${pipeline} for ${subject}, in ${folder}`);
    if (head === this.#head) return undefined;
    this.#head = head;
    return `${head}\n${safeText(`${countOf(units.length, 'gate')}: ${listNames(units, 10)}`)}`;
  }

  /** The plan of a unit. Uses, runs and skips get their lines with later events. */
  #plan(plan: UnitPlan): string | undefined {
    const { unit, choice, reason } = plan;
    this.#plans.set(unit, plan);
    this.#set(unit, choice === 'run' ? 'pending' : choice, 'quiet', reason);
    return ['use', 'run', 'skip'].includes(choice) ? undefined : safeText(`${unit}: ${choice}: ${reason}`);
  }

  #end({ unit, how, verdict, score, changes, ms, costUsd, approval, retries }: Ended): string {
    const isGood = verdict.status === 'passed' || verdict.status === 'not-applicable' || approval !== undefined;
    const planned = approval ?? this.#plans.get(unit)?.reason ?? '';
    const reason = isGood ? (how === 'ran' ? (verdict.message ?? '') : planned) : verdictText(verdict);
    const word = how === 'ran' ? verdict.status : how;
    const tone = verdict.status === 'failed' ? 'bad' : isGood ? 'good' : 'warning';
    this.#set(unit, retries ? 'pending' : word, tone, reason, { ms });
    const details = joinTexts([
      score !== undefined && verdict.status === 'passed' ? `score ${formatScore(score)}` : '',
      formatDuration(ms),
      formatMoney(costUsd),
      changes.length === 0 ? '' : `${countOf(changes.length, 'file')} ${how === 'used' ? 'put back' : 'changed'}`,
      retries ? 'another attempt follows' : '',
    ]);
    const end = details && (reason === '' ? `: ${details}` : ` (${details})`);
    return safeText(`${unit}: ${word}${reason === '' ? '' : `: ${reason}`}${end}`);
  }

  #set(key: UnitKey, word: string, tone: Tone, reason: string, times: Pick<Row, 'started' | 'ms'> = {}): void {
    this.#rows.set(key, { key, word, tone, reason, ...times });
  }

  /**
   * Renders the current table.
   * @param now ISO 8601
   * @param height at most this many rows. With more units, those that run or failed are shown, and the rest is counted
   */
  render(now: string, height: number, screen: Screen = {}): string {
    const rows = [...this.#rows.values()];
    const important = rows.filter(({ word, tone }) => word === 'running' || tone === 'bad');
    const shown = rows.length <= height ? rows : important.slice(0, height);
    const columns: Column<Row>[] = [
      { head: 'gate', cell: ({ key }) => key },
      { head: 'status', cell: ({ word, tone }) => ({ text: word, tone }) },
      { head: 'time', cell: ({ started, ms }) => timeText(now, started, ms), isNumber: true },
      { head: 'why', cell: ({ reason }) => reason, max: 300 },
    ];
    const rest = rows.length - shown.length;
    return renderTable(columns, shown, screen) + (rest === 0 ? '' : `and ${countOf(rest, 'other gate')}\n`);
  }
}

function timeText(now: string, started: string | undefined, ms?: number): string {
  if (started !== undefined) return formatDuration(Date.parse(now) - Date.parse(started));
  return formatDuration(ms);
}
