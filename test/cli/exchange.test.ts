import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NEXUS_STATE } from '../formats/hostile-files.ts';
import { plainEnvironment, REPOSITORY } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

const here = (workspace: ScratchWorkspace, ...args: string[]): ReturnType<typeof gateline> =>
  gateline(workspace.root, args);

const NEXUS = '.claude/skills/nexus/history';

const EXECUTION = {
  id: 'workflow-20251028-101010',
  workflowName: 'feature-full',
  userTask: 'add wishlist',
  status: 'COMPLETED',
  duration: 1_800_000,
  phasesCompleted: 4,
  phasesFailed: 0,
  phasesSkipped: 1,
  pluginsUsed: ['superpowers'],
  mcpsUsed: [],
  timestamp: 1_761_646_210_000,
  error: null,
};

async function nexus(files: Readonly<Record<string, string>> = {}): Promise<ScratchWorkspace> {
  const workspace = await ScratchWorkspace.create({ 'README.md': 'x', ...files });
  await workspace.write(`${NEXUS}/.current-workflow.json`, JSON.stringify(NEXUS_STATE, null, 2));
  await workspace.write(`${NEXUS}/executions.jsonl`, `${JSON.stringify(EXECUTION)}\n`);
  return workspace;
}

const statuses = async (workspace: ScratchWorkspace): Promise<string[]> => {
  const { out } = await here(workspace, 'status', '--json');
  const { gates } = JSON.parse(out) as { readonly gates: readonly { readonly key: string; readonly status: string }[] };
  return gates.map(({ key, status }) => `${key} ${status}`);
};

