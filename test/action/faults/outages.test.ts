import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../support/github/faults.ts';
import { places } from '../../support/runner/places.ts';
import type { JobReport } from '../../support/runner/session.ts';
import { bySize, someOf } from '../../support/test-size.ts';
import { messagesOf, stepOf, type GateJobs } from '../gate-jobs.ts';
import { endsOf, outageWorld, SECRET, startOutage, startsAfterAgain, WAYS } from './outage-jobs.ts';

const KINDS: Readonly<Record<string, Fault>> = {
  '500': { kind: 'status', status: 500 },
  '503': { kind: 'status', status: 503, html: true },
  '429': { kind: 'status', status: 429, retryAfter: 1 },
  'no answer': { kind: 'hang' },
  'a reset connection': { kind: 'reset' },
  'an empty listing': { kind: 'empty' },
};

/** Seconds, and the share of the usual time limits that goes with them. */
const { seconds, share } = bySize<{ readonly seconds: readonly number[]; readonly share: number }>({
  sample: { seconds: [1], share: 0.1 },
  full: { seconds: [3], share: 0.2 },
  soak: { seconds: [1, 5, 20, 60], share: 1 },
});

/** Most of a case is waiting. */
const free = places(4);
const LONG = bySize({ sample: 4, full: 10, soak: 120 }) * 60_000;

let world: GateJobs;
let worldOfFiles: GateJobs;
beforeAll(async () => {
  [world, worldOfFiles] = await Promise.all([outageWorld(), outageWorld({ files: true })]);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await worldOfFiles[Symbol.asyncDispose]();
});

/** Errors and warnings. That a checkpoint is not in the cache too is a notice: the cache is not waited for. */
function troubles(report: JobReport): string[] {
  return messagesOf(report).filter((line) => !line.startsWith('notice '));
}

describe('an outage that begins when the agent ends, and is over within the budget', () => {
  const cases = WAYS.flatMap((way) =>
    Object.entries(KINDS).flatMap(([name, fault]) => seconds.map((time) => [way, time, name, fault] as const)),
  );
  it.concurrent.each(someOf(cases, 3))(
    'loses nothing, and no agent starts twice: %s, %i s of %s',
    async (way, time, name, fault) => {
      using _place = await free.take();
      await using jobs = await world.fork(`${way} ${time} ${name}`);
      const { job, end } = await startOutage(jobs, { way, fault, share });
      const [report] = await Promise.all([job.ended, end(time * 1_000)]);
      expect([report.conclusion, troubles(report)]).toEqual(['success', []]);
      expect(endsOf(jobs)).toEqual(['1.1 passed']);
      // Nothing of what was tried stands in the way of the next attempt, which keeps the output.
      expect(await startsAfterAgain(jobs, way)).toBe(1);
      const waits = report.log.filter((line) => line.startsWith('Waiting for GitHub: '));
      if (name === 'an empty listing') expect(waits).toEqual([]);
      else expect(waits[0]).toMatch(/\. The next try is in \d.*s; waited so far: \d.*s of at most \d.*s\.$/);
    },
    LONG,
  );

  it.concurrent.each(WAYS)(
    'loses nothing where contents go up in a zip: %s',
    async (way) => {
      using _place = await free.take();
      await using jobs = await worldOfFiles.fork(`files ${way}`);
      const fault = { kind: 'reset' } as const;
      const { job, end } = await startOutage(jobs, { way, fault, share, operation: /^PutBlock/ });
      const [report] = await Promise.all([job.ended, end(2_000)]);
      expect([report.conclusion, troubles(report)]).toEqual(['success', []]);
      expect(endsOf(jobs)).toEqual(['1.1 passed']);
      expect(await startsAfterAgain(jobs, way)).toBe(1);
    },
    LONG,
  );
});

