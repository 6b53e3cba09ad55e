import { mkdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { JobReport } from '../../support/runner/session.ts';
import { RunnerWorld } from './runner-world.ts';

const CHECKOUT = '- uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1';

/** A workflow of the one job `build`. */
function workflow(steps: string, more = ''): string {
  return `on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n${more}    steps:\n${steps.replaceAll(/^/gm, '      ')}\n`;
}

async function runJob(text: string, options: Parameters<RunnerWorld['start']>[1] = {}): Promise<JobReport> {
  await using world = await RunnerWorld.create(text);
  const job = await world.start('build', options);
  return await job.ended;
}

const outcomes = ({ steps }: JobReport) => steps.map(({ id, stage, outcome }) => `${id} ${stage} ${outcome}`);

// Bash, signals and process groups.
describe.runIf(process.platform !== 'win32')('a job', () => {
  it('runs its steps on a fresh checkout of the commit, of depth 1', async () => {
    const report = await runJob(
      workflow(`${CHECKOUT}
  with: { persist-credentials: false }
- run: |
    git log --oneline | wc -l
    git status --porcelain
    git rev-parse --abbrev-ref HEAD
    ls spy/action.yml
    test "$(git rev-parse HEAD)" = "$GITHUB_SHA" || echo other commit`),
      { options: { run: 1, job: 'build', about: { headSha: 'x' } } },
    );
    expect(report.conclusion).toBe('success');
    expect(report.log.map((line) => line.trim())).toEqual(['1', 'HEAD', 'spy/action.yml', 'other commit']);
  });

  it('hands outputs, variables and paths from step to step, and outputs on', async () => {
    const steps = `
- id: first
  run: |
    echo "word=it's \${{ env.PLACE }}" >> "$GITHUB_OUTPUT"
    echo "LATER=set" >> "$GITHUB_ENV"
    echo "$PWD" >> "$GITHUB_PATH"
    printf '#!/bin/sh\\necho found' > own-command && chmod +x own-command
- run: own-command; echo "$LATER \${{ env.LATER }} \${{ steps.first.outputs.word }}"
- id: in-sh
  shell: sh
  working-directory: \${{ env.FOLDER }}
  run: pwd`;
    const more = `    env: { FOLDER: sub }\n    outputs: { word: '\${{ steps.first.outputs.word }}!' }\n`;
    const text = workflow(steps.trim(), more).replace('on: push', 'on: push\nenv: { PLACE: here }');
    const folders: string[] = [];
    await using world = await RunnerWorld.create(text.replace('- id: in-sh', '- run: mkdir sub\n      - id: in-sh'));
    const job = await world.start('build', { inspect: ({ workspace }) => void folders.push(workspace) });
    const report = await job.ended;
    expect(report.log).toEqual(['found', "set set it's here", `${folders[0]}/sub`]);
    expect(report.outputs).toEqual({ word: "it's here!" });
    await expect(readFile(`${folders[0]}/own-command`)).rejects.toThrow('ENOENT');
  });

  it('goes on after a failure only with steps that ask for it, and says why they failed', async () => {
    const report = await runJob(
      workflow(
        `
- { id: forgiven, run: exit 3, continue-on-error: true }
- { id: fails, run: exit 4 }
- { id: default, run: echo never }
- { id: never, if: "success() || env.X == 'y'", run: echo never }
- { id: on-failure, if: failure() && steps.fails.outcome == 'failure', run: "echo \${{ steps.forgiven.conclusion }}" }
- { id: always, if: '\${{ always() }}', run: "echo \${{ job.status }}" }`.trim(),
      ),
    );
    expect(outcomes(report)).toEqual([
      'forgiven main failure',
      'fails main failure',
      'default main skipped',
      'never main skipped',
      'on-failure main success',
      'always main success',
    ]);
    expect(report.conclusion).toBe('failure');
    expect(report.annotations.map(({ message }) => message)).toEqual([
      'Process completed with exit code 3.',
      'Process completed with exit code 4.',
    ]);
    expect(report.log).toContain('success');
    expect(report.log).toContain('failure');
  });

  it('tells REST what became of it', async () => {
    await using world = await RunnerWorld.create(workflow('- run: exit 1'));
    await (
      await world.start('build')
    ).ended;
    expect(world.service.world.runs.get(1)?.jobs).toMatchObject([
      { name: 'build', status: 'completed', conclusion: 'failure' },
    ]);
  });
});

describe.runIf(process.platform !== 'win32')('an action', () => {
  it('gets inputs with defaults, state in its post, and a post that sees how the job ended', async () => {
    await using world = await RunnerWorld.create(
      workflow(`${CHECKOUT}
- { uses: ./spy, with: { who: a, WITH-hyphen: said, count: 3 }, env: { OWN: 'x' } }
- { id: second, uses: ./spy, with: { who: b, old: '' } }
- run: exit 1`),
    );
    const dump = world.repository.beside('dump');
    await mkdir(dump);
    const report = await (await world.start('build', { machine: { DUMP: dump } })).ended;
    expect(outcomes(report).slice(1)).toEqual([
      '__self main success',
      'second main success',
      '__run main failure',
      'second post success',
      '__self post success',
    ]);
    expect(report.summary).toBe('a main\nb main\nb post\na post\n');
    const warnings = report.annotations.filter(({ level }) => level === 'warning').map(({ message }) => message);
    // Posts warn again.
    expect(warnings.slice(0, 2)).toEqual([
      expect.stringMatching(/^Unexpected input\(s\) 'count', valid inputs are \['who', 'Big Name',/),
      "Input 'old' has been deprecated with message: use who",
    ]);
    const seen = async (name: string) => JSON.parse(await readFile(`${dump}/${name}.json`, 'utf8'));
    expect(await seen('a.main')).toMatchObject({
      INPUT_WHO: 'a',
      INPUT_BIG_NAME: 'octo/gates',
      'INPUT_WITH-HYPHEN': 'said',
      INPUT_COUNT: '3',
      OWN: 'x',
      CI: 'true',
      GITHUB_ACTION: '__self',
      GITHUB_ACTIONS: 'true',
      ACTIONS_RESULTS_URL: `${world.service.origin}/`,
    });
    expect(await seen('b.main')).toMatchObject({ 'INPUT_WITH-HYPHEN': 'success', GITHUB_ACTION: 'second' });
    expect(await seen('b.main')).not.toHaveProperty('STATE_isPost');
    expect(await seen('b.main')).not.toHaveProperty('OWN');
    expect(await seen('b.post')).toMatchObject({ 'INPUT_WITH-HYPHEN': 'failure', STATE_isPost: 'true' });
    expect(await seen('a.post')).toMatchObject({ OWN: 'x', STATE_isPost: 'true' });
  });

  it('sees all that a run: step sees, and beside it only inputs, state and where the services are', async () => {
    await using world = await RunnerWorld.create(
      workflow(`${CHECKOUT}
- { id: same, uses: ./spy }
- { run: node -e "console.log(JSON.stringify(process.env))" }`),
    );
    const dump = world.repository.beside('dump');
    await mkdir(dump);
    const report = await (await world.start('build', { machine: { DUMP: dump } })).ended;
    const action = Object.keys(JSON.parse(await readFile(`${dump}/nobody.main.json`, 'utf8')));
    const script = Object.keys(JSON.parse(report.log.at(-2)!));
    expect(action.filter((name) => !script.includes(name)).toSorted()).toEqual([
      'ACTIONS_CACHE_SERVICE_V2',
      'ACTIONS_CACHE_URL',
      'ACTIONS_RESULTS_URL',
      'ACTIONS_RUNTIME_TOKEN',
      'ACTIONS_RUNTIME_URL',
      'INPUT_BIG_NAME',
      'INPUT_DO',
      'INPUT_OLD',
      'INPUT_WHO',
      'INPUT_WITH-HYPHEN',
    ]);
    // bash itself sets these.
    expect(script.filter((name) => !action.includes(name) && !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name))).toEqual(
      [],
    );
    expect(script).toEqual(expect.arrayContaining(['GITHUB_STATE', 'RUNNER_TEMP', 'RUNNER_TRACKING_ID', 'CI']));
  });

  it('whose main fails still has its post, and one that was passed over has none', async () => {
    const report = await runJob(
      workflow(`${CHECKOUT}
- { id: fails, uses: ./spy, with: { do: "if (stage === 'main') process.exitCode = 7" } }
- { id: passed-over, uses: ./spy }`),
    );
    expect(outcomes(report).slice(1)).toEqual(['fails main failure', 'passed-over main skipped', 'fails post success']);
    expect(report.steps[1]).toMatchObject({ code: 7, state: { isPost: 'true' } });
  });

  it('whose post fails fails the job, and a post tells nobody its outputs', async () => {
    const inPost =
      "if (stage === 'post') { append('GITHUB_OUTPUT', 'x=post'); process.exitCode = 1 } else append('GITHUB_OUTPUT', 'x=main')";
    const report = await runJob(
      workflow(
        `${CHECKOUT}\n- id: it\n  uses: ./spy\n  with:\n    do: |\n      ${inPost}`,
        `    outputs: { x: '\${{ steps.it.outputs.x }}' }\n`,
      ),
    );
    expect(report).toMatchObject({ conclusion: 'failure', outputs: { x: 'main' } });
  });

  it('of the workspace is read again for its post; one of the commit or of elsewhere is not touched', async () => {
    const steps = `${CHECKOUT}
- { id: local, uses: ./spy }
- { id: self, uses: $/spy, with: { who: self } }
- { id: elsewhere, uses: octo/spy@v1, with: { who: elsewhere } }
- run: rm -r spy`;
    await using world = await RunnerWorld.create(workflow(steps));
    const job = await world.start('build', { actions: { 'octo/spy': world.repository.path('spy') } });
    const report = await job.ended;
    expect(outcomes(report).slice(5)).toEqual(['elsewhere post success', 'self post success', 'local post failure']);
    expect(report.annotations.at(-1)?.message).toContain('ENOENT');
  });

  it('may not use needs, env or inputs in the default of an input', async () => {
    await using world = await RunnerWorld.create(workflow(`${CHECKOUT}\n- uses: ./other`), {
      files: {
        'other/action.yml':
          "name: o\ninputs: { a: { default: '${{ env.A }}' } }\nruns: { using: node24, main: i.js }\n",
      },
    });
    const report = await (await world.start('build')).ended;
    expect(report.annotations.at(-1)?.message).toMatch(/^\$\{\{ env\.A \}\}: Unrecognized named-value: 'env'/);
  });
});

describe.runIf(process.platform !== 'win32')('the log of a job', () => {
  it('has annotations with their places, none of what a step prints while commands are stopped', async () => {
    const report = await runJob(
      workflow(`- run: |
    echo '::error file=a%2Cb.ts,line=3,title=T%3A1::two%0Alines 100%25'
    echo '  ::notice::from  the left'
    echo 'x ##[warning]old style'
    echo '::stop-commands::tok-en'
    echo '::error::not one'
    echo '::tok-en::'
    echo '::debug::only for debug logs'
    echo '::warning::again' >&2`),
    );
    expect(report.annotations).toEqual([
      { level: 'error', message: 'two\nlines 100%', properties: { file: 'a,b.ts', line: '3', title: 'T:1' } },
      { level: 'notice', message: 'from  the left', properties: {} },
      { level: 'warning', message: 'old style', properties: {} },
      { level: 'warning', message: 'again', properties: {} },
    ]);
    expect(report.log).toContain('::error::not one');
    expect(report.log.join()).not.toContain('debug');
  });

  it('shows no secret; an output that holds one is left out', async () => {
    const report = await runJob(
      workflow(
        `- id: tell
  run: |
    echo '::add-mask::hush'
    echo "word hush \${{ secrets.PASS }} \${{ github.token }}" | tee -a "$GITHUB_STEP_SUMMARY"
    echo "leak=a hush b" >> "$GITHUB_OUTPUT"; echo "fine=yes" >> "$GITHUB_OUTPUT"`,
        `    outputs: { leak: '\${{ steps.tell.outputs.leak }}', fine: '\${{ steps.tell.outputs.fine }}' }\n`,
      ),
      { secrets: { PASS: 'hunter2' } },
    );
    expect(report.log.at(-1)).toBe('word *** *** ***');
    expect(report.summary).toBe('word *** *** ***\n');
    expect(report.outputs).toEqual({ fine: 'yes' });
  });

  it('tells of a summary that is dropped because it is too long, and of a file command that means nothing', async () => {
    const report = await runJob(
      workflow(`- run: head -c 1048577 /dev/zero | tr '\\0' x >> "$GITHUB_STEP_SUMMARY"
- { id: wrong, run: echo nonsense >> "$GITHUB_OUTPUT" }`),
    );
    expect(report.summary).toBe('');
    expect(report.steps.map(({ outcome }) => outcome)).toEqual(['success', 'failure']);
    expect(report.annotations.map(({ message }) => message)).toEqual([
      '$GITHUB_STEP_SUMMARY takes up to 1024k, got 1024k',
      'invalid format: nonsense',
    ]);
  });
});