describe('gateline import', () => {
  it('adds gates that need one that the definition has under another id', async () => {
    const guide = (gate: number): string =>
      JSON.stringify({
        gate,
        agent: 'Agent',
        status: 'SUCCESS',
        timestamp: '2026-01-02T03:04:05.000Z',
        metadata: { domain: 'shop', feature: 'cart', url: '' },
        output: { gate },
        validation: { score: 100, issues: [], passed: true },
      });
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': `# mine\nmetadata: { domain: shop, feature: cart, url: '' }\ngates:\n  first: { number: 1, run: 'true', shell: sh, inputs: [] } # stays\n`,
      'old/shop-cart-gate1-output.json': guide(1),
      'old/shop-cart-gate2-output.json': guide(2),
    });
    await expectOk(here(workspace, 'import', 'state-guide', '--from', 'old', '--write'));
    const text = await workspace.read('gateline.yml');
    expect(text).toContain('inputs: [] } # stays');
    expect(text).toMatch(/gate-2:\n +number: 2\n +agent: Agent\n +needs:\n +- first\n/);
    expect(await statuses(workspace)).toEqual(['first passed', 'gate-2 passed']);
  });

  it('says where skills of UASP are imported', async () => {
    await using workspace = await ScratchWorkspace.create({ 'skill.uasp.yaml': 'meta: {name: a}' });
    const { code, err } = await here(workspace, 'import', 'uasp', 'skill.uasp.yaml');
    expect([code, err]).toEqual([2, expect.stringContaining('gateline entities import --from FILE')]);
  });

  it('writes a definition, adopts what is completed, and keeps the history', async () => {
    await using workspace = await nexus();
    const { out, err } = await expectOk(here(workspace, 'import', 'nexus', '--from', NEXUS));
    expect(out).toContain('plan: adopted\ndesign: adopted\n1 run added to the history\n');
    expect(err).toContain('not moved: .current-workflow.json /workflowFile: the definition is gateline.yml');
    expect(await workspace.read('gateline.yml'))
      .toBe(`# Written by \`gateline import nexus\`. Give each gate a \`run\`: without one, its agent runs by itself.
# Then import again: what is completed is adopted for the gates as they are.
pipeline: feature-full
subject: workflow-20251029-123456
task: implement checkout
gates:
  plan:
    inputs:
      - "**"
      - "!gateline.yml"
  design:
    needs:
      - plan
    inputs:
      - "**"
      - "!gateline.yml"
  build:
    needs:
      - design
    inputs:
      - "**"
      - "!gateline.yml"
`);
    expect(await statuses(workspace)).toEqual(['plan passed', 'design passed', 'build ready']);
    expect(JSON.parse((await expectOk(here(workspace, 'show', 'plan', 'output'))).out)).toEqual({ steps: 5 });
    const { entries } = JSON.parse((await expectOk(here(workspace, 'history', '--json'))).out) as {
      readonly entries: readonly object[];
    };
    expect(entries).toMatchObject([{ task: 'add wishlist', ms: 1_800_000, skipped: 1, plugins: ['superpowers'] }]);
  });

  it('changes nothing the second time, and judges again when a file has changed', async () => {
    await using workspace = await nexus();
    await expectOk(here(workspace, 'import', 'nexus'));
    const records = await workspace.records();
    const second = await expectOk(here(workspace, 'import', 'nexus'));
    expect(second.out).toBe('plan: adopted before\ndesign: adopted before\n');
    expect(await workspace.records()).toEqual(records);
    await workspace.write('README.md', 'y');
    expect((await here(workspace, 'plan')).out).toMatch(/plan.*wait/);
    expect((await expectOk(here(workspace, 'import', 'nexus'))).out).toContain('plan: adopted\n');
    await workspace.edit('gateline.yml', '  plan:\n', '  plan:\n    run: make plan\n');
    expect((await here(workspace, 'plan')).out).toMatch(/plan +run +key run changed/);
    expect((await expectOk(here(workspace, 'import', 'nexus'))).out).toContain(
      'plan: adopted\ndesign: adopted before\n',
    );
    expect((await here(workspace, 'plan')).out).toMatch(/plan +keep/);
  });

  it('leaves the files that it reads out of the inputs of gates: mirror and export may replace them', async () => {
    await using workspace = await nexus();
    const { err } = await expectOk(here(workspace, 'import', 'nexus'));
    expect(err).toContain(`/${NEXUS}/ was added to .git/info/exclude`);
    await expectOk(here(workspace, 'export', 'nexus'));
    expect((await here(workspace, 'plan')).out).toMatch(/plan +keep[^]*design +keep[^]*build +wait/);
  });

  it('begins no run if one is completed with the same outputs', async () => {
    await using workspace = await nexus();
    const completed = { ...NEXUS_STATE, status: 'COMPLETED', currentPhase: null, endTime: NEXUS_STATE.startTime + 1 };
    await workspace.write(`${NEXUS}/.current-workflow.json`, JSON.stringify(completed));
    await expectOk(here(workspace, 'import', 'nexus'));
    const records = await workspace.records();
    const { out } = await expectOk(here(workspace, 'import', 'nexus'));
    expect(out).toBe('plan: adopted before\ndesign: adopted before\n');
    expect(await workspace.records()).toEqual(records);
  });

  it('writes nothing with --dry-run, and says so as JSON', async () => {
    await using workspace = await nexus();
    const before = await workspace.files();
    const { out } = await expectOk(here(workspace, 'import', 'nexus', '--dry-run', '--json'));
    expect(JSON.parse(out)).toMatchObject({
      format: 'gateline-import/1',
      written: false,
      definition: { path: 'gateline.yml', choice: 'create' },
      adopted: ['plan', 'design'],
      history: 1,
      notMoved: [{ file: '.current-workflow.json', pointer: '/workflowFile' }, {}, {}],
    });
    expect(await workspace.files()).toEqual(before);
  });

  it('asks who decides only if something is adopted', async () => {
    await using workspace = await nexus();
    const environment = { ...plainEnvironment(), USER: 'root', USERNAME: 'root', GIT_CONFIG_GLOBAL: '/dev/null' };
    await workspace.git('config', '--unset-all', 'user.email');
    const unknown = (...args: string[]): ReturnType<typeof gateline> =>
      gateline(workspace.root, ['import', ...args], { environment });
    expect((await expectOk(unknown('nexus', '--dry-run'))).out).toContain('plan: would be adopted');
    expect((await unknown('nexus')).err).toContain('ACTOR_UNKNOWN');
    expect((await workspace.git('status', '--porcelain', 'gateline.yml')).trim()).toBe('');
    await workspace.write('.devloop/progress.md', await seed('progress.md'));
    expect((await expectOk(unknown('dev-loop'))).out).toContain('.gateline/memory/progress.md written');
  });

  it('prints the keys of files that name no gate, where there is no definition', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    await workspace.write('nexus/defaults.yml', await seed('nexus-defaults.yml'));
    for (const more of [[], ['--dry-run'], ['--write']]) {
      const { out } = await expectOk(here(workspace, 'import', 'nexus', 'nexus/defaults.yml', ...more));
      expect(out).toBe(
        '\nAdd to gateline.yml, once it has gates:\n\nsnapshots:\n  every: 2\nretention:\n  older: 30d\n  every: 7d\n\n',
      );
    }
    const { out } = await expectOk(here(workspace, 'import', 'nexus', 'nexus/defaults.yml', '--json'));
    expect(JSON.parse(out)).toMatchObject({
      definition: { choice: 'keep', add: { snapshots: { every: 2 }, retention: { older: '30d', every: '7d' } } },
    });
    expect(existsSync(join(workspace.root, 'gateline.yml'))).toBe(false);
  });

  it('prints the keys that a definition lacks, and adds them with --write', async () => {
    const definition = '# mine\npipeline: p # kept\ngates:\n  plan: {run: x, inputs: []} # first\n';
    await using workspace = await nexus({ 'gateline.yml': definition });
    const refused = await here(workspace, 'import', 'nexus');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('the definition has no gate design: `--write` adds it (at /results/design)');
    expect(refused.out).toContain('Add to gateline.yml, or let `--write` do it:\n\ntask: implement checkout\ngates:\n');
    expect(refused.out).toContain('  design:\n    needs:\n      - plan\n');
    expect((await here(workspace, 'import', 'nexus', '--json')).out).not.toContain('Add to');
    expect(await workspace.read('gateline.yml')).toBe(definition);
    await expectOk(here(workspace, 'import', 'nexus', '--write'));
    const text = await workspace.read('gateline.yml');
    for (const part of ['# mine', 'p # kept', '# first', 'task: implement checkout', '  design:'])
      expect(text).toContain(part);
    expect(await statuses(workspace)).toEqual(['plan passed', 'design passed', 'build ready']);
    await workspace.edit('gateline.yml', 'task: implement checkout\n', '');
    expect((await expectOk(here(workspace, 'import', 'nexus'))).out).toContain('task: implement checkout');
  });

  it('refuses an output that does not meet the contract, and adopts no other either', async () => {
    const output = { schema: { type: 'object', required: ['pages'] } };
    const gates = {
      plan: { run: 'x' },
      design: { run: 'x', needs: 'plan', output },
      build: { run: 'x', needs: 'design' },
    };
    await using workspace = await nexus({ 'gateline.yml': gatelineYml(gates) });
    const { code, out } = await here(workspace, 'import', 'nexus', '--json');
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      code: 'IMPORT_REFUSED',
      problems: [{ place: { file: '.current-workflow.json', pointer: '/results/design' } }],
    });
    expect(await statuses(workspace)).toEqual(['plan ready', 'design pending', 'build pending']);
    expect((await expectOk(here(workspace, 'history', '--json'))).out).toContain('"entries": []');
  });

  it('refuses a gate that is completed without its need', async () => {
    const gates = { first: { run: 'x' }, plan: { run: 'x', needs: 'first' }, design: { run: 'x' } };
    await using workspace = await nexus({ 'gateline.yml': gatelineYml(gates) });
    const { code, err } = await here(workspace, 'import', 'nexus');
    expect(code).toBe(2);
    expect(err).toMatch(/gate plan: .*first.* \(at \/results\/plan\)/);
  });

  it('refuses a gate of a new definition whose need the files do not have', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const metadata = { domain: 'd', feature: 'f', url: '' };
    const story = { ...metadata, userStory: '', acceptanceCriteria: [] };
    const pipeline = { status: 'IN_PROGRESS', currentGate: 3, completedGates: [1, 3], metadata: story };
    await workspace.write('old/d-f-pipeline.json', JSON.stringify(pipeline));
    const validation = { score: 95, issues: [], passed: true };
    for (const gate of [1, 3]) {
      const envelope = { gate, agent: 'A', status: 'SUCCESS', metadata, output: 1, validation };
      await workspace.write(`old/d-f-gate${gate}-output.json`, JSON.stringify(envelope));
    }
    const { code, err } = await here(workspace, 'import', 'state-guide', '--from', 'old');
    expect(code).toBe(2);
    expect(err).toContain(
      'd-f-gate3-output.json IMPORT_REFUSED it is completed, and there is no gate-2, which it needs',
    );
    expect((await workspace.git('status', '--porcelain', '-unormal')).trim()).toBe('?? old/');
  });

  it('changes no gate that a definition has, and none that is not valid', async () => {
    await using workspace = await nexus({ 'gateline.yml': 'pipeline: p\ngates: {plan: {run: mine, nope: 1}}\n' });
    const add = (): ReturnType<typeof gateline> => here(workspace, 'import', 'nexus', '--from', NEXUS, '--write');
    const texts = ['gates: [plan]\n', 'pipeline: [p\n', '- a\n', 'text\n'];
    for (const text of [await workspace.read('gateline.yml'), ...texts]) {
      await workspace.write('gateline.yml', text);
      const { code, err } = await add();
      expect([code, err], text).toEqual([2, expect.stringMatching(/^gateline\.yml:\d+:\d+ /)]);
      expect(await workspace.read('gateline.yml')).toBe(text);
    }
    // Nothing in the place of gates, and line ends and a link that stay.
    await workspace.write('in/pipeline.yml', '# mine\r\npipeline: p\r\ngates:\r\n');
    await rm(workspace.path('gateline.yml'));
    await symlink('in/pipeline.yml', workspace.path('gateline.yml'));
    await expectOk(add());
    const written = await workspace.read('in/pipeline.yml');
    expect(written).toMatch(/^# mine\r\npipeline: p\r\ngates:\r\n {2}plan:\r\n {4}inputs:\r\n/);
    expect(written.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('adds to keys what they lack, and keeps the form of what is there', async () => {
    const gates = 'gates:\n  # first\n  plan: {run: "[ -f x ]", inputs: [README.md], shell: sh}\n';
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': `retention: {keep: 10}\n${gates}` });
    await workspace.write('defaults.yml', await seed('nexus-defaults.yml'));
    const shown = await expectOk(here(workspace, 'import', 'nexus', 'defaults.yml'));
    expect(shown.out).toContain('do it:\n\nsnapshots:\n  every: 2\nretention:\n  older: 30d\n  every: 7d\n');
    await expectOk(here(workspace, 'import', 'nexus', 'defaults.yml', '--write'));
    const edited = `retention: {keep: 10, older: 30d, every: 7d}\n${gates}snapshots:\n  every: 2\n`;
    expect(await workspace.read('gateline.yml')).toBe(edited);
    const again = await expectOk(here(workspace, 'import', 'nexus', 'defaults.yml', '--write'));
    expect([again.out, await workspace.read('gateline.yml')]).toEqual(['', edited]);
    await workspace.write('gateline.yml', 'snapshots: { keep: 3, every: 5 }\ngates: { plan: {} }\n');
    const padded = await expectOk(here(workspace, 'import', 'nexus', 'defaults.yml', '--write'));
    expect(padded.err).toContain('`snapshots.every` of the definition is used: 5, not 2');
    expect(await workspace.read('gateline.yml')).toBe(
      'snapshots: { keep: 3, every: 5 }\ngates: { plan: {} }\nretention:\n  older: 30d\n  every: 7d\n',
    );
  });

  it('exports the metadata that a run was given, and not those of the definition', async () => {
    const metadata = { domain: 'x_com', feature: 'pay', url: 'https://x_com/pay' };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ plan: { number: 0, run: writes({}), inputs: [] } }, { metadata }),
      'order.json': JSON.stringify({ metadata: { domain: 'z_com', feature: 'zz' }, userStory: 'us' }),
      'bare.yml': gatelineYml({ plan: { number: 0, run: writes({}), inputs: [] } }),
    });
    const login = ['--subject', 'x-login', '--metadata', 'feature=login'];
    await expectOk(here(workspace, 'run', '-q', ...login));
    await expectOk(here(workspace, 'export', 'state-guide', '--to', 'out', '--subject', 'x-login'));
    const read = async (path: string): Promise<unknown> =>
      (JSON.parse(await workspace.read(path)) as { metadata: unknown }).metadata;
    expect(await read('out/x-login-pipeline.json')).toMatchObject({ ...metadata, feature: 'login' });
    expect(await read('out/x-login-gate0-output.json')).toMatchObject({ ...metadata, feature: 'login' });
    const bare = ['-f', 'bare.yml', '--subject', 'order'];
    await expectOk(here(workspace, 'run', '-q', '--input', 'order.json', ...bare));
    await expectOk(here(workspace, 'export', 'state-guide', '--to', 'ordered', ...bare));
    expect(await read('ordered/order-pipeline.json')).toMatchObject({
      domain: 'z_com',
      feature: 'zz',
      userStory: 'us',
    });
  });

  it('exports to dev-loop the set that each subject ran in', async () => {
    const subjects = [
      { id: 'login', set: 'first' },
      { id: 'profile', set: 'first' },
    ];
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ plan: { run: writes({}), inputs: [] } }),
      'set.json': JSON.stringify({ format: 'gateline-set/1', subjects }),
    });
    await expectOk(here(workspace, 'run', '-q', '--set', 'set.json'));
    for (const { id } of subjects) {
      await expectOk(here(workspace, 'export', 'dev-loop', '--to', id, '--subject', id));
      expect(JSON.parse(await workspace.read(`${id}/execution-state.json`))).toMatchObject({
        prds: { login: { set: 'first' }, profile: { set: 'first' } },
      });
    }
  });

  it('names what the definition says differently', async () => {
    await using workspace = await nexus({
      'gateline.yml': gatelineYml(
        { plan: {}, design: { needs: 'plan' }, build: { needs: 'design' } },
        { task: 'other' },
      ),
    });
    const { err } = await expectOk(here(workspace, 'import', 'nexus', '--from', NEXUS, '--dry-run'));
    expect(err).toContain('`task` of the definition is used: "other", not "implement checkout"');
    expect(err).toContain('`pipeline` of the definition is used: "p", not "feature-full"');
    const asked = ['import', 'nexus', '--from', NEXUS, '--dry-run', '--task', 'implement checkout'];
    expect((await expectOk(here(workspace, ...asked))).err).not.toContain('`task` of the definition');
  });

  it('follows no link, and reads nothing outside of the folder', async () => {
    await using workspace = await nexus();
    const elsewhere = workspace.beside('elsewhere');
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, '.current-workflow.json'), JSON.stringify(NEXUS_STATE));
    await symlink(elsewhere, workspace.path('linked'));
    await symlink(join(elsewhere, '.current-workflow.json'), workspace.path('state.json'));
    const fails = async (...args: string[]): Promise<string> => {
      const { code, err } = await here(workspace, 'import', 'nexus', ...args);
      expect(code, args.join(' ')).toBe(2);
      return err;
    };
    expect(await fails('state.json')).toContain('it is a symbolic link, not a file');
    expect(await fails('linked/.current-workflow.json')).toContain('a folder in its path is a symbolic link');
    expect(await fails('../elsewhere/.current-workflow.json')).toContain('it is outside the folder');
    expect(await fails('README.md')).toContain('README.md IMPORT_REFUSED');
    expect(await fails('--from', 'nowhere')).toContain('has no file of this format');
    expect((await here(workspace, 'import', 'nexsu')).err).toContain('did you mean `nexus`?');
  });
});

