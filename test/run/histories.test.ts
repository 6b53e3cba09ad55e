import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UnitKey } from '../../src/pipeline/pipeline.ts';
import { contentsOf } from '../../src/run/fold-unit.ts';
import { nextAttempt } from '../../src/run/numbering.ts';
import { comparePositions, unitOf, type EndedRecord, type GatelineRecord } from '../../src/run/record.ts';
import type { RunState, Told } from '../../src/run/run-state.ts';
import type { UnitGraph } from '../../src/run/unit.ts';
import { asProblem, exportsOfNeeds, type CallReport, type DrivenHistory } from '../support/driven-history.ts';
import { soundStories, stories, tell } from '../support/arbitrary-history.ts';
import { decided, ended, listing, PASSED, started } from '../support/records.ts';

const RUNS = { numRuns: 200 };

function doneOf(state: RunState): UnitKey[] {
  return [...state.units.values()].filter((unit) => unit.done).map((unit) => unit.key);
}

function descendantsOf(graph: UnitGraph, key: UnitKey): Set<UnitKey> {
  const found = new Set<UnitKey>();
  for (const unit of graph.values())
    if (unit.needs.some((need) => need === key || found.has(need))) found.add(unit.key);
  return found;
}

/** Everything that must be true of a run at any moment, told what it would be given now. */
function expectSound(history: DrivenHistory, state: RunState, told: Partial<Told>): void {
  for (const [key, unit] of state.units) {
    const { needs } = history.graph.get(key)!;
    if (!unit.done) continue;
    expect(
      needs.filter((need) => !state.units.get(need)!.done),
      `${key} is done, and so is what it needs`,
    ).toEqual([]);
    expect(unit.exports, key).toBeDefined();
    if (unit.status === 'skipped') continue;
    expect(unit.ended!.needs, `${key} was given what its needs export now`).toEqual(
      exportsOfNeeds(history.graph.get(key)!, state.units),
    );
    const present = told.fingerprints?.get(key);
    if (present !== undefined) expect(unit.ended!.fingerprint, `${key} has the present fingerprint`).toBe(present);
    const gone = contentsOf(unit.ended!).filter(({ digest }) => history.agents.lost.has(digest));
    expect(gone, `the output of ${key} is there`).toEqual([]);
  }
}

/** By the memory of who made what: no output is used that was made of anything else than what would be given now. */
function expectNothingStale(history: DrivenHistory, state: RunState): void {
  for (const unit of history.graph.values()) {
    const { done, ended: end } = state.units.get(unit.key)!;
    if (!done || end === undefined) continue;
    expect(history.agents.madeOf(unit, exportsOfNeeds(unit, state.units)), `exports of ${unit.key}`).toContain(
      end.exports!.digest,
    );
  }
}

/** What a call settled meets the contracts as they are now, or somebody approved of it. */
function expectContractsMet(history: DrivenHistory, state: RunState, { settled }: CallReport): void {
  for (const key of settled) {
    const { done, ended: end, decided: by } = state.units.get(key)!;
    const { gate } = history.graph.get(key)!;
    if (!done || end === undefined) continue;
    const { status } = history.agents.judge(gate.id, history.agents.read(end.value!).quality);
    const enough =
      status === 'passed' ||
      (status === 'partial' && gate.contract.partial === 'continue') ||
      by?.decision === 'approve';
    expect(enough, `${key}: ${status}, ${gate.contract.partial}`).toBe(true);
  }
}

function startsOf(history: DrivenHistory): GatelineRecord[] {
  return history.records.filter((record) => record.kind === 'started');
}

describe('over random graphs, answers, crashes, edits, decisions and losses', () => {
  it('what is done is closed, current, sound and never stale; and status says the same as the call that wrote it', () => {
    fc.assert(
      fc.property(stories, (story) => {
        tell(story, (history, report) => {
          const told = { fingerprints: history.presentFingerprints() };
          const state = history.state(told);
          expectSound(history, state, told);
          expectNothingStale(history, state);
          expectSound(history, history.state(), {});
          if (report === undefined || report.died) return;
          expectContractsMet(history, state, report);
          expect(['completed', 'paused', 'error']).toContain(state.status);
          expect(doneOf(history.state())).toEqual(doneOf(state));
          expect(history.state().status).toBe(state.status);
        });
      }),
      RUNS,
    );
  });

  it('no agent starts more often than retries allow, and each later call may try again', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const history = tell(story, (told, report) => {
          if (report === undefined || report.died) return;
          const state = told.state({ fingerprints: told.presentFingerprints() });
          for (const key of report.settled) {
            const tried = report.written.some((record) => record.kind === 'started' && unitOf(record) === key);
            expect(tried || state.units.get(key)!.done, `${key} is done or was tried`).toBe(true);
          }
        });
        const starts = Map.groupBy(startsOf(history), (record) =>
          JSON.stringify([unitOf(record), record.fingerprint, record.runNumber, record.runAttempt]),
        );
        for (const list of starts.values()) {
          expect(list.length).toBeLessThanOrEqual(history.graph.get(unitOf(list[0]!))!.gate.retries + 1);
        }
      }),
      RUNS,
    );
  });

  it('a gate that is done is left alone by the next call, unless its contract changed', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const history = tell(story);
        const before = history.state({ fingerprints: history.presentFingerprints() });
        const { numbers, written } = history.call({ answers: [0, 1, 2] });
        if (!numbers.continues) return;
        for (const key of doneOf(before)) {
          const { ended: end, gate } = before.units.get(key)!;
          if (end !== undefined && end.contract !== history.agents.contractOf(gate)) continue;
          // What it was given may differ by now where a gate before it had to be judged again.
          if (history.presentFingerprints().get(key) !== end?.fingerprint) continue;
          expect(
            written.filter((record) => unitOf(record) === key),
            key,
          ).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  it('agents that come to pass complete the run in one more call, whatever happened before', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const history = tell(story);
        history.call();
        expect(history.state({ fingerprints: history.presentFingerprints() }).status).toBe('completed');
        expect(history.state().status).toBe('completed');
      }),
      RUNS,
    );
  });

  it('any prefix is free of problems', () => {
    fc.assert(
      fc.property(soundStories, fc.nat(), (story, seed) => {
        const history = tell(story);
        const writers = Map.groupBy(history.records, (record) => record.by.pid);
        const some = [...writers.values()].flatMap((records, index) =>
          records.slice(0, (seed >> (index % 16)) % (records.length + 1)),
        );
        expect(history.state({ missingContent: new Set() }, listing(some)).problems).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe('at any moment of such a history', () => {
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
        const after = history.state({ missingContent: new Set([...history.agents.lost, digest]) });
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
