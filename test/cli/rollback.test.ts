import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { filesBelow, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, writes, type Answer, gatelineIn as here, expectOk } from './in-process.ts';
import { spread } from '../support/samples.ts';

/** A script that says that it starts, changes files, and answers. */
const gate = (name: string, changes: string): string => [`echo ${name} >> "$STARTS"`, changes, writes(name)].join('\n');

const DESIGN = 'echo designed > src/app.txt\nmkdir -p docs dist\necho plan > docs/plan.md\necho made > dist/out.js';
const BUILD = 'echo built > src/app.txt\nrm src/gone.txt\nchmod +x src/tool.sh\nmkdir made\necho new > made/new.txt';
const HANDED = { inputs: ['in.txt'], files: ['src/**', 'docs/**', 'made/**', 'dist/**'] };

const GATES = {
  design: { run: gate('design', DESIGN), ...HANDED },
  build: { run: gate('build', BUILD), needs: 'design', ...HANDED },
  review: { run: gate('review', 'true'), needs: 'build', inputs: ['in.txt'] },
};

const FILES = {
  'gateline.yml': gatelineYml(GATES),
  'in.txt': 'in\n',
  'src/app.txt': 'old\n',
  'src/gone.txt': 'gone\n',
  'src/tool.sh': 'echo tool\n',
  '.gitignore': 'dist/\n',
};

/** A workspace whose run is completed, with the log of its agents' starts beside it. */
async function ran(files: Readonly<Record<string, string>> = {}): Promise<ScratchWorkspace> {
  const workspace = await ScratchWorkspace.create({ ...FILES, ...files });
  await expectOk(run(workspace, 'run'));
  return workspace;
}

function run(workspace: ScratchWorkspace, ...args: string[]): Promise<Answer> {
  const environment = { ...plainEnvironment(workspace.variables()), STARTS: workspace.beside('starts') };
  return gateline(workspace.root, [...args, '-q'], { environment });
}

/** Agents that started since the last time. */
async function started(workspace: ScratchWorkspace): Promise<string[]> {
  const log = workspace.beside('starts');
  const text = existsSync(log) ? await workspace.read('../starts') : '';
  writeFileSync(log, '');
  return text.split('\n').filter((line) => line !== '');
}

const said = async (workspace: ScratchWorkspace, ...args: string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await here(workspace, 'rollback', '--json', ...args)).out) as Record<string, unknown>;