describe('gateline export', () => {
  const gates = {
    plan: { run: writes({ steps: 5 }), inputs: [] },
    design: { run: `echo x > made.txt; ${writes('done')}`, needs: 'plan', files: ['made.txt'], inputs: [] },
    build: { run: 'exit 1', needs: 'design', inputs: [] },
  };

  it('writes what nexus reads, and what import reads again', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates, { task: 'checkout' }) });
    // Nothing works between two calls of one run, so that it takes longer than its agents.
    for (const call of ['first', 'second']) expect((await here(workspace, 'run', '--quiet')).code, call).toBe(1);
    const { out, err } = await expectOk(here(workspace, 'export', 'nexus'));
    expect(out).toMatch(/^4 files in .*, 4 of them changed\n$/);
    expect(err).toContain(`/${NEXUS}/ was added to .git/info/exclude`);
    const read = async (name: string): Promise<Record<string, unknown>> =>
      JSON.parse(await workspace.read(`${NEXUS}/${name}`)) as Record<string, unknown>;
    const state = await read('.current-workflow.json');
    expect(state).toMatchObject({
      workflowName: 'p',
      workflowFile: 'gateline.yml',
      userTask: 'checkout',
      status: 'ERROR',
      currentPhase: 'build',
      completedPhases: ['plan', 'design'],
      skippedPhases: [],
      failedPhases: ['build'],
      results: { plan: { steps: 5 }, design: 'done' },
      error: { phase: 'build', recoverable: true },
      retries: { build: 1 },
      metadata: { totalPhases: 3 },
      checkpoints: [
        { phase: 'plan', filesSnapshot: [] },
        { phase: 'design', filesSnapshot: [{ path: 'made.txt', status: 'A' }] },
      ],
      rollbackAvailable: true,
    });
    expect(state['id']).toMatch(/^workflow-\d{8}-\d{6}$/);
    expect(Object.keys(state)).toEqual(Object.keys(NEXUS_STATE));
    const line = await read('executions.jsonl');
    expect(Object.keys(line)).toEqual(Object.keys(EXECUTION));
    expect(line).toMatchObject({ id: state['id'], status: 'ERROR', phasesCompleted: 2, phasesFailed: 1 });
    const day = { totalWorkflows: 1, failedWorkflows: 1, totalDuration: line['duration'] };
    expect(await read('daily-summary.json')).toMatchObject([day]);
    expect(await read(`backups/${String(state['id'])}.json`)).toEqual(state);
    // Not an input of any gate, and nothing that a second export changes.
    expect((await workspace.git('status', '--porcelain')).trim()).toBe('');
    expect((await expectOk(here(workspace, 'export', 'nexus', '--json'))).out).toContain('"written": []');
    const own = await expectOk(here(workspace, 'import', 'nexus', '--dry-run'));
    expect(own.out).not.toContain('added to the history');
    await using other = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    const { out: imported } = await expectOk(here(other, 'import', 'nexus', '--from', workspace.path(NEXUS)));
    expect(imported).toContain('plan: adopted\ndesign: adopted\n');
  });

  it('adds its line to those that commands in other work trees add at the same time', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    await here(workspace, 'run', '--quiet');
    const names = Array.from({ length: 6 }, (_, n) => `out-${n}`);
    await Promise.all(names.map((name) => expectOk(here(workspace, 'export', 'nexus', '--to', name))));
    const lines = (await workspace.read('.git/info/exclude')).split('\n');
    expect(lines).toEqual(expect.arrayContaining(names.map((name) => `/${name}/`)));
  });

  it('refuses files that git tracks, and links, and writes elsewhere only with --to', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates),
      [`${NEXUS}/executions.jsonl`]: 'mine\n',
    });
    await here(workspace, 'run', '--quiet');
    const tracked = await here(workspace, 'export', 'nexus');
    expect(tracked.code).toBe(2);
    expect(tracked.err).toContain('executions.jsonl cannot be written: git tracks it');
    const to = workspace.beside('elsewhere');
    await expectOk(here(workspace, 'export', 'nexus', '--to', to));
    expect(JSON.parse(await readFile(join(to, '.current-workflow.json'), 'utf8'))).toMatchObject({ status: 'ERROR' });
    await symlink(to, workspace.path('out'));
    const linked = await here(workspace, 'export', 'nexus', '--to', 'out');
    expect(linked.err).toContain('EXPORT_REFUSED');
    expect(await workspace.read(`${NEXUS}/executions.jsonl`)).toBe('mine\n');
  });
});

