import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineIn } from './in-process.ts';
import { failing, FOUR, GATES, MAKE, pipeline, set, setOf, subjects, workspaceWith } from './set-workspace.ts';

const BRANCH = ['run', '-q', '--json', '--deliver', 'branch'];
const PATCH = ['run', '-q', '--json', '--deliver', 'patch'];

const TWO = setOf({ id: 'a' }, { id: 'b', needs: 'a' });

/** Everything that a delivery must leave as it is. */
async function untouched(workspace: ScratchWorkspace): Promise<unknown> {
  const git = async (...args: string[]): Promise<string> => workspace.git(...args).catch(() => 'none');
  return {
    files: await workspace.files(),
    index: readFileSync(workspace.path('.git/index')).toString('base64'),
    head: readFileSync(workspace.path('.git/HEAD'), 'utf8'),
    main: await git('rev-parse', 'main'),
    stash: await git('stash', 'list'),
    log: await git('reflog', 'HEAD'),
  };
}

/** `subject: paths` of each commit of a branch that main does not have, the first one first. */
async function commitsOf(workspace: ScratchWorkspace, branch: string): Promise<string[]> {
  const log = await workspace.git('log', '--reverse', '--format=%x01%s', '--name-status', `main..${branch}`);
  return log
    .split('\u0001')
    .slice(1)
    .map((one) => one.trim().replaceAll(/\s+/g, ' '));
}

