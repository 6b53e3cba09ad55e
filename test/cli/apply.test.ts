import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { filesBelow, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, writes, type Answer, type WorldOptions } from './in-process.ts';

const here = (workspace: ScratchWorkspace, args: readonly string[], options: WorldOptions = {}): Promise<Answer> =>
  gateline(workspace.root, args, { environment: plainEnvironment(workspace.variables()), ...options });

/** Edits, deletes, adds, changes a mode, and writes a file that git ignores. HINDER: what somebody else writes meanwhile. */
const MAKE = [
  'echo made > src/app.txt',
  'rm -f src/gone.txt',
  'chmod +x src/tool.sh',
  'mkdir -p new/deep dist',
  'echo made > new/deep/file.txt',
  'echo made > dist/out.js',
  '[ -z "${HINDER:-}" ] || echo mine > "$HINDER"',
  writes(1),
].join('\n');

const GATES = gatelineYml({ make: { run: MAKE, inputs: ['src/**'], files: ['src/**', 'new/**', 'dist/**'] } });

const FILES = {
  'gateline.yml': GATES,
  'src/app.txt': 'old\n',
  'src/gone.txt': 'gone\n',
  'src/tool.sh': 'echo tool\n',
  'src/same.txt': 'same\n',
  '.gitignore': 'dist/\n',
};

/** A workspace whose run is completed and not applied. */
async function ran(files: Readonly<Record<string, string>> = {}): Promise<ScratchWorkspace> {
  const workspace = await ScratchWorkspace.create({ ...FILES, ...files });
  const { code, err } = await here(workspace, ['run', '-q']);
  expect(code, err).toBe(0);
  return workspace;
}

/** What became of each path, as `--json` says it. */
async function applied(workspace: ScratchWorkspace, ...args: string[]): Promise<Record<string, string>> {
  const { out } = await here(workspace, ['apply', '--json', ...args]);
  const answer = JSON.parse(out) as { files: { path: string; action: string; why: string | null }[] };
  expect(answer).toHaveProperty('files');
  return Object.fromEntries(
    answer.files.map(({ path, action, why }) => [path, why === null ? action : `${action}: ${why}`]),
  );
}

const ALL = {
  'dist/out.js': 'written',
  'new/deep/file.txt': 'written',
  'src/app.txt': 'written',
  'src/gone.txt': 'deleted',
  'src/tool.sh': 'written',
};