const seed = (name: string): Promise<string> => readFile(join(REPOSITORY, 'test/fixtures/seeds', name), 'utf8');

describe('agent-flow', () => {
  const agent = (result: string): string => writes({ message: `${result} by an agent`, result });
  const output = { result: '/result', message: '/message' };
  const gates = {
    exploration: { agent: 'Riko', run: agent('FOUND'), inputs: [], output: { message: '/message' } },
    review: {
      agent: 'Lawliet',
      run: agent('APPROVED'),
      needs: 'exploration',
      inputs: [],
      output: { ...output, result: { pointer: '/result', pass: ['APPROVED'] } },
    },
    verification: { agent: 'Alphonse', run: 'exit 1', needs: 'exploration', inputs: [] },
  };

  it('is imported from the files of the seed, and works with its monitoring lines when exported', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    for (const name of ['team-orchestration.local.md', 'deep-dive.local.md'])
      await workspace.write(`.claude/${name}`, await seed(name));
    const { out } = await expectOk(here(workspace, 'import', 'agent-flow'));
    expect(out).toContain('exploration: adopted\nplanning: adopted\nimplementation: adopted\nreview: adopted\n');
    expect(await statuses(workspace)).toEqual([
      'exploration passed',
      'planning passed',
      'implementation passed',
      'review passed',
      'verification ready',
    ]);
    expect(await workspace.read('.gateline/memory/deep-dive.md')).toBe(await seed('deep-dive.local.md'));
    await expectOk(here(workspace, 'export', 'agent-flow', '--to', workspace.beside('exported')));
    const text = await readFile(workspace.beside('exported/team-orchestration.local.md'), 'utf8');
    for (const part of [
      'current_phase: "review_verification"',
      'mode: "team"',
      'scope: "full"',
      '#### Review (Lawliet)',
      'result: "APPROVED"',
      '- Result: APPROVED',
    ])
      expect(text).toContain(part);
    expect(await readFile(workspace.beside('exported/deep-dive.local.md'), 'utf8')).toBe(
      await seed('deep-dive.local.md'),
    );
  });

  it('keeps the messages of gates when it is imported and exported', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const file = '.claude/orchestration.local.md';
    await workspace.write(file, await seed('orchestration.local.md'));
    await expectOk(here(workspace, 'import', 'agent-flow'));
    expect((await here(workspace, 'status')).out).toContain('Plan created with 5 steps');
    await expectOk(here(workspace, 'export', 'agent-flow'));
    const messages = (text: string): string[] => text.match(/^.*\bmessage: .*$/gim) ?? [];
    expect(messages(await workspace.read(file))).toEqual(messages(await seed('orchestration.local.md')));
  });

  it('is imported into the template, and again from what it exported', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    await expectOk(here(workspace, 'init', '--template', 'agent-flow'));
    await workspace.write('.claude/orchestration.local.md', await seed('orchestration.local.md'));
    const first = await expectOk(here(workspace, 'import', 'agent-flow', '--subject', 'first'));
    expect(first.out).toContain('exploration: adopted\nplanning: adopted\n');
    await expectOk(here(workspace, 'run', '--quiet', '--subject', 'first', '--apply'));
    await expectOk(here(workspace, 'export', 'agent-flow', '--subject', 'first'));
    const file = '.claude/team-orchestration.local.md';
    expect(await workspace.read(file)).toContain('current_phase: "complete"');
    const again = await expectOk(here(workspace, 'import', 'agent-flow', '--subject', 'again', file));
    expect(again.out).toContain('review: adopted\nverification: adopted\n');
  });

  it.each(['orchestration.local.md', 'team-orchestration.local.md'])(
    'is exported with the times that %s has, so that it may be imported again',
    async (name) => {
      await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
      const path = `.claude/${name}`;
      const before = await seed(name);
      await workspace.write(path, before);
      const { out } = await expectOk(here(workspace, 'import', 'agent-flow'));
      await expectOk(here(workspace, 'export', 'agent-flow'));
      const passed = (text: string): readonly string[] => text.match(/[\w-]+:\n +status: "passed"\n +timestamp: .*/g)!;
      expect(passed(await workspace.read(path))).toEqual(passed(before));
      const again = await expectOk(here(workspace, 'import', 'agent-flow'));
      expect(again.out).toBe(out.replace('gateline.yml written\n', '').replaceAll(': adopted', ': adopted before'));
      if (name !== 'orchestration.local.md') {
        const group = /"in_progress"\n {4}started_at: "2024-01-15T10:46:30Z"\n {4}completed_at: ""\n {4}review:/;
        expect(await workspace.read(path)).toMatch(group);
      }
    },
  );

  it('has no message for a gate that passed without one', async () => {
    const silent = { run: writes({}), inputs: [], output: { message: '/message' } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml({ silent }) });
    await expectOk(here(workspace, 'run', '--quiet'));
    await expectOk(here(workspace, 'export', 'agent-flow'));
    const text = await workspace.read('.claude/orchestration.local.md');
    expect(text).toContain('- Status: PASSED');
    expect(text).not.toMatch(/message/i);
  });

  it('shows the results of a group', async () => {
    const groups = { review_verification: ['review', 'verification'] };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates, { groups, task: 'JWT' }),
    });
    await here(workspace, 'run', '--quiet');
    await expectOk(here(workspace, 'export', 'agent-flow'));
    const text = await workspace.read('.claude/team-orchestration.local.md');
    expect(text).toMatch(/parallel_groups:\n {2}review_verification:\n {4}status: "failed"\n {4}started_at: "20/);
    expect(text).toMatch(
      /review:\n {6}status: "passed"\n {6}agent: "Lawliet"\n {6}timestamp: "[^"]+"\n {6}result: "APPROVED"/,
    );
    const monitor = (command: string): string =>
      execFileSync('sh', ['-c', command], { cwd: workspace.root, encoding: 'utf8' });
    const file = '.claude/team-orchestration.local.md';
    expect(monitor(`grep '^current_phase:' ${file}`)).toBe('current_phase: "review_verification"\n');
    expect(monitor(`grep '^mode:' ${file}`)).toBe('mode: "team"\n');
    expect(monitor(`grep 'parallel_groups:' -A15 ${file}`)).toContain('result: "APPROVED"');
    expect(monitor(`grep -A4 'verification:' ${file}`)).toContain('agent: "Alphonse"');
    expect(monitor(`head -50 ${file}`)).toContain('task: "JWT"');
    expect((await workspace.git('status', '--porcelain')).trim()).toBe('');
  });
});

