import { describe, expect, it } from 'vitest';
import type { EndedRecord } from '../../src/run/records/record.ts';
import { headOf } from '../support/runner/repository.ts';
import { ActionWorld, errorsOf, outputsOf, redJobs } from '../action/workflows/action-world.ts';
import { agent } from '../action/workflows/workflow-text.ts';
import { compiled } from './compiled.ts';
import { IS_FULL } from '../support/test-size.ts';

const WORKFLOW = '.github/workflows/pipeline.yml';

/** A repository with a definition, its compiled workflow and files. */
function worldOf(definition: object, files: Readonly<Record<string, string>> = {}): Promise<ActionWorld> {
  const text = JSON.stringify(definition, null, 2);
  return ActionWorld.create({ ...files, 'gateline.yml': text, [WORKFLOW]: compiled(text).text });
}

const run = { workflow: WORKFLOW };

describe('a compiled chain', () => {
  const chain = {
    gates: {
      plan: { run: agent({ steps: 2 }), inputs: [] },
      write: {
        needs: 'plan',
        run: `test "$GITHUB_RUN_ATTEMPT" -gt 1 || exit 1\n${agent({ text: 'x' })}`,
        inputs: [],
        secrets: ['API_KEY'],
      },
      check: { needs: 'write', run: agent({ ok: true }), inputs: [] },
    },
  };

  it('stops at a gate that fails, and a re-run of the failed jobs continues there', async () => {
    await using world = await worldOf(chain);
    const started = await world.run({ ...run, secrets: { API_KEY: 'sesame-open-1' } });
    const first = await started.start().ended;
    const ends = Object.fromEntries([...first.jobs].map(([name, { conclusion }]) => [name, conclusion]));
    expect(ends).toEqual({ plan: 'success', write: 'failure', check: 'skipped', report: 'failure' });
    await world.startedGates();
    const second = await started.rerunFailed().ended;
    expect(redJobs(second)).toEqual([]);
    expect(second.started.toSorted()).toEqual(['check', 'report', 'write']);
    expect(await world.startedGates()).toEqual(['check', 'write']);
    expect(second.job('check').outputs['digest']).toMatch(/^sha256:/);
    const third = await (await world.run({ ...run, secrets: { API_KEY: 'sesame-open-1' } })).start().ended;
    expect(redJobs(third)).toEqual([]);
    expect(outputsOf(third.job('write'))).toMatchObject({ decision: 'reuse' });
    expect(await world.startedGates()).toEqual([]);
  });
});

describe('a compiled diamond', () => {
  it('starts the last gate with both sides, and not where one failed', async () => {
    const both = `grep -q '"left":' "$GATELINE_REQUEST" && grep -q '"right":' "$GATELINE_REQUEST" || exit 1`;
    await using world = await worldOf({
      gates: {
        data: { run: agent({ d: 1 }), inputs: [] },
        left: { needs: 'data', run: agent({ l: 1 }), inputs: [] },
        right: {
          needs: 'data',
          run: `test "$GITHUB_RUN_ATTEMPT" -gt 1 || exit 1\n${agent({ r: 1 })}`,
          inputs: [],
        },
        last: { needs: ['left', 'right'], run: agent({ ok: true }, both), inputs: [] },
      },
    });
    const started = await world.run(run);
    const first = await started.start().ended;
    const ends = Object.fromEntries([...first.jobs].map(([name, { conclusion }]) => [name, conclusion]));
    expect(ends).toEqual({ data: 'success', left: 'success', right: 'failure', last: 'skipped', report: 'failure' });
    const second = await started.rerunFailed().ended;
    expect(redJobs(second)).toEqual([]);
    expect(await world.startedGates()).toEqual(['data', 'last', 'left', 'right']);
    expect(outputsOf(second.job('last'))).toMatchObject({ decision: 'run', status: 'passed' });
  });
});

