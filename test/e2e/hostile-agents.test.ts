import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gatelineYml, writes } from '../cli/in-process.ts';
import { choicesOf, statusOf, type CommandResult } from '../support/command-line.ts';
import { filesBelow, ScratchWorkspace, type StartOptions } from '../support/scratch-workspace.ts';
import { someOf, IS_FULL } from '../support/test-size.ts';

/** How long a command may take that would have to wait for ever. Milliseconds. */
const BOUNDED = 60_000;

const FILES = { 'src/app.txt': 'old\n', 'README.md': 'readme\n' };

async function timed(
  workspace: ScratchWorkspace,
  args: readonly string[],
  options: StartOptions = {},
): Promise<CommandResult> {
  const began = performance.now();
  const result = await workspace.gateline(args, options);
  expect(performance.now() - began).toBeLessThan(BOUNDED);
  return result;
}

function verdictsOf(result: CommandResult): Record<string, string | undefined> {
  return Object.fromEntries(statusOf(result).gates.map(({ key, verdict }) => [key, verdict?.kind]));
}

/** What lies in the user's repository, but for what git itself writes when it only looks. */
async function repositoryOf(workspace: ScratchWorkspace): Promise<Record<string, string>> {
  const paths = (await filesBelow(workspace.path('.git'), [])).filter((path) => path !== 'index');
  return Object.fromEntries(
    paths.map((path) => [path, readFileSync(workspace.path(join('.git', path))).toString('base64')]),
  );
}

/** Ways to do away with git's own files. */
const SABOTAGE = {
  'removes .git': 'rm -rf .git',
  'corrupts the index': 'echo torn > .git/index',
  'makes the index a named pipe': 'rm -f .git/index && mkfifo .git/index',
  'makes HEAD a named pipe': 'rm -f .git/HEAD && mkfifo .git/HEAD',
  'makes .git a file that leads elsewhere': 'rm -rf .git && echo "gitdir: /nowhere" > .git',
} as const;

describe.runIf(process.platform === 'linux')('an agent in a work tree', () => {
  it.each(someOf(Object.entries(SABOTAGE), 2))(
    'that %s is judged, and what it hands on is captured',
    async (_what, sabotage) => {
      const hostile = `echo made > src/app.txt; ${sabotage}; ${writes(1)}`;
      await using workspace = await ScratchWorkspace.create({
        ...FILES,
        'gateline.yml': gatelineYml({
          hostile: { run: hostile, inputs: [], files: 'changed' },
          next: {
            needs: 'hostile',
            run: `printf '"%s"' "$(cat src/app.txt)" > "$GATELINE_OUTPUT"; git status > /dev/null`,
            inputs: [],
          },
        }),
      });
      const [files, repository] = [await workspace.files(), await repositoryOf(workspace)];
      const run = await timed(workspace, ['run', '-q', '--json']);
      expect(verdictsOf(run), run.stderr).toEqual({ hostile: 'passed', next: 'passed' });
      expect((await workspace.gateline(['show', 'next', 'output'])).stdout).toContain('made');
      expect(await workspace.files()).toEqual(files);
      expect(await repositoryOf(workspace)).toEqual(repository);
      expect((await timed(workspace, ['run', '-q', '--json'])).code).toBe(0);
    },
  );

  it('finds no repository of the user\u2019s once it removed its own', async () => {
    const run = `rm -rf .git; for what in "stash -u" "reset --hard" "rev-parse --show-toplevel"; do git $what 2>> "$LOG" || true; done; ${writes(1)}`;
    await using workspace = await ScratchWorkspace.create({
      ...FILES,
      'gateline.yml': gatelineYml({ a: { run, inputs: [] } }),
    });
    await workspace.write('src/app.txt', 'an edit\n');
    await workspace.write('untracked.txt', 'work\n');
    const result = await workspace.gateline(['run', '-q'], { env: { LOG: workspace.beside('log') } });
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect(readFileSync(workspace.beside('log'), 'utf8').match(/not a git repository/g)).toHaveLength(3);
    expect([await workspace.read('src/app.txt'), await workspace.read('untracked.txt')]).toEqual([
      'an edit\n',
      'work\n',
    ]);
    expect(await workspace.git('stash', 'list')).toBe('');
  });

  it('has branches, commits, stashes and settings of its own, and runs none of the user\u2019s hooks', async () => {
    const run = [
      'git log --format=%s > log.txt',
      'echo made > src/app.txt',
      'git commit -qam "by the agent" && git tag made && git branch more && git config user.name Agent',
      'echo again > README.md && git stash -q && git stash pop -q && git checkout -q -b other',
      writes(1),
    ].join('\n');
    await using workspace = await ScratchWorkspace.create({
      ...FILES,
      'gateline.yml': gatelineYml({ a: { run, inputs: [], files: 'changed' } }),
    });
    const hooks = [
      'post-checkout',
      'post-commit',
      'post-index-change',
      'pre-commit',
      'reference-transaction',
      'fsmonitor',
    ];
    const log = workspace.beside('hooks.log');
    for (const hook of hooks) {
      await workspace.write(`.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >> '${log}'\n`);
      chmodSync(workspace.path(`.git/hooks/${hook}`), 0o755);
    }
    await workspace.git('config', 'core.fsmonitor', '.git/hooks/fsmonitor');
    const before = await repositoryOf(workspace);
    rmSync(log, { force: true });
    const result = await workspace.gateline(['run', '-q', '--json']);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect(statusOf(result).gates[0]!.files.map(({ path }) => path)).toEqual(['README.md', 'log.txt', 'src/app.txt']);
    expect(await workspace.gateline(['apply'])).toMatchObject({ code: 0 });
    expect(existsSync(log)).toBe(false);
    expect(await repositoryOf(workspace)).toEqual(before);
    expect(await workspace.read('log.txt')).toBe('all\n');
  });
});

