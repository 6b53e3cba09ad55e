import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CacheEntry } from '../../support/github/model.ts';
import type { RunReport } from '../../support/runner/workflow-run.ts';
import { errorsOf, messagesOf, outputsOf, redJobs, type WorldRunOptions } from './action-world.ts';
import { BEFORE_3, FROM_3, outcomeOfLocalRun, WebTestsWorld, type WebTestsOutcome } from './web-tests-world.ts';
import { IS_FULL } from '../../support/test-size.ts';

const LONG = { timeout: 600_000 };
const ALL = [...FROM_3, ...BEFORE_3].toSorted();
const FIRST_RUN = 700;
const AGENT = 'examples/web-tests/agents/code.ts';

let example: WebTestsWorld;
let local: WebTestsOutcome;
/** What the cache held after the first run. */
let caches: readonly CacheEntry[];

/** A run whose gate 3 fails by a bug in its agent; and the commit that mends it. */
beforeAll(async () => {
  [example, local] = await Promise.all([WebTestsWorld.create(), outcomeOfLocalRun()]);
  const { repository, service } = example.world;
  const sound = await repository.read(AGENT);
  await repository.write(AGENT, `${sound}process.exitCode = 3;\n`);
  await repository.commitAll('a bug in gate 3');
  const first = await start({ run: FIRST_RUN });
  expect(first.started).toEqual(['data', 'design', 'map', 'code', 'report']);
  expect(await example.world.startedGates()).toEqual(['code', ...BEFORE_3]);
  caches = [...service.world.caches];
  await repository.write(AGENT, sound);
  await repository.commitAll('the fix');
}, 600_000);
afterAll(() => example[Symbol.asyncDispose]());
beforeEach(() => {
  example.world.service.world.caches.splice(0, Infinity, ...caches);
});

async function start(options: WorldRunOptions = {}): Promise<RunReport> {
  return (await example.run(options)).start().ended;
}

function sources(report: RunReport): string[] {
  return BEFORE_3.map((gate) => {
    const outputs = outputsOf(report.job(gate));
    return `${outputs['decision']} ${outputs['reused-from']}`;
  });
}

describe.runIf(IS_FULL)('examples/web-tests in a new run, after a commit that mends gate 3', () => {
  it('takes gates 0 to 2 from the cache, runs 3 to 5, and ends as a local run does', LONG, async () => {
    const report = await start();
    expect(redJobs(report)).toEqual([]);
    expect(await example.world.startedGates()).toEqual(FROM_3);
    expect(sources(report)).toEqual(['reuse 1.1.1', 'reuse 1.1.1', 'reuse 1.1.1']);
    expect(example.outcome()).toEqual(local);
  });

  it('runs everything, without a word of an error, when the cache was evicted', LONG, async () => {
    expect(example.world.service.evictCaches()).toBeGreaterThan(0);
    const report = await start();
    expect(redJobs(report)).toEqual([]);
    expect(await example.world.startedGates()).toEqual(ALL);
    expect([...report.jobs.values()].flatMap((job) => [...errorsOf(job), ...messagesOf(job, 'warning')])).toEqual([]);
  });

  it(
    'takes gates 0 to 2 over REST from the run that it is told to go on from, with the cache evicted',
    LONG,
    async () => {
      example.world.service.evictCaches();
      const report = await start({ about: { event: 'workflow_dispatch' }, inputs: { resume: String(FIRST_RUN) } });
      expect(redJobs(report)).toEqual([]);
      expect(await example.world.startedGates()).toEqual(FROM_3);
      expect(sources(report)).toEqual(['reuse 1.1.1', 'reuse 1.1.1', 'reuse 1.1.1']);
      expect(example.outcome()).toEqual(local);
    },
  );
});