describe('a compiled group', () => {
  const judge = (line: number): string =>
    `echo "$GATELINE_GATE 1 $$" >> "$START_LOG"
score=$(( $(wc -l < article.md) >= ${line} ? 90 : 40 ))
echo "{\\"score\\": $score}" > "$GATELINE_OUTPUT"`;
  const group = {
    gates: {
      write: { run: agent({ done: true }, 'echo line >> article.md'), inputs: ['article.md'], files: ['article.md'] },
      review: { needs: 'write', run: judge(2), inputs: ['article.md'], output: { score: '/score' } },
      verify: { needs: 'write', run: judge(1), inputs: ['article.md'], output: { score: '/score' } },
      publish: { needs: 'verify', run: agent({ published: true }), inputs: [] },
    },
    groups: { checks: { gates: ['review', 'verify'], mode: 'sequential', 'on-fail': { goto: 'write' } } },
  };

  it.runIf(IS_FULL)(
    'runs one gate after the other, passed or not, and does work again in a run of its own',
    async () => {
      await using world = await worldOf(group, { 'article.md': '' });
      const first = await (await world.run(run)).start().ended;
      expect(first.job('review').conclusion).toBe('failure');
      expect(first.job('verify').conclusion).toBe('success');
      expect(first.job('publish').conclusion).toBe('success');
      expect(first.started.indexOf('verify')).toBeGreaterThan(first.started.indexOf('review'));
      expect(await world.startedGates()).toEqual(['publish', 'review', 'verify', 'write']);
      const [again, ...more] = await world.dispatched(run);
      expect(more).toEqual([]);
      const second = await again!.start().ended;
      expect(redJobs(second)).toEqual([]);
      expect(outputsOf(second.job('write'))).toMatchObject({ decision: 'run', iteration: '2' });
      expect(await world.startedGates()).toEqual(expect.arrayContaining(['review', 'verify', 'write']));
    },
  );

  it.runIf(IS_FULL)('starts the next member after one that failed, and no gate that needs that one', async () => {
    const { groups, gates } = group;
    const definition = {
      gates: { ...gates, publish: { ...gates.publish, needs: 'review' } },
      groups: { checks: { ...groups.checks, 'on-fail': undefined } },
    };
    await using world = await worldOf(definition, { 'article.md': '' });
    const report = await (await world.run(run)).start().ended;
    expect(report.job('verify').conclusion).toBe('success');
    expect(report.job('publish').conclusion).toBe('skipped');
    expect(report.job('report').conclusion).toBe('failure');
  });
});

describe('a compiled matrix', () => {
  it.runIf(IS_FULL)('runs each leg, and only what failed of it again', async () => {
    const put = 'printf \'{"ok": true}\' > "$GATELINE_OUTPUT"';
    const gates = {
      browsers: {
        run: `echo "$GATELINE_GATE/$GATELINE_LEG 1 $$" >> "$START_LOG"
test "$GATELINE_LEG" = firefox && test "$GITHUB_RUN_ATTEMPT" = 1 && exit 1
${put}`,
        inputs: [],
        strategy: {
          'fail-fast': false,
          matrix: { browser: ['chrome', 'firefox', 'safari'], exclude: [{ browser: 'safari' }] },
        },
      },
      after: { needs: 'browsers', run: agent({ ok: true }), inputs: [] },
    };
    await using world = await worldOf({ gates });
    const started = await world.run(run);
    const first = await started.start().ended;
    expect(first.job('browsers (chrome)').conclusion).toBe('success');
    expect(first.job('browsers (firefox)').conclusion).toBe('failure');
    expect(await world.startedGates()).toEqual(['browsers/chrome', 'browsers/firefox']);
    expect(redJobs(await started.rerunFailed().ended)).toEqual([]);
    expect(await world.startedGates()).toEqual(['after', 'browsers/firefox']);
  });
});

