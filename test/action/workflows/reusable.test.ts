import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { pipelineWorkflow, PIPELINE_WORKFLOW } from '../../../scripts/write-pipeline-workflow.ts';
import { REPOSITORY } from '../../support/command-line.ts';
import { startStepProcess } from '../../support/runner/step-process.ts';
import { ActionWorld, errorsOf, messagesOf, outputsOf, redJobs, type WorldRunOptions } from './action-world.ts';
import { pullRequest } from './pull-request.ts';
import { ACTION, agent } from './workflow-text.ts';
import { IS_FULL } from '../../support/test-size.ts';

const CALLED = '.github/workflows/called.yml';

/** What GitHub makes of a called workflow: its jobs with the action of its own commit, in a repository without it. */
async function called(name: string, permissions?: Readonly<Record<string, string>>): Promise<string> {
  const text = await readFile(join(REPOSITORY, '.github/workflows', name), 'utf8');
  const workflow = parse(text.replaceAll(/uses: \$\/$/gm, `uses: ${ACTION}`)) as Record<string, unknown>;
  return stringify({ ...workflow, ...(permissions && { permissions }) }, { aliasDuplicateObjects: false });
}

async function worldOf(
  definition: object,
  { name = 'pipeline.yml', permissions }: { name?: string; permissions?: Readonly<Record<string, string>> } = {},
): Promise<ActionWorld> {
  const files = { 'gateline.yml': JSON.stringify(definition, null, 2), [CALLED]: await called(name, permissions) };
  return ActionWorld.create(files);
}

const run: WorldRunOptions = { workflow: CALLED };

/** Five gates in a row. The third fails in the first attempt. */
const CHAIN = {
  gates: {
    analyse: { run: agent({ a: 1 }), inputs: [] },
    design: { needs: 'analyse', run: agent({ d: 1 }), inputs: [] },
    write: {
      needs: 'design',
      run: `test "$GITHUB_RUN_ATTEMPT" -gt 1 || exit 1\n${agent({ w: 1 })}`,
      inputs: [],
    },
    check: { needs: 'write', run: agent({ c: 1 }), inputs: [] },
    publish: { needs: 'check', run: agent({ p: 1 }), inputs: [] },
  },
};

it('is what its script writes', async () => {
  expect(await readFile(join(REPOSITORY, PIPELINE_WORKFLOW), 'utf8')).toBe(pipelineWorkflow());
});