describe('gateline run --set --deliver branch', () => {
  it('makes a branch of each completed subject, and changes nothing else', async () => {
    await using workspace = await workspaceWith(FOUR);
    // Hooks of the user, staged and untracked files.
    mkdirSync(workspace.path('.git/hooks'), { recursive: true });
    for (const hook of ['reference-transaction', 'post-commit', 'pre-commit'])
      writeFileSync(
        workspace.path(`.git/hooks/${hook}`),
        `#!/bin/sh\necho ${hook} >> "${workspace.beside('hooks')}"\n`,
        {
          mode: 0o755,
        },
      );
    await workspace.write('staged.txt', 'staged\n');
    await workspace.git('add', 'staged.txt');
    await workspace.write('untracked.txt', 'untracked\n');
    writeFileSync(workspace.beside('hooks'), '');
    failing(workspace, 'bad');
    const before = await untouched(workspace);
    const { code, out } = await set(workspace, BRANCH);
    expect(code).toBe(1);
    const rows = await subjects(Promise.resolve({ code, out, err: '' }));
    expect(rows['base']?.delivered).toMatchObject({ status: 'delivered', to: 'gateline/base' });
    expect(rows['bad']?.delivered).toBeNull();
    expect(await untouched(workspace)).toEqual(before);
    expect(readFileSync(workspace.beside('hooks'), 'utf8')).toBe('');
    expect((await workspace.git('branch', '--format=%(refname:short)')).split('\n')).toEqual([
      'gateline/base',
      'gateline/top',
      'main',
      '',
    ]);
    expect(await commitsOf(workspace, 'gateline/base')).toEqual(['Files of base A made/base.txt']);
    expect(await commitsOf(workspace, 'gateline/top')).toEqual([
      'Files of base A made/base.txt',
      'Files of top A made/top.txt',
    ]);
    expect(await workspace.git('rev-parse', 'gateline/top~1')).toBe(await workspace.git('rev-parse', 'gateline/base'));
    expect(await workspace.git('log', '-1', '--format=%an <%ae>%n%b', 'gateline/top')).toBe(
      'Tester <tester@example.test>\nPipeline p, subject top, run 1.\n\n',
    );
    expect(await workspace.git('fsck', '--strict')).toBe('');
    // Without our own object store, too.
    execFileSync('rm', ['-rf', workspace.path('.state')]);
    await workspace.git('-c', 'core.hooksPath=/dev/null', 'checkout', '-q', 'gateline/top');
    expect(await workspace.read('made/top.txt')).toBe('base.txt\nown.txt\n');
  });

  it('is idempotent, also after people went on, and never moves a branch', async () => {
    const make = { ...GATES.make, inputs: ['base.txt'] };
    await using workspace = await workspaceWith(TWO, pipeline({ ...GATES, make }));
    await expectOk(set(workspace, BRANCH));
    const commit = await workspace.git('rev-parse', 'gateline/a');
    const again = await subjects(expectOk(set(workspace, BRANCH)));
    expect(again['a']?.delivered).toMatchObject({ status: 'unchanged', to: 'gateline/a', commit: commit.trim() });
    expect(await workspace.git('rev-parse', 'gateline/a')).toBe(commit);

    await workspace.git('branch', '-q', '-D', 'gateline/a', 'gateline/b');
    await expectOk(set(workspace, BRANCH));
    expect(await workspace.git('rev-parse', 'gateline/a')).toBe(commit);

    await workspace.git('merge', '-q', 'gateline/a');
    await workspace.git('branch', '-q', '-d', 'gateline/a');
    const merged = await subjects(expectOk(set(workspace, BRANCH)));
    expect(merged['a']?.delivered).toMatchObject({ status: 'nothing', to: null });

    await workspace.git('checkout', '-q', 'gateline/b');
    await workspace.write('made/b.txt', 'reviewed\n');
    await workspace.git('commit', '-q', '-am', 'review');
    await workspace.git('checkout', '-q', 'main');
    const { code, out } = await set(workspace, BRANCH);
    expect(code).toBe(2);
    expect(JSON.parse(out).subjects[1].delivered).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('DELIVERY_BRANCH_TAKEN: the branch gateline/b exists, and has other files'),
    });
    expect(await workspace.git('log', '-1', '--format=%s', 'gateline/b')).toBe('review\n');
  });

  it("refuses to commit the user's own changes, and what would run by itself", async () => {
    const edit = 'echo agent >> base.txt; mkdir -p .github/workflows; [ "$s" = a ] || echo x > .github/workflows/x.yml';
    const make = { run: `${MAKE}\n${edit}`, inputs: ['*.json'], files: ['base.txt', '.github/**'] };
    await using workspace = await workspaceWith(
      setOf({ id: 'a' }, { id: 'c' }),
      pipeline({ make, check: GATES.check }),
    );
    await workspace.write('base.txt', 'mine, not committed\n');
    const { code, out } = await set(workspace, BRANCH);
    expect(code).toBe(2);
    expect(JSON.parse(out).subjects.map((one: { delivered: { reason: string } }) => one.delivered.reason)).toEqual([
      expect.stringContaining('DELIVERY_CONFLICT: the checked out commit has other versions of files of a: "base.txt"'),
      expect.stringContaining('DELIVERY_PATH_REFUSED: gates changed what runs by itself: ".github/workflows/x.yml"'),
    ]);
    expect(await workspace.git('branch', '--list', 'gateline/*')).toBe('');
    const patched = JSON.parse((await set(workspace, PATCH)).out).subjects;
    expect(patched[0].delivered).toMatchObject({ status: 'delivered', to: '.state/patches/a.patch' });
    expect(readFileSync(workspace.path('.state/patches/a.patch'), 'utf8')).toContain(' mine, not committed\n+agent\n');
    await workspace.git('commit', '-q', '-am', 'mine');
    expect(JSON.parse((await set(workspace, BRANCH)).out).subjects[0].delivered).toMatchObject({ status: 'delivered' });
  });

  it('says before any agent starts that there is nothing to make a branch of', async () => {
    await using workspace = await workspaceWith(TWO);
    await workspace.git('config', 'user.useConfigOnly', 'true');
    await workspace.git('config', '--unset', 'user.email');
    expect((await set(workspace, BRANCH)).err).toContain('DELIVERY_REFUSED: git has no name and no email address');
    await workspace.git('config', 'user.email', 'tester@example.test');
    await workspace.git('checkout', '-q', '--orphan', 'new');
    const { code, err } = await set(workspace, BRANCH);
    expect(code).toBe(2);
    expect(err).toContain('DELIVERY_REFUSED: the repository has no commit yet');
    execFileSync('rm', ['-rf', workspace.path('.git')]);
    expect((await set(workspace, BRANCH)).err).toContain('REPOSITORY_MISSING');
    expect(await workspace.starts()).toEqual([]);
    await expectOk(set(workspace, PATCH));
  });

  it('refuses a branch whose name another one takes', async () => {
    await using workspace = await workspaceWith(setOf({ id: 'a' }));
    await workspace.git('branch', 'gateline');
    const { code, out } = await set(workspace, BRANCH);
    expect(code).toBe(2);
    expect(JSON.parse(out).subjects[0].delivered.reason).toContain(
      'DELIVERY_BRANCH_TAKEN: the branch gateline/a cannot be made',
    );
  });
});