describe.runIf(process.platform !== 'win32')('rollback', () => {
  it('where nothing was applied changes no file, and the gates after the named one run again', async () => {
    await using workspace = await ran();
    await workspace.write('made/new.txt', 'of the user\n');
    const before = await workspace.files();
    await started(workspace);
    const done = await expectOk(here(workspace, 'rollback', '--to', 'design'));
    expect(done.out).toContain(
      'No gate changed this folder: no file changes.\nRolled back 2 gates: build and review.\n',
    );
    expect(done.out).toContain('paused by');
    expect(await workspace.files()).toEqual(before);
    expect(await status(workspace)).toMatchObject({ run: 1, status: 'paused' });
    expect((await run(workspace, 'run')).code).toBe(3);
    rmSync(workspace.path('made'), { recursive: true });
    const plan = await here(workspace, 'resume', '--dry-run');
    expect(plan.out).toMatch(/build +run .* rolled it back: rolled back to design/);
    const resumed = await expectOk(run(workspace, 'resume'));
    expect(resumed.out).toContain('run 1');
    expect(await started(workspace)).toEqual(['build', 'review']);
  });

  it('restores what a gate left, and then what the run found, to the byte and the mode', async () => {
    await using workspace = await ScratchWorkspace.create(FILES);
    chmodSync(workspace.path('src/gone.txt'), 0o600);
    const before = await workspace.files();
    const mode = lstatSync(workspace.path('src/gone.txt')).mode;
    await expectOk(run(workspace, 'run'));
    await expectOk(here(workspace, 'apply'));
    const applied = await workspace.files();
    const dry = await expectOk(here(workspace, 'rollback', '--to', 'design', '--dry-run'));
    expect(dry.out).toMatch(/^diff --git a\/made\/new\.txt/);
    expect(dry.out).toContain('-built\n+designed\n');
    expect(dry.out).toContain('would remove made/new.txt\nwould write src/app.txt\nwould write src/gone.txt\n');
    expect(await workspace.files()).toEqual(applied);

    const answer = await said(workspace, '--to', 'design');
    expect(answer).toMatchObject({
      format: 'gateline-rollback/1',
      run: 1,
      to: 'design',
      gates: ['build', 'review'],
      database: 'none',
      committed: [],
      files: [
        { path: 'dist/out.js', action: 'unchanged' },
        { path: 'docs/plan.md', action: 'unchanged' },
        { path: 'made/new.txt', action: 'deleted' },
        { path: 'src/app.txt', action: 'written' },
        { path: 'src/gone.txt', action: 'written' },
        { path: 'src/tool.sh', action: 'written' },
      ],
    });
    expect(await workspace.read('src/app.txt')).toBe('designed\n');
    expect(await workspace.read('docs/plan.md')).toBe('plan\n');
    expect(existsSync(workspace.path('made'))).toBe(false);
    expect(await workspace.read(`${String(answer['saved'])}/files/src/app.txt`)).toBe('built\n');

    await expectOk(run(workspace, 'resume'));
    await expectOk(here(workspace, 'apply'));
    await expectOk(here(workspace, 'rollback', '--all'));
    expect(await workspace.files()).toEqual(before);
    expect(lstatSync(workspace.path('src/gone.txt')).mode).toBe(mode);
    expect(await workspace.git('status', '--porcelain')).toBe('');
    expect(await status(workspace)).toMatchObject({ run: 1, status: 'rollback' });
    await started(workspace);
    await expectOk(run(workspace, 'run'));
    expect(await started(workspace)).toEqual(['design', 'build', 'review']);
  });

  it('ends a run: to resume it is refused with what to do, and leaves nothing behind', async () => {
    await using workspace = await ran();
    await expectOk(here(workspace, 'rollback', '--all'));
    const { code, err } = await here(workspace, 'resume');
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/RUN_COMPLETED: run 1 .* was rolled back\n.*`gateline run`/),
    ]);
    expect(err).not.toContain('gateline apply');
    expect((await here(workspace, 'doctor')).out).toBe('The state of this workspace is sound.\n');
    await expectOk(run(workspace, 'run', '--max-gates', '1', '--new'));
    await expectOk(here(workspace, 'close', '--reason', 'enough'));
    expect((await here(workspace, 'resume')).err).toMatch(/run 2 .* was closed\n.*`gateline run`/);
  });

  it('refuses if the user changed a file since, and with --force keeps a copy of it', async () => {
    await using workspace = await ran();
    await expectOk(here(workspace, 'apply'));
    await workspace.write('src/app.txt', 'mine\n');
    await workspace.write('made/mine.txt', 'mine\n');
    const before = await workspace.files();
    const refused = await here(workspace, 'rollback', '--all');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toContain('ROLLBACK_CONFLICT');
    expect(refused.err).toContain('src/app.txt: it was changed since then');
    expect(await workspace.files()).toEqual(before);
    const dry = await here(workspace, 'rollback', '--all', '--dry-run');
    expect(dry).toMatchObject({ code: 1 });
    expect(dry.out).toContain('conflict src/app.txt: it was changed since then');
    expect(await status(workspace)).toMatchObject({ status: 'completed' });

    const { saved } = await said(workspace, '--all', '--force');
    expect(await workspace.read('src/app.txt')).toBe('old\n');
    expect(await workspace.read('made/mine.txt')).toBe('mine\n');
    expect(existsSync(workspace.path('made/new.txt'))).toBe(false);
    expect(await workspace.read(`${String(saved)}/files/src/app.txt`)).toBe('mine\n');
  });

  it('leaves a file alone that the user wrote where a gate’s file was, once that is rolled back', async () => {
    await using workspace = await ran();
    await expectOk(here(workspace, 'apply', '--gate', 'design'));
    await workspace.write('docs/plan.md', 'mine\n');
    await expectOk(here(workspace, 'rollback', '--all', '--force'));
    expect(existsSync(workspace.path('docs'))).toBe(false);
    await workspace.write('docs/plan.md', 'mine again\n');
    const again = await expectOk(here(workspace, 'rollback', '--all', '--force'));
    expect(again.out).toContain('Run 1 of main is rolled back already');
    expect(await workspace.read('docs/plan.md')).toBe('mine again\n');
  });

  it('names commits of applied files, and leaves commits, branches and the index alone', async () => {
    await using workspace = await ran();
    await expectOk(here(workspace, 'apply'));
    await workspace.git('add', 'made', 'src/app.txt');
    await workspace.git('commit', '-qm', 'built', 'made', 'src/app.txt');
    await workspace.git('add', 'docs');
    const head = (await workspace.git('rev-parse', 'HEAD')).trim();
    const branches = await workspace.git('branch', '--list', '-v');
    const index = await workspace.git('ls-files', '--stage');
    const { committed } = await said(workspace, '--all');
    expect(committed).toEqual([
      { path: 'made/new.txt', commit: head },
      { path: 'src/app.txt', commit: head },
    ]);
    expect(await workspace.git('rev-parse', 'HEAD')).toBe(`${head}\n`);
    expect(await workspace.git('branch', '--list', '-v')).toBe(branches);
    expect(await workspace.git('ls-files', '--stage')).toBe(index);
    expect(await workspace.git('diff', '--name-status')).toBe('D\tdocs/plan.md\nD\tmade/new.txt\nM\tsrc/app.txt\n');
  });

  it('undoes what gates changed in the folder itself, failed attempts and files that are not handed on too', async () => {
    const inPlace = (name: string, changes: string, more: object = {}): object => ({
      run: gate(name, changes),
      workspace: 'in-place',
      inputs: ['in.txt'],
      ...more,
    });
    const gates = {
      first: inPlace('first', 'echo first > src/app.txt\necho one > one.txt', { files: ['src/**'] }),
      second: inPlace('second', 'echo second > src/app.txt\nrm -f src/gone.txt\necho two > two.txt', {
        needs: 'first',
        files: ['src/**'],
        output: { checks: ["output == 'other'"] },
      }),
    };
    await using workspace = await ScratchWorkspace.create({ ...FILES, 'gateline.yml': gatelineYml(gates) });
    const before = await workspace.files();
    expect((await run(workspace, 'run')).code).toBe(1);
    await workspace.write('mine.txt', 'mine\n');
    await expectOk(here(workspace, 'rollback', '--to', 'first'));
    const now = await workspace.files();
    const touched = ['mine.txt', 'one.txt', 'src/app.txt'];
    expect(Object.keys(now).filter((path) => now[path] !== before[path])).toEqual(touched);
    expect(await Promise.all(touched.map((path) => workspace.read(path)))).toEqual(['mine\n', 'one\n', 'first\n']);
    expect(Object.keys(before).filter((path) => !(path in now))).toEqual([]);
    await expectOk(here(workspace, 'rollback', '--all'));
    rmSync(workspace.path('mine.txt'));
    expect(await workspace.files()).toEqual(before);
  });

  it('has no snapshot of a file with a secret in it, which is named and not stored', async () => {
    const leak = 'printf %s "$KEY" > leaked.txt\necho kept > kept.txt\nprintf %s "$KEY" > same-as-mine.txt';
    const gates = { leak: { run: gate('leak', leak), inputs: ['in.txt'], files: ['src/**'], secrets: ['KEY'] } };
    const files = { ...FILES, 'gateline.yml': gatelineYml(gates) };
    for (const isMine of [false, true]) {
      await using workspace = await ScratchWorkspace.create(files);
      const KEY = 'made-up-value-of-a-key';
      if (isMine) await workspace.write('src/mine.txt', KEY);
      const environment = { ...plainEnvironment(workspace.variables()), STARTS: workspace.beside('starts'), KEY };
      const { out } = await expectOk(gateline(workspace.root, ['run'], { environment }));
      expect(out).toContain('not kept, since it holds a secret: leaked.txt, same-as-mine.txt');
      const diff = await expectOk(gateline(workspace.root, ['diff', 'leak'], { environment }));
      expect(diff.out).toContain('+kept');
      expect(diff.out).not.toContain('leaked.txt');
      const blob = blobOf(KEY);
      const object = workspace.path(`.state/git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
      // A file of the user's own with the same content is part of the user's version.
      expect(existsSync(object)).toBe(isMine);
      await expectOk(gateline(workspace.root, ['run', '--new', '--reason', 'again', '-q'], { environment }));
    }
  });

  it('says what is wrong with its arguments, or with the run', async () => {
    await using workspace = await ScratchWorkspace.create(FILES);
    expect((await here(workspace, 'rollback', '--all')).err).toContain('there is no run');
    expect((await here(workspace, 'rollback')).err).toContain('--to GATE or --all is missing');
    const both = await here(workspace, 'rollback', '--all', '--to', 'build');
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('OPTION_CONFLICT: --to and --all exclude each')]);
    for (const word of ['undo', 'revert', 'restore']) {
      const { code, err } = await here(workspace, word);
      expect([code, err]).toEqual([2, expect.stringContaining(`COMMAND_UNKNOWN: there is no command ${word}`)]);
      expect(err).toContain('`gateline rollback --all`');
    }
    await expectOk(run(workspace, 'run', '--until', 'design'));
    const open = await here(workspace, 'rollback', '--to', 'build');
    expect(open.err).toContain('gate build has no snapshot in run 1: it is ready');
    expect(open.err).toContain('Done: design.');
    expect((await here(workspace, 'rollback', '--to', 'other')).err).toContain('GATE_UNKNOWN');
    await expectOk(here(workspace, 'close', '--reason', 'test'));
    expect((await here(workspace, 'rollback', '--to', 'design')).err).toContain('is over');
    expect(await filesBelow(workspace.path('.state/applied'), [])).toEqual([]);
  });
});

describe.runIf(process.platform !== 'win32')('rollback after a run that only reused outputs', () => {
  /** Run 1 is applied, run 2 reuses all of its outputs. */
  async function reused(): Promise<ScratchWorkspace> {
    const workspace = await ran();
    await expectOk(here(workspace, 'apply'));
    await started(workspace);
    const again = await expectOk(run(workspace, 'run', '--new', '--reason', 'again'));
    expect(again.out).toContain('run 2');
    expect(await started(workspace)).toEqual([]);
    return workspace;
  }

  it('rolls nothing back and says so, and names the run whose files are in the folder', async () => {
    await using workspace = await reused();
    const before = await workspace.files();
    for (const how of [['--all'], ['--all', '--dry-run'], ['--to', 'design']]) {
      const { code, out, err } = await here(workspace, 'rollback', ...how);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain('ROLLBACK_NOTHING: run 2 of main ran no gate and changed no file here: nothing was rolled');
      const command = `gateline rollback ${how[0] === '--to' ? '--to design' : '--all'} --run 'main#1'`;
      expect(err).toContain(`The files of run 1 of main are in this folder: \`${command}\``);
    }
    expect(await workspace.files()).toEqual(before);
    expect(await status(workspace)).toMatchObject({ run: 2, status: 'completed' });
  });

  it('with --run undoes that run, and the later run does not use its outputs any more', async () => {
    await using workspace = await reused();
    const done = await expectOk(here(workspace, 'rollback', '--all', '--run', 'main#1'));
    expect(done.out).toContain('Rolled back 3 gates');
    expect(await workspace.git('status', '--porcelain')).toBe('');
    const again = await here(workspace, 'rollback', '--all');
    expect(again.err).toContain('ROLLBACK_NOTHING');
    expect(again.err).not.toContain('are in this folder');
    await expectOk(run(workspace, 'run'));
    expect(await started(workspace)).toEqual(['design', 'build', 'review']);
  });

  const TWICE: readonly [string, readonly string[], readonly string[]][] = [
    ['the newest run', ['--all'], ['--all']],
    ['the newest run to a gate', ['--to', 'design'], ['--to', 'design']],
    ['an earlier run', ['--all', '--run', '1'], ['--all', '--run', '1']],
    ['an earlier run to a gate', ['--to', 'design', '--run', '1'], ['--to', 'design', '--run', 'main#1', '--force']],
  ];
  it.each(spread(TWICE, 2))(
    'of %s says the second time that it is done already, and records nothing',
    async (which, first, again) => {
      await using workspace = await (which.startsWith('an earlier') ? reused() : ran());
      if (!which.startsWith('an earlier')) await expectOk(here(workspace, 'apply'));
      await expectOk(here(workspace, 'rollback', ...first));
      const before = [
        await filesBelow(workspace.path('.state/runs'), []),
        readdirSync(workspace.path('.state/applied')),
      ];
      const { out } = await expectOk(here(workspace, 'rollback', ...again));
      const where = which.endsWith('gate') ? ' to design' : '';
      expect(out).toContain(`Run 1 of main is rolled back${where} already: nothing was left to do.\n`);
      expect(await said(workspace, ...again)).toMatchObject({ run: 1, gates: [], saved: null });
      const after = [
        await filesBelow(workspace.path('.state/runs'), []),
        readdirSync(workspace.path('.state/applied')),
      ];
      expect(after).toEqual(before);
      // Further back, there is something left to do.
      if (which.endsWith('gate'))
        expect((await expectOk(here(workspace, 'rollback', '--all', '--run', '1'))).out).toContain(
          'Rolled back 3 gates',
        );
      expect(await workspace.read('src/app.txt')).toBe('old\n');
    },
  );

  it('says which files stay if only some of the gates ran', async () => {
    await using workspace = await reused();
    await expectOk(run(workspace, 'run', '--new', '--reason', 'again', '--force', 'review'));
    const { out } = await expectOk(here(workspace, 'rollback', '--all'));
    expect(out).toContain('No gate changed this folder: no file changes.');
    expect(out).toContain('Files of run 1 of main are in this folder, and stay.');
  });
});

