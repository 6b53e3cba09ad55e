import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../support/github/faults.ts';
import { messagesOf, stepOf, type GateJobs } from '../gate-jobs.ts';
import { Forger, otherWriter } from '../hostile/forgery.ts';
import { someOf } from '../../support/test-size.ts';
import { FAULTY } from './outcome.ts';
import { TIME_LIMITS, twoGates, type TwoGates } from './two-gates.ts';

let gates: TwoGates;
beforeAll(async () => {
  gates = await twoGates('mostly here');
});
afterAll(() => gates[Symbol.asyncDispose]());

const CLAIM = /\.code\._\.2\.1\.started\.json$/;
const call = { attempt: FAULTY, machine: TIME_LIMITS };

/** Answers that never came, though the service had done what it was asked. */
const LOST: Readonly<Record<string, Fault>> = {
  'an error': { kind: 'status', status: 500, carriedOut: true },
  'a reset connection': { kind: 'reset', carriedOut: true },
  silence: { kind: 'hang', carriedOut: true },
  'half an answer': { kind: 'truncate' },
};

const claims = (jobs: GateJobs): string[] =>
  jobs
    .records()
    .flatMap((one) => (one.kind === 'started' && one.gate === 'code' ? [`${one.runAttempt}.${one.n}`] : []));

describe('a claim whose acknowledgement was lost', () => {
  const answers = ['PutBlob', 'FinalizeArtifact'].flatMap((operation) =>
    Object.entries(LOST).map(([name, fault]) => [operation, name, fault] as const),
  );
  it.concurrent.each(someOf(answers, 2))(
    'is recognised as one’s own: %s, answered with %s',
    async (operation, name, fault) => {
      await using jobs = await gates.jobs.fork(`${operation} ${name}`);
      const planned = jobs.service.faults.add({ operation, name: CLAIM, fault });
      const report = await jobs.run('code', { ...call, needs: gates.needs });
      expect(messagesOf(report)).toEqual([]);
      expect(report.conclusion).toBe('success');
      expect(planned.hits).toBe(1);
      expect(claims(jobs)).toEqual(['2.1']);
      expect(await jobs.starts()).toEqual(['code']);
    },
  );

  it.concurrent.each(someOf(Object.entries(LOST), 1))(
    'is nobody’s where its upload never finished: CreateArtifact, answered with %s. The next attempt of the run is free',
    async (name, fault) => {
      await using jobs = await gates.jobs.fork(`create ${name}`);
      const planned = jobs.service.faults.add({ operation: 'CreateArtifact', name: CLAIM, fault });
      const report = await jobs.run('code', { ...call, needs: gates.needs });
      expect(planned.hits).toBe(1);
      expect([report.conclusion, stepOf(report, 'gate').code, await jobs.starts()]).toEqual(['failure', 1, []]);
      expect(messagesOf(report)).toEqual([
        expect.stringMatching(/^error Gate blocked: its claim is not listed: CLAIM_UNSEEN/),
      ]);
      const again = await jobs.run('code', { ...call, attempt: FAULTY + 1, needs: gates.needs });
      expect([again.conclusion, claims(jobs), await jobs.starts()]).toEqual(['success', ['3.1'], ['code']]);
    },
  );
});

describe('a claim of somebody else', () => {
  it('is theirs: of two jobs that begin one gate at once, one goes on', async () => {
    await using jobs = await gates.jobs.fork('rivals');
    const leg = (name: string) => ({ order: { options: { run: 501, job: 'code', name, attempt: FAULTY } } });
    jobs.service.delays = ({ operation }) => ({ request: operation === 'CreateArtifact' ? 100 : 0, response: 0 });
    const both = await Promise.all(
      ['one', 'two'].map((name) => jobs.run('code', { ...call, ...leg(name), needs: gates.needs })),
    );
    expect(both.map(({ conclusion }) => conclusion).toSorted()).toEqual(['failure', 'success']);
    const loser = both.find(({ conclusion }) => conclusion === 'failure')!;
    expect(messagesOf(loser)).toEqual([expect.stringMatching(/^error Gate claimed by another job: GATE_CLAIMED/)]);
    expect(claims(jobs)).toEqual(['2.1']);
    expect(await jobs.starts()).toEqual(['code']);
  });

  it('is not taken for one’s own because an answer was lost: the same name, another writer', async () => {
    await using jobs = await gates.jobs.fork('lost and taken');
    const planned = jobs.service.faults.add({
      operation: 'CreateArtifact',
      name: CLAIM,
      fault: LOST['a reset connection']!,
    });
    const forger = new Forger(jobs);
    const { record, ...document } = forger.claim();
    const theirs = { ...record, gate: 'code', runAttempt: FAULTY, needs: {}, by: otherWriter(record) };
    // While the answer to the first try is lost, somebody else has the name, and finishes.
    jobs.service.delays = ({ operation, name, fault }) => {
      const isFirst = operation === 'CreateArtifact' && CLAIM.test(name ?? '') && fault !== undefined;
      if (isFirst) forger.putDocument({ ...document, record: theirs });
      return { request: 0, response: 0 };
    };
    const report = await jobs.run('code', { ...call, needs: gates.needs });
    expect(planned.hits).toBe(1);
    expect([report.conclusion, await jobs.starts()]).toEqual(['failure', []]);
    expect(messagesOf(report)).toEqual([expect.stringMatching(/^error Gate claimed by another job: GATE_CLAIMED/)]);
  });
});

describe('a claim that nobody ended', () => {
  it('is lost as soon as its job is over, and no hindrance', async () => {
    await using jobs = await gates.jobs.fork('gone', { how: 'processes' });
    const first = await jobs.start('code', { ...call, needs: gates.needs });
    await first.logged(/the agent is through/);
    await first.lose();
    await first.ended;
    expect(claims(jobs)).toEqual(['2.1']);
    const again = await jobs.run('code', { ...call, attempt: FAULTY + 1, needs: gates.needs });
    expect([again.conclusion, claims(jobs), await jobs.starts()]).toEqual([
      'success',
      ['2.1', '3.1'],
      ['code', 'code'],
    ]);
  });
});
