import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/json/digest.ts';
import { recordArtifactName } from '../../../src/store/github/records/artifact-names.ts';
import type { EndedRecord } from '../../../src/run/records/record.ts';
import { someOf } from '../../support/test-size.ts';
import { RIGHT_VALUE, TIME_LIMITS, twoGates, type TwoGates } from '../faults/two-gates.ts';
import { messagesOf, stepOf, type GateJobs } from '../gate-jobs.ts';
import { Forger, otherWriter, withValue, type Document } from './forgery.ts';
import { zipOf } from './zip-files.ts';

let gates: TwoGates;
beforeAll(async () => {
  gates = await twoGates('mostly here');
});
afterAll(() => gates[Symbol.asyncDispose]());

/** Told by the job of the first gate, or by nobody. */
const DIGEST = 'digest';
const EVIL = { score: 90, steps: ['evil'] };

interface Attack {
  readonly does: (forger: Forger, jobs: GateJobs) => void;
  /** What the job of the gate that comes after tells: an error, or nothing because it goes on with what is right. */
  readonly comes: RegExp | 'right';
  /** The first gate's digest came by the outputs of its job. */
  readonly with?: typeof DIGEST;
}

const moved = (document: Document<EndedRecord>, edit: Partial<EndedRecord>): Document<EndedRecord> => ({
  ...document,
  record: { ...document.record, ...edit },
});

/** Puts a record that says something else where the first gate's end is, under that one's name. */
function underItsName(forger: Forger, edit: Partial<EndedRecord>): void {
  const document = forger.end();
  const { name } = forger.find(/\.plan\..*ended\..*json$/);
  forger.remove(/\.plan\..*ended\..*json$/);
  forger.putDocument(moved(document, edit), name);
}

