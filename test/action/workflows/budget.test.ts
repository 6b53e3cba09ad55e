import { expect, it } from 'vitest';
import { ActionWorld } from './action-world.ts';
import { agent, CHECKOUT, gateStep, job, reportJob, type Keys } from './workflow-text.ts';

/** Two gates that cost 40 cents each, with these steps before the second one. */
function world(most: number, before: readonly Keys[] = []): Promise<ActionWorld> {
  const run = agent({}, 'echo \'{"costUsd": 0.4}\' > "$GATELINE_METRICS"');
  const gates = { a: { run, inputs: [] }, b: { needs: 'a', run, inputs: [] } };
  const step = (gate: string): Keys => gateStep({ gate, file: 'gateline.yml' }, gate === 'b' ? { needs: 'a' } : {});
  const jobs = {
    a: job([CHECKOUT, step('a')]),
    b: job([CHECKOUT, ...before, step('b')], { needs: 'a' }),
    report: reportJob(['a', 'b'], { file: 'gateline.yml' }),
  };
  const definition = { pipeline: 'p', budget: { gate: 0.4, run: most }, gates };
  return ActionWorld.ofJobs(jobs, { 'gateline.yml': JSON.stringify(definition) });
}

/** The status of the newest run, as its report stored it. */
function keptStatus({ service }: ActionWorld): unknown {
  const { blob } = service.world.artifacts.findLast(({ name }) => name.startsWith('gl1.history.'))!;
  const text = service.world.blobs.blobs.get(blob)!.content.toString();
  return (JSON.parse(text) as { entries: { status: string }[] }).entries[0]!.status;
}

it('a run over its budget is paused, and its report says what to do', async () => {
  await using place = await world(0.6);
  const report = (await (await place.run()).start().ended).job('report');
  expect(report.summary).toContain('## ⏸️ over budget: ');
  expect(report.summary).toContain('over budget: USD 0.60 for the run, USD 0.40 spent, USD 0.40 to reserve');
  expect(report.summary).toContain('**Next step:** `b`: Raise the budget. Push the change: this starts a new run');
  expect(report.conclusion).toBe('failure');
  expect(keptStatus(place)).toBe('paused');
});

it('a run has failed whose job ended before its gate began', async () => {
  await using place = await world(1, [{ run: 'exit 1' }]);
  expect((await (await place.run()).start().ended).job('report').conclusion).toBe('failure');
  expect(keptStatus(place)).toBe('error');
});
