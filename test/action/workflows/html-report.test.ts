import { expect, it } from 'vitest';
import { ActionWorld, errorsOf, messagesOf } from './action-world.ts';
import { agent, CHECKOUT, gateJob, gateStep, job, reportJob, type Keys } from './workflow-text.ts';

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>';

/** A gate that writes hostile text and fails in its first attempt, and a report. */
function reported(inputs: Keys): Promise<ActionWorld> {
  const run = agent({ text: HOSTILE }, `echo 'looking at ${HOSTILE}'; test "$GITHUB_RUN_ATTEMPT" -gt 1 || exit 1`);
  return ActionWorld.ofJobs({ make: gateJob({ run }), report: reportJob(['make'], inputs) });
}

const pagesOf = ({ service }: ActionWorld): ReadonlyArray<readonly [name: string, text: string]> =>
  service.world.artifacts
    .filter(({ name }) => name.endsWith('.html'))
    .map(({ name, blob }) => [name, service.world.blobs.blobs.get(blob)!.content.toString()] as const);

it('a report uploads the run as a page for each of its attempts, as it is, and nothing on it is live', async () => {
  await using world = await reported({ 'html-report': 'true' });
  const started = await world.run();
  const first = await started.start().ended;
  const second = await started.rerunFailed().ended;
  expect(errorsOf(second.job('report'))).toEqual([]);
  const pages = pagesOf(world);
  expect(pages.map(([name]) => name)).toEqual(['gateline-gates-1.html', 'gateline-gates-2.html']);
  for (const [, text] of pages) {
    expect(text.startsWith('<!doctype html>\n')).toBe(true);
    expect(text).not.toMatch(/<script|<img/);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  }
  expect(pages[0]![1]).toContain(': error</h1>');
  expect(pages[1]![1]).toContain(': completed</h1>');
  expect(first.job('report').log).toContain('The page about this run is the artifact gateline-gates-1.html.');
});

it('a report without that input uploads no page, and a page that cannot be uploaded fails no report', async () => {
  await using without = await reported({});
  await (await without.run()).start().ended;
  expect(pagesOf(without)).toEqual([]);
  const report = reportJob(['make'], { 'html-report': 'true' });
  const steps = report['steps'] as readonly Keys[];
  const twice = { ...report, steps: [...steps, steps.at(-1)!] };
  await using world = await ActionWorld.ofJobs({ make: gateJob({ run: agent(1) }), report: twice });
  const run = await (await world.run()).start().ended;
  expect(errorsOf(run.job('report'))).toEqual([]);
  expect(messagesOf(run.job('report'), 'notice').filter((one) => one.includes('.html'))).toEqual([
    expect.stringMatching(/The page gateline-gates-1\.html was not uploaded: this run attempt has an artifact of that/),
  ]);
  expect(pagesOf(world)).toHaveLength(1);
});

it('shows a gate as failed whose output does not pass, whatever its record says', async () => {
  const schema = '{"type":"object","required":["plan"]}';
  await using world = await ActionWorld.ofJobs({
    make: job([CHECKOUT, { ...gateStep({ run: agent({ score: 99 }), schema }), 'continue-on-error': true }]),
    report: reportJob(['make'], { 'html-report': 'true' }),
  });
  const inspect = (_: unknown, { id }: { readonly id: string }): void => {
    if (id === 'make') world.forge('make', { status: 'passed', kind: 'passed', score: 100, issues: [], advice: '' });
  };
  await (await world.run({ inspect })).start().ended;
  const [[, text]] = pagesOf(world) as [readonly [string, string]];
  expect(text).toContain(': error</h1>');
  expect(text).toContain('UPSTREAM_REFUSED');
});