/** Puts other bytes where the zip with the first gate's file is. `make` is told the digits of the file's digest. */
function replaceFiles(forger: Forger, make: (digits: string, right: Buffer) => Buffer): void {
  const files = forger.find(/\.plan\..*ended\.files$/);
  const { digest } = forger.end().record.files[0]!.after!.content!;
  forger.remove(/\.plan\..*ended\.files$/);
  forger.put(files.name, make(digest.slice('sha256:'.length), forger.content(files)));
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  'another output in the place of the right one, its record unchanged': {
    does: (forger) =>
      forger.replaceEnd(({ contents, record }) => {
        contents[record.value!.digest] = JSON.stringify(EVIL);
      }),
    comes: 'right',
  },
  'the same, and the output’s own artifact is gone': {
    does: (forger) => {
      forger.replaceEnd(({ contents, record }) => {
        contents[record.value!.digest] = JSON.stringify(EVIL);
      });
      forger.remove(/\.plan\..*value\.json$/);
    },
    comes: /UPSTREAM_NOT_DONE.*its output (?:is missing|was altered)\n.*Re-run all jobs/s,
  },
  'an output that was replaced with its digest, when its job told which one it is': {
    does: (forger) => forger.replaceEnd((document) => withValue(document, EVIL)),
    with: DIGEST,
    comes: /Gate blocked: the output of a needed gate was replaced: DIGEST_MISMATCH/,
  },
  'a failed end under the name of one that passed': {
    does: (forger) => {
      const document = forger.end();
      const { name } = forger.find(/\.plan\..*ended\..*json$/);
      forger.remove(/\.plan\..*ended\..*json$/);
      const verdict = { ...document.record.verdict, status: 'failed', kind: 'schema' } as const;
      forger.putDocument(moved(document, { verdict }), name);
    },
    comes: /UPSTREAM_UNREADABLE/,
  },
  'an end that passed under the name of one that failed': {
    does: (forger) => {
      const document = forger.end();
      const { name } = forger.find(/\.plan\..*ended\..*json$/);
      forger.remove(/\.plan\..*ended\..*json$/);
      forger.putDocument(document, name.replace('passed', 'failed'));
    },
    comes: /UPSTREAM_UNREADABLE/,
  },
  'a record of another subject under the name of the right one': {
    does: (forger) => underItsName(forger, { subject: 'release' }),
    comes: /UPSTREAM_UNREADABLE/,
  },
  'a record of another workflow under the name of the right one': {
    does: (forger) => underItsName(forger, { pipeline: 'release' }),
    comes: /UPSTREAM_UNREADABLE/,
  },
  'a record of another workflow beside the right one': {
    does: (forger) => {
      const document = forger.end();
      forger.putDocument(moved(document, { pipeline: 'release', n: 2 }));
    },
    comes: 'right',
  },
  'a record of another gate under the name of the right one': {
    does: (forger) => underItsName(forger, { gate: 'review' }),
    comes: /UPSTREAM_UNREADABLE/,
  },
  'a record of another leg under the name of the right one': {
    does: (forger) => underItsName(forger, { leg: 'linux' }),
    comes: /UPSTREAM_UNREADABLE/,
  },
  'a record of an earlier run, copied': {
    does: (forger) => forger.replaceEnd(({ record }) => void (record.runNumber = 99)),
    comes: /UPSTREAM_UNREADABLE/,
  },
  'a record that another run’s job signed, copied': {
    does: (forger) => forger.replaceEnd(({ record }) => void (record.by = { ...record.by, runId: '77' })),
    comes: /UPSTREAM_UNREADABLE/,
  },
  'a copy of an earlier record under a new name': {
    does: (forger) => {
      const { name } = forger.find(/\.plan\..*ended\..*json$/);
      forger.put(name.replace('._.1.1.', '._.1.2.'), forger.content(forger.find(/\.plan\..*ended\..*json$/)));
    },
    comes: /UPSTREAM_UNREADABLE.*not the record that its name describes/s,
  },
  'an end that nobody claimed': {
    does: (forger) => {
      const document = forger.end();
      document.record.n = 2;
      withValue(document, EVIL);
      forger.putDocument(document);
    },
    comes: /UPSTREAM_UNSOUND.*never claimed/s,
  },
  'an end whose claim is gone': {
    does: (forger) => forger.remove(/\.plan\..*started\.json$/),
    comes: /UPSTREAM_UNSOUND.*never claimed/s,
  },
  'a claim of another request': {
    does: (forger) => forger.replaceClaim(({ record }) => void (record.fingerprint = digestOf('x'))),
    comes: /UPSTREAM_NOT_DONE.*different request or contract/s,
  },
  'a claim of another contract': {
    does: (forger) => forger.replaceClaim(({ record }) => void (record.contract = digestOf('x'))),
    comes: /UPSTREAM_NOT_DONE.*different request or contract/s,
  },
  'exports that are not those of the output': {
    does: (forger) =>
      forger.replaceEnd((document) => {
        const { value } = document.record;
        withValue(document, EVIL);
        document.record.value = value;
      }),
    comes: /UPSTREAM_UNSOUND.*exports/s,
  },
  'a verdict that passed, over an output that does not meet the contract': {
    does: (forger) => forger.replaceEnd((document) => withValue(document, { score: 90 })),
    comes: /UPSTREAM_REFUSED/,
  },
  'a verdict that passed, over a score that is too low': {
    does: (forger) => forger.replaceEnd((document) => withValue(document, { ...EVIL, score: 10 })),
    comes: /UPSTREAM_REFUSED/,
  },
  'a claim of the gate that is to begin, by somebody else': {
    does: (forger) => {
      const document = forger.claim();
      const record = { ...document.record, gate: 'code', needs: {}, by: otherWriter(document.record) };
      forger.putDocument({ ...document, record });
    },
    comes: /GATE_CLAIMED/,
  },
  'a claim of an attempt that never was, in the first gate': {
    does: (forger) => {
      const document = forger.claim();
      forger.putDocument({ ...document, record: { ...document.record, n: 2, by: otherWriter(document.record) } });
    },
    comes: /UPSTREAM_NOT_DONE.*plan is running/s,
  },
  'a size of terabytes': {
    does: (forger) => {
      forger.find(/\.plan\..*ended\..*json$/).size = 9e12;
    },
    comes: /UPSTREAM_UNREADABLE/,
  },
  'a size that is too small': {
    does: (forger) => {
      forger.find(/\.plan\..*ended\..*json$/).size = 1;
    },
    comes: 'right',
  },
  'a hundred megabytes where a record should be': {
    does: (forger) => {
      const { name } = forger.find(/\.plan\..*ended\..*json$/);
      forger.remove(/\.plan\..*ended\..*json$/);
      forger.put(name, Buffer.alloc(100_000_000, ' '), { size: 10 });
    },
    comes: /UPSTREAM_UNREADABLE/,
  },
  'a zip that unpacks to gigabytes where a record should be': {
    does: (forger) => {
      const { name } = forger.find(/\.plan\..*ended\..*json$/);
      forger.remove(/\.plan\..*ended\..*json$/);
      forger.put(name, zipOf([{ name, content: Buffer.alloc(300_000_000, ' ') }]));
    },
    comes: /UPSTREAM_UNREADABLE/,
  },
  'a zip whose file climbs': {
    does: (forger) =>
      replaceFiles(forger, (digits) => zipOf([{ name: `../../../../${digits}`, content: Buffer.from('evil') }])),
    comes: /UPSTREAM_NOT_DONE.*its output (?:is missing|was altered)\n.*Re-run all jobs/s,
  },
  'a zip whose file is a link': {
    does: (forger) =>
      replaceFiles(forger, (name) => zipOf([{ name, content: Buffer.from('/etc/passwd'), mode: 0o120777 }])),
    comes: /UPSTREAM_NOT_DONE.*its output (?:is missing|was altered)\n.*Re-run all jobs/s,
  },
  'a zip that is cut short': {
    does: (forger) => replaceFiles(forger, (_, right) => right.subarray(0, -30)),
    comes: /UPSTREAM_NOT_DONE.*its output (?:is missing|was altered)\n.*Re-run all jobs/s,
  },
  'other files than the record names, in the zip': {
    does: (forger) => replaceFiles(forger, () => zipOf([{ name: '0'.repeat(64), content: Buffer.from('evil') }])),
    comes: /UPSTREAM_NOT_DONE.*its output is missing\n.*Re-run all jobs/s,
  },
  'names like ours that are none': {
    does: (forger) => {
      const { name } = forger.find(/\.plan\..*ended\..*json$/);
      for (const other of [
        `${name}${'x'.repeat(300)}`,
        name.replace('plan', '__proto__'),
        name.replace('plan', 'Plan'),
        name.replace('passed', 'PASSED'),
        name.replace('._.', '.%2e%2e.'),
        name.replace('1.1', '01.1'),
        name.replace('gl1', 'gl2'),
        name.replace('.json', '.json.zip'),
      ])
        forger.put(other, '{"format":"gateline-artifact/1"}');
    },
    comes: 'right',
  },
  'a thousand and more artifacts of others': {
    does: (forger) => {
      for (let number = 0; number < 1_100; number += 1) forger.put(`flood-${number}`, 'x', { id: 10 + number });
    },
    // What the job’s own listing leaves out, REST lists in full.
    comes: 'right',
  },
  'so many artifacts that nobody lists them all': {
    does: (forger) => {
      for (let number = 0; number < 3_100; number += 1) forger.put(`flood-${number}`, 'x', { id: 10 + number });
    },
    comes: /GATE_BLOCKED|UPSTREAM_UNREADABLE/,
  },
  'a decision that nobody who may decide made, in another run’s name': {
    does: (forger) => {
      const { record } = forger.end();
      const { format, pipeline, subject, leg, runAttempt, at, by } = record;
      const decided = {
        kind: 'decided',
        format,
        pipeline,
        subject,
        gate: 'code',
        leg,
        runNumber: 99,
        runAttempt,
        n: 0,
      };
      const decision = { at, by, decision: 'skip', actor: 'octocat', reason: 'x', fingerprint: null };
      const forged = { ...decided, ...decision } as never;
      forger.putDocument({ format: 'gateline-artifact/1', record: forged, contents: {} }, recordArtifactName(forged));
    },
    comes: 'right',
  },
};