describe('pipeline.yml', () => {
  it('runs a chain that fails, and a re-run of the failed jobs continues there', async () => {
    await using world = await worldOf(CHAIN);
    const started = await world.run(run);
    const first = await started.start().ended;
    const ends = Object.fromEntries([...first.jobs].map(([name, { conclusion }]) => [name, conclusion]));
    expect(ends).toMatchObject({
      waves: 'success',
      analyse: 'success',
      design: 'success',
      write: 'failure',
      check: 'failure',
      publish: 'failure',
      'wave-5': 'skipped',
      report: 'failure',
    });
    expect(errorsOf(first.job('check')).join()).toContain('UPSTREAM_NOT_DONE');
    expect(errorsOf(first.job('report')).at(-1)).toContain('not done: write, check, publish');
    expect(await world.startedGates()).toEqual(['analyse', 'design']);
    const second = await started.rerunFailed().ended;
    expect(redJobs(second).filter((text) => !text.includes(': skipped'))).toEqual([]);
    expect(await world.startedGates()).toEqual(['check', 'publish', 'write']);
    expect(second.job('design').outputs['digest-0']).toMatch(/^sha256:/);
    expect(second.job('report').outputs['passed']).toBe('true');
    expect(JSON.parse(second.job('report').outputs['badge']!)).toMatchObject({ message: 'passed' });
  });

  it('stops a gate by its own needs only, and gives each its place in the wave', async () => {
    await using world = await worldOf({
      gates: {
        left: { run: 'exit 1', inputs: [] },
        right: { run: agent({ r: 1 }), inputs: [] },
        'of-left': { needs: 'left', run: agent({ l: 1 }), inputs: [] },
        'of-right': {
          needs: 'right',
          run: agent({ r: 2 }),
          inputs: [],
          strategy: { matrix: { on: ['a', 'b'] }, 'fail-fast': false },
        },
        last: { needs: 'of-right', run: agent({ done: true }), inputs: [] },
      },
    });
    const report = await (await world.run(run)).start().ended;
    expect(report.job('of-left').conclusion).toBe('failure');
    expect(report.job('of-right (a)').conclusion).toBe('success');
    expect(report.job('last').conclusion).toBe('success');
    expect(report.job('right').outputs['digest-1']).toMatch(/^sha256:/);
    expect(report.job('right').outputs['digest-0']).toBe('');
    expect(report.job('right').outputs['files-digest-1']).toMatch(/^sha256:/);
    expect(Object.keys(report.job('of-right (b)').outputs).length).toBe(32);
    expect(errorsOf(report.job('report')).at(-1)).toContain('not done: left, of-left');
  });

  it.runIf(IS_FULL)('names the gate whose runner was lost, and continues there', async () => {
    const works = 'test -e "$MENDED" || { echo working; sleep 60; }';
    await using world = await worldOf({
      gates: { a: CHAIN.gates.analyse, b: { needs: 'a', run: agent({ b: 1 }, works), inputs: [] } },
    });
    const mended = world.repository.beside('mended');
    const started = await world.run({ ...run, startAction: startStepProcess, machine: { MENDED: mended } });
    const attempt = started.start();
    const running = await attempt.job('b');
    await running.logged(/^working$/);
    await running.lose();
    const first = await attempt.ended;
    expect(errorsOf(first.job('report')).at(-1)).toBe('Gates failed: not done: b');
    expect(errorsOf(first.job('report')).at(-2)).toMatch(/^Gate b: lost: /);
    await writeFile(mended, '');
    const second = await started.rerunFailed().ended;
    expect(second.job('report').outputs['passed']).toBe('true');
  });

  it('gives a gate the secrets that it names, masked, and no others', async () => {
    const env = { env: 'FIRST=sesame-open-1\nSECOND=tango-close-22\nPATH=/nowhere\nUNUSED=vanilla-333' };
    const show = (names: string): string =>
      `echo "saw ${names}"\nprintf '{"first": "%s", "second": "%s", "unused": "%s"}' "\${FIRST:+set}" "\${SECOND:+set}" "\${UNUSED:+set}" > "$GATELINE_OUTPUT"`;
    await using world = await worldOf({
      gates: {
        one: {
          run: show('$FIRST'),
          inputs: [],
          secrets: ['FIRST'],
          output: { checks: ["output.first == 'set'", "output.second == ''", "output.unused == ''"] },
        },
        two: {
          run: show('$SECOND'),
          inputs: [],
          secrets: ['SECOND'],
          output: { checks: ["output.first == ''", "output.second == 'set'"] },
        },
      },
    });
    const report = await (await world.run({ ...run, secrets: env })).start().ended;
    expect(redJobs(report).filter((text) => !text.includes(': skipped'))).toEqual([]);
    const log = [...report.jobs.values()].flatMap((job) => job.log).join('\n');
    expect(log).toContain('saw ***');
    expect(log).not.toMatch(/sesame-open-1|tango-close-22|vanilla-333/);
  });

  it('says which secret is missing where the caller passes none', async () => {
    await using world = await worldOf({ gates: { one: { run: agent(1), inputs: [], secrets: ['FIRST'] } } });
    const report = await (await world.run(run)).start().ended;
    expect(errorsOf(report.job('one')).join()).toContain('FIRST');
    expect(await world.startedGates()).toEqual([]);
  });

  it('is green for a caller who may only read, and says what it could not do', async () => {
    const permissions = { contents: 'read', actions: 'read', checks: 'read', 'pull-requests': 'read' };
    await using world = await worldOf({ gates: { a: CHAIN.gates.analyse } }, { permissions });
    const report = await (await world.run({ ...run, ...(await pullRequest(world)) })).start().ended;
    expect(redJobs(report).filter((text) => !text.includes(': skipped'))).toEqual([]);
    const told = (['warning', 'notice'] as const).flatMap((level) => messagesOf(report.job('report'), level)).join();
    expect(told).toContain('The comment on the pull request could not be written');
    expect(told).toContain('Give the job `pull-requests: write` under `permissions:`');
    expect(world.service.world.comments).toEqual([]);
  });

  it.each<[string, object, string, object?]>([
    ['an action as agent', { uses: { action: 'a/b@v1' }, local: 'x' }, '`uses` of gate a'],
    ['permissions', { run: 'x', permissions: { contents: 'write' } }, '`permissions` of gate a'],
    ['services', { run: 'x', services: { db: { image: 'postgres' } } }, '`services` of gate a'],
    ['a delivery', { run: 'x', files: 'changed' }, '`deliver`', { deliver: { gates: ['a'], as: 'patch' } }],
  ])('refuses %s', async (_, gate, why, more = {}) => {
    await using world = await worldOf({ gates: { a: gate }, ...more });
    const report = await (await world.run(run)).start().ended;
    expect(report.job('waves').conclusion).toBe('failure');
    expect(errorsOf(report.job('waves')).join()).toContain(why);
    expect(errorsOf(report.job('waves')).join()).toContain('gateline compile');
    expect(report.job('report').conclusion).toBe('failure');
    expect(await world.startedGates()).toEqual([]);
  });
});

describe('gate.yml', () => {
  it('runs one gate with what its caller hands on', async () => {
    await using world = await worldOf({ gates: { a: CHAIN.gates.analyse } }, { name: 'gate.yml' });
    const inputs = { gate: 'a', 'runs-on': '"ubuntu-latest"', 'timeout-minutes': 75, matrix: '{}' };
    const report = await (await world.run({ ...run, inputs })).start().ended;
    expect(redJobs(report)).toEqual([]);
    expect(outputsOf(report.job('a'))).toMatchObject({ status: 'passed' });
    expect(report.job('a').outputs).toMatchObject({ gate: 'a', digest: expect.stringMatching(/^sha256:/) });
  });
});

describe('report.yml', () => {
  it('reports the gates of its caller', async () => {
    await using world = await worldOf({ gates: { a: CHAIN.gates.analyse } }, { name: 'report.yml' });
    const inputs = { needs: JSON.stringify({ a: { result: 'skipped', outputs: {} } }) };
    const report = await (await world.run({ ...run, inputs })).start().ended;
    expect(report.job('report').conclusion).toBe('failure');
    expect(errorsOf(report.job('report')).join()).toContain('not done: a');
    expect(report.job('report').outputs['passed']).toBe('false');
  });
});
