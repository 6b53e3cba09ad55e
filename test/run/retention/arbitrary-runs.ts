import fc from 'fast-check';
import { digestOf } from '../../../src/json/digest.ts';
import {
  RUN_GATE,
  type DecidedRecord,
  type EndedRecord,
  type GatelineRecord,
  type Position,
} from '../../../src/run/records/record.ts';
import { sourceOf } from '../../../src/run/records/source.ts';
import { contentOf, decided, ended, FAILED, PARTIAL, PASSED, started } from '../../support/records.ts';

/** When the first record was written; each one after it a day later. */
const FIRST = Date.parse('2026-01-01T00:00:00.000Z');
const DAY = 86_400_000;

/** One thing that happens. Numbers pick a gate, a subject or an earlier output, whatever their size. */
interface Happening {
  readonly what: 'run' | 'ran' | 'reuse' | 'decide' | 'rollback' | 'rework' | 'fork' | 'pin';
  readonly subject: number;
  readonly gate: number;
  readonly fingerprint: number;
  readonly which: number;
  readonly decision: DecidedRecord['decision'];
  readonly isBound: boolean;
  readonly actor: 'ann' | 'bob';
}

const SUBJECTS = ['one', 'two'];
const GATES = ['g0', 'g1'];

const happening: fc.Arbitrary<Happening> = fc.record({
  what: fc.constantFrom(
    'run',
    'run',
    'run',
    'ran',
    'ran',
    'ran',
    'reuse',
    'reuse',
    'decide',
    'decide',
    'rollback',
    'rework',
    'fork',
    'pin',
  ),
  subject: fc.nat(1),
  gate: fc.nat(1),
  fingerprint: fc.nat(1),
  which: fc.nat(1_000),
  decision: fc.constantFrom('approve', 'reject', 'reject', 'force', 'skip'),
  isBound: fc.boolean(),
  actor: fc.constantFrom('ann', 'bob'),
});

/** Runs of two subjects, as an engine could have recorded them, and some that it would not. */
export const recordedRuns: fc.Arbitrary<readonly GatelineRecord[]> = fc
  .array(happening, { minLength: 4, maxLength: 24 })
  .map((all) => {
    const told = new Telling();
    for (const one of all) told.tell(one);
    return told.records;
  });

/** The time when the last of them was long ago. */
export const LONG_AFTER = new Date(FIRST + 1_000 * DAY).toISOString();

class Telling {
  readonly records: GatelineRecord[] = [];
  readonly #runs = new Map<string, { run: number; call: number }>();

  tell({ what, subject: number, gate: index, fingerprint, which, decision, isBound, actor }: Happening): void {
    const subject = SUBJECTS[number]!;
    const gate = GATES[index]!;
    const now = this.#runs.get(subject) ?? { run: 1, call: 0 };
    if (what === 'run') now.run += 1;
    now.call = what === 'run' ? 1 : now.call + 1;
    this.#runs.set(subject, now);
    const at = { gate, run: now.run, call: now.call, at: new Date(FIRST + this.records.length * DAY).toISOString() };
    const print = digestOf(`request ${fingerprint}`);
    const outputs = this.records.filter((one): one is EndedRecord => one.kind === 'ended' && one.gate === gate);
    const earlier = outputs[which % Math.max(1, outputs.length)];
    const add = (...records: GatelineRecord[]): unknown =>
      this.records.push(...records.map((one) => ({ ...one, subject })));
    const decide = (more: Partial<DecidedRecord>, about = at): unknown =>
      add({ ...decided({ ...about, decision }), actor, ...more });
    if (what === 'ran') {
      const verdict = [PASSED, PASSED, PARTIAL, FAILED][which % 4]!;
      const value = contentOf(`${gate} ${fingerprint} ${which}`);
      const base = digestOf('base');
      const rework = which % 5 === 0 ? { rework: { iteration: 2, base } } : {};
      const work = { ...at, fingerprint: print, startedAt: at.at };
      add(started(work), { ...ended({ ...work, verdict, value, exports: value }), ...rework });
    } else if (what === 'reuse' && earlier !== undefined) {
      const { fingerprint: same, verdict, value } = earlier;
      const source = sourceOf(earlier, { subject }, []);
      const reused = ended({ ...at, fingerprint: same, verdict, how: 'reused', startedAt: at.at });
      add({ ...reused, ...(value && { value, exports: value }), source });
    } else if (what === 'decide') {
      decide({ fingerprint: isBound ? print : null, ...(which % 7 === 0 && { until: at.at }) });
    } else if (what === 'rollback') {
      const run = 1 + (which % now.run);
      decide({ decision: 'rollback', fingerprint: null }, { ...at, run, call: 1_000 + this.records.length });
    } else if (what === 'rework' && earlier !== undefined && earlier.subject === subject) {
      const attempt: Position = positionOf(earlier);
      const from = [{ unit: 'g1', attempt, verdict: FAILED }];
      const rework = { cause: 'g1', iteration: 1, from, over: [{ unit: gate, attempt }] };
      decide({ decision: 'rework', fingerprint: earlier.fingerprint, rework });
    } else if (what === 'fork' && earlier !== undefined) {
      const origin = { subject: earlier.subject, runNumber: earlier.runNumber };
      decide({ decision: 'fork', fingerprint: null, gate: RUN_GATE, origin });
    } else if (what === 'pin') {
      decide({ decision: 'pin', fingerprint: null, gate: RUN_GATE }, { ...at, run: 1 + (which % now.run) });
    }
  }
}

function positionOf({ runNumber, runAttempt, n }: Position): Position {
  return { runNumber, runAttempt, n };
}
