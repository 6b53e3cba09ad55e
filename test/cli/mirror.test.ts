import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

const FLOW = '.claude/orchestration.local.md';
const NEXUS = '.claude/skills/nexus/history/.current-workflow.json';

/** A command that keeps what an agent finds of a file, in a file that it hands on. */
const keeps = (file: string, as: string): string => `cp ${file} ${as}; `;

const start = async (workspace: ScratchWorkspace, ...args: string[]) => {
  const { out } = await expectOk(gateline(workspace.root, ['begin', ...args, '--json']));
  return JSON.parse(out) as { readonly token: string; readonly workspace: string };
};

describe('the files of other systems next to an agent', () => {
  it('show its gate and those before it, and are neither captured nor seen by git', async () => {
    const gates = {
      first: { run: `printf '{"token": "%s"}' "$TOKEN" > "$GATELINE_OUTPUT"`, inputs: [], secrets: ['TOKEN'] },
      beside: { run: writes(2), inputs: [] },
      second: {
        run: `${keeps(NEXUS, 'seen.json')}${keeps(FLOW, 'flow.txt')}git status --porcelain > status.txt; ${writes(3)}`,
        needs: 'first',
        files: 'changed',
        inputs: ['README.md'],
      },
      last: { run: writes(4), needs: ['beside', 'second'], inputs: [] },
    };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates, { mirror: ['agent-flow', 'nexus'] }),
      'README.md': 'x',
    });
    const environment = plainEnvironment({ TOKEN: 'very-secret-value' });
    await expectOk(gateline(workspace.root, ['run', '--quiet'], { environment }));
    const { out } = await expectOk(gateline(workspace.root, ['apply', '--json']));
    expect(out).not.toContain('.claude');
    expect(JSON.parse(await workspace.read('seen.json'))).toMatchObject({
      status: 'EXECUTING',
      currentPhase: 'second',
      completedPhases: ['first'],
      results: { first: { token: '***' } },
    });
    const flow = await workspace.read('flow.txt');
    expect(flow).toContain('current_phase: "second"');
    expect(flow).toMatch(/beside:\n {4}status: "pending"/);
    expect((await workspace.read('status.txt')).trim().split('\n').toSorted()).toEqual([
      '?? flow.txt',
      '?? seen.json',
      '?? status.txt',
    ]);
    expect(JSON.parse(await workspace.read(NEXUS))).toMatchObject({ status: 'COMPLETED' });
  });

  it('are kept by begin and complete, in the work tree and in the folder of the user, and by decisions', async () => {
    const gates = { first: { inputs: [] }, second: { inputs: [], needs: 'first' } };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates, { mirror: ['agent-flow'] }),
    });
    const shown = (folder = workspace.root): Promise<string> => readFile(join(folder, FLOW), 'utf8');
    const own = await start(workspace, 'first');
    expect(await shown()).toMatch(/first:\n {4}status: "in_progress"/);
    const failed = await gateline(workspace.root, ['complete', '--token', own.token, '--exit-code', '1']);
    expect(failed.code).not.toBe(0);
    expect(await shown()).toMatch(/first:\n {4}status: "failed"/);
    await expectOk(gateline(workspace.root, ['skip', 'first', '--reason', 'not now']));
    expect(await shown()).toMatch(/first:\n {4}status: "passed"/);
    const tree = await start(workspace, 'second', '--tree');
    expect(await shown(tree.workspace)).toContain('current_phase: "second"');
    expect(await shown()).toContain('current_phase: "second"');
  });

  it('are kept by begin and complete with --mirror, whatever the definition says', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml({ first: { inputs: [] } }) });
    const { token, workspace: tree } = await start(workspace, 'first', '--tree', '--mirror', 'agent-flow');
    for (const folder of [workspace.root, tree])
      expect(await readFile(join(folder, FLOW), 'utf8')).toMatch(/first:\n {4}status: "in_progress"/);
    await gateline(workspace.root, ['complete', '--token', token, '--exit-code', '1', '--mirror', 'agent-flow']);
    expect(await workspace.read(FLOW)).toMatch(/first:\n {4}status: "failed"/);
    const wrong = await gateline(workspace.root, ['begin', 'first', '--mirror', 'agentflow']);
    expect(wrong.err).toContain('did you mean `agent-flow`?');
  });

  it('are no inputs and not handed on, even where a glob names their folder', async () => {
    const globs = { inputs: ['.devloop/**'], files: ['.devloop/**'] };
    const one = {
      run: `echo x > .devloop/made.md; ls .devloop > "$SEEN"; ${writes(1)}`,
      env: { SEEN: null },
      ...globs,
    };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ one }, { mirror: ['dev-loop'] }),
      '.gitignore': '.devloop/\n.state/\n',
    });
    await workspace.write('.devloop/prd.md', 'x');
    const environment = plainEnvironment({ SEEN: workspace.beside('seen') });
    const run = () => expectOk(gateline(workspace.root, ['run', '-q'], { environment }));
    await run();
    expect((await readFile(workspace.beside('seen'), 'utf8')).split('\n')).toContain('workflow-state.json');
    expect((await gateline(workspace.root, ['diff', 'one'])).out).toContain('.devloop/made.md');
    expect((await gateline(workspace.root, ['diff', 'one'])).out).not.toContain('workflow-state');
    expect((await run()).out).toMatch(/one +passed +reused/);
    await workspace.write('.devloop/prd.md', 'y');
    expect((await run()).out).toMatch(/one +passed +ran/);
  });

  it('are not handed on where the system left older ones that git did not ignore', async () => {
    const gates = { first: { run: `echo x > made.txt; ${writes(1)}`, inputs: [], files: 'changed' } };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates, { mirror: ['agent-flow', 'dev-loop'] }),
    });
    await workspace.write(FLOW, 'of agent-flow');
    await workspace.write('.devloop/workflow-state.json', '{}');
    await workspace.write('.devloop/prd.md', 'of dev-loop');
    const { out, err } = await expectOk(gateline(workspace.root, ['run', '-q']));
    expect(err).toContain('/.claude/*.local.md was added to .git/info/exclude');
    expect(err).toContain('/.devloop/ was added to .git/info/exclude');
    expect(out).not.toContain('changed in your folder');
    expect(out).toContain('The gates made 1 file');
    const { files } = JSON.parse((await expectOk(gateline(workspace.root, ['apply', '--json']))).out) as {
      files: object;
    };
    expect(JSON.stringify(files)).not.toMatch(/devloop|claude/);
  });

  it('are left out with a note if git tracks one of them', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(
        { first: { run: `cat ${FLOW}; ${writes(1)}`, inputs: [] } },
        { mirror: ['agent-flow'] },
      ),
      [FLOW]: 'mine',
    });
    const { out } = await expectOk(gateline(workspace.root, ['run']));
    expect(out).toContain(`the agent has no files of agent-flow: ${FLOW} cannot be written: git tracks it`);
    expect(await workspace.read(FLOW)).toBe('mine');
  });
});