describe('what is listed', () => {
  it.concurrent.each(['ListArtifacts', 'GetSignedArtifactURL', 'GetBlob'])(
    'does not matter to whoever ends an attempt: %s fails for good',
    async (operation) => {
      using _place = await free.take();
      await using jobs = await world.fork(`for good ${operation}`);
      const fault = { kind: 'status', status: 503 } as const;
      const { job } = await startOutage(jobs, { way: 'around', fault, operation: new RegExp(`^${operation}$`) });
      const before = jobs.service.calls.length;
      const report = await job.ended;
      expect([report.conclusion, troubles(report)]).toEqual(['success', []]);
      const asked = jobs.service.calls.slice(before).map(({ operation: name }) => name);
      expect(asked).not.toContain(operation);
      expect(endsOf(jobs)).toEqual(['1.1 passed']);
    },
    LONG,
  );
});

describe('an outage that outlasts the budget', () => {
  const fault = { kind: 'status', status: 503 } as const;

  it.concurrent.each(WAYS)(
    'is told as one, and the post step uploads what the agent made: %s',
    async (way) => {
      using _place = await free.take();
      await using jobs = await world.fork(`post ${way}`);
      const { job, end } = await startOutage(jobs, { way, fault, minutes: 0.1 });
      await job.logged(/ARTIFACTS_OUTAGE/);
      await end();
      const report = await job.ended;
      expect(report.conclusion).toBe('failure');
      expect(troubles(report)).toEqual([
        expect.stringMatching(
          /^error Outage: GitHub did not answer: ARTIFACTS_OUTAGE: .*was answered with 503[^]*the post step of this job tries to upload it again/,
        ),
      ]);
      expect(endsOf(jobs)).toEqual(['1.1 passed']);
      expect(report.log).toContain('gate ' + way + ': the result of attempt 1 is recorded after all (passed)');
      expect(await startsAfterAgain(jobs, way)).toBe(1);
    },
    LONG,
  );

  it.concurrent.each(WAYS)(
    'to the end of the job shows the output, redacted and quoted, and the job is red: %s',
    async (way) => {
      using _place = await free.take();
      await using jobs = await world.fork(`lost ${way}`);
      const { job, end } = await startOutage(jobs, { way, fault, minutes: 0.05, lines: 5_000 });
      const report = await job.ended;
      expect(report.conclusion).toBe('failure');
      expect(messagesOf(report).at(-1)).toMatch(
        /^error Outage: the result of a gate is not recorded: gate \w+: attempt 1 ended \(passed\)[^]*Its output is in the log of this post step, and in the summary\.[^]*githubstatus/,
      );
      expect(messagesOf(report).filter((line) => /^error : no|a bug/.test(line))).toEqual([]);
      const post = stepOf(report, 'gate', 'post');
      expect(post.log).toContain('    "line 0 ::error::no",');
      expect(post.log.join('\n').length).toBeLessThan(70_000);
      expect(post.log.join('\n').length).toBeGreaterThan(60_000);
      expect(post.summary).toContain('### Start of its output');
      expect(post.summary).toContain('"line 0 ::error::no"');
      expect(`${report.log.join('\n')}${report.summary}`).not.toContain(SECRET);
      expect(endsOf(jobs)).toEqual([]);
      await end();
      expect(await startsAfterAgain(jobs, way)).toBe(2);
    },
    LONG,
  );

  it.concurrent.each(WAYS)(
    'does not hold up a job that is cancelled; its post step still tries for a while: %s',
    async (way) => {
      using _place = await free.take();
      await using jobs = await world.fork(`cancelled ${way}`, { how: 'processes' });
      const { job, end } = await startOutage(jobs, { way, fault, share: 0.2 });
      await job.logged(/^Waiting for GitHub/);
      const begun = performance.now();
      const cancelled = job.cancel();
      await cancelled;
      // The runner's patience with main is 7.5 s.
      expect(performance.now() - begun).toBeLessThan(5_000);
      await Promise.all([job.ended, end(1_000)]);
      expect(endsOf(jobs)).toEqual(['1.1 passed']);
      expect(await startsAfterAgain(jobs, way)).toBe(1);
    },
    LONG,
  );
});
