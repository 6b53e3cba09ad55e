import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ActionWorld, errorsOf, outputsOf, redJobs } from './action-world.ts';
import {
  ACTION,
  agent,
  agentStep,
  CHECKOUT,
  gateAround,
  gateJob,
  gateStep,
  job,
  reportJob,
  type Keys,
} from './workflow-text.ts';

/** The same steps under other names, since ids of steps are unique in a job. */
function named(name: string, steps: readonly Keys[]): Keys[] {
  const text = JSON.stringify(steps).replaceAll(/"id":"|steps\./g, `$&${name}-`);
  return JSON.parse(text) as Keys[];
}

describe('jobs and gates', () => {
  it('may be several to a job: begun and completed in turn, or run', async () => {
    await using world = await ActionWorld.ofJobs({
      both: job([
        CHECKOUT,
        ...gateAround(agentStep({ score: 1 }), { gate: 'one' }),
        ...named('two', gateAround(agentStep({ score: 2 }), { gate: 'two' })),
      ]),
      ran: job([
        CHECKOUT,
        { ...gateStep({ gate: 'three', run: agent({ score: 3 }) }), id: 'three' },
        { ...gateStep({ gate: 'four', needs: 'three', run: agent({ score: 4 }) }), id: 'four' },
      ]),
      report: reportJob(['both', 'ran']),
    });
    const report = await (await world.run()).start().ended;
    expect(world.endings()).toEqual(['four', 'one', 'three', 'two'].map((gate) => `${gate} 1.1.1 ran passed`));
    expect(redJobs(report)).toEqual([]);
  });

  it('are one to one: of two jobs with one gate only one starts the agent, the other ends with GATE_CLAIMED', async () => {
    const one = gateJob({ gate: 'one', run: agent({ score: 1 }, 'until test -e "$GO"; do sleep 0.05; done') });
    await using world = await ActionWorld.ofJobs({ first: one, second: one });
    const go = world.repository.beside('go');
    const attempt = (await world.run({ machine: { GO: go } })).start();
    const jobs = await Promise.all(['first', 'second'].map((name) => attempt.job(name)));
    const claimed = await Promise.race(jobs.map(({ ended }) => ended));
    expect(claimed.conclusion).toBe('failure');
    expect(errorsOf(claimed)).toEqual([
      expect.stringMatching(
        /^Gate claimed by another job: GATE_CLAIMED: gate one: [^]*Give each its own `gate:`, or its own `subject:`\.$/,
      ),
    ]);
    await writeFile(go, '');
    const report = await attempt.ended;
    expect([...report.jobs.values()].map(({ conclusion }) => conclusion).toSorted()).toEqual(['failure', 'success']);
    expect(await world.startedGates()).toEqual(['one']);
    expect(world.endings()).toEqual(['one 1.1.1 ran passed']);
  });

  it('are green and not applicable where `if` of the gate is false, and what needs them goes on', async () => {
    const gates = `
pipeline: p
gates:
  one: { if: metadata.wanted == true, run: exit 1, inputs: [] }
  two: { needs: [one], run: 'echo "{}" > "$GATELINE_OUTPUT"', inputs: [] }
`;
    await using world = await ActionWorld.ofJobs(
      {
        one: gateJob({ file: 'gateline.yml', metadata: 'wanted: false' }),
        two: gateJob({ file: 'gateline.yml', metadata: 'wanted: false' }, { needs: 'one' }),
        report: reportJob(['one', 'two'], { file: 'gateline.yml' }),
      },
      { 'gateline.yml': gates },
    );
    const report = await (await world.run()).start().ended;
    expect(outputsOf(report.job('one'))).toMatchObject({
      decision: 'not-applicable',
      status: 'not-applicable',
      passed: 'true',
    });
    expect(redJobs(report)).toEqual([]);
    expect(world.endings()).toEqual(['one 1.1.1 ran not-applicable', 'two 1.1.1 ran passed']);
  });

  it.each([
    ['continue', 'success', 'partial', 'true'],
    ['pause', 'failure', 'paused', 'false'],
    ['block', 'failure', 'partial', 'false'],
  ])('with a score below the threshold and `partial: %s` end with %s', async (partial, conclusion, status, passed) => {
    await using world = await ActionWorld.ofJobs({
      one: gateJob({ run: agent({ score: 50 }), score: '/score', partial }),
      two: gateJob({ run: agent({}) }, { needs: 'one' }),
      report: reportJob(['one', 'two']),
    });
    const report = await (await world.run()).start().ended;
    expect(report.job('one').conclusion).toBe(conclusion);
    expect(outputsOf(report.job('one'))).toMatchObject({ status, passed, score: '50' });
    expect(report.job('two').conclusion).toBe(conclusion === 'success' ? 'success' : 'skipped');
    expect(report.job('report').conclusion).toBe(conclusion);
  });

  it('try again as often as `retries` says, each attempt told why the one before failed', async () => {
    const flaky = agent(
      { n: 1 },
      'test -z "$GATELINE_FEEDBACK" && exit 9; grep -q agent-error "$GATELINE_FEEDBACK" || exit 8',
    );
    await using world = await ActionWorld.ofJobs({ one: gateJob({ run: flaky, retries: 2 }) });
    const report = await (await world.run()).start().ended;
    expect(redJobs(report)).toEqual([]);
    expect(outputsOf(report.job('one'))).toMatchObject({ attempt: '2', status: 'passed' });
    expect(await world.startedGates()).toEqual(['one', 'one']);
    expect(world.endings()).toEqual(['one 1.1.1 ran agent-error', 'one 1.1.2 ran passed']);
  });

  it('end with no-secret where a secret is not there, without starting the agent', async () => {
    await using world = await ActionWorld.ofJobs({
      one: job([
        CHECKOUT,
        { ...gateStep({ run: agent({}), secrets: 'API_KEY', retries: 2 }), env: { API_KEY: '${{ secrets.API_KEY }}' } },
      ]),
    });
    const report = await (await world.run()).start().ended;
    expect(world.endings()).toEqual(['one 1.1.1 ran no-secret']);
    expect(await world.startedGates()).toEqual([]);
    expect(errorsOf(report.job('one')).at(-1)).toBe(
      'Gate failed: a secret is missing: gate one: no-secret: not set: API_KEY',
    );
  });

  it('need no checkout where nothing of the repository is needed', async () => {
    await using world = await ActionWorld.ofJobs({
      one: job([gateStep({ run: agent({ score: 95 }), schema: '{"type":"object"}', score: '/score' })]),
      two: job([...gateAround(agentStep({ ok: true }))]),
      report: {
        ...reportJob(['one', 'two']),
        steps: [{ uses: ACTION, with: { command: 'report', needs: '${{ toJSON(needs) }}' } }],
      },
    });
    const report = await (await world.run()).start().ended;
    expect(redJobs(report)).toEqual([]);
    expect(world.endings()).toEqual(['one 1.1.1 ran passed', 'two 1.1.1 ran passed']);
  });
});
