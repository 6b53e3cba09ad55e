import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SetOutcome } from '../../src/local/sets/set.ts';
import type { SubjectView } from '../../src/report/set.ts';
import { bundlePrograms } from '../support/runner/bundle.ts';
import { agent, pipeline, Project } from './support.ts';

/** Notes when it begins and ends. The task is its script. */
const AGENT = `echo "+$GATELINE_GATE $GATELINE_TASK" >> "$HOME/log"; eval "$GATELINE_TASK"
echo "-$GATELINE_GATE $GATELINE_TASK" >> "$HOME/log"; ${agent()}`;
const TWO_GATES = { make: { run: AGENT }, check: { needs: 'make' } };

function set(subjects: readonly object[], more: object = {}): string {
  return JSON.stringify({ subjects, ...more });
}

function create(subjects: readonly object[], more: object = {}, gates: Record<string, object> = TWO_GATES): Project {
  return new Project({
    'set.yml': set(subjects, more),
    'gateline.yml': pipeline(gates),
    '.gitignore': '.state/\nset.yml\n',
  });
}

/** Lines that agents noted. */
function log(project: Project): string[] {
  const path = join(project.outside, 'log');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

const run = (project: Project, ...words: string[]) => project.json<SetOutcome>('run', '--set', 'set.yml', ...words);

/** `id status, …` */
function statuses({ subjects }: { subjects: readonly SubjectView[] }): string {
  return subjects.map(({ id, status }) => `${id} ${status}`).join(', ');
}

describe('run --set', () => {
  it('runs subjects side by side in the order of their needs; one that failed blocks those that need it only', async () => {
    const project = create(
      [
        { id: 'a', task: 'true' },
        { id: 'b', task: 'false' },
        { id: 'c', task: 'true c', needs: ['a'] },
        { id: 'd', task: 'true d', needs: ['b', 'c'] },
        { id: 'e', task: 'true e', needs: ['d'] },
      ],
      { 'max-parallel': 3 },
    );
    await project.expect('run --set set.yml --dry-run', 0, '5 subjects\n', /^c +a +2 +make: it has no output yet$/m);
    await project.expect(
      'status --set set.yml',
      0,
      /^a +initializing +0\/2/m,
      /^d +blocked +0\/2 +b is not completed$/m,
    );
    const { exit, out, err } = await project.gateline('run', '--set', 'set.yml');
    expect(exit).toBe(1);
    expect(out).toMatch(/^a +completed +2\/2/m);
    expect(out).toMatch(/^b +error +0\/2 .* make failed: agent-error: the agent ended with exit code 1$/m);
    expect(out).toMatch(/^d +blocked +0\/2 +b is not completed$/m);
    expect(out).toMatch(/^2 of 5 subjects completed/m);
    expect(err).toMatch(/^a \| Run 1 of p for a, in .*\.state\/clones\/p\/a$/m);
    expect(err).toMatch(/^b \| make: failed: agent-error/m);
    expect(err).not.toMatch(/^d \| /m);
    const lines = log(project);
    expect(lines.indexOf('+make true c')).toBeGreaterThan(lines.indexOf('-make true'));
    expect(statuses(await project.json('status', '--set', 'set.yml'))).toBe(
      'a completed, b error, c completed, d blocked, e blocked',
    );

    // What was done is used; what failed is tried again.
    project.write('set.yml', project.read('set.yml')!.replace('"false"', '"true b"'));
    const again = await run(project);
    expect([again.status, statuses(again)]).toEqual([
      'completed',
      'a completed, b completed, c completed, d completed, e completed',
    ]);
    expect(log(project).filter((line) => line.startsWith('+')).length).toBe(6);
    await project.expect('run --set set.yml', 0, /^5 of 5 subjects completed/m);
    expect(log(project).filter((line) => line.startsWith('+')).length).toBe(6);
    expect(await project.json('history', '-s', 'b')).toMatchObject({
      runs: [{ status: 'completed', subject: 'b' }],
    });
  });

  it('works on at most max-parallel subjects at once, and on those of --only-set', async () => {
    const waits = (name: string, other: string) =>
      `touch "$HOME/${name}"; until [ -e "$HOME/${other}" ]; do sleep 0.02; done`;
    const rest = ['c', 'd', 'e'].map((id) => ({ id, task: `true ${id}` }));
    const project = create([{ id: 'a', task: waits('a', 'b') }, { id: 'b', task: waits('b', 'a') }, ...rest]);
    expect(statuses(await run(project, '--only-set', 'a,b'))).toBe('a completed, b completed');
    expect((await run(project, '--max-parallel', '1')).status).toBe('completed');
    const working = log(project).slice(4);
    expect(working.map((line) => line[0]).join('')).toBe('+-+-+-');
    for (const [words, text] of [
      ['--set set.yml --only-set A', 'the set has no subject A\nhint: did you mean `a`?'],
      ['--only-set a', '--only-set belongs to --set'],
      ['--set set.yml -s x', "option '--set <file>' cannot be used with option '-s, --subject <text>'"],
      ['--set other.yml', /other\.yml cannot be read: ENOENT/],
    ] as const)
      await project.expect(`run ${words}`, 2, text);
    project.write('set.yml', set([{ id: 'a', needs: ['b'] }]));
    await project.expect('run --set set.yml', 2, /set\.yml:1:.*there is no subject `b`/);
  });

  it('needs what --only-set leaves out to be completed, and continues after Ctrl-C', async () => {
    const project = create([
      { id: 'a', task: '[ -e "$HOME/go" ] || sleep 1000' },
      { id: 'b', task: 'true', needs: ['a'] },
    ]);
    await project.expect('run --set set.yml --only-set b', 1, /^b +blocked +0\/2 +a is not completed$/m);
    const { answer, interrupt } = project.start(['run', '--set', 'set.yml']);
    await expect.poll(() => log(project).length).toBe(1);
    interrupt();
    const { exit, out } = await answer;
    expect([exit, out]).toEqual([130, expect.stringMatching(/^b +blocked/m)]);
    writeFileSync(join(project.outside, 'go'), '');
    expect((await run(project)).status).toBe('completed');
  });

  it('30 subjects with failures, killed half-way: the next call does what is left, once', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `s${index}`);
    const taskOf = (index: number) => {
      if (index === 7) return 'until [ -e "$HOME/go" ]; do sleep 0.02; done # s7';
      return index % 10 === 3 ? `false s${index}` : `true s${index}`;
    };
    const project = create(
      ids.map((id, index) => ({ id, task: taskOf(index), ...(index % 10 === 4 && { needs: [`s${index - 1}`] }) })),
      { 'max-parallel': 3 },
    );
    const program = join(await bundlePrograms(), 'cli.mjs');
    const killed = spawn(process.execPath, [program, 'run', '--set', 'set.yml', '-q'], {
      cwd: project.root,
      env: project.environment,
      stdio: 'ignore',
    });
    const end = new Promise((resolve) => killed.on('exit', (_code, signal) => resolve(signal)));
    const isHalf = () => log(project).length > 18 && log(project).some((line) => line.endsWith('# s7'));
    await expect.poll(isHalf).toBe(true);
    killed.kill('SIGKILL');
    expect(await end).toBe('SIGKILL');
    const before = statuses(await project.json('status', '--set', 'set.yml'));
    expect(before).toContain('s0 completed');
    expect(before).toContain('s29 initializing');
    writeFileSync(join(project.outside, 'go'), '');

    const outcome = await run(project);
    const expected = ids.map((id, index) => `${id} ${['error', 'blocked'][(index % 10) - 3] ?? 'completed'}`);
    expect([outcome.status, statuses(outcome)]).toEqual(['failed', expected.join(', ')]);
    const starts = log(project).filter((line) => line.startsWith('+') && !line.includes('false'));
    const repeated = starts.filter((line, index) => starts.indexOf(line) < index);
    expect(new Set(starts).size).toBe(24);
    // Only what worked when it was killed.
    expect(repeated.length).toBeLessThanOrEqual(3);
    await project.expect('check', 0);
  });
});