describe('gateline run --set --deliver patch', () => {
  it('writes a patch for each subject, which applies after those of the subjects that it needs', async () => {
    await using workspace = await workspaceWith(TWO);
    const before = await untouched(workspace);
    // A file that is not whole is where the next call removes it.
    const patches = workspace.path('.state/patches');
    mkdirSync(patches, { recursive: true });
    const seen = new Set<string | null>();
    const watcher = watch(patches, (_, name) => seen.add(name));
    const rows = await subjects(expectOk(set(workspace, PATCH)));
    await vi.waitFor(() => expect(seen).toContain('b.patch'));
    watcher.close();
    expect(seen).toEqual(new Set(['a.patch', 'b.patch']));
    expect(rows['b']?.delivered).toMatchObject({ status: 'delivered', to: '.state/patches/b.patch', commit: null });
    expect(await untouched(workspace)).toEqual(before);
    const again = await subjects(expectOk(set(workspace, PATCH)));
    expect(again['b']?.delivered).toMatchObject({ status: 'unchanged', to: '.state/patches/b.patch' });
    for (const id of ['a', 'b']) await workspace.git('apply', `.state/patches/${id}.patch`);
    expect(await workspace.read('made/b.txt')).toBe('a.txt\nown.txt\n');
  });

  it('writes paths from the top of the repository, so that git applies it anywhere in it', async () => {
    const flow = 'mkdir -p .github/workflows; echo x > .github/workflows/x.yml';
    const make = { ...GATES.make, inputs: ['base.txt'], run: `${MAKE}\n${flow}` };
    const deliver = { gates: 'make', as: 'patch', allow: ['pkg/.github/workflows/x.yml'] };
    await using workspace = await ScratchWorkspace.create({
      'pkg/gateline.yml': pipeline({ make }, { deliver }),
      'pkg/subjects.json': setOf({ id: 'a' }),
      'pkg/base.txt': 'base\n',
      '.gitignore': '.state/\n',
    });
    const environment = plainEnvironment(workspace.variables({ FAIL: workspace.beside('fail') }));
    const args = ['run', '--set', 'subjects.json', ...PATCH.slice(1)];
    await expectOk(gateline(workspace.path('pkg'), args, { environment }));
    const patch = 'pkg/.state/patches/a.patch';
    for (const where of ['.', 'pkg']) {
      await workspace.git('-C', where, 'apply', workspace.path(patch));
      expect(await workspace.git('status', '--porcelain', '-uall')).toBe(
        '?? pkg/.github/workflows/x.yml\n?? pkg/made/a.txt\n',
      );
      await workspace.git('clean', '-fdq', 'pkg/.github', 'pkg/made');
    }
  });
});

describe('gateline apply SUBJECT#RUN', () => {
  it('says which run is applied first', async () => {
    const make = { ...GATES.make, inputs: ['base.txt'], run: `${MAKE}\necho "$s" >> shared.txt` };
    await using workspace = await workspaceWith(TWO, pipeline({ make }));
    await expectOk(set(workspace, ['run', '-q']));
    const { code, out } = await gatelineIn(workspace, 'apply', 'b#1');
    expect(code).toBe(1);
    expect(out).toMatch(/conflict shared\.txt: .*\n.*Apply those first: `gateline apply a#1`\.\n$/);
    for (const run of ['a#1', 'b#1']) await expectOk(gatelineIn(workspace, 'apply', run));
    expect(await workspace.read('shared.txt')).toBe('a\nb\n');
    await workspace.write('shared.txt', 'mine\n');
    expect((await gatelineIn(workspace, 'apply', 'a#1')).out).toContain('`gateline diff` shows what the gates changed');
  });
});

