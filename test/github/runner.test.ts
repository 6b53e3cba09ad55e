import { describe, expect, it } from 'vitest';
import { startGithub } from '../support/github/github.ts';
import { createRepository } from '../support/runner/repository.ts';

const CHAIN = `
on: [push, pull_request, workflow_dispatch]
env: { LEVEL: workflow }
jobs:
  design:
    runs-on: ubuntu-latest
    outputs: { color: '\${{ steps.pick.outputs.color }}', secret: '\${{ steps.pick.outputs.secret }}' }
    steps:
      - uses: actions/checkout@v5
      - id: pick
        run: |
          echo "color=$(cat color.txt)" >> "$GITHUB_OUTPUT"
          echo "secret=\${{ secrets.KEY }}" >> "$GITHUB_OUTPUT"
          echo "::warning title=Careful::it is \${{ secrets.KEY }}"
          echo "TIMES=2" >> "$GITHUB_ENV"
          echo "runtime=\${ACTIONS_RUNTIME_TOKEN-none}"
      - run: 'echo "$LEVEL $TIMES times" >> "$GITHUB_STEP_SUMMARY"'
  build:
    needs: design
    runs-on: ubuntu-latest
    strategy: { fail-fast: false, matrix: { size: '\${{ fromJSON(''["small", "large"]'') }}' } }
    outputs: { small: '\${{ steps.it.outputs.small }}', large: '\${{ steps.it.outputs.large }}' }
    steps:
      - id: it
        run: 'echo "\${{ matrix.size }}=\${{ needs.design.outputs.color }}-\${{ strategy.job-index }}" >> "$GITHUB_OUTPUT"'
      - if: matrix.size == 'large' && github.run_attempt == 1
        run: exit 3
  call:
    needs: build
    if: '!cancelled()'
    uses: ./.github/workflows/called.yml
    with: { text: '\${{ toJSON(needs.build.outputs) }}' }
`;
const CALLED = `
on: { workflow_call: { inputs: { text: { type: string } }, outputs: { echo: { value: '\${{ jobs.echo.outputs.it }}' } } } }
jobs:
  echo:
    runs-on: ubuntu-latest
    outputs: { it: '\${{ steps.say.outputs.result }}' }
    steps:
      - id: say
        uses: someone/say@v1
        with: { text: '\${{ inputs.text }}' }
`;

const ACTION = `
inputs: { text: { default: '\${{ job.status }} \${{ github.token != '''' }}' }, other: { default: x } }
runs: { using: node24, main: main.mjs, post: post.mjs, post-if: 'always()' }
`;
const MAIN = `
import { appendFileSync, readFileSync } from 'node:fs';
const { GITHUB_API_URL, GITHUB_EVENT_PATH, GITHUB_STATE, INPUT_OTHER, INPUT_TEXT, TOKEN } = process.env;
appendFileSync(GITHUB_STATE, 'saved=1\\n');
const { inputs } = JSON.parse(readFileSync(GITHUB_EVENT_PATH));
const url = GITHUB_API_URL + '/repos/octo/gates/actions/workflows/all.yml/dispatches';
const body = JSON.stringify({ ref: 'main', inputs: { level: 'high' } });
const { status } = await fetch(url, { method: 'POST', headers: { authorization: 'token ' + TOKEN }, body });
console.log('main', INPUT_TEXT, INPUT_OTHER, JSON.stringify(inputs), status);
`;
const POST = `console.log('post', process.env.STATE_saved, process.env.INPUT_TEXT);`;
const ALL = `
run-name: Level \${{ inputs.level }}
on: { workflow_dispatch: { inputs: { level: { default: mid }, flag: { type: boolean, default: true } } } }
permissions: { contents: read, actions: write }
jobs:
  all:
    if: \${{ inputs.flag }}
    runs-on: ubuntu-latest
    steps:
      - { uses: actions/checkout@v5, with: { path: sub, fetch-depth: 0 } }
      - { id: local, uses: $/it, with: { other: y, strange: z }, env: { TOKEN: '\${{ github.token }}' } }
      - run: |
          git -C sub rev-parse origin/main
          echo "::stop-commands::abc"
          echo "::error::hidden"
          echo "::abc::"
          echo "::add-mask::topsecret"
          echo "it ##[warning]old style of topsecret"
          head -c 1100000 /dev/zero | tr '\\0' a >> "$GITHUB_STEP_SUMMARY"
      - { run: exec sleep 100, timeout-minutes: 1, continue-on-error: true }
      - { run: exec sleep 100, timeout-minutes: 1 }
      - run: echo not reached
`;