/** What an import of dev-loop says about checkpoints. */
async function seenFrom(workspace: ScratchWorkspace, ...files: string[]): Promise<unknown[]> {
  const { out } = await expectOk(here(workspace, 'import', 'dev-loop', ...files, '--dry-run', '--json'));
  const { notMoved } = JSON.parse(out) as { readonly notMoved: readonly { readonly file: string }[] };
  return notMoved.filter(({ file }) => file.includes('checkpoints'));
}

describe('dev-loop', () => {
  it('is imported and exported with its documents', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const state = {
      threadId: 'prd-1',
      task: { id: 'REQ-1', title: 'Log in' },
      context: null,
      changes: { files: [] },
      testResults: null,
    };
    const more = { status: 'in-progress', error: null, retryCount: 0, handoffContext: {} };
    await workspace.write('.devloop/workflow-state.json', JSON.stringify({ ...state, ...more }));
    for (const name of ['progress.md', 'learned-patterns.md'])
      await workspace.write(`.devloop/${name}`, await seed(name));
    const { out } = await expectOk(here(workspace, 'import', 'dev-loop'));
    expect(out).toContain('fetch-task: adopted\ngenerate-changes: adopted\n');
    expect((await statuses(workspace))[2]).toBe('apply-changes ready');
    const to = workspace.beside('exported');
    await expectOk(here(workspace, 'export', 'dev-loop', '--to', to));
    const read = (name: string): Promise<string> => readFile(join(to, name), 'utf8');
    expect(JSON.parse(await read('workflow-state.json'))).toMatchObject({
      task: state.task,
      changes: state.changes,
      testResults: null,
      error: null,
    });
    for (const name of ['progress.md', 'learned-patterns.md']) expect(await read(name)).toBe(await seed(name));
    expect(JSON.parse(await read('execution-state.json'))).toMatchObject({ activePrdSetId: null });
    expect(JSON.parse(await read('retry-counts.json'))).toEqual({});
    expect(JSON.parse(await read('metrics.json'))).toMatchObject({ runs: 1, completed: 0 });
    expect(await read('handoff.md')).toContain('fetch-task');
    expect(await seenFrom(workspace)).toEqual([]);
    await workspace.write('.devloop/checkpoints/prd-1/step-1.json', '{}');
    const expected = expect.stringContaining('`createFileCheckpointer` of `gateline/langgraph`') as string;
    const checkpoints = { pointer: '', reason: expected };
    expect(await seenFrom(workspace)).toEqual([{ file: 'checkpoints/', ...checkpoints }]);
    const named = await seenFrom(workspace, '.devloop/workflow-state.json', '.devloop/progress.md');
    expect(named).toEqual([{ file: '.devloop/checkpoints/', ...checkpoints }]);
    await workspace.write(
      '.devloop/checkpoints/prd-1/step-1.json',
      JSON.stringify({ channel_values: { ...state, ...more } }),
    );
    const step = await expectOk(here(workspace, 'import', 'dev-loop', '.devloop/checkpoints/prd-1/step-1.json'));
    expect(step.out).toBe('fetch-task: adopted before\ngenerate-changes: adopted before\n');
    await workspace.write('.gateline/memory/progress.md', 'mine');
    const { code, err } = await here(workspace, 'import', 'dev-loop');
    expect(code).toBe(2);
    expect(err).toContain('.gateline/memory/progress.md IMPORT_REFUSED the document exists, with another text');
  });
});