describe('a compiled matrix over an output', () => {
  const leg = `echo "$GATELINE_GATE/$GATELINE_LEG 1 $$" >> "$START_LOG"
node -e 'const { readFileSync, writeFileSync } = require("node:fs");
const { matrix } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, "utf8"));
if (matrix.name === "web" && process.env.GITHUB_RUN_ATTEMPT === "1") process.exit(1);
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ built: matrix.name }));'`;
  const gatesFor = (packages: unknown): object => ({
    plan: { run: agent({ packages }), inputs: [] },
    build: {
      needs: 'plan',
      run: leg,
      inputs: [],
      strategy: { matrix: '${{ needs.plan.output.packages }}', 'fail-fast': false },
    },
    publish: { needs: 'build', run: agent({ ok: true }), inputs: [] },
  });

  it('has a job for each item, which knows the id of its leg only, and runs only what failed again', async () => {
    await using world = await worldOf({ gates: gatesFor([{ name: 'api' }, { name: 'web', 'runs-on': 'mine' }]) });
    const started = await world.run(run);
    const first = await started.start().ended;
    expect(first.job('plan').outputs['legs']).toBe('{"build":["leg-0","leg-1"]}');
    expect(first.job('build (leg-0)').conclusion).toBe('success');
    expect(first.job('build (leg-1)').conclusion).toBe('failure');
    expect(first.job('publish').conclusion).toBe('skipped');
    expect(errorsOf(first.job('report')).join()).toContain('build/leg-1');
    await world.startedGates();
    expect(redJobs(await started.rerunFailed().ended)).toEqual([]);
    expect(await world.startedGates()).toEqual(['build/leg-1', 'publish']);
  });

  it('has one job for an empty list, and its gate does not apply', async () => {
    await using world = await worldOf({ gates: gatesFor([]) });
    const report = await (await world.run(run)).start().ended;
    expect(redJobs(report)).toEqual([]);
    expect(outputsOf(report.job('build (none)'))).toMatchObject({ status: 'not-applicable', passed: 'true' });
    expect(await world.startedGates()).toEqual(['plan', 'publish']);
  });

  it('fails in its own job where there is no list', async () => {
    await using world = await worldOf({ gates: gatesFor('all of them') });
    const report = await (await world.run(run)).start().ended;
    expect(report.job('publish').conclusion).toBe('skipped');
    expect(report.job('report').conclusion).toBe('failure');
    expect(errorsOf(report.job('build (none)')).join()).toContain('MATRIX_WITHOUT_LEGS');
  });

  it('is not done without a job for each leg, whatever the matrix of the workflow says', async () => {
    const text = JSON.stringify({ gates: gatesFor([{ name: 'api' }, { name: 'cli' }]) });
    const { text: workflow } = compiled(text);
    const shortened = workflow.replace(/leg: \$\{\{.*\}\}/, 'leg: [leg-0]');
    expect(shortened).not.toBe(workflow);
    await using world = await ActionWorld.create({ 'gateline.yml': text, [WORKFLOW]: shortened });
    const report = await (await world.run(run)).start().ended;
    expect(report.job('build (leg-0)').conclusion).toBe('success');
    expect(report.job('report').conclusion).toBe('failure');
    const [told] = errorsOf(report.job('publish'));
    expect(told).toMatch(/UPSTREAM_NOT_DONE.*no record of build\/leg-1 is listed in this run\nOther legs of the gate/);
    expect(told).not.toContain('githubstatus');
  });
});

const CODING_AGENT = {
  'agent/action.yml':
    'name: agent\ninputs: { prompt: {} }\noutputs: { result: { description: r } }\nruns: { using: node24, main: index.cjs }\n',
  'agent/index.cjs': `const { appendFileSync, readFileSync } = require('node:fs');
const { env } = process;
const [file] = env.INPUT_PROMPT.match(/\\/\\S+\\.json/);
const { gate, definition } = JSON.parse(readFileSync(file, 'utf8'));
appendFileSync(env.START_LOG, gate + ' 1 ' + process.pid + '\\n');
appendFileSync('notes.md', env.STYLE + '\\n');
const result = { action: definition.uses.action, key: env.API_KEY };
appendFileSync(env.GITHUB_OUTPUT, 'result=' + JSON.stringify(result) + '\\n');
`,
};

