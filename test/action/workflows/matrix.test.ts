import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ActionWorld, outputsOf, redJobs } from './action-world.ts';
import { agent, CHECKOUT, gateJob, gateStep, job, reportJob } from './workflow-text.ts';

const LANGUAGES = { matrix: { lang: ['go', 'ts'] } };
const REVIEW = `lang=$(node -p 'JSON.parse(fs.readFileSync(process.env.GATELINE_REQUEST)).matrix.lang')
echo "review/$lang 1 $$" >> "$START_LOG"
echo "{\\"of\\":\\"$lang\\"}" > "$GATELINE_OUTPUT"`;
const MERGE = agent({}, 'cp "$GATELINE_REQUEST" "$SEEN"');

/** What the needs of a request are about. */
async function needsIn(path: string): Promise<unknown> {
  const { needs } = JSON.parse(await readFile(path, 'utf8')) as {
    needs: Record<string, { legs: Record<string, { output: unknown }> }>;
  };
  return Object.values(needs['review']!.legs).map(({ output }) => output);
}

it('runs a gate for each leg of the matrix of its job, and shows all of them to what needs it', async () => {
  await using world = await ActionWorld.ofJobs({
    review: gateJob({ run: REVIEW }, { strategy: LANGUAGES }),
    merge: gateJob({ run: MERGE }, { needs: 'review' }),
    report: reportJob(['review', 'merge']),
  });
  const seen = world.repository.beside('seen.json');
  const report = await (await world.run({ machine: { SEEN: seen } })).start().ended;
  expect(redJobs(report)).toEqual([]);
  expect(await world.startedGates()).toEqual(['merge', 'review/go', 'review/ts']);
  expect(await needsIn(seen)).toEqual([{ of: 'go' }, { of: 'ts' }]);
  const legs = ['go', 'ts'].map((lang) => outputsOf(report.job(`review (${lang})`))['leg']);
  expect(new Set(legs).size).toBe(2);
});

it('runs the legs that gateline.yml names, each in the job whose matrix fits', async () => {
  const file = 'gateline.yml';
  const gates = {
    review: { strategy: LANGUAGES, run: REVIEW, inputs: [] },
    merge: { needs: ['review'], run: MERGE, inputs: [] },
  };
  await using world = await ActionWorld.ofJobs(
    {
      // A runner beside it is no part of the leg.
      review: gateJob({ file }, { strategy: { matrix: { ...LANGUAGES.matrix, os: ['ubuntu-latest'] } } }),
      merge: gateJob({ file }, { needs: 'review' }),
      report: reportJob(['review', 'merge'], { file }),
    },
    { [file]: JSON.stringify({ pipeline: 'p', gates }) },
  );
  const seen = world.repository.beside('seen.json');
  const report = await (await world.run({ machine: { SEEN: seen } })).start().ended;
  expect(redJobs(report)).toEqual([]);
  expect(await world.startedGates()).toEqual(['merge', 'review/go', 'review/ts']);
  expect(await needsIn(seen)).toEqual([{ of: 'go' }, { of: 'ts' }]);
});

it('lets a matrix choose the gates of its jobs, where the step says that it names no leg', async () => {
  const step = gateStep({ gate: '${{ matrix.gate }}', matrix: '{}', run: agent({}) });
  await using world = await ActionWorld.ofJobs({
    each: job([CHECKOUT, step], { strategy: { matrix: { gate: ['one', 'two'] } } }),
  });
  const report = await (await world.run()).start().ended;
  expect(redJobs(report)).toEqual([]);
  expect(world.endings()).toEqual(['one 1.1.1 ran passed', 'two 1.1.1 ran passed']);
});