describe.runIf(process.platform === 'linux')('an agent in the user\u2019s folder', () => {
  it.each(someOf(Object.entries(SABOTAGE), 2))(
    'that %s is judged in bounded time, and fails by it only where it hands files on',
    async (what, sabotage) => {
      const hostile = (files: readonly string[]): object => ({
        hostile: {
          run: `echo made > src/app.txt; ${sabotage}; ${writes({ kept: true })}`,
          inputs: [],
          files,
          workspace: 'in-place',
        },
      });
      for (const files of [[], ['src/**']]) {
        await using workspace = await ScratchWorkspace.create({
          ...FILES,
          'gateline.yml': gatelineYml(hostile(files) as never),
        });
        const run = await timed(workspace, ['run', '-q', '--json']);
        const { kind } = statusOf(run).gates[0]!.verdict!;
        // Where git can still look, nothing is lost; else it is the workspace's failure.
        expect(files.length === 0 ? ['passed'] : ['passed', 'workspace'], `${what}: ${run.stderr}`).toContain(kind);
        if (kind === 'workspace') expect(run.code).toBe(1);
        const ended = (await workspace.records()).find((record) => record.kind === 'ended');
        expect(ended).toMatchObject({ value: { bytes: expect.any(Number) as number } });
      }
    },
  );

  it('that removes .git hands on nothing: it fails with kind `workspace`', async () => {
    await using workspace = await ScratchWorkspace.create({
      ...FILES,
      'gateline.yml': gatelineYml({
        a: { run: `rm -rf .git; ${writes(1)}`, inputs: [], files: ['src/**'], workspace: 'in-place' },
      }),
    });
    const run = await timed(workspace, ['run', '-q', '--json']);
    expect(verdictsOf(run)).toEqual({ a: 'workspace' });
    expect(run.code).toBe(1);
  });
});

describe.runIf(process.platform === 'linux')(
  'a repository in which something else stands in the place of the index',
  () => {
    it.each(someOf(['packages/one', 'ignored/one', '.'], 1))('is told in bounded time, in %s', async (folder) => {
      await using workspace = await ScratchWorkspace.create({
        ...FILES,
        '.gitignore': 'ignored/\n',
        [`${folder}/gateline.yml`]: gatelineYml({ a: { run: writes(1) } }),
      });
      rmSync(workspace.path('.git/index'));
      execFileSync('mkfifo', [workspace.path('.git/index')]);
      for (const command of ['run', 'plan', 'apply']) {
        const result = await timed(workspace, [command, '--file', `${folder}/gateline.yml`]);
        if (command === 'apply') continue;
        expect(result, command).toMatchObject({
          code: 74,
          stderr: expect.stringMatching(/WORKSPACE_UNREADABLE: .*\.git\/index is not a plain file/) as string,
        });
      }
    });
  },
);

