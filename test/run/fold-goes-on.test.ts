import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UnitKey } from '../../src/pipeline/pipeline.ts';
import { digestOf, type Digest } from '../../src/json/digest.ts';
import { createRunFold, foldRun } from '../../src/run/state/fold.ts';
import { orderRecords } from '../../src/run/records/order.ts';
import { recordName, type GatelineRecord } from '../../src/run/records/record.ts';
import { unitsOf } from '../../src/run/records/unit.ts';
import { pipelineOf } from '../support/pipelines.ts';
import {
  contentOf,
  decided,
  ended,
  FAILED,
  NOW,
  PARTIAL,
  PASSED,
  PIPELINE,
  started,
  SUBJECT,
} from '../support/records.ts';
import { drawn } from '../support/samples.ts';

const GATES = ['a', 'b', 'c', 'd'] as const;
const GRAPH = unitsOf(pipelineOf({ a: {}, b: { needs: ['a'] }, c: { needs: ['a'] }, d: { needs: ['b', 'c'] } }));
const NEEDS: Record<string, readonly string[]> = { a: [], b: ['a'], c: ['a'], d: ['b', 'c'] };

const digests = ['one', 'two'].map((text) => digestOf(text));
const anyRecord = fc
  .record({
    gate: fc.constantFrom(...GATES),
    run: fc.constantFrom(1, 2, 2, 2),
    call: fc.integer({ min: 1, max: 3 }),
    n: fc.integer({ min: 1, max: 2 }),
    kind: fc.constantFrom('started', 'ended', 'reused', 'force', 'skip', 'reject', 'approve'),
    verdict: fc.constantFrom(PASSED, PASSED, FAILED, PARTIAL),
    fingerprint: fc.constantFrom(...digests),
    fresh: fc.boolean(),
  })
  .map(({ kind, fresh, ...told }): GatelineRecord => {
    const needs = Object.fromEntries(
      NEEDS[told.gate]!.map((need) => [need, fresh ? contentOf(`output of ${need}`).digest : digestOf('old')]),
    );
    if (kind === 'started') return started({ ...told, needs });
    if (kind === 'ended') return ended({ ...told, needs });
    const source = { runNumber: 1, runAttempt: told.call, n: told.n };
    if (kind === 'reused') return ended({ ...told, needs, how: 'reused', source });
    const { gate, run, call } = told;
    return decided({ gate, run, call, n: 0, decision: kind });
  });

describe('a fold that goes on', () => {
  it('says what folding everything anew says, whatever is added and told in between', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyRecord, { selector: recordName, maxLength: 24 }),
        fc.nat(24),
        fc.array(fc.tuple(fc.constantFrom(...GATES), fc.constantFrom(...digests)), { maxLength: 8 }),
        (soup, some, tellings) => {
          const records = [...orderRecords(soup).records];
          // What was recorded of earlier runs is there from the beginning.
          const cut = Math.max(some, records.filter((record) => record.runNumber === 1).length);
          const fingerprints = new Map<UnitKey, Digest>();
          const told = { now: NOW, fingerprints };
          const identity = { pipeline: PIPELINE, subject: SUBJECT, runNumber: 2 };
          const fold = createRunFold(GRAPH, { records: records.slice(0, cut), problems: [] }, identity, told);
          const same = (upTo: number): void =>
            expect(fold.state()).toEqual(
              foldRun(GRAPH, { records: records.slice(0, upTo), problems: [] }, identity, told),
            );
          same(cut);
          for (let at = cut; at < records.length; at += 1) {
            fold.add(records[at]!);
            const telling = tellings[at % (tellings.length + 1)];
            if (telling !== undefined) {
              fingerprints.set(...telling);
              fold.touch(telling[0]);
            }
            same(at + 1);
          }
        },
      ),
      drawn(300),
    );
  });

  it('knows of decisions of earlier runs when the first record of a gate in this one is added', () => {
    const earlier = [ended({ gate: 'a', verdict: PARTIAL }), decided({ gate: 'a', call: 2, decision: 'approve' })];
    const identity = { pipeline: PIPELINE, subject: SUBJECT, runNumber: 2 };
    const fold = createRunFold(GRAPH, { records: earlier, problems: [] }, identity, { now: NOW });
    expect(fold.state().units.get('a')!.status).toBe('ready');
    const source = { runNumber: 1, runAttempt: 1, n: 1 };
    fold.add(ended({ gate: 'a', run: 2, verdict: PARTIAL, how: 'reused', source }));
    expect(fold.state().units.get('a')).toMatchObject({ status: 'partial', done: true });
  });
});
