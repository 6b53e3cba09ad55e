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
