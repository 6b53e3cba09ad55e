import { expect, it } from 'vitest';
import { agent, pipeline, Project } from './support.ts';

it("an isolated run that was killed leaves nothing in the folder: what the user edits there is the user's", async () => {
  const project = new Project({
    'x.txt': '1',
    'gateline.yml': pipeline({
      read: { inputs: ['x.txt'] },
      edit: { run: `echo 2 > x.txt; ${agent()}`, files: ['x.txt'] },
    }),
  });
  expect(await project.run('--isolated')).toBe('0: read edit');
  // Killed while `edit` worked.
  const log = project.read('.state/log.jsonl')!.split('\n');
  const started = log.findLastIndex((line) => line.includes('"kind":"started"'));
  project.write('.state/log.jsonl', `${log.slice(0, started + 1).join('\n')}\n`);
  project.write('x.txt', '9');
  expect(await project.run()).toMatch(/^0: read/);
});

it('what a rollback takes out of a file stays out, although another gate made that file first', async () => {
  const project = new Project({
    'gateline.yml': pipeline({
      make: { run: `echo 1 > x.txt; ${agent()}`, files: ['x.txt'] },
      change: { needs: 'make', run: `echo 2 > x.txt; ${agent()}`, files: ['x.txt'] },
    }),
  });
  expect(await project.run()).toBe('0: make change');
  await project.expect('rollback --to make', 0);
  expect(project.read('x.txt')).toBe('1\n');
  await project.gateline('resume', '--until', 'make');
  expect(project.read('x.txt')).toBe('1\n');
  expect(await project.run()).toBe('0: change');
  expect(project.read('x.txt')).toBe('2\n');
  expect(await project.run()).toBe('0: ');
});

it('`apply` leaves files that the .gitignore of a gate names', async () => {
  const project = new Project({
    'gateline.yml': pipeline({ make: { run: `echo 'data*' >> .gitignore; ${agent()}`, files: ['.gitignore'] } }),
    'data.txt': 'mine',
    'data/x': 'mine too',
  });
  expect(await project.run('--isolated')).toBe('0: make');
  await project.expect('apply', 0, 'wrote: .gitignore\n');
  expect([project.read('data.txt'), project.read('data/x')]).toEqual(['mine', 'mine too']);
});

it('an isolated run goes on after an ignored input was deleted', async () => {
  const project = new Project({
    '.gitignore': '.env\n',
    '.env': 'A',
    'gateline.yml': pipeline({ make: { inputs: ['.env', 'x.txt'] } }),
    'x.txt': '1',
  });
  expect(await project.run('--isolated')).toBe('0: make');
  project.remove('.env');
  expect(await project.run('--isolated')).toBe('0: make');
});

it('a folder of the user where a gate needs a file stays, and is named', async () => {
  const project = new Project({
    'mode.txt': 'file',
    'gateline.yml': pipeline({
      make: {
        run: `rm -rf out; case $(cat mode.txt) in dir) mkdir out; echo 1 > out/x;; *) echo 1 > out;; esac; ${agent()}`,
        inputs: ['mode.txt'],
        files: ['out', 'out/**'],
      },
    }),
  });
  await project.run();
  project.write('mode.txt', 'dir');
  await project.run();
  project.write('out/mine.txt', 'mine');
  project.write('mode.txt', 'file');
  await project.expect('run', 1, 'note: out is a folder with files, where make needs a file (move or remove out');
  expect(project.read('out/mine.txt')).toBe('mine');
});

it('what a gate deletes in a clone is deleted by `apply` and on the branch of a set', async () => {
  const run = `rm -f old.txt; echo 1 > new.txt; ${agent()}`;
  const project = new Project({
    'gateline.yml': pipeline({ make: { run, inputs: [], files: ['old.txt', 'new.txt'] } }),
    'set.yml': 'deliver: branch\nsubjects: [{id: s, task: t}]\n',
    'old.txt': '1',
  });
  project.commit();
  expect(await project.run('--isolated')).toBe('0: make');
  await project.expect('run --set set.yml', 0);
  expect(project.git('show', '--name-status', '--format=', 'gateline/s')).toBe('A\tnew.txt\nD\told.txt\n');
  await project.expect('apply', 0, 'wrote: new.txt\nwrote: old.txt\n');
  expect(project.read('old.txt')).toBeUndefined();
});

it('the work of one subject stays when another one is called again after a merge', async () => {
  const run = `echo "$GATELINE_TASK" >> log.txt; ${agent()}`;
  const project = new Project({
    'gateline.yml': pipeline({ make: { run, inputs: [], files: ['log.txt'] } }),
    'set.yml': 'max-parallel: 1\ndeliver: branch\nsubjects: [{id: a, task: A}, {id: b, task: B}]\n',
    'log.txt': '',
  });
  project.commit();
  await project.expect('run --set set.yml', 0);
  const branches = () => project.git('rev-parse', 'gateline/a', 'gateline/b');
  const before = branches();
  project.git('merge', '-q', '--ff-only', 'gateline/b');
  await project.expect('run --set set.yml', 0);
  expect(branches()).toBe(before);
  expect(project.read('log.txt')).toBe('B\n');
});

it('a rollback of an isolated run restores the database of its clone; that of the folder before a rollback is kept', async () => {
  const save = 'cp app.db "$GATELINE_DATABASE"';
  const project = new Project({
    '.gitignore': 'app.db\n.state/\n',
    'gateline.yml': pipeline(
      { make: { run: `echo agent >> app.db; ${agent()}`, inputs: [] } },
      { snapshots: { database: { save, restore: 'cp "$GATELINE_DATABASE" app.db' } }, setup: 'echo clone > app.db' },
    ),
    'app.db': 'mine\n',
  });
  expect(await project.run('--isolated')).toBe('0: make');
  await project.expect('rollback --all', 0);
  expect(project.read('app.db')).toBe('mine\n');
  expect(project.read('.state/clones/p/main/app.db')).toBe('clone\n');
  await project.gateline('resume');
  expect(project.read('app.db')).toBe('mine\nagent\n');
  await project.expect('rollback --all', 0);
  expect(project.read('app.db')).toBe('mine\n');
  const kept = project.files('.state/database/p/main').find((path) => path.endsWith('.before-rollback'));
  expect(kept).toBeDefined();
  await project.gateline('clean', '--runs', '1');
});

it('`max-cost` ends further attempts', async () => {
  const cost = `echo '{"costUsd": 0.3}' > "$GATELINE_METRICS"; exit 1`;
  const project = new Project({
    'gateline.yml': pipeline({ make: { run: cost, inputs: [], retries: 5 } }, { 'max-cost': 0.5 }),
  });
  const { result } = await project.json<{ result: { ran: string[] } }>('run');
  expect(result.ran).toEqual(['make']);
  expect((await project.unit('make')).attempts).toHaveLength(2);
});
