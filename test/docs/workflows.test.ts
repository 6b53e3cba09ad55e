import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findTool, leftOut, mustHaveTools } from '../../scripts/workflow-tools.mjs';
import { INPUT_USES } from '../../src/action/inputs/input-uses.ts';
import { type CommandName } from '../../src/action/inputs/command-names.ts';
import { actionMetadata } from '../../scripts/write-action-reference.ts';
import { parseWorkflow, type StepDefinition } from '../support/runner/workflow-file.ts';
import { ATTEMPT_MODES } from '../support/github/attempt-modes.ts';
import { blocksOf, isWorkflow, pages, readPage, type Block } from './page.ts';
import { ACTION, PageRepository } from './page-repository.ts';
import { someOf, bySize, spread } from '../support/test-size.ts';

interface Told extends Block {
  readonly where: string;
}

const all = pages().map((page) => ({ page, blocks: blocksOf(readPage(page)) }));
const told: Told[] = all.flatMap(({ page, blocks }) =>
  blocks
    .filter((block) => isWorkflow(block) || block.says === 'steps')
    .map((block) => ({ ...block, where: `${page}:${block.line}` })),
);

/** A workflow as it is; steps in the smallest one around them. */
function workflowText({ says, text }: Block): string {
  if (says !== 'steps') return text;
  const steps = parse(text) as unknown;
  return JSON.stringify({ on: 'push', jobs: { job: { 'runs-on': 'ubuntu-latest', steps } } });
}

function stepsOf(text: string, where: string): StepDefinition[] {
  return Object.values(parseWorkflow(text, where).jobs).flatMap(({ steps }) => steps);
}

/** What a step of ours says that action.yml does not have, or that does nothing with its command. */
function wrongInputs({ uses, with: inputs }: StepDefinition): string[] {
  if (uses?.split('@')[0] !== ACTION) return [];
  const command = (inputs['command'] ?? 'run') as CommandName;
  const known = actionMetadata().inputs;
  return Object.keys(inputs).filter((name) => {
    const use = INPUT_USES[name as keyof typeof INPUT_USES] as (typeof INPUT_USES)[keyof typeof INPUT_USES] | undefined;
    return !Object.hasOwn(known, name) || use?.commands.includes(command) !== true;
  });
}

/** Outputs of ours that expressions of a workflow name and action.yml does not have. */
function wrongOutputs(text: string, where: string): string[] {
  const known = Object.keys(actionMetadata().outputs);
  const ours = new Set(
    stepsOf(text, where).flatMap(({ id, uses }) => (uses?.split('@')[0] === ACTION && id !== undefined ? [id] : [])),
  );
  const named = [...text.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)];
  return named.flatMap(([, step, output]) =>
    ours.has(step!) && !known.includes(output!) ? [`${step}: ${output}`] : [],
  );
}

describe('workflows that pages show', () => {
  it.each(told)('$where has only what a workflow and action.yml have', (block) => {
    const text = workflowText(block);
    expect(stepsOf(text, block.where).flatMap(wrongInputs)).toEqual([]);
    expect(wrongOutputs(text, block.where)).toEqual([]);
    expect(text).toContain(`${ACTION}@v1`);
  });

  it.each(told.filter(isWorkflow))(
    '$where asks for permissions, and writes at most comments; what a report or a decision writes is beside no agent',
    (block) => {
      const { permissions, jobs } = parseWorkflow(block.text, block.where);
      for (const { permissions: own = permissions, steps } of Object.values(jobs)) {
        expect(own).toBeDefined();
        const others = steps.filter(({ uses, run }) => run !== undefined || !uses!.startsWith('actions/checkout@'));
        const holdsOnly = (command: string): boolean =>
          others.length > 0 && others.every(({ with: inputs }) => inputs['command'] === command);
        const keepsHistory = others.some(({ with: inputs }) => inputs['history-branch'] !== undefined);
        const allowed = holdsOnly('report')
          ? ['pull-requests', 'actions', 'statuses', ...(keepsHistory ? ['contents'] : [])]
          : holdsOnly('decide')
            ? ['actions', 'checks']
            : holdsOnly('clean')
              ? ['actions']
              : holdsOnly('comment')
                ? ['actions', 'checks', 'pull-requests']
                : holdsOnly('apply')
                  ? ['contents', 'pull-requests']
                  : ['pull-requests'];
        const written = Object.entries(own!).filter(([, level]) => level === 'write');
        expect(written.filter(([name]) => !allowed.includes(name))).toEqual([]);
      }
    },
  );

  it('are looked at', () => {
    expect(told.length).toBeGreaterThan(9);
    const text = `on: push\njobs:\n  a: { runs-on: x, steps: [{ uses: ${ACTION}@v1, id: g, with: { tokn: x, token: y } }, { run: 'echo \${{ steps.g.outputs.digests }}' }] }\n`;
    expect(stepsOf(text, 'x').flatMap(wrongInputs)).toEqual(['tokn', 'token']);
    expect(wrongOutputs(text, 'x')).toEqual(['g: digests']);
  });

  const actionlint = findTool('actionlint');
  it('are sound to actionlint', () => {
    if (actionlint === undefined) {
      const message = `left out: ${leftOut().find((line) => line.startsWith('no actionlint,'))}`;
      if (mustHaveTools()) throw new Error(message);
      console.warn(message);
      return;
    }
    const complaints = told.map((block) => {
      const { stdout, stderr } = spawnSync(actionlint, ['-no-color', '-shellcheck=', '-pyflakes=', '-'], {
        input: workflowText(block),
        encoding: 'utf8',
      });
      return `${stdout}${stderr}`.replaceAll('<stdin>', block.where);
    });
    expect(complaints.join('')).toBe('');
  });
});