describe('state-guide', () => {
  const metadata = { domain: 'demoqa_com', feature: 'student_registration', url: 'https://demoqa.com/x' };
  const slug = 'demoqa_com-student_registration';
  const pipeline = (completedGates: number[]): string =>
    JSON.stringify({
      status: 'IN_PROGRESS',
      currentGate: 2,
      completedGates,
      metadata: { ...metadata, userStory: '', acceptanceCriteria: [] },
    });
  const gate = (number: number, output: object): string =>
    JSON.stringify({
      gate: number,
      agent: 'A',
      status: 'SUCCESS',
      metadata,
      output,
      validation: { score: 95, issues: [], passed: true },
    });
  const schema = { type: 'object', required: ['validationResult'] };
  const gates = {
    data: { run: 'exit 1', inputs: ['data.txt'], output: { schema } },
    design: { run: 'exit 1', needs: 'data', inputs: [], output: { schema } },
    map: { run: writes({ validationResult: {} }), needs: 'design', inputs: [], output: { schema } },
  };
  const good = { validationResult: { score: 95 } };

  it('adopts completed gates; the others run, and an edit runs a gate again', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates, { metadata }),
      'data.txt': 'x',
    });
    await workspace.write(`.state/${slug}-pipeline.json`, pipeline([0, 1]));
    for (const number of [0, 1]) await workspace.write(`.state/${slug}-gate${number}-output.json`, gate(number, good));
    expect((await expectOk(here(workspace, 'import', 'state-guide'))).out).toContain(
      'data: adopted\ndesign: adopted\n',
    );
    await expectOk(here(workspace, 'run', '--quiet'));
    expect(await statuses(workspace)).toEqual(['data passed', 'design passed', 'map passed']);
    expect((await here(workspace, 'export', 'state-guide')).err).toContain('--to DIR');
    const to = workspace.beside('exported');
    await expectOk(here(workspace, 'export', 'state-guide', '--to', to));
    const first = JSON.parse(await readFile(join(to, `${slug}-gate0-output.json`), 'utf8')) as object;
    expect(Object.keys(first)).toEqual(['gate', 'agent', 'status', 'metadata', 'output', 'validation']);
    expect(JSON.parse(await readFile(join(to, `${slug}-pipeline.json`), 'utf8'))).toMatchObject({
      completedGates: [0, 1, 2],
    });
    await workspace.write('data.txt', 'y');
    expect((await here(workspace, 'run', '--quiet')).code).toBe(1);
  });

  it('writes a definition in which the gates that the guide still runs are open', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    await workspace.write(`.state/${slug}-pipeline.json`, pipeline([0, 1]));
    for (const number of [0, 1]) await workspace.write(`.state/${slug}-gate${number}-output.json`, gate(number, good));
    const { out, err } = await expectOk(here(workspace, 'import', 'state-guide'));
    expect(out).toContain('gate-0: adopted\ngate-1: adopted\n');
    expect(err).toContain(`${slug}-gate1-output.json /validation/score: it is 95`);
    expect(await statuses(workspace)).toEqual([
      'gate-0 passed',
      'gate-1 passed',
      'gate-2 ready',
      'gate-3 pending',
      'gate-4 pending',
      'gate-5 pending',
    ]);
    expect(JSON.parse(await workspace.read(`.state/${slug}-pipeline.json`))).toMatchObject({
      status: 'IN_PROGRESS',
      currentGate: 2,
      completedGates: [0, 1],
    });
  });

  it('adds no later gates to a definition that there is', async () => {
    const definition = gatelineYml({ data: gates.data, design: gates.design }, { metadata });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition, 'data.txt': 'x' });
    await workspace.write(`old/${slug}-pipeline.json`, pipeline([0, 1]));
    for (const number of [0, 1]) await workspace.write(`old/${slug}-gate${number}-output.json`, gate(number, good));
    await expectOk(here(workspace, 'import', 'state-guide', '--from', 'old', '--write'));
    expect(await statuses(workspace)).toEqual(['data passed', 'design passed']);
  });

  it('refuses a bad output by pointer, an unknown number, and another feature', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates, { metadata }),
      'data.txt': 'x',
    });
    const refused = async (...args: string[]): Promise<string> => {
      const { code, err } = await here(workspace, 'import', 'state-guide', '--from', 'old', ...args);
      expect(code).toBe(2);
      return err;
    };
    await workspace.write(`old/${slug}-gate0-output.json`, gate(0, {}));
    expect(await refused()).toContain('(at /output');
    await workspace.write(`old/${slug}-gate0-output.json`, gate(0, good));
    await workspace.write(`old/${slug}-gate7-output.json`, gate(7, good));
    expect(await refused()).toContain('the definition has no gate with number 7');
    await workspace.edit('gateline.yml', 'student_registration', 'other');
    expect(await refused(`${slug}-gate0-output.json`)).toContain(
      'it is "student_registration", and "other" in the definition (at /metadata/feature)',
    );
  });
});

