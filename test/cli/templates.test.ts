import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTool, leftOut, mustHaveTools } from '../../scripts/workflow-tools.mjs';
import { TEMPLATES } from '../../src/cli/commands/init.ts';
import type { EndedRecord } from '../../src/run/records/record.ts';
import { ActionWorld, redJobs } from '../action/workflows/action-world.ts';
import { plainEnvironment, REPOSITORY } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline } from './in-process.ts';

const STAND_INS = join(REPOSITORY, 'test/support/coding-agents');

/** Actions that templates name, by what stands in for them. */
const ACTIONS = {
  'anthropics/claude-code-action': join(STAND_INS, 'claude-code-action'),
  'actions/download-artifact': join(STAND_INS, 'download-artifact'),
  'openai/codex-action': join(STAND_INS, 'codex-action'),
};

const SECRETS = { ANTHROPIC_API_KEY: 'sesame-open-1', OPENAI_API_KEY: 'sesame-open-2' };

/** Commands of coding agents come first on the PATH. */
function withStandIns(workspace: ScratchWorkspace): Record<string, string> {
  const environment = plainEnvironment({ ...workspace.variables(), ...SECRETS });
  return { ...environment, PATH: [join(STAND_INS, 'bin'), environment['PATH']].join(delimiter) };
}

interface Expected {
  /** The gates, in the order in which they run. */
  readonly gates: readonly string[];
  /** What the last of them that did so reported about itself: on one's machine, and on GitHub. */
  readonly metrics: readonly [local: object | undefined, github: object | undefined];
  /** The event that starts the workflow, and its payload. Default: `push`. */
  readonly event?: string;
  readonly payload?: object;
  /** Files that are there on one's machine before it runs. */
  readonly found?: Readonly<Record<string, string>>;
}

const CLAUDE = { session: 'session-of-claude', costUsd: 0.25, inputTokens: 100, outputTokens: 5 };
const PROMPTS = { model: 'echo', costUsd: 0.25, inputTokens: 30, outputTokens: 12 };
const CHAIN = ['design', 'implement', 'review'];

/** The end of a run of the agentic workflow. */
const ENDED_RUN = {
  action: 'completed',
  repository: { full_name: 'octo/gates', default_branch: 'main' },
  workflow_run: {
    id: 77,
    event: 'workflow_dispatch',
    head_repository: { full_name: 'octo/gates' },
    pull_requests: [],
  },
};

const EXPECTED: Readonly<Record<string, Expected>> = {
  agents: { gates: [...CHAIN, 'verify'], metrics: [undefined, undefined] },
  single: { gates: ['summarise'], metrics: [undefined, undefined] },
  'claude-code': {
    gates: CHAIN,
    metrics: [CLAUDE, { ...CLAUDE, model: 'claude-of-a-test' }],
    event: 'workflow_dispatch',
  },
  'state-guide': {
    gates: ['data', 'design', 'map', 'generate', 'execute', 'learn'],
    metrics: [undefined, undefined],
  },
  'agent-flow': {
    gates: ['exploration', 'planning', 'implementation', 'review', 'verification'],
    metrics: [undefined, undefined],
  },
  'dev-loop': {
    gates: [
      'fetch-task',
      'generate-changes',
      'apply-changes',
      'run-tests',
      'analyze-results',
      'handle-success',
      'handle-failure',
    ],
    metrics: [undefined, undefined],
  },
  'deep-dive': { gates: ['explore', 'explore', 'explore', 'synthesis'], metrics: [undefined, undefined] },
  script: { gates: ['plan', 'write', 'count'], metrics: [{ tools: ['sh'] }, { tools: ['sh'] }] },
  promptfoo: { gates: ['evaluate', 'publish'], metrics: [PROMPTS, PROMPTS] },
  'gh-aw': {
    gates: ['review', 'verify'],
    metrics: [undefined, undefined],
    event: 'workflow_run',
    payload: ENDED_RUN,
    found: { 'answer/answer.json': '{"score": 80, "findings": []}' },
  },
  codex: {
    gates: CHAIN,
    metrics: [{ session: 'session-of-codex', inputTokens: 100, outputTokens: 5 }, undefined],
  },
};