describe('what pages show of runs on GitHub', () => {
  const shown = all.filter(({ blocks }) => blocks.some((block) => PageRepository.runs(block)));

  /** The other one is that of a soak. */
  const MODES = spread(ATTEMPT_MODES, bySize({ sample: 1, full: 1, soak: 2 }));
  const isAgain = ({ says }: Block): boolean => says.startsWith('re-run');
  const cases = shown.flatMap((one) => (one.blocks.some(isAgain) ? MODES : [{}]).map((mode) => ({ ...one, mode })));

  it.each(someOf(cases, 1))('$page: happens $mode', async ({ page, blocks, mode }) => {
    await using repository = await PageRepository.open(mode);
    for (const block of blocks) expect(await repository.follow(block), `${page}:${block.line}`).toEqual([]);
  });

  it('is run for every recipe about GitHub, and the README', () => {
    const recipes = pages().filter((page) => page.startsWith('docs/recipes/github/'));
    expect(recipes.length).toBeGreaterThan(7);
    expect(shown.map(({ page }) => page)).toEqual(expect.arrayContaining([...recipes, 'README.md']));
  });
});

describe('the chain in the README', () => {
  const chain = blocksOf(readPage('README.md')).find(({ says }) => says.endsWith('agents.yml'));

  it('is a workflow that asks for nothing but reading', () => {
    expect(isWorkflow(chain!)).toBe(true);
    const { permissions, jobs } = parseWorkflow(chain!.text, 'README.md');
    expect(permissions).toEqual({ contents: 'read', actions: 'read' });
    expect(Object.keys(jobs)).toEqual(['design', 'code', 'report']);
  });

  it.each(ATTEMPT_MODES)(
    'works in a repository without any other file: runs once, is kept by a re-run, and reused by a new run: %j',
    async (mode) => {
      await using repository = await PageRepository.open(mode);
      expect(await repository.follow(chain!)).toEqual([]);
      const decisions = async (what: string) => {
        const run = await repository.start(what);
        const gates = [run.job('design'), run.job('code')];
        const outputs = gates.map(({ steps }) => steps.find(({ id }) => id === 'gate')!.outputs);
        return {
          conclusion: run.conclusion,
          decisions: outputs.map(({ decision }) => decision),
          started: gates.flatMap(({ log }) => log).filter((line) => line.endsWith('attempt 1 started')).length,
          from: outputs.map((one) => one['reused-from']),
          report: run.job('report').steps.find(({ stage }) => stage === 'main')!.outputs,
        };
      };
      const badge = JSON.stringify({ schemaVersion: 1, label: 'agents', message: 'passed', color: 'brightgreen' });
      const report = { passed: 'true', 'run-status': 'completed', 'failed-gates': '', iteration: '1', badge };
      const none = [undefined, undefined];
      const green = { conclusion: 'success', report };
      expect(await decisions('new run')).toEqual({ ...green, decisions: ['run', 'run'], started: 2, from: none });
      expect(await decisions('re-run all jobs')).toEqual({
        ...green,
        decisions: ['keep', 'keep'],
        started: 0,
        from: none,
      });
      expect(await decisions('new run')).toEqual({
        ...green,
        decisions: ['reuse', 'reuse'],
        started: 0,
        from: ['1.1.1', '1.1.1'],
      });
    },
  );
});
