import type { UnitKey } from '../pipeline/pipeline.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { countOf, formatSavings, formatScore } from './amounts.ts';
import type { Tone } from './table.ts';
import type { Figures, RunStatus, RunView, UnitStatus, UnitView } from './view.ts';

/** A status of a unit or of a run. */
export type Status = UnitStatus | RunStatus;

export const STATUS_TONES: Readonly<Record<Status, Tone>> = {
  pending: 'quiet',
  running: 'strong',
  passed: 'good',
  partial: 'warning',
  failed: 'bad',
  lost: 'bad',
  paused: 'warning',
  skipped: 'warning',
  'not-applicable': 'quiet',
  blocked: 'quiet',
  initializing: 'quiet',
  executing: 'strong',
  completed: 'good',
  error: 'bad',
  rollback: 'warning',
  closed: 'quiet',
};

/** Statuses of units that hold a run up. */
export const STOPPING_STATUSES: ReadonlySet<UnitStatus> = new Set<UnitStatus>(['failed', 'partial', 'lost', 'paused']);

/** `3 of 6 gates used again: saved $1.84 and 12 min`; undefined if nothing was. */
export function savedText({ used, units, savedMs, savedUsd }: Figures): string | undefined {
  if (used === 0) return undefined;
  const amounts = formatSavings(savedUsd, savedMs);
  return `${used} of ${countOf(units, 'gate')} used again${amounts === '' ? '' : `: saved ${amounts}`}`;
}

/** A row of the table of gates: a unit, or the name of a group. */
export interface GateRow {
  readonly number?: number;
  readonly name: string;
  readonly status: UnitStatus;
  readonly unit?: UnitView;
}

/** Gates in the order of the definition; those of a group stand together below its name. */
export function gateRows({ units, groups }: RunView): GateRow[] {
  const rows: GateRow[] = [];
  const listed = new Set<UnitKey>();
  for (const unit of units) {
    if (listed.has(unit.key)) continue;
    const group = groups.find(({ units: keys }) => keys.includes(unit.key));
    if (group) rows.push({ name: group.id, status: group.status });
    const members = group ? units.filter(({ key }) => group.units.includes(key)) : [unit];
    for (const member of members) {
      if (!listed.has(member.key))
        rows.push({
          number: member.number,
          // White space at the start of a cell is not shown, so members of a group get a mark.
          name: group ? `└ ${member.key}` : member.key,
          status: member.status,
          unit: member,
        });
      listed.add(member.key);
    }
  }
  return rows;
}

/** Whether a unit has no result yet: what an earlier attempt did is not shown. */
const isOpen = (status: UnitStatus): boolean => ['pending', 'running', 'blocked'].includes(status);

/** How the result of a unit came about: `ran 2 times`, `used`; empty if its status says it. */
export function howText({ how, attempts, status }: UnitView): string {
  const tries = attempts.filter((attempt) => attempt.how === 'ran' || attempt.how === 'lost').length;
  if (how === undefined || how === status || isOpen(status)) return '';
  return how === 'ran' && tries > 1 ? `ran ${tries} times` : how;
}

/** The score of a unit, with the threshold if it is below: `72 < 80`; empty: it has none. */
export function scoreText({ verdict, threshold, status }: UnitView): string {
  if (verdict === undefined || threshold === undefined) return '';
  if (verdict.status === 'not-applicable' || status === 'lost' || isOpen(status)) return '';
  if (verdict.status === 'failed' && verdict.kind !== 'score' && verdict.kind !== 'check') return '';
  return formatScore(verdict.score) + (verdict.score < threshold ? ` < ${formatScore(threshold)}` : '');
}

/** `failed (schema)`, `passed`; empty: no verdict. */
export function verdictWord(verdict: Verdict | undefined): string {
  if (verdict === undefined) return '';
  return verdict.kind === verdict.status ? verdict.kind : `${verdict.status} (${verdict.kind})`;
}