describe('a compiled gate whose agent is an action', () => {
  const gates = (prompt: string): object => ({
    implement: {
      uses: {
        action: './agent',
        with: { prompt: `${prompt}: \${{ steps.begin.outputs.request-file }}` },
        output: '${{ steps.agent.outputs.result }}',
        metrics: "'cost-that-nobody-wrote.json'",
      },
      env: { STYLE: 'short' },
      secrets: ['API_KEY'],
      inputs: [],
      files: ['notes.md'],
    },
    check: { needs: 'implement', run: `cat notes.md\n${agent({ ok: true })}`, inputs: [] },
  });
  const secrets = { API_KEY: 'sesame-open-1' };

  it.runIf(IS_FULL)('has begin and complete around it, is reused, and runs again when its inputs change', async () => {
    await using world = await worldOf({ gates: gates('Do it') }, CODING_AGENT);
    const first = await (await world.run({ ...run, secrets })).start().ended;
    expect(redJobs(first)).toEqual([]);
    expect(first.job('check').log.join('\n')).toContain('short');
    const ended = world.records().find((one): one is EndedRecord => one.kind === 'ended' && one.gate === 'implement')!;
    expect(ended.verdict.status).toBe('passed');
    const message = 'the metrics were not used: there is no such file';
    expect(ended.verdict.issues).toEqual([{ severity: 'notice', message }]);
    expect(first.job('implement').outputs['digest']).toBe(ended.value!.digest);
    const stored = world.service.world.artifacts.map(({ blob }) => world.service.world.blobs.blobs.get(blob)!.content);
    expect(stored.some((content) => content.includes('./agent'))).toBe(true);
    expect(stored.some((content) => content.includes('sesame'))).toBe(false);
    expect(await world.startedGates()).toEqual(['check', 'implement']);

    // Another gate changes the workflow, and not this one.
    await write(world, { gates: { ...gates('Do it'), more: { run: agent(1), inputs: [] } } });
    const second = await (await world.run({ ...run, secrets })).start().ended;
    expect(redJobs(second)).toEqual([]);
    expect(second.job('implement').outputs['digest']).toBe(ended.value!.digest);
    expect(await world.startedGates()).toEqual(['more']);

    await write(world, { gates: gates('Do more') });
    expect(redJobs(await (await world.run({ ...run, secrets })).start().ended)).toEqual([]);
    expect(await world.startedGates()).toContain('implement');
  });

  it('fails with the action', async () => {
    const files = { ...CODING_AGENT, 'agent/index.cjs': 'process.exit(1);\n' };
    await using world = await worldOf({ gates: gates('Do it') }, files);
    const report = await (await world.run({ ...run, secrets })).start().ended;
    expect(report.job('implement').conclusion).toBe('failure');
    expect(report.job('check').conclusion).toBe('skipped');
    expect(world.endings()).toEqual(['implement 1.1.1 ran agent-error']);
  });
});

async function write({ repository }: ActionWorld, definition: object): Promise<void> {
  const text = JSON.stringify(definition, null, 2);
  await repository.write('gateline.yml', text);
  await repository.write(WORKFLOW, compiled(text).text);
  await repository.commitAll('another definition');
}

describe('a compiled gate that waits for an approval', () => {
  it.runIf(IS_FULL)('is approved by a run in which only decide works, and then its own run turns green', async () => {
    const gates = {
      translate: { run: agent({ text: 'x' }), inputs: [], approval: 'required' },
      publish: { needs: 'translate', run: agent({ done: true }), inputs: [] },
    };
    await using world = await worldOf({ gates });
    world.service.world.collaborators.set('maria', 'write');
    const waiting = await world.run(run);
    const first = await waiting.start().ended;
    expect(errorsOf(first.job('translate'))).toEqual([expect.stringMatching(/^Waiting for approval/)]);
    expect(first.job('publish').conclusion).toBe('skipped');
    const { by, value } = world.records().find((one): one is EndedRecord => one.kind === 'ended')!;
    const digest = value!.digest;
    const inputs = { resume: by.runId!, decision: 'approve', gate: 'translate', digest, reason: 'read it' };
    const decided = await world.run({
      ...run,
      about: { event: 'workflow_dispatch', actor: 'maria' },
      inputs,
      payload: { inputs, sender: { login: 'maria', type: 'User' }, repository: { full_name: 'octo/gates' } },
    });
    const report = await decided.start().ended;
    expect([report.conclusion, report.started]).toEqual(['success', ['decide']]);
    expect(world.service.world.checkRuns).toMatchObject([{ headSha: await headOf(world.repository.root) }]);
    expect(redJobs(await waiting.rerunFailed().ended)).toEqual(['decide: skipped']);
    expect(await world.startedGates()).toEqual(['publish', 'translate']);
  });
});
