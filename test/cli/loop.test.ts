import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/run/tasks.ts';
import { pipeline, Project } from './support.ts';

/**
 * Writes the file of its task. That of `c` is bad until `tool.txt` is there, which only a repair makes; of a task that is
 * hard the first one is bad.
 */
const IMPLEMENT = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const { subject, task = '' } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
const handoff = readFileSync(process.env.GATELINE_HANDOFF, 'utf8');
const isFix = task.startsWith('fix-');
const learned = [...handoff.matchAll(/Learned from (\\S+)/g)].map(([, id]) => id).join();
appendFileSync(process.env.TOLD, (isFix ? task.split(':')[0] : subject) + ': ' + learned + (handoff.includes('## Failed') ? ' failed' : '') + '\\n');
mkdirSync('src', { recursive: true });
const isFirst = !existsSync('src/' + subject + '.txt');
if (isFix && subject === 'c') writeFileSync('src/tool.txt', task);
const text = isFix ? 'ok, repaired' : 'ok';
const isBad = (subject === 'c' && !existsSync('src/tool.txt')) || (task.startsWith('Hard') && isFirst);
writeFileSync('src/' + subject + '.txt', isBad || (isFix && subject === 'c') ? 'bad' : text);
writeFileSync(process.env.GATELINE_LEARNINGS, '- Learned from ' + subject + '\\n');
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ done: subject }));
`;
const TEST = `
import { readFileSync, writeFileSync } from 'node:fs';
const { subject } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ is: readFileSync('src/' + subject + '.txt', 'utf8').slice(0, 2) }));
`;

const GATES = {
  implement: { run: 'node implement.mjs', files: ['src/**'], inputs: ['src/**'], memory: ['handoff'] },
  test: { needs: 'implement', run: 'node test.mjs', inputs: ['src/**'], output: { checks: "output.is == 'ok'" } },
};

interface Result {
  readonly status: string;
  readonly reason: string;
  readonly iterations: number;
  readonly tasks: readonly Task[];
}

function project(
  subjects: readonly object[],
  gates: Readonly<Record<string, object>> = GATES,
  more: object = {},
): Project {
  const made = new Project({
    'gateline.yml': pipeline(gates),
    'implement.mjs': IMPLEMENT,
    'test.mjs': TEST,
    'tasks.json': JSON.stringify({ subjects, ...more }),
  });
  made.environment['TOLD'] = join(made.outside, 'told');
  made.commit();
  return made;
}

const task = (id: string, text = `Add ${id}`, needs: readonly string[] = []) => ({ id, task: text, needs });
const FIVE = [
  task('a'),
  task('b', 'Hard: add b', ['a']),
  task('c', undefined, ['b']),
  task('d', undefined, ['c']),
  task('e'),
];

const loop = (folder: Project, ...words: readonly string[]): Promise<Result> =>
  folder.json<Result>('loop', 'tasks.json', ...words);
const commits = (folder: Project): string[] =>
  folder.git('log', '--reverse', '--format=%s').trim().split('\n').slice(1);
const told = (folder: Project): string[] =>
  existsSync(folder.environment['TOLD']!) ? readFileSync(folder.environment['TOLD']!, 'utf8').trim().split('\n') : [];
const statuses = async (folder: Project): Promise<string> =>
  (await folder.json<{ tasks: Task[] }>('loop', 'tasks.json', '--dry-run')).tasks
    .map(({ id, status, retries }) => `${id} ${status} ${retries}`)
    .join(', ');

describe('gateline loop', () => {
  it('does each task on what those before left, a commit each, and repairs what fails before it tries again', async () => {
    const folder = project(FIVE);
    folder.write('mine.txt', 'not of any task');
    folder.git('add', 'mine.txt');
    expect(await statuses(folder)).toBe('a pending 0, b blocked 0, c blocked 0, d blocked 0, e pending 0');
    const result = await loop(folder);
    expect(result).toMatchObject({ status: 'completed', reason: 'all tasks are completed', iterations: 9 });
    const repair = 'fix-b-1: make b pass. test: check: output.is == \'ok\': output.is is "ba". The task: Hard: add b';
    expect(commits(folder)).toEqual(['a: Add a', repair, 'b: Hard: add b', 'c: Add c', 'd: Add d', 'e: Add e']);
    expect(folder.git('show', '--format=', '--name-only', 'HEAD~2')).toBe('src/c.txt\nsrc/tool.txt\n');
    expect(told(folder)).toEqual([
      'a: ',
      'b: a',
      'fix-b-1: a,b failed',
      'b: a,b',
      'c: a,b',
      'fix-c-1: a,b,c failed',
      'c: a,b,c failed',
      'd: a,b,c',
      'e: a,b,c,d',
    ]);
    expect(folder.git('status', '--porcelain')).toBe('A  mine.txt\n');
    expect(folder.git('show', '--format=%an <%ae>', '--name-only', 'HEAD')).toBe(
      'Dev <dev@example.com>\n\nsrc/e.txt\n',
    );
    expect(await statuses(folder)).toBe('a completed 0, b completed 1, c completed 1, d completed 0, e completed 0');
    expect(await loop(folder)).toMatchObject({ status: 'completed', iterations: 0 });
    expect(commits(folder)).toHaveLength(6);
  });

  it('skips tasks that need a failed one, does all others, and tries named ones again', async () => {
    const folder = project([task('c'), task('d', undefined, ['c']), task('e')], GATES, { retries: 0 });
    await folder.expect(
      'loop tasks.json -q',
      1,
      /^task +status +reason +what\nc +failed +test: check: /m,
      /^d +blocked +c failed/m,
    );
    expect(commits(folder)).toEqual(['e: Add e']);
    expect(folder.git('status', '--porcelain', '-uall')).toBe('?? src/c.txt\n');
    folder.edit('implement.mjs', "existsSync('src/tool.txt')", 'true');
    expect(await loop(folder)).toMatchObject({ status: 'stopped', iterations: 0 });
    expect(await loop(folder, '--only', 'c,d')).toMatchObject({ status: 'completed', iterations: 2 });
    expect(commits(folder)).toEqual(['e: Add e', 'c: Add c', 'd: Add d']);
    expect(await statuses(folder)).toBe('c completed 1, d completed 0, e completed 0');
    await folder.expect('loop tasks.json --only x', 2, 'the set has no task x');
    await folder.expect('loop tasks.json -s c', 2, 'each task is a subject of its own');
    await folder.expect('status --handoff -s d', 0, '## Task\n\n```text\nAdd d\n```\n', 'e: Add e\nc: Add c\n');
  });

  it('stops where a person must decide or a limit is reached, and goes on afterwards', async () => {
    const folder = project([task('a'), task('b')], { ...GATES, test: { ...GATES.test, approval: 'required' } });
    expect(await loop(folder)).toMatchObject({ status: 'stopped', reason: 'a waits: test waits for a person' });
    await folder.expect('approve test -s a -r fine', 0);
    expect(await loop(folder, '--max-iterations', '1')).toMatchObject({
      status: 'stopped',
      iterations: 1,
      reason: expect.stringMatching(/^\S+ comes next, `--max-iterations` is reached$/),
    });
    expect(commits(folder)).toEqual(['a: Add a']);
  });

  it.each<[string, (folder: Project) => unknown, string]>([
    ['the user has changed files of gates', (folder) => folder.write('src/x.txt', 'mine'), 'src/x.txt'],
    ['there is no commit', (folder) => folder.git('update-ref', '-d', 'HEAD'), 'has no commit, and a loop makes one'],
    ['there is no repository', (folder) => folder.remove('.git'), 'has no commit, and a loop makes one'],
    ['the set is wrong', (folder) => folder.write('tasks.json', '{"subjects": [{}]}'), 'tasks.json:1:15'],
    ['there is no set', (folder) => folder.remove('tasks.json'), 'tasks.json cannot be read'],
  ])('does not begin if %s', async (_, spoil, text) => {
    const folder = project([task('a')]);
    spoil(folder);
    await folder.expect('loop tasks.json', 2, text);
    expect(told(folder)).toEqual([]);
  });

  it('ends its agents on Ctrl-C, and goes on with the same try', async () => {
    const folder = project([task('a')], {
      ...GATES,
      test: { ...GATES.test, run: 'agent \'{"is": "ok"}\' "$GO"' },
    });
    folder.environment['GO'] = join(folder.outside, 'go');
    const running = folder.start(['loop', 'tasks.json']);
    await folder.waitFor('test');
    running.interrupt();
    expect(await running.answer).toMatchObject({
      exit: 130,
      out: expect.stringContaining('1 iteration: it was interrupted') as string,
    });
    expect(await statuses(folder)).toBe('a in-progress 0');
    folder.write('../go', '');
    expect(await loop(folder)).toMatchObject({ status: 'completed', iterations: 1, tasks: [{ retries: 0, runs: 1 }] });
    expect(commits(folder)).toEqual(['a: Add a']);
  });

  it('starts with the commit that a hook refused before', async () => {
    const folder = project([task('a'), task('b')]);
    folder.write('.git/hooks/pre-commit', '#!/bin/sh\necho lint failed >&2\nexit 1\n');
    chmodSync(join(folder.root, '.git/hooks/pre-commit'), 0o755);
    await folder.expect('loop tasks.json', 1, 'error: git refused the commit of a: lint failed');
    folder.remove('.git/hooks/pre-commit');
    expect(await loop(folder)).toMatchObject({ status: 'completed', iterations: 1 });
    expect(commits(folder)).toEqual(['a: Add a', 'b: Add b']);
    expect(folder.git('show', '--format=', '--name-only', 'HEAD~1')).toBe('src/a.txt\n');
  });
});