/** The id that git gives to a file. */
function blobOf(text: string): string {
  return createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');
}

/** What `gateline status` says of the newest run. */
async function status(workspace: ScratchWorkspace): Promise<unknown> {
  return JSON.parse((await here(workspace, 'status', '--json')).out);
}

describe.runIf(process.platform !== 'win32')('what a rollback says of paths', () => {
  it('names no commit for what is there as it was before the run, or nowhere', async () => {
    const gates = {
      a: { run: gate('a', 'echo new > new.txt\nchmod +x tool.sh'), inputs: ['in.txt'], files: 'changed' },
      b: { run: gate('b', 'rm new.txt\nchmod -x tool.sh'), needs: 'a', inputs: ['in.txt'], files: 'changed' },
    };
    const files = { 'gateline.yml': gatelineYml(gates), 'in.txt': 'in\n', 'tool.sh': 'echo tool\n' };
    await using workspace = await ScratchWorkspace.create(files);
    await expectOk(run(workspace, 'run', '--until', 'a'));
    await expectOk(here(workspace, 'apply'));
    await expectOk(run(workspace, 'run'));
    await expectOk(here(workspace, 'apply'));
    const { out } = await expectOk(here(workspace, 'rollback', '--to', 'a'));
    expect(out).not.toContain('was committed');
    expect(await workspace.read('new.txt')).toBe('new\n');
  });

  it('does not advise `--force` for a path that cannot be overwritten', async () => {
    await using workspace = await ran();
    await expectOk(here(workspace, 'apply'));
    rmSync(workspace.path('src/app.txt'));
    await workspace.write('src/app.txt/mine', 'mine');
    for (const more of [[], ['--force']]) {
      const { code, err } = await here(workspace, 'rollback', '--all', ...more);
      expect(code).toBe(1);
      expect(err).toMatch(/Move these (?:paths )?away/);
      expect(err).toContain('src/app.txt: a folder is in its place');
      expect(err).not.toContain('add `--force`');
    }
    expect(await workspace.read('src/app.txt/mine')).toBe('mine');
  });
});