describe('the files of other systems about a set', () => {
  it('show the subject in which something happened last, and each agent its own', async () => {
    const run = 'cp .devloop/workflow-state.json "$GATELINE_OUTPUT"';
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ make: { run, inputs: [] } }, { mirror: ['dev-loop'] }),
      'set.json': JSON.stringify({
        format: 'gateline-set/1',
        subjects: [
          { id: 'one', set: 'mvp' },
          { id: 'two', set: 'mvp', needs: ['one'] },
        ],
      }),
    });
    await expectOk(gateline(workspace.root, ['run', '-q', '--set', 'set.json']));
    const state = async (file: string): Promise<object> =>
      JSON.parse(await workspace.read(`.devloop/${file}`)) as object;
    expect(await state('workflow-state.json')).toMatchObject({ threadId: 'two', status: 'done' });
    expect(await state('execution-state.json')).toMatchObject({
      activePrdSetId: 'mvp',
      prds: { one: { status: 'done' }, two: { status: 'done' } },
    });
    for (const id of ['one', 'two']) {
      const { out } = await expectOk(gateline(workspace.root, ['show', 'make', 'output', '--subject', id]));
      expect(JSON.parse(out)).toMatchObject({ threadId: id, status: 'in-progress' });
    }
    await expectOk(gateline(workspace.root, ['run', '-q', '--set', 'set.json', '--mirror', 'nexus']));
    expect(JSON.parse(await workspace.read(NEXUS))).toMatchObject({ status: 'COMPLETED' });
  });
});