const names = TEMPLATES.map(({ name }) => name);
const filesOf = (name: string): Readonly<Record<string, string>> => TEMPLATES.find((one) => one.name === name)!.files;
/** In a sample, one that uses an action. */
const some = ['claude-code'];

/** A folder with the template and its workflow in it, committed. */
async function initialised(name: string): Promise<ScratchWorkspace> {
  const workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
  await expectOk(gateline(workspace.root, ['init', '--workflow', '--template', name]));
  await workspace.commitAll('pipeline');
  return workspace;
}

const workflowOf = (name: string): string => `.github/workflows/${name}.yml`;

it('all of them are in the table', () => {
  expect(Object.keys(EXPECTED).toSorted()).toEqual(names.toSorted());
});

describe('a template', () => {
  it.each(names)('%s is valid, and its workflow is what it compiles to', async (name) => {
    await using workspace = await initialised(name);
    const { out, err } = await expectOk(gateline(workspace.root, ['validate']));
    expect(out).toContain(`${name} is valid`);
    expect(err).toBe('');
    await expectOk(gateline(workspace.root, ['compile', '--check']));
  });

  it.each(['actionlint', 'zizmor'] as const)('has a workflow that satisfies %s', async (tool) => {
    const path = findTool(tool);
    if (path === undefined) {
      const message = `left out: ${leftOut().find((line) => line.startsWith(`no ${tool},`))}`;
      if (mustHaveTools()) throw new Error(message);
      console.warn(message);
      return;
    }
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    for (const name of names) {
      await workspace.write(`${name}/gateline.yml`, filesOf(name)['gateline.yml']!);
      const ref = ['--action-ref', 'c'.repeat(40)];
      await expectOk(gateline(join(workspace.root, name), ['compile', ...ref]));
    }
    const files = names.map((name) => join(workspace.root, workflowOf(name)));
    const args = {
      actionlint: ['-no-color', '-pyflakes=', ...files],
      zizmor: ['--offline', '--no-progress', '--color=never', '--no-config', ...files],
    }[tool];
    const { status, stdout, stderr } = spawnSync(path, args, { encoding: 'utf8', cwd: workspace.root });
    expect(status, `${stdout}${stderr}`).toBe(0);
  });

  it.each(some)('%s runs on one’s machine, and once', async (name) => {
    await using workspace = await initialised(name);
    const environment = withStandIns(workspace);
    const { gates, metrics, found = {} } = EXPECTED[name]!;
    for (const [path, text] of Object.entries(found)) await workspace.write(path, text);
    const { out } = await expectOk(gateline(workspace.root, ['run', '--quiet'], { environment }));
    expect(out).toContain('completed');
    const status = JSON.parse((await gateline(workspace.root, ['status', '--json'])).out) as {
      gates: { gate: string; metrics: object | null }[];
    };
    expect(status.gates.map(({ gate }) => gate)).toEqual(gates);
    expect(status.gates.findLast((one) => one.metrics)?.metrics).toEqual(metrics[0]);
    const again = await expectOk(gateline(workspace.root, ['run', '--quiet'], { environment }));
    expect(again.out).not.toContain('started');
  });

  it.each(some)('%s runs on GitHub', async (name) => {
    const { gates, metrics, event = 'push', payload } = EXPECTED[name]!;
    await using initial = await initialised(name);
    const workflow = await initial.read(workflowOf(name));
    await using world = await ActionWorld.create({ 'README.md': 'x', ...filesOf(name), [workflowOf(name)]: workflow });
    const { PATH = '' } = withStandIns(initial);
    const given = {
      secrets: SECRETS,
      actions: ACTIONS,
      machine: { PATH },
      about: { event },
      ...(payload && { payload }),
    };
    const about = { workflow: workflowOf(name), ...given };
    const report = await (await world.run(about)).start().ended;
    expect(redJobs(report)).toEqual([]);
    const ended = world.records().filter((one): one is EndedRecord => one.kind === 'ended');
    expect(new Set(ended.map(({ gate }) => gate))).toEqual(new Set(gates));
    const measured = gates.flatMap((gate) => ended.find((one) => one.gate === gate)!.metrics ?? []);
    expect(measured.at(-1)).toEqual(metrics[1]);
    for (const { log } of report.jobs.values()) expect(log.join('\n')).not.toContain('Unexpected input');
  });
});