describe('the runner', () => {
  it('runs a chain with a matrix, a called workflow and a registered action, and runs what failed again', async () => {
    await using github = await startGithub();
    const files = { '.github/workflows/gates.yml': CHAIN, '.github/workflows/called.yml': CALLED, 'color.txt': 'red' };
    const say = async ({ inputs }: { inputs: Readonly<Record<string, string>> }) => ({ result: inputs['text'] ?? '' });
    await using repository = await createRepository(github, {
      files,
      secrets: { KEY: 'k3y' },
      actions: { 'someone/say': say },
    });
    const first = await repository.push();
    const design = first.job('design');
    expect(design).toMatchObject({ conclusion: 'success', outputs: { color: 'red' }, summary: 'workflow 2 times\n' });
    expect(design.log).toContain('runtime=none');
    expect(design.annotations).toEqual([{ level: 'warning', message: 'it is ***', properties: { title: 'Careful' } }]);
    expect(first.conclusion).toBe('failure');
    expect(first.job('build (large)').conclusion).toBe('failure');
    expect(JSON.parse(first.job('call / echo').outputs['it']!)).toEqual({ small: 'red-0', large: 'red-1' });
    const second = await first.rerun('failed');
    expect(second).toMatchObject({ conclusion: 'success', runAttempt: 2, started: ['build (large)', 'call / echo'] });
    expect(second.job('build (small)').runAttempt).toBe(1);
    expect(repository.data.runs[0]!.attempts.map(({ conclusion, jobs }) => [conclusion, jobs.length])).toEqual([
      ['failure', 4],
      ['success', 2],
    ]);
    expect((await first.rerun('all')).started).toEqual(['design', 'build (small)', 'build (large)', 'call / echo']);
  });

  it('runs local actions with inputs, state and post, reads commands, and ends what takes too long', async () => {
    await using github = await startGithub();
    const files = {
      '.github/workflows/all.yml': ALL,
      'it/action.yml': ACTION,
      'it/main.mjs': MAIN,
      'it/post.mjs': POST,
    };
    const options = { files, minuteMs: 300, cancelTimes: { interrupt: 50, terminate: 50 } };
    await using repository = await createRepository(github, options);
    const job = (await repository.dispatch({ inputs: { level: 'low' } })).job('all');
    const lines = job.log.split('\n');
    expect(lines).toContain('main success true y {"level":"low","flag":"true"} 204');
    expect(lines.at(-1)).toBe('post 1 failure true');
    expect(lines).toContain('::add-mask::***');
    expect(job.annotations.map(({ level, message }) => [level, message])).toEqual([
      ['warning', "Unexpected input(s) 'strange', valid inputs are ['text', 'other']"],
      ['warning', 'old style of ***'],
      ['error', expect.stringContaining('upload aborted, supports content up to a size of 1024k, got 1075k')],
      ['error', "The action 'run' has timed out after 1 minutes."],
      ['error', "The action 'run' has timed out after 1 minutes."],
    ]);
    expect(job.steps.map(({ outcome, conclusion }) => `${outcome} ${conclusion}`)).toEqual([
      ...['success success', 'success success', 'success success', 'failure success', 'failure failure'],
      ...['skipped skipped', 'success success'],
    ]);
    const [next] = await repository.runOrders();
    expect(next?.job('all').log).toContain('main success true y {"level":"high","flag":"true"} 204');
    expect(repository.data.runs.map(({ displayTitle, actor }) => `${displayTitle} by ${actor.login}`)).toEqual([
      'Level low by octocat',
      'Level high by github-actions[bot]',
    ]);
  });

  it('gives a pull request of a fork neither secrets nor a writing token', async () => {
    await using github = await startGithub();
    const files = { '.github/workflows/gates.yml': CHAIN, '.github/workflows/called.yml': CALLED, 'color.txt': 'red' };
    await using repository = await createRepository(github, {
      files,
      secrets: { KEY: 'k3y' },
      actions: { 'someone/say': 'true' },
    });
    const run = await repository.pullRequest({ branch: 'main', fork: 'evil/gates', files: { 'color.txt': 'blue' } });
    expect(run.job('design').outputs).toEqual({ color: 'blue', secret: '' });
    expect(run.job('design').annotations[0]?.message).toBe('it is ');
    const tokens = [...github.tokens.values()].map(({ permissions }) =>
      permissions === 'all' ? 'all' : permissions['issues'],
    );
    expect(new Set(tokens)).toEqual(new Set(['read']));
    expect(repository.data.runs[0]).toMatchObject({ headRepository: 'evil/gates', pullRequests: [] });
  });

  const SLOW = `
on: push
jobs:
  work:
    runs-on: ubuntu-latest
    steps:
      - run: 'trap "" INT TERM; echo started; sleep 300 & wait; sleep 300'
      - if: always()
        run: echo cleaned up
`;
  it.each(['cancel', 'lose'] as const)('lets tests %s a job', async (action) => {
    await using github = await startGithub();
    const options = { files: { '.github/workflows/slow.yml': SLOW }, cancelTimes: { interrupt: 50, terminate: 50 } };
    await using repository = await createRepository(github, options);
    const running = await repository.start('push');
    const job = await running.job('work');
    await job.logged(/^started$/);
    await (action === 'cancel' ? running.cancel() : job.lose());
    const run = await running.completed;
    expect(run.job('work').conclusion).toBe(action === 'cancel' ? 'cancelled' : 'failure');
    expect(run.job('work').log.includes('cleaned up')).toBe(action === 'cancel');
  });
});
