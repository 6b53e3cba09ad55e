import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOOP_STATE } from '../formats/hostile-files.ts';
import { REPOSITORY } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

const here = (workspace: ScratchWorkspace, ...args: string[]): ReturnType<typeof gateline> =>
  gateline(workspace.root, args);

const seed = (name: string): Promise<string> => readFile(join(REPOSITORY, 'test/fixtures/seeds', name), 'utf8');

/** A gate whose agent only works where nothing was imported for it. */
const open = { inputs: [], run: 'exit 1' };
const DONE = { inputs: [], run: writes({}) };

describe('what is imported', () => {
  it('applies to a task of a set, with the text of the task', async () => {
    const nodes = { 'fetch-task': open, 'generate-changes': { ...open, needs: 'fetch-task' } };
    const rest = { 'apply-changes': { ...DONE, needs: 'generate-changes' } };
    const list = { format: 'gateline-set/1', subjects: [{ id: 'login', task: 'Users can log in' }] };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ ...nodes, ...rest }, { task: 'anything' }),
      'tasks.json': JSON.stringify(list),
    });
    await workspace.write('.devloop/workflow-state.json', JSON.stringify(LOOP_STATE));
    const lacks = ['run-tests', 'analyze-results', 'handle-success', 'handle-failure'];
    const imported = await expectOk(
      here(workspace, 'import', 'dev-loop', '--subject', 'login', '--task', 'Users can log in', '--dry-run'),
    );
    for (const gate of lacks) expect(imported.out).toContain(`  ${gate}:`);
    await expectOk(here(workspace, 'import', 'dev-loop', '--subject', 'login', '--task', 'Users can log in'));
    const { out } = await expectOk(here(workspace, 'run', '--set', 'tasks.json', '--quiet'));
    expect(out).toContain('1 subject: 1 completed');
  });

  it('applies to runs with the document of the orchestrator, with further metadata, and with a deep dive', async () => {
    const metadata = { domain: 'demoqa_com', feature: 'student_registration' };
    const gates = {
      first: { ...open, number: 1, memory: ['deep-dive?'] },
      second: { ...DONE, number: 2, needs: 'first' },
    };
    const envelope = {
      gate: 1,
      agent: 'TestCaseDesigner',
      status: 'SUCCESS',
      metadata: { ...metadata, url: 'https://demoqa.com/x' },
      output: { testCases: [] },
      validation: { score: 95, issues: [], passed: true },
    };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates),
      '.gateline/memory/deep-dive.md': await seed('deep-dive.local.md'),
      'order.json': JSON.stringify({ metadata, userStory: 'as a student', url: 'https://demoqa.com/x' }),
      'old/demoqa_com-student_registration-gate1-output.json': JSON.stringify(envelope),
    });
    const same = ['--input', '-', '--metadata', 'browser=firefox', '--memory', 'deep-dive'];
    const options = { stdin: await workspace.read('order.json') };
    const about = ['--subject', 'demoqa_com-student_registration', ...same];
    await expectOk(gateline(workspace.root, ['import', 'state-guide', '--from', 'old', ...about], options));
    const { out } = await expectOk(gateline(workspace.root, ['run', '--quiet', ...about], options));
    expect(out).toContain('2 of 2 gates done');
    const other = await here(workspace, 'import', 'state-guide', '--from', 'old', '--memory', 'other');
    expect(other.err).toContain('--memory other: no gate lists this document');
  });
});

describe('a definition without gates', () => {
  it('gets them in lines of their own, and its other problems are named as its own', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': '# mine\npipeline: flow\ngates: {}\n' });
    await workspace.write('.claude/orchestration.local.md', await seed('orchestration.local.md'));
    await expectOk(here(workspace, 'import', 'agent-flow', '--write', '--dry-run'));
    await workspace.write('gateline.yml', '# mine\npipeline: flow\nset: tasks.json\ngates: {}\n');
    const { code, err } = await here(workspace, 'import', 'agent-flow', '--write');
    expect(code).toBe(2);
    expect(err).toContain('gateline.yml:3:1 KEY_UNKNOWN set: there is no such key');
    expect(err).not.toContain('orchestration.local.md');
    await workspace.write('gateline.yml', '# mine\npipeline: flow\ngates: {}\n');
    await expectOk(here(workspace, 'import', 'agent-flow', '--write'));
    expect(await workspace.read('gateline.yml')).toContain(
      '# mine\npipeline: flow\ngates:\n  exploration:\n    agent: Riko\n',
    );
  });
});

describe('a folder with files of several subjects', () => {
  const envelope = (feature: string): string =>
    JSON.stringify({
      gate: 1,
      agent: 'TestCaseDesigner',
      status: 'SUCCESS',
      metadata: { domain: 'shop', feature, url: '' },
      output: { feature },
      validation: { score: 95, issues: [], passed: true },
    });
  const files = Object.fromEntries(
    ['cart', 'login', 'search'].map((one) => [`.state/shop-${one}-gate1-output.json`, envelope(one)]),
  );

  it('is refused in one line for each other subject, and imported for one that is named or defined', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    for (const [path, text] of Object.entries(files)) await workspace.write(path, text);
    const refused = await here(workspace, 'import', 'state-guide');
    expect(refused.code).toBe(2);
    const why = (one: string): string =>
      `shop-${one}-gate1-output.json IMPORT_REFUSED it is of the subject shop-${one}, and shop-cart-gate1-output.json of shop-cart: \`--subject\` chooses those of one`;
    expect(refused.err.split('\n').filter((line) => line.includes('IMPORT_REFUSED'))).toEqual([
      why('login'),
      why('search'),
    ]);
    const login = await expectOk(here(workspace, 'import', 'state-guide', '--subject', 'shop-login'));
    expect(login.out).toContain('gate-1: adopted');
    expect(login.err).toContain(
      'note: files of other subjects are not imported: shop-cart, shop-search; `--subject` names one\n',
    );
    expect((await here(workspace, 'show', 'gate-1', 'output')).out).toContain('login');
    // The subject of the definition, and its files are now those of Gateline.
    const again = await expectOk(here(workspace, 'import', 'state-guide'));
    expect(again.out).toContain('gate-1: adopted before');
    const cart = ['--subject', 'shop-cart', '--metadata', 'feature=cart'];
    expect((await expectOk(here(workspace, 'import', 'state-guide', ...cart))).out).toContain('gate-1: adopted');
    expect((await here(workspace, 'status', '--subjects')).out).toMatch(/shop-cart[^]*shop-login/);
    const none = await here(workspace, 'import', 'state-guide', '--subject', 'shop-other');
    expect(none.err).toContain('it is of the subject shop-login, and shop-cart-pipeline.json of shop-cart');
  });
});
