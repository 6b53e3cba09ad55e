import { describe, expect, it } from 'vitest';
import type { JobEnvironment } from '../../support/github/job-environment.ts';
import type { RunReport } from '../../support/runner/workflow-run.ts';
import { parseWorkflow } from '../../support/runner/workflow-file.ts';
import { RunnerWorld } from './runner-world.ts';

/** Jobs by id, each as the lines below `jobs.<id>`; `runs-on` is added. */
function workflow(jobs: Readonly<Record<string, string>>): string {
  const texts = Object.entries(jobs).map(
    ([id, text]) => `  ${id}:\n    runs-on: ubuntu-latest\n${text.trim().replaceAll(/^/gm, '    ')}\n`,
  );
  return `name: gates\non: [push, workflow_dispatch]\njobs:\n${texts.join('')}`;
}

const conclusions = (report: RunReport) =>
  Object.fromEntries([...report.jobs.values()].map(({ name, conclusion }) => [name, conclusion]));

describe.runIf(process.platform !== 'win32')('a workflow run', () => {
  it('runs jobs in the order of their needs, and hands outputs and results on', async () => {
    await using world = await RunnerWorld.create(
      workflow({
        last: `
needs: [left, right]
outputs: { all: '\${{ toJSON(needs) }}' }
steps: [{ run: 'echo "\${{ needs.left.outputs.word }} \${{ needs.right.result }}"' }]`,
        left: `
needs: first
outputs: { word: '\${{ steps.say.outputs.word }}' }
steps: [{ id: say, run: 'echo "word=\${{ needs.first.outputs.seed }}-left" >> "$GITHUB_OUTPUT"' }]`,
        right: `needs: first\nsteps: [{ run: 'true' }]`,
        first: `
outputs: { seed: '\${{ steps.it.outputs.seed }}' }
steps: [{ id: it, run: 'echo seed=one >> "$GITHUB_OUTPUT"' }]`,
      }),
    );
    const report = await (await world.run()).start().ended;
    expect(report.conclusion).toBe('success');
    expect(report.started[0]).toBe('first');
    expect(report.started.at(-1)).toBe('last');
    expect(report.job('last').log).toEqual(['one-left success']);
    expect(JSON.parse(report.job('last').outputs['all']!)).toEqual({
      left: { result: 'success', outputs: { word: 'one-left' } },
      right: { result: 'success', outputs: {} },
    });
  });

  it('passes over what needs a failed job, unless it asks for it', async () => {
    await using world = await RunnerWorld.create(
      workflow({
        fails: 'steps: [{ run: exit 1 }]',
        skipped: `needs: fails\nsteps: [{ run: 'true' }]`,
        also: `needs: skipped\nsteps: [{ run: 'true' }]`,
        never: `if: github.event_name == 'schedule'\nsteps: [{ run: 'true' }]`,
        onFailure: `needs: also\nif: failure()\nsteps: [{ run: 'true' }]`,
        report: `needs: [fails, also]\nif: always()\nsteps: [{ run: 'echo \${{ needs.fails.result }} \${{ needs.also.result }}' }]`,
        after: `needs: report\nsteps: [{ run: 'true' }]`,
      }),
    );
    const report = await (await world.run()).start().ended;
    expect(conclusions(report)).toEqual({
      fails: 'failure',
      skipped: 'skipped',
      also: 'skipped',
      never: 'skipped',
      onFailure: 'success',
      report: 'success',
      // As on GitHub: `success()` asks all that it needs, directly or not.
      after: 'skipped',
    });
    expect(report.conclusion).toBe('failure');
    expect(report.job('report').log).toEqual(['failure skipped']);
    expect(world.service.world.runs.get(1)).toMatchObject({ status: 'completed', conclusion: 'failure' });
  });

  it('has a job for each leg of a matrix, each with a token of its own', async () => {
    await using world = await RunnerWorld.create(
      workflow({
        list: `
outputs: { sizes: '\${{ steps.it.outputs.sizes }}' }
steps: [{ id: it, run: "echo 'sizes=[1,2]' >> \\"$GITHUB_OUTPUT\\"" }]`,
        legs: `
needs: list
strategy:
  fail-fast: false
  matrix:
    size: \${{ fromJSON(needs.list.outputs.sizes) }}
    os: [linux]
    include: [{ size: 2, os: linux, more: yes! }]
steps:
  - run: 'echo \${{ matrix.size }} \${{ matrix.more }} \${{ strategy.job-index }}/\${{ strategy.job-total }}'
  - run: exit $((2 - \${{ matrix.size }}))`,
        report: `needs: legs\nif: always()\nsteps: [{ run: 'echo \${{ needs.legs.result }}' }]`,
      }),
    );
    const tokens: string[] = [];
    const inspect = ({ env }: JobEnvironment) => void tokens.push(env['ACTIONS_RUNTIME_TOKEN']!.split('.')[1]!);
    const report = await (await world.run({ inspect, parallel: 1 })).start().ended;
    const claims = tokens.map((token) => JSON.parse(Buffer.from(token, 'base64url').toString()));
    expect(claims.map(({ job_id }) => job_id)).toEqual(['list', 'legs (1, linux)', 'legs (2, linux)', 'report']);
    expect(conclusions(report)).toMatchObject({ 'legs (1, linux)': 'failure', 'legs (2, linux)': 'success' });
    expect(report.job('legs (1, linux)').log[0]).toBe('1 0/2');
    expect(report.job('legs (2, linux)').log[0]).toBe('2 yes! 1/2');
    expect(report.job('report').log).toEqual(['failure']);
    const names = world.service.world.runs.get(1)?.jobs.map(({ name }) => name);
    expect(names).toEqual(['list', 'legs (1, linux)', 'legs (2, linux)', 'report']);
  });

  it('cancels the other legs when one fails, unless told otherwise', async () => {
    await using world = await RunnerWorld.create(
      workflow({
        legs: `
strategy: { matrix: { does: ['exit 1', 'echo waits; sleep 600', 'echo never'] } }
steps: [{ run: '\${{ matrix.does }}' }]`,
      }),
    );
    const cancelTimes = { interrupt: 100, terminate: 10_000 };
    const report = await (await world.run({ cancelTimes })).start().ended;
    expect(conclusions(report)).toEqual({
      'legs (exit 1)': 'failure',
      'legs (echo waits; sleep 600)': 'cancelled',
      'legs (echo never)': 'cancelled',
    });
    expect(report.started).toHaveLength(2);
  });

  it('runs again what failed and what depends on it, with what the others came to', async () => {
    const step = (id: string) =>
      `steps: [{ id: s, run: 'echo "at=\${{ github.run_attempt }}" >> "$GITHUB_OUTPUT"; ${id}' }]\noutputs: { at: '\${{ steps.s.outputs.at }}' }`;
    await using world = await RunnerWorld.create(
      workflow({
        first: step('true'),
        legs: `needs: first\nstrategy: { fail-fast: false, matrix: { leg: [1, 2] } }\n${step('test $GITHUB_RUN_ATTEMPT = 2 || test ${{ matrix.leg }} = 1')}`,
        beside: `needs: first\n${step('true')}`,
        last: `needs: [first, legs, beside]\nif: always()\nsteps: [{ run: 'echo \${{ needs.first.outputs.at }} \${{ needs.beside.outputs.at }} \${{ needs.legs.result }}' }]`,
      }),
    );
    const run = await world.run();
    const first = await run.start().ended;
    expect(first.conclusion).toBe('failure');
    expect(first.job('last').log).toEqual(['1 1 failure']);
    const second = await run.rerunFailed().ended;
    expect(second.started).toEqual(['legs (2)', 'last']);
    expect(second).toMatchObject({ attempt: 2, conclusion: 'success' });
    expect(second.job('last').log).toEqual(['1 1 success']);
    expect([...second.jobs.values()].map(({ name, attempt }) => `${name} ${attempt}`)).toEqual([
      'first 1',
      'legs (1) 1',
      'legs (2) 2',
      'beside 1',
      'last 2',
    ]);
    const third = await run.rerunAll().ended;
    expect(third.started.toSorted()).toEqual(['beside', 'first', 'last', 'legs (1)', 'legs (2)']);
    const fourth = await run.rerunJob('beside').ended;
    expect(fourth.started).toEqual(['beside', 'last']);
    expect(fourth.job('last').log).toEqual(['3 4 failure']);
  });

  it('is a new one for a new commit or event, which its jobs see', async () => {
    await using world = await RunnerWorld.create(
      workflow({
        one: `
steps:
  - uses: actions/checkout@v7
  - run: 'cat note.txt; echo "$GITHUB_EVENT_NAME $GITHUB_RUN_ID $GITHUB_REF \${{ inputs.resume }} \${{ github.event.number }}"'`,
      }),
      { files: { 'note.txt': 'old\n' } },
    );
    const old = await world.run();
    await world.repository.write('note.txt', 'new\n');
    await world.repository.commitAll('new');
    const about = { event: 'pull_request', headBranch: 'topic', pullRequests: [7] };
    const runs = [
      old,
      await world.run({ run: 2, inputs: { resume: 1 }, about: { event: 'workflow_dispatch' } }),
      await world.run({ run: 3, about, payload: { number: 7 }, branch: 'topic' }),
    ];
    const reports = await Promise.all(runs.map((run) => run.start().ended));
    expect(reports.map((report) => report.job('one').log)).toEqual([
      ['old', 'push 1 refs/heads/main  '],
      ['new', 'workflow_dispatch 2 refs/heads/main 1 '],
      ['new', 'pull_request 3 refs/pull/7/merge  7'],
    ]);
  });

  it('can be cancelled, and any of its jobs can lose its runner', async () => {
    const jobs = {
      first: `steps: [{ run: 'echo ready; sleep 600' }]`,
      second: `needs: first\nsteps: [{ run: 'true' }]`,
      last: `needs: second\nif: always()\nsteps: [{ run: 'echo last' }]`,
    };
    await using world = await RunnerWorld.create(workflow(jobs));
    const attempt = (await world.run({ cancelTimes: { interrupt: 100, terminate: 10_000 } })).start();
    await (await attempt.job('first')).logged(/ready/);
    await attempt.cancel();
    const cancelled = await attempt.ended;
    expect(cancelled.conclusion).toBe('cancelled');
    expect(conclusions(cancelled)).toEqual({ first: 'cancelled', second: 'skipped', last: 'success' });

    const other = (await world.run({ run: 2 })).start();
    const job = await other.job('first');
    await job.logged(/ready/);
    await job.lose();
    const lost = await other.ended;
    expect(conclusions(lost)).toEqual({ first: 'failure', second: 'skipped', last: 'success' });
    expect(lost.job('first').lost).toBe(true);
    await expect(other.job('nobody')).rejects.toThrow('no job nobody began');
  });

  it('gives its jobs the permissions that they are written with, and no others', async () => {
    const ask = `curl -s -o /dev/null -w '%{http_code}\\n' -H "Authorization: Bearer \${{ github.token }}" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/actions/runs/1"`;
    const text = workflow({
      without: `permissions: { contents: read }\nsteps:\n  - run: |\n      ${ask}`,
      granted: `permissions: { actions: read }\nsteps:\n  - run: |\n      ${ask}`,
      plain: `steps:\n  - run: |\n      ${ask}`,
    });
    await using world = await RunnerWorld.create(text.replace('jobs:', 'permissions: {}\njobs:'));
    const report = await (await world.run()).start().ended;
    expect(Object.fromEntries([...report.jobs.values()].map(({ id, log }) => [id, log]))).toEqual({
      without: ['403'],
      granted: ['200'],
      plain: ['403'],
    });
  });
});

describe('a workflow file', () => {
  it.each([
    ['a key that nothing carries out', 'services: {}\nsteps: [{ run: a }]', /Unrecognized key: "services"/],
    ['a step of two kinds', 'steps: [{ run: a, uses: b }]', /either `uses` or `run`/],
    ['a need that is not there', 'needs: b\nsteps: [{ run: a }]', /job a needs b, which is not there/],
    ['a job that needs itself', 'needs: a\nsteps: [{ run: a }]', /job a needs itself/],
  ])('with %s is refused', (_, job, message) => {
    expect(() => parseWorkflow(workflow({ a: job }), 'w.yml')).toThrow(message);
  });
});