describe('mirror', () => {
  const FLOW = '.claude/orchestration.local.md';
  const phase = `grep '^current_phase:' "$ROOT/${FLOW}" > phase.txt; `;
  const gates = {
    first: { run: writes(1), inputs: [] },
    second: { run: `${phase}${writes(2)}`, needs: 'first', files: ['phase.txt'], env: { ROOT: null } },
  };

  it('keeps the files current during a run, and they are no inputs', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates, { mirror: ['agent-flow'] }),
    });
    const environment = plainEnvironment({ ROOT: workspace.root });
    const run = (...args: string[]): ReturnType<typeof gateline> =>
      expectOk(gateline(workspace.root, ['run', '--quiet', ...args], { environment }));
    expect((await run()).out).toContain('/.claude/*.local.md was added to .git/info/exclude');
    expect(await workspace.read(FLOW)).toContain('current_phase: "complete"');
    // The whole tree is an input of the second gate.
    expect((await expectOk(gateline(workspace.root, ['plan'], { environment }))).out).toMatch(
      /second +(?:reuse|reused)/,
    );
    await expectOk(here(workspace, 'apply'));
    expect(await workspace.read('phase.txt')).toBe('current_phase: "second"\n');
    await run('--mirror', 'nexus', '--mirror', 'dev-loop');
    expect(JSON.parse(await workspace.read(`${NEXUS}/.current-workflow.json`))).toMatchObject({ status: 'COMPLETED' });
    expect(await workspace.read('.devloop/workflow-state.json')).toContain('"status": "done"');
    expect((await workspace.git('status', '--porcelain')).trim()).toBe('?? phase.txt');
    expect((await here(workspace, 'run', '--mirror', 'agentflow')).err).toContain('did you mean `agent-flow`?');
  });

  it('does not fail a run if a file cannot be written', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates),
      '.devloop/metrics.json': 'mine',
    });
    const environment = plainEnvironment({ ROOT: workspace.root });
    const { out } = await gateline(workspace.root, ['run', '--quiet', '--mirror', 'dev-loop', '--gate', 'first'], {
      environment,
    });
    expect(out).toContain(
      'the files of dev-loop are not kept up to date: .devloop/metrics.json cannot be written: git tracks it',
    );
    expect(out).toContain('first: passed');
    expect(await workspace.read('.devloop/metrics.json')).toBe('mine');
  });
});