describe('artifacts that somebody else in the run has made or replaced', () => {
  it.concurrent.each(someOf(Object.entries(ATTACKS), 8))('%s', async (name, { does, comes, with: told }) => {
    await using jobs = await gates.jobs.fork(name.replaceAll(/\W+/g, '-').slice(0, 80));
    does(new Forger(jobs), jobs);
    const needs = told === DIGEST ? gates.needs : { plan: {} };
    const report = await jobs.run('code', { needs, machine: TIME_LIMITS });
    const errors = messagesOf(report).filter((line) => line.startsWith('error'));
    const values = jobs.records().flatMap((one) => (one.kind === 'ended' && one.gate === 'code' ? [one] : []));
    if (comes === 'right') {
      expect([errors, report.conclusion]).toEqual([[], 'success']);
      expect(values.map(({ value }) => value!.digest)).toEqual([digestOf(JSON.stringify(RIGHT_VALUE))]);
      expect(await jobs.starts()).toEqual(['code']);
      return;
    }
    expect([stepOf(report, 'gate').code, report.conclusion, await jobs.starts()]).toEqual([1, 'failure', []]);
    expect(errors).toEqual([expect.stringMatching(comes)]);
    expect(values.filter(({ verdict }) => verdict.status === 'passed')).toEqual([]);
  });
});
