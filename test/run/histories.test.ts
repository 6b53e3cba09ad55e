import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unitOf, type GatelineRecord } from '../../src/run/records/record.ts';
import { soundStories, stories, tell } from '../support/arbitrary-history.ts';
import type { DrivenHistory } from '../support/driven-history.ts';
import { listing } from '../support/records.ts';
import { doneOf, expectContractsMet, expectNothingStale, expectSound } from './expectations.ts';
import { drawn } from '../support/samples.ts';

const RUNS = drawn(200);

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
        expect(history.state({ missingContent: new Map() }, listing(some)).problems).toEqual([]);
      }),
      RUNS,
    );
  });
});