/** Files that were copied away before they were replaced. */
const savedFiles = async (workspace: ScratchWorkspace): Promise<string[]> =>
  (await filesBelow(workspace.path('.state/applied'), [])).map((path) => path.replace(/^[^/]+\//, ''));

describe.runIf(process.platform !== 'win32')('apply', () => {
  it('puts files into the folder, keeps what it replaces, and has nothing to do the next time', async () => {
    await using workspace = await ran();
    const before = await workspace.files();
    const dry = await here(workspace, ['apply', '--dry-run']);
    expect(dry).toMatchObject({ code: 0, err: '' });
    expect(dry.out.trim().split('\n')).toEqual([
      'would write dist/out.js',
      'would write new/deep/file.txt',
      'would write src/app.txt',
      'would remove src/gone.txt',
      'would write src/tool.sh',
    ]);
    expect(await workspace.files()).toEqual(before);
    expect(existsSync(workspace.path('.state/applied'))).toBe(false);

    const done = await here(workspace, ['apply']);
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toMatch(
      /^wrote dist\/out\.js\nwrote new.*\nwrote src\/app.*\nremoved src\/gone\.txt\nwrote src\/tool\.sh\nWhat was replaced is kept in \.state\/applied\/[\dTZ-]+\.\n$/,
    );
    expect(await workspace.git('status', '--porcelain')).toBe(
      ' M src/app.txt\n D src/gone.txt\n M src/tool.sh\n?? new/\n',
    );
    expect(await workspace.read('src/app.txt')).toBe('made\n');
    expect(lstatSync(workspace.path('src/tool.sh')).mode & 0o777).toBe(0o755);
    expect(await savedFiles(workspace)).toEqual([
      'applied.json',
      'files/src/app.txt',
      'files/src/gone.txt',
      'files/src/tool.sh',
    ]);
    const [time] = readdirSync(workspace.path('.state/applied'));
    expect(await workspace.read(`.state/applied/${time}/files/src/app.txt`)).toBe('old\n');
    expect(JSON.parse(await workspace.read(`.state/applied/${time}/applied.json`))).toMatchObject({
      format: 'gateline-applied/1',
      state: 'done',
    });

    const again = await here(workspace, ['apply']);
    expect(again).toEqual({ code: 0, err: '', out: '5 files already up to date.\n' });
    expect(readdirSync(workspace.path('.state/applied'))).toEqual([time]);
  });

  it('leaves alone what the user changed, made or removed since, ignored files too, and puts the rest', async () => {
    await using workspace = await ran();
    await workspace.write('src/app.txt', 'mine\n');
    await workspace.write('new/deep/file.txt', 'mine\n');
    await workspace.write('dist/out.js', 'mine\n');
    rmSync(workspace.path('src/tool.sh'));
    const expected = {
      ...ALL,
      'dist/out.js': 'conflict: there is now a file of that name',
      'new/deep/file.txt': 'conflict: there is now a file of that name',
      'src/app.txt': 'conflict: it was changed since then',
      'src/tool.sh': 'conflict: it was removed since then',
    };
    expect(await applied(workspace, '-n')).toEqual(expected);
    const { code, out } = await here(workspace, ['apply']);
    expect(code).toBe(1);
    expect(out).toContain('conflict src/app.txt: it was changed since then\n');
    expect(out).toContain('Files in conflict were not touched.');
    for (const path of ['src/app.txt', 'new/deep/file.txt', 'dist/out.js'])
      expect(await workspace.read(path)).toBe('mine\n');
    expect(existsSync(workspace.path('src/gone.txt'))).toBe(false);
    // Moved away, they are no conflict.
    rmSync(workspace.path('dist/out.js'));
    await workspace.git('checkout', 'src');
    expect(await applied(workspace)).toEqual({ ...ALL, 'new/deep/file.txt': expected['new/deep/file.txt'] });
  });

  it('takes files for applied that stand there already, whoever put them there', async () => {
    await using workspace = await ran();
    await workspace.write('src/app.txt', 'made\n');
    await workspace.write('dist/out.js', 'made\n');
    rmSync(workspace.path('src/gone.txt'));
    await workspace.commitAll('by hand');
    const same = { 'src/app.txt': 'unchanged', 'src/gone.txt': 'unchanged', 'dist/out.js': 'unchanged' };
    expect(await applied(workspace)).toEqual({ ...ALL, ...same });
  });

  it('never writes through a symbolic link, nor where something else stands', async () => {
    await using workspace = await ran();
    const outside = workspace.beside('outside');
    mkdirSync(outside);
    symlinkSync(outside, workspace.path('new'));
    mkdirSync(workspace.path('dist'));
    execFileSync('mkfifo', [workspace.path('dist/out.js')]);
    const expected = {
      ...ALL,
      'new/deep/file.txt': 'conflict: a folder above it is a symbolic link',
      'dist/out.js': 'conflict: a named pipe is in its place',
    };
    expect(await applied(workspace, '-n')).toEqual(expected);
    expect(await applied(workspace)).toEqual(expected);
    expect(readdirSync(outside)).toEqual([]);
    rmSync(workspace.path('new'));
    rmSync(workspace.path('dist'), { recursive: true });
    await workspace.write('new', 'a file\n');
    await workspace.write('dist/out.js/x', 'a folder\n');
    const other = {
      'new/deep/file.txt': 'conflict: a file is in the place of new/',
      'dist/out.js': 'conflict: a folder is in its place',
    };
    expect(await applied(workspace, '-n')).toMatchObject(other);
    expect(await applied(workspace)).toMatchObject(other);
    expect(await workspace.read('new')).toBe('a file\n');
    // A link in the place of a file is the user's change; its target is not touched.
    await workspace.write('../target', 'precious\n');
    rmSync(workspace.path('src/app.txt'));
    symlinkSync(workspace.beside('target'), workspace.path('src/app.txt'));
    expect(await applied(workspace)).toMatchObject({ 'src/app.txt': 'conflict: it was changed since then' });
    expect(readFileSync(workspace.beside('target'), 'utf8')).toBe('precious\n');
  });

  it('lets a file take the place of a folder, and the other way round, unless something else is in it', async () => {
    const run = `rm conf && mkdir conf && echo made > conf/a && rm -r dir && echo made > dir; ${writes(1)}`;
    const definition = gatelineYml({ swap: { run, inputs: [], files: 'changed' } });
    const files = {
      'gateline.yml': definition,
      conf: 'a file\n',
      'dir/a': 'a\n',
      'dir/b/c': 'c\n',
      '.gitignore': '*.log\n',
    };
    await using workspace = await ran(files);
    await using other = await workspace.copy();
    mkdirSync(workspace.path('dir/empty'));
    const done = { conf: 'deleted', 'conf/a': 'written', dir: 'written', 'dir/a': 'deleted', 'dir/b/c': 'deleted' };
    expect(await applied(workspace)).toEqual(done);
    expect(await workspace.read('conf/a')).toBe('made\n');
    expect(await workspace.read('dir')).toBe('made\n');

    await other.write('dir/mine.log', 'mine\n');
    await other.write('conf', 'mine\n');
    expect(await applied(other)).toEqual({
      ...done,
      conf: 'conflict: it was changed since then',
      'conf/a': 'conflict: a file is in the place of conf/',
      dir: 'conflict: a folder is in its place',
    });
    expect(await other.read('dir/mine.log')).toBe('mine\n');
    expect(await other.read('conf')).toBe('mine\n');
  });

  it('keeps who may read a file, and whether it may be executed is what the gate says', async () => {
    await using workspace = await ran();
    chmodSync(workspace.path('src/app.txt'), 0o600);
    chmodSync(workspace.path('src/tool.sh'), 0o640);
    expect(await applied(workspace)).toEqual(ALL);
    const mode = (path: string): string => (lstatSync(workspace.path(path)).mode & 0o777).toString(8);
    expect([mode('src/app.txt'), mode('src/tool.sh')]).toEqual(['600', '750']);
  });

  it('compares and writes files as git checks them out: with the line endings of the settings', async () => {
    await using workspace = await ScratchWorkspace.create(FILES);
    await workspace.git('config', 'core.autocrlf', 'true');
    // The user's own line endings are as good as any: the version is the same.
    await workspace.write('src/app.txt', 'old\r\n');
    expect((await here(workspace, ['run', '-q'])).code).toBe(0);
    await workspace.write('src/app.txt', 'old\n');
    expect(await applied(workspace)).toEqual(ALL);
    expect(await workspace.read('src/app.txt')).toBe('made\r\n');
    expect(await workspace.read('src/same.txt')).toBe('same\n');
    expect(await workspace.git('status', '--porcelain')).toBe(
      ' M src/app.txt\n D src/gone.txt\n M src/tool.sh\n?? new/\n',
    );
    expect(await applied(workspace)).toEqual(Object.fromEntries(Object.keys(ALL).map((path) => [path, 'unchanged'])));
  });

  it('follows no path of a record that leads out of the workspace, or into .git or .state', async () => {
    await using workspace = await ran();
    const record = (await filesBelow(workspace.path('.state/runs'), [])).find((path) => path.endsWith('ended.json'));
    const file = `.state/runs/${record}`;
    await workspace.edit(file, 'new/deep/file.txt', '../evil.txt');
    await workspace.edit(file, 'dist/out.js', '.git/hooks/pre-commit');
    await workspace.edit(file, 'src/app.txt', '.state/evil');
    const all = await applied(workspace);
    expect(all).toMatchObject({
      '../evil.txt': 'conflict: it holds ..',
      '.git/hooks/pre-commit': 'conflict: it leads into git\u2019s own folder',
      '.state/evil': 'conflict: it leads into .state',
      'src/gone.txt': 'deleted',
    });
    for (const path of ['../evil.txt', '.git/hooks/pre-commit', '.state/evil'])
      expect(existsSync(workspace.path(path))).toBe(false);
  });

  it('has contents from the records where the object store is gone, and keeps each call\u2019s copies', async () => {
    await using workspace = await ran();
    rmSync(workspace.path('.state/git'), { recursive: true });
    const now = (): Date => new Date('2030-01-02T03:04:05.678Z');
    expect((await here(workspace, ['apply'], { now })).code).toBe(0);
    await workspace.git('checkout', 'src');
    expect((await here(workspace, ['apply'], { now })).code).toBe(0);
    const saved = ['2030-01-02T03-04-05-678Z', '2030-01-02T03-04-05-678Z-2'];
    expect(readdirSync(workspace.path('.state/applied'))).toEqual(saved);
    for (const time of saved) expect(await workspace.read(`.state/applied/${time}/files/src/app.txt`)).toBe('old\n');
  });

  it('says so when there is nothing', async () => {
    const gates = { a: { run: writes(1), inputs: [] }, b: { needs: 'a', run: 'exit 3', inputs: [] } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    const none = { code: 0, err: '', out: 'No gate is done: there is nothing to apply.\n' };
    expect(await here(workspace, ['apply'])).toEqual(none);
    await here(workspace, ['run', '-q']);
    expect((await here(workspace, ['apply'])).out).toBe('The gates hand on no files: there is nothing to apply.\n');
    const open = await here(workspace, ['apply', '--gate', 'b']);
    expect(open).toMatchObject({ code: 1, out: `b is not done: none of its files are applied.\n${none.out}` });
    for (const [args, said] of [
      [['--gate', 'c'], 'GATE_UNKNOWN: there is no gate c'],
      [['7'], 'RUN_UNKNOWN: there is no run 7'],
      [['x'], 'OPTION_VALUE: RUN x: expected a run number'],
    ] as const) {
      expect(await here(workspace, ['apply', ...args])).toMatchObject({ code: 2, err: expect.stringContaining(said) });
    }
  });
});

describe.runIf(process.platform !== 'win32')('apply, of several gates and runs', () => {
  /** `two` edits what `one` edited; `left` and `right` leave one file differently. */
  const SEVERAL = gatelineYml({
    one: { run: `echo one >> shared.txt; ${writes(1)}`, inputs: [], files: ['shared.txt'] },
    two: { needs: 'one', run: `echo two >> shared.txt; ${writes(1)}`, inputs: [], files: ['shared.txt'] },
    left: { run: `echo left > side.txt; ${writes(1)}`, inputs: ['made-from'], files: ['side.txt'] },
    right: { run: `echo right > side.txt; ${writes(1)}`, inputs: ['made-from'], files: ['side.txt'] },
  });
  const several = (): Promise<ScratchWorkspace> =>
    ran({ 'gateline.yml': SEVERAL, 'shared.txt': 'user\n', 'side.txt': 'user\n', 'made-from': '1\n' });

  it('of one gate puts its files whole, with what gates before it did to them', async () => {
    await using workspace = await several();
    const conflict = await here(workspace, ['apply']);
    expect(conflict.code).toBe(2);
    expect(conflict.err).toMatch(/FILES_CONFLICT: .*side\.txt \(left and right\)\n.*`gateline apply --gate GATE`/);
    expect(await applied(workspace, '--gate', 'two')).toEqual({ 'shared.txt': 'written' });
    expect(await workspace.read('shared.txt')).toBe('user\none\ntwo\n');
    expect(await applied(workspace, '--gate', 'one')).toEqual({
      'shared.txt': 'conflict: it was changed since then',
    });
    expect(await applied(workspace, '-g', 'left', '-g', 'two')).toEqual({
      'shared.txt': 'unchanged',
      'side.txt': 'written',
    });
    expect(await workspace.read('side.txt')).toBe('left\n');
    expect(await applied(workspace, '--gate', 'right')).toEqual({
      'side.txt': 'conflict: it was changed since then',
    });
  });

  it('of an earlier run, or of another subject, puts what that run made', async () => {
    const run = `cat made-from > side.txt; ${writes(1)}`;
    const definition = gatelineYml({ side: { run, inputs: ['made-from'], files: ['side.txt'] } });
    await using workspace = await ran({ 'gateline.yml': definition, 'side.txt': 'user\n', 'made-from': '1\n' });
    await workspace.write('made-from', '2\n');
    expect((await here(workspace, ['run', '-q'])).code).toBe(0);
    await workspace.write('made-from', '3\n');
    expect((await here(workspace, ['run', '-q', '--subject', 'a#b'])).code).toBe(0);
    expect(await applied(workspace, '1')).toEqual({ 'side.txt': 'written' });
    expect(await workspace.read('side.txt')).toBe('1\n');
    await workspace.git('checkout', 'side.txt');
    expect(await applied(workspace, 'a#b#1')).toEqual({ 'side.txt': 'written' });
    expect(await workspace.read('side.txt')).toBe('3\n');
    await workspace.git('checkout', 'side.txt');
    expect(await applied(workspace, 'main#2')).toEqual({ 'side.txt': 'written' });
    expect(await workspace.read('side.txt')).toBe('2\n');
  });

  it('puts the files of reused outputs over those of other runs, ignored ones too', async () => {
    const run = `mkdir -p dist; cat made-from | tee side.txt > dist/out.js; ${writes(1)}`;
    const definition = gatelineYml({ side: { run, inputs: ['made-from'], files: ['side.txt', 'dist/**'] } });
    await using workspace = await ScratchWorkspace.create({ ...FILES, 'gateline.yml': definition });
    for (const text of ['a', 'b', 'a', 'b']) {
      await workspace.write('made-from', text);
      const { code, err } = await here(workspace, ['run', '-q', '--apply']);
      expect(code, err).toBe(0);
      expect([await workspace.read('side.txt'), await workspace.read('dist/out.js')]).toEqual([text, text]);
    }
    // The version of the run is that of the user, whatever its reused agent found there.
    await workspace.write('side.txt', 'by hand');
    expect(await applied(workspace)).toMatchObject({ 'side.txt': expect.stringMatching('conflict: ') });
    expect((await here(workspace, ['run', '-q', '--apply'])).code).toBe(0);
    expect(await workspace.read('side.txt')).toBe('b');
    expect(await savedFiles(workspace)).toContain('files/side.txt');
    await workspace.write('side.txt', 'by hand again');
    await workspace.write('dist/out.js', 'by hand');
    expect(await applied(workspace)).toEqual({
      'dist/out.js': expect.stringMatching('conflict: '),
      'side.txt': expect.stringMatching('conflict: '),
    });
  });

  it('run --apply puts the files of a completed run, and of no other', async () => {
    await using workspace = await ScratchWorkspace.create({
      ...FILES,
      'gateline.yml': GATES.replace('rm -f', 'exit 1; rm'),
    });
    const failed = await here(workspace, ['run', '-q', '--apply']);
    expect(failed).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing is applied: the run is not completed.'),
    });
    expect(await workspace.read('src/app.txt')).toBe('old\n');
    await workspace.write('gateline.yml', GATES);
    const done = await here(workspace, ['run', '-q', '--apply', '--json']);
    expect(done).toMatchObject({ code: 0, err: expect.stringContaining('wrote src/app.txt\n') });
    expect(JSON.parse(done.out)).toMatchObject({ format: 'gateline-status/1', status: 'completed' });
    expect(await workspace.read('src/app.txt')).toBe('made\n');
  });

  it('run --apply ends with 1 when somebody else changed a file meanwhile, and names it', async () => {
    await using workspace = await ScratchWorkspace.create(FILES);
    const environment = plainEnvironment(workspace.variables({ HINDER: workspace.path('src/app.txt') }));
    const conflict = await here(workspace, ['run', '-q', '--apply'], { environment });
    expect(conflict.code).toBe(1);
    expect(conflict.out + conflict.err).toContain(
      'changed in your folder during the run, and not part of it: src/app.txt',
    );
    expect(conflict.err).toContain('conflict src/app.txt: it was changed since then\n');
    expect(await workspace.read('src/app.txt')).toBe('mine\n');
  });

  it('leaves alone what changes, and a folder that becomes a link, while it works', async () => {
    await using workspace = await ran();
    const outside = workspace.beside('outside');
    mkdirSync(outside);
    const onDurable = (what: string): void => {
      if (!what.startsWith('begin to put')) return;
      writeFileSync(workspace.path('src/app.txt'), 'mine\n');
      symlinkSync(outside, workspace.path('new'));
    };
    const { out, code } = await here(workspace, ['apply'], { onDurable });
    expect(out).toContain('conflict src/app.txt: it was changed at this moment\n');
    expect(out).toContain('conflict new/deep/file.txt: a folder above it is a symbolic link\n');
    expect(code).toBe(1);
    expect([await workspace.read('src/app.txt'), readdirSync(outside)]).toEqual(['mine\n', []]);
  });

  it('run --apply prints one document with --json, also when the files contradict each other', async () => {
    await using workspace = await several();
    const { code, out, err } = await here(workspace, ['run', '-q', '--apply', '--json']);
    expect(JSON.parse(out)).toMatchObject({ format: 'gateline-status/1', status: 'completed' });
    expect(err).toContain('FILES_CONFLICT');
    expect(code).toBe(2);
  });

  it('ends with 75 while an engine has the workspace', async () => {
    const gates = { a: { run: `touch "$BESIDE/started"; sleep 60`, inputs: [], files: ['x'] } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    const run = workspace.start(['run', '-q'], { env: { BESIDE: workspace.beside('') } });
    while (!existsSync(workspace.beside('started'))) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await here(workspace, ['apply'])).toMatchObject({ code: 75, err: expect.stringContaining('ENGINE_BUSY') });
    run.process.kill('SIGINT');
    await run.ended;
  });
});
