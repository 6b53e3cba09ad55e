import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UnitKey } from '../../src/pipeline/pipeline.ts';
import { contentsOf } from '../../src/run/state/missing-output.ts';
import { nextAttempt } from '../../src/run/state/numbering.ts';
import { comparePositions, unitOf, type EndedRecord, type GatelineRecord } from '../../src/run/records/record.ts';
import type { RunState } from '../../src/run/state/run-state.ts';
import type { UnitGraph } from '../../src/run/records/unit.ts';
import { stories, tell } from '../support/arbitrary-history.ts';
import { asProblem } from '../support/driven-history.ts';
import { decided, ended, lost, PASSED, started } from '../support/records.ts';
import { doneOf, expectSound } from './expectations.ts';
import { drawn } from '../support/samples.ts';

const RUNS = drawn(200);

function descendantsOf(graph: UnitGraph, key: UnitKey): Set<UnitKey> {
  const found = new Set<UnitKey>();
  for (const unit of graph.values())
    if (unit.needs.some((need) => need === key || found.has(need))) found.add(unit.key);
  return found;
}

describe('at any moment of a random history', () => {
  it('order, repetition and the way records are split over listings do not matter', () => {
    fc.assert(
      fc.property(stories, fc.infiniteStream(fc.nat()), (story, random) => {
        const history = tell(story);
        const { records, problems } = history.listing();
        const shuffle = <T>(list: readonly T[]): T[] =>
          list
            .map((one) => ({ one, by: random.next().value as number }))
            .sort((a, b) => a.by - b.by)
            .map(({ one }) => one);
        const [left, right] = [shuffle(records), shuffle(structuredClone(records))];
        const halves = [...left.slice(left.length >> 1), ...right, ...left];
        const again = history.state(
          {},
          { records: halves, problems: shuffle([...problems, ...structuredClone(problems)]) },
        );
        expect(again).toEqual(history.state());
        expect([...again.units.keys()]).toEqual([...history.graph.keys()]);
      }),
      RUNS,
    );
  });

  it('a forced gate takes exactly itself and what depends on it out', () => {
    fc.assert(
      fc.property(stories, fc.nat(), (story, which) => {
        const history = tell(story);
        const told = { fingerprints: history.presentFingerprints() };
        const before = history.state(told);
        const key = [...history.graph.keys()][which % history.graph.size]!;
        const { gate, leg } = history.graph.get(key)!;
        const force = decided({
          gate: gate.id,
          leg: leg.id,
          decision: 'force',
          run: Math.max(before.runNumber, 1),
          call: before.runAttempt + 1,
        });
        const { records, problems } = history.listing();
        const after = history.state(told, { records: [...records, force], problems });
        const out = descendantsOf(history.graph, key).add(key);
        expect(doneOf(after)).toEqual(doneOf(before).filter((one) => !out.has(one)));
      }),
      RUNS,
    );
  });

  it('a gate that ran again and exports the same has its descendants done without a record of theirs', () => {
    let tried = 0;
    fc.assert(
      fc.property(stories, fc.nat(), (story, which) => {
        const history = tell(story);
        const told = { fingerprints: history.presentFingerprints() };
        const before = history.state(told);
        const candidates = [...before.units.values()].filter((unit) => unit.done && unit.ended !== undefined);
        if (candidates.length === 0) return;
        tried += 1;
        const { ended: end } = candidates[which % candidates.length]!;
        const { records, problems } = history.listing();
        const again = runAgain(end!, before);
        expect(doneOf(history.state(told, { records: [...records, ...again], problems }))).toEqual(doneOf(before));
      }),
      RUNS,
    );
    expect(tried).toBeGreaterThan(RUNS.numRuns / 4);
  });

  it('an output that is missing or was altered is not done, nor is what depends on it', () => {
    fc.assert(
      fc.property(stories, fc.nat(), (story, which) => {
        const history = tell(story);
        const before = history.state();
        const outputs = [...before.units.values()].flatMap((unit) =>
          unit.ended === undefined ? [] : contentsOf(unit.ended),
        );
        if (outputs.length === 0) return;
        const { digest } = outputs[which % outputs.length]!;
        const after = history.state({ missingContent: lost(...history.agents.lost, digest) });
        for (const unit of after.units.values()) {
          if (unit.done && unit.ended)
            expect(contentsOf(unit.ended).map((content) => content.digest)).not.toContain(digest);
        }
        expect(after.problems.map(({ code }) => code)).toContain('OUTPUT_MISSING');
        expectSound(history, after, {});
      }),
      RUNS,
    );
  });

  it('a record that cannot be read is counted, and never makes anything done or reused', () => {
    fc.assert(
      fc.property(stories, fc.nat(), (story, which) => {
        const history = tell(story);
        const sound = history.records.filter((record) => !history.unreadable.has(record));
        if (sound.length === 0) return;
        const record = sound[which % sound.length]!;
        const told = { fingerprints: history.presentFingerprints() };
        const before = history.state(told);
        const numberBefore = nextAttempt(history.listing(), record, unitOf(record));
        history.unreadable.add(record);
        const after = history.state(told);
        expect(after.runNumber).toBe(before.runNumber);
        expect(after.runAttempt).toBe(before.runAttempt);
        expect([...after.units.values()].map((unit) => unit.attempts)).toEqual(
          [...before.units.values()].map((unit) => unit.attempts),
        );
        expect(nextAttempt(history.listing(), record, unitOf(record))).toBe(numberBefore);
        expect(doneOf(before)).toEqual(expect.arrayContaining(doneOf(after)));
        for (const unit of after.units.values()) expect(unit.ended).not.toBe(record);
        expect(after.problems).toContainEqual(
          expect.objectContaining({
            code: 'UNREADABLE_RECORD',
            message: expect.stringContaining(asProblem(record).where),
          }),
        );
      }),
      RUNS,
    );
  });

  it('nothing from before a decision that cannot be read is reused', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const history = tell(story);
        for (const record of history.records) if (record.kind === 'decided') history.unreadable.add(record);
        const { written } = history.call();
        for (const record of written) {
          if (record.kind !== 'ended' || record.how !== 'reused') continue;
          const later = history.records.filter(
            (one) =>
              one.kind === 'decided' && unitOf(one) === unitOf(record) && comparePositions(one, record.source!) > 0,
          );
          expect(later).toEqual([]);
        }
      }),
      RUNS,
    );
  });
});

/** A force of a unit, and an attempt after it that came to the same. */
function runAgain(end: EndedRecord, { runNumber: run, runAttempt }: RunState): GatelineRecord[] {
  const { gate, leg, fingerprint, contract, needs, value, exports } = end;
  const where = { gate, leg, run, call: runAttempt + 1, n: 1, fingerprint, contract, needs };
  return [
    decided({ gate, leg, run, call: runAttempt + 1, decision: 'force' }),
    started(where),
    ended({ ...where, verdict: PASSED, ...(value && { value }), ...(exports && { exports }) }),
  ];
}