describe('deliver: branch', () => {
  const FILES = { make: { run: AGENT, inputs: ['src/**'], files: ['out/**', 'src/**'] } };

  it('commits what a subject made on top of HEAD, beside uncommitted work', async () => {
    const project = create(
      [
        { id: 'one', task: 'mkdir out; echo 1 > out/a; rm src/old; mkdir src/old; echo 2 > src/old/b' },
        { id: 'two', task: 'echo 3 > src/mine' },
        { id: 'none', task: 'true' },
      ],
      { deliver: 'branch' },
      FILES,
    );
    await project.expect('run --set set.yml', 2, /has no commit, and `deliver: branch` makes others on top/);
    for (const path of ['src/old', 'src/mine', 'staged']) project.write(path, 'committed\n');
    project.commit();
    for (const path of ['src/mine', 'staged', 'new']) project.write(path, 'uncommitted\n');
    project.git('add', 'staged');
    const untouched = () => [
      project.git('status', '--porcelain'),
      project.git('rev-parse', 'HEAD'),
      project.git('diff'),
    ];
    const before = untouched();

    const { status, subjects } = await run(project);
    expect(untouched()).toEqual(before);
    expect([status, subjects.map(({ delivery }) => delivery)]).toEqual([
      'failed',
      [
        { branch: 'gateline/one', commit: project.git('rev-parse', 'gateline/one').trim() },
        {
          branch: 'gateline/two',
          problem: 'src/mine had changes that are not committed, and gates changed more there',
        },
        { branch: 'gateline/none' },
      ],
    ]);
    expect(project.git('branch', '--format=%(refname:short)')).toBe('gateline/one\nmain\n');
    expect(project.git('diff', '--name-status', '--no-renames', 'main', 'gateline/one')).toBe(
      'A\tout/a\nD\tsrc/old\nA\tsrc/old/b\n',
    );
    expect(project.git('log', '-1', '--format=%an %s', 'gateline/one')).toMatch(/^Dev one: mkdir out/);
    await project.expect('run --set set.yml --only-set one', 0, /^one +completed +1\/1 .* branch gateline\/one$/m);
    expect(project.git('rev-parse', 'gateline/one').trim()).toBe(subjects[0]!.delivery!.commit);
    await project.expect('status --set set.yml', 0, 'branch gateline/one');

    // Another result replaces its commit, but no commit of somebody else.
    project.write('set.yml', set([{ id: 'one', task: 'mkdir out; echo 4 > out/a' }], { deliver: 'branch' }));
    expect((await run(project)).status).toBe('completed');
    expect(project.git('show', 'gateline/one:out/a')).toBe('4\n');
    project.git(
      'update-ref',
      'refs/heads/gateline/one',
      project.git('commit-tree', 'HEAD^{tree}', '-m', 'mine').trim(),
    );
    await project.expect('run --set set.yml', 1, 'not delivered: gateline/one has commits of somebody else');
    project.git('update-ref', '-d', 'refs/heads/gateline/one');
    project.git('worktree', 'add', '-q', '-b', 'gateline/one', '../tree');
    await project.expect('run --set set.yml', 1, /not delivered: gateline\/one is checked out in .*tree/);
  });

  it('from a folder below the top of the repository', async () => {
    const subject = { id: 'one', task: 'mkdir out; echo 1 > out/a' };
    const project = new Project({
      'sub/set.yml': set([subject], { deliver: 'branch' }),
      'sub/gateline.yml': pipeline(FILES),
      'top.txt': 'top\n',
      '.gitignore': '.state/\n',
    });
    project.commit();
    const { exit } = await project.start(['run', '--set', 'set.yml'], { folder: join(project.root, 'sub') }).answer;
    expect([exit, project.git('diff', '--name-status', 'main', 'gateline/one')]).toEqual([0, 'A\tsub/out/a\n']);
  });
});