describe('gateline apply SUBJECT#RUN --deliver', () => {
  it('refuses what a set refuses, runs that are not completed, and what is no name of a branch', async () => {
    const edit = 'echo agent >> base.txt; mkdir -p .github/workflows; [ "$s" = a ] || echo x > .github/workflows/x.yml';
    const make = { run: `${MAKE}\n${edit}`, inputs: ['*.json'], files: ['base.txt', '.github/**'] };
    await using workspace = await workspaceWith(
      setOf({ id: 'a' }, { id: 'c' }, { id: 'bad' }, { id: 'later', needs: 'bad' }),
      pipeline({ make, check: GATES.check }),
    );
    await workspace.write('base.txt', 'mine, not committed\n');
    failing(workspace, 'bad');
    await set(workspace, ['run', '-q']);
    const refused = async (...args: string[]): Promise<string> => {
      const { code, err } = await gatelineIn(workspace, 'apply', ...args);
      expect(code, err).toBe(err.includes('DELIVERY_PATH_REFUSED') ? 1 : 2);
      return err;
    };
    expect(await refused('a#1', '--deliver', 'branch')).toContain(
      'DELIVERY_CONFLICT: the checked out commit has other versions of files of a: "base.txt"',
    );
    expect(await refused('c#1', '--deliver', 'patch')).toContain('DELIVERY_PATH_REFUSED');
    expect(await refused('bad#1', '--deliver', 'patch')).toContain('DELIVERY_NOT_DONE: run 1 of bad is not completed');
    expect(await refused('a#1', '--deliver', 'patch', '--set', 'missing.json')).toContain('SET_UNREADABLE');
    expect(await refused('a#1', '--set', 'subjects.json')).toContain(
      'OPTION_CONFLICT: --set can only be used with --deliver',
    );
    expect(await refused('a#1', '--deliver', 'patch', '-g', 'make')).toContain('OPTION_CONFLICT: --gate');
    expect(await refused('a#1', '--deliver', 'zip')).toContain('OPTION_VALUE: --deliver zip');
    expect(await workspace.git('branch', '--list', 'gateline/*')).toBe('');

    failing(workspace);
    await expectOk(gatelineIn(workspace, 'run', '-q', '--subject', 'two words'));
    expect(await refused('two words#1', '--deliver', 'branch')).toContain(
      'DELIVERY_REFUSED: the subject "two words" cannot be part of the name',
    );
    expect(await refused('two words#1', '--deliver', 'branch', '--set', 'subjects.json')).toContain(
      'OPTION_VALUE: --set subjects.json: it has no subject "two words"',
    );
    await expectOk(gatelineIn(workspace, 'run', '-q', '--subject', 'later'));
    expect(await refused('later#1', '--deliver', 'branch', '--set', 'subjects.json')).toContain(
      'DELIVERY_NOT_DONE: run 1 of bad is not completed, and later needs it',
    );
  });

  it('writes no patch that would undo newer changes of the folder', async () => {
    const make = { run: `${MAKE}\necho agent >> base.txt`, inputs: ['*.json'], files: ['base.txt'] };
    await using workspace = await workspaceWith(setOf({ id: 'a' }), pipeline({ make }));
    await expectOk(set(workspace, ['run', '-q']));
    // Everything is reused: run 2 has no version that it began with.
    await expectOk(gatelineIn(workspace, 'run', '-q', '--subject', 'a', '--new'));
    await workspace.write('base.txt', 'newer\n');
    const { code, err } = await gatelineIn(workspace, 'apply', 'a#2', '--deliver', 'patch');
    expect(code).toBe(2);
    expect(err).toContain('DELIVERY_CONFLICT: your folder has other versions of files of a: "base.txt"');
    await expectOk(gatelineIn(workspace, 'apply', 'a#1', '--deliver', 'patch'));
    expect(readFileSync(workspace.path('.state/patches/a.patch'), 'utf8')).toContain(' base\n+agent\n');
  });
});