describe.runIf(process.platform !== 'win32')('a run', () => {
  it('started by a hook of another repository uses its own, and so do its agents', async () => {
    const run = `git add -A && git rev-parse --git-dir > "$LOG" && env | grep ^GIT_ >> "$LOG"; echo made > src/app.txt; ${writes(1)}`;
    await using workspace = await ScratchWorkspace.create({
      ...FILES,
      'gateline.yml': gatelineYml({ a: { run, inputs: [], files: 'changed' } }),
    });
    await using other = await ScratchWorkspace.create({ 'other.txt': 'other\n' });
    const before = await other.git('status', '--porcelain');
    const git = other.path('.git');
    const inherited = { GIT_DIR: git, GIT_WORK_TREE: other.root, GIT_INDEX_FILE: join(git, 'index'), GIT_PREFIX: '' };
    const env = { ...inherited, LOG: workspace.beside('log') };
    const result = await workspace.gateline(['run', '-q', '--apply', '--json'], { env });
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect(statusOf(result).gates[0]!.files).toEqual([{ path: 'src/app.txt', change: 'changed' }]);
    const log = readFileSync(workspace.beside('log'), 'utf8');
    expect(log).toMatch(/^\.git\n/);
    for (const name of Object.keys(inherited)) expect(log).not.toContain(`${name}=`);
    expect(await workspace.read('src/app.txt')).toBe('made\n');
    expect(await other.git('status', '--porcelain')).toBe(before);
  });

  it.runIf(IS_FULL)(
    'in a folder of a repository works on that folder, sees the others, and hands on nothing of them',
    async () => {
      const run = [
        'pwd > "$LOG"',
        'cat ../library/lib.txt >> "$LOG"',
        'echo made > app.txt',
        'echo made > ../library/lib.txt',
        writes(1),
      ].join('\n');
      const definition = gatelineYml({
        a: { run, inputs: [], files: 'changed' },
        b: {
          needs: 'a',
          run: `printf '"%s %s"' "$(cat app.txt)" "$(cat ../library/lib.txt)" > "$GATELINE_OUTPUT"`,
          inputs: [],
        },
      });
      await using workspace = await ScratchWorkspace.create({
        'package.json': '{"scripts": {"gates": "gateline run"}}',
        'one/gateline.yml': definition,
        'one/app.txt': 'old\n',
        'library/lib.txt': 'lib\n',
      });
      // Not committed, and of a sibling: an agent sees what the user sees.
      await workspace.write('library/lib.txt', 'edited lib\n');
      const env = { LOG: workspace.beside('log') };
      const ran = await workspace.gateline(['run', '-q', '--file', 'one/gateline.yml'], { env });
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      const [folder, lib] = readFileSync(workspace.beside('log'), 'utf8').split('\n');
      expect(folder).toMatch(/\/tree\/one$/);
      expect(lib).toBe('edited lib');
      const shown = await workspace.gateline(['show', 'b', 'output', '--file', 'one/gateline.yml']);
      expect(JSON.parse(shown.stdout)).toBe('made edited lib');
      const { stdout } = await workspace.gateline(['diff', 'a', '--json', '--file', 'one/gateline.yml']);
      expect((JSON.parse(stdout) as { files: { path: string }[] }).files.map(({ path }) => path)).toEqual([
        '../library/lib.txt',
        'app.txt',
      ]);
      expect(await workspace.gateline(['apply', '--file', 'one/gateline.yml'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^wrote app\.txt\n/) as string,
      });
      expect(await workspace.git('status', '--porcelain', '-uno')).toBe(' M library/lib.txt\n M one/app.txt\n');
      expect(await workspace.read('library/lib.txt')).toBe('edited lib\n');
      expect(readdirSync(workspace.path('one/.state')).length).toBeGreaterThan(3);
      expect(existsSync(workspace.path('.state'))).toBe(false);
    },
  );

  it('sees edits of files that were never added to git', async () => {
    const gates = { a: { run: `printf '"%s"' "$(cat notes.txt)" > "$GATELINE_OUTPUT"` } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    await workspace.write('notes.txt', 'one\n');
    expect((await workspace.gateline(['run', '-q'])).code).toBe(0);
    await workspace.write('notes.txt', 'two\n');
    const again = await workspace.gateline(['run', '-q']);
    expect(choicesOf(again)).toEqual({ a: 'run' });
    expect(again.stdout).toContain('file notes.txt changed');
    expect(again.stdout).toContain('it declares no inputs, so its inputs are all files that git does not ignore');
    expect((await workspace.gateline(['show', 'a', 'output'])).stdout).toContain('two');
    expect(choicesOf(await workspace.gateline(['run', '-q']))).toEqual({ a: 'reuse' });
  });

  it('goes on after a kill with what its folder is, not with what the killed agent made', async () => {
    const run = `echo half >> app.txt; touch "$BESIDE/started"; [ -e "$BESIDE/killed" ] || sleep 60; ${writes(1)}`;
    await using workspace = await ScratchWorkspace.create({
      'app.txt': 'user\n',
      'gateline.yml': gatelineYml({ a: { run, inputs: ['app.txt'], files: 'changed' } }),
    });
    const options = { env: { BESIDE: workspace.beside('') } };
    const command = workspace.start(['run', '-q'], options);
    while (!existsSync(workspace.beside('started'))) await new Promise((resolve) => setTimeout(resolve, 20));
    command.process.kill('SIGKILL');
    await command.ended;
    expect(await workspace.git('status', '--porcelain')).toBe('');
    await writeFile(workspace.beside('killed'), '');
    const again = await workspace.gateline(['run', '-q', '--apply'], options);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(await workspace.read('app.txt')).toBe('user\nhalf\n');
    expect(await workspace.slots()).toEqual({ 1: 'idle' });
  });
});
