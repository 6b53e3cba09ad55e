import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CancelTimes } from '../../support/runner/step-process.ts';
import { RunnerWorld } from './runner-world.ts';

/** Times far above what a process needs to hear a signal, and far below what a test may take. */
const LONG: CancelTimes = { interrupt: 20_000, terminate: 20_000 };
const SHORT: CancelTimes = { interrupt: 200, terminate: 200 };

/** An action that tells of its signals, and of which of them it ends. Its post tells the job's status. */
function action(endsAt: string): string {
  return `
    if (stage === 'post') console.log('post sees ' + process.env['INPUT_WITH-HYPHEN']);
    else {
      for (const signal of ['SIGINT', 'SIGTERM']) {
        process.on(signal, () => {
          console.log('got ' + signal);
          if (signal === '${endsAt}') process.exit(0);
        });
      }
      setInterval(() => {}, 1000);
      console.log('ready');
    }`;
}

function workflow(script: string, more = ''): string {
  return `on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - { uses: ./spy, with: { do: ${JSON.stringify(script)} } }
      - { id: next, run: echo never }
      - { id: at-cancel, if: cancelled(), run: 'echo at cancel: \${{ job.status }}' }
      - { id: at-failure, if: failure(), run: echo never }
${more}`;
}

describe.runIf(process.platform !== 'win32')('a job that is cancelled', () => {
  it.each([
    ['SIGINT', LONG, ['got SIGINT']],
    ['SIGTERM', { ...LONG, interrupt: 200 }, ['got SIGINT', 'got SIGTERM']],
    ['neither', SHORT, ['got SIGINT', 'got SIGTERM']],
  ])(
    'whose action ends at %s is asked, told and killed in turn; then its post runs',
    async (endsAt, cancelTimes, told) => {
      await using world = await RunnerWorld.create(workflow(action(endsAt)));
      const job = await world.start('build', { cancelTimes });
      await job.logged(/^ready$/);
      await job.cancel();
      const report = await job.ended;
      expect(report.conclusion).toBe('cancelled');
      expect(report.steps.map(({ id, stage, outcome }) => `${id} ${stage} ${outcome}`)).toEqual([
        '__actions_checkout main success',
        '__self main cancelled',
        'next main skipped',
        'at-cancel main success',
        'at-failure main skipped',
        '__self post success',
      ]);
      expect(report.log).toEqual([
        'main of nobody',
        'ready',
        ...told,
        'at cancel: cancelled',
        'post of nobody',
        'post sees cancelled',
      ]);
      expect(world.service.world.runs.get(1)?.jobs).toMatchObject([{ conclusion: 'cancelled' }]);
    },
  );

  it('lets a step end that wants to run in any case', async () => {
    const text = `on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - { id: stubborn, if: always(), run: 'echo ready; read -r line < ../pipe; echo "$line"' }
      - { id: next, run: echo never }
`;
    await using world = await RunnerWorld.create(text.replace('echo ready;', 'mkfifo ../pipe; pwd; echo ready;'));
    const job = await world.start('build', { cancelTimes: SHORT });
    const folder = await job.logged(/^\//);
    await job.logged(/^ready$/);
    await job.cancel();
    await writeFile(`${folder}/../pipe`, 'to the end\n');
    const report = await job.ended;
    expect(report.log.at(-1)).toBe('to the end');
    expect(report.steps.map(({ outcome }) => outcome)).toEqual(['success', 'skipped']);
    expect(report.conclusion).toBe('cancelled');
  });
});

describe.runIf(process.platform === 'linux')('a job whose runner goes away', () => {
  it('ends at once with all that it started, runs no post and has no outputs', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
      console.log('child ' + child.pid);
      setInterval(() => {}, 1000);`;
    await using world = await RunnerWorld.create(workflow(script));
    const job = await world.start('build');
    const child = Number((await job.logged(/^child /)).split(' ')[1]);
    await job.lose();
    const report = await job.ended;
    expect(report).toMatchObject({ conclusion: 'failure', lost: true, outputs: {} });
    expect(report.steps.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      '__actions_checkout success',
      '__self cancelled',
    ]);
    expect(await isGone(child)).toBe(true);
  });

  it('and one that simply ends leaves nothing behind either', async () => {
    await using world = await RunnerWorld.create(`on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: 'setsid sleep 600 & echo "child $!"'
`);
    const report = await (await world.start('build')).ended;
    expect(report.conclusion).toBe('success');
    expect(await isGone(Number(report.log[0]!.split(' ')[1]))).toBe(true);
  });
});

/** Whether a process has ended; one that nobody has waited for yet has. */
async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '(gone) Z');
    if (/\) Z/.test(stat)) return true;
    await sleep(50);
  }
  return false;
}
