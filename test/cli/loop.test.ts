import { writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { storedRequest } from '../../src/engine/call/content.ts';
import type { StartedRecord } from '../../src/run/records/record.ts';
import { openFilesystemStore } from '../../src/store/filesystem/filesystem-store.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineIn as here, gatelineYml, writes } from './in-process.ts';

/** Does what its task says; `c` cannot be done before somebody has made `tool.txt`. */
const IMPLEMENT = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const { subject, task, handoff } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
appendFileSync(process.env.START_LOG, subject + (handoff?.failed.length ? ' after ' + handoff.failed.map((one) => one.gate).join() : '') + '\\n');
if (subject.endsWith('-fix-1')) writeFileSync('tool.txt', task);
else writeFileSync('src/' + subject + '.txt', (subject === 'c' && !existsSync('tool.txt')) || (task?.includes('hard') && !handoff?.failed.length) ? 'bad' : 'ok');
writeFileSync(process.env.GATELINE_LEARNINGS, '- Learned from ' + subject + '\\n');
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ done: subject }));
`;

/** The repository's tests: no file may be bad. */
const TEST = `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
const bad = readdirSync('src').filter((name) => readFileSync('src/' + name, 'utf8') !== 'ok');
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ ok: bad.length === 0, bad }));
`;

const GATES = {
  implement: { run: 'node implement.mjs', files: 'changed', inputs: ['src/**', '*.txt'], memory: ['handoff'] },
  test: { needs: 'implement', run: 'node test.mjs', inputs: ['src/**'], output: { checks: 'output.ok' } },
};

async function tasks(subjects: readonly object[]): Promise<ScratchWorkspace> {
  return ScratchWorkspace.create({
    'gateline.yml': gatelineYml(GATES),
    'implement.mjs': IMPLEMENT,
    'test.mjs': TEST,
    'src/first.txt': 'ok',
    'notes.txt': '',
    'tasks.json': JSON.stringify({ format: 'gateline-set/1', subjects }),
  });
}

const FIVE = [
  { id: 'a', task: 'Add a' },
  { id: 'b', task: 'Add b', needs: ['a'] },
  { id: 'c', task: 'Add c', needs: ['b'] },
  { id: 'd', task: 'Add d', needs: ['c'] },
  { id: 'e', task: 'Add e' },
];

const commits = async (workspace: ScratchWorkspace): Promise<string[]> =>
  (await workspace.git('log', '--reverse', '--format=%s')).trim().split('\n').slice(1);

const starts = async (workspace: ScratchWorkspace): Promise<string[]> =>
  (await readFile(workspace.startLog, 'utf8')).trim().split('\n');

/** What each run was told of other tasks, in the order of the runs. */
async function handoffsOf(workspace: ScratchWorkspace): Promise<string[]> {
  const store = await openFilesystemStore({ root: workspace.path('.state'), workspace: workspace.root });
  const claims = (await store.everything()).records.filter((one) => one.kind === 'started' && one.gate === 'implement');
  const told = claims
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .map(async (claim) => {
      const request = (await storedRequest({ ports: { store } }, (claim as StartedRecord).request))!;
      const tasks = request.handoff?.tasks?.map(({ subject, failed, learnings }) => {
        const outcome = failed.length === 0 ? '' : ' failed';
        return `${subject}${outcome} learned ${learnings.map(({ text }) => text.replace('Learned from ', '')).join()}`;
      });
      return `${claim.subject} ${claim.runNumber}: ${tasks?.join(', ') ?? 'nothing'}`;
    });
  return Promise.all(told);
}

const tasksIn = async (workspace: ScratchWorkspace): Promise<string[]> => {
  const { tasks: all } = JSON.parse((await expectOk(here(workspace, 'tasks', 'tasks.json', '--json'))).out) as {
    readonly tasks: readonly { readonly id: string; readonly status: string; readonly runs: number }[];
  };
  return all.map(({ id, status, runs }) => `${id} ${status} ${runs}`);
};

describe.runIf(process.platform !== 'win32')('gateline loop', () => {
  it('does each task on what the tasks before left, one commit each, and repairs one that fails', async () => {
    await using workspace = await tasks(FIVE);
    await workspace.write('mine.txt', 'not of any task');
    const { out } = await expectOk(here(workspace, 'loop', 'tasks.json', '--quiet'));
    expect(out).toContain('The loop ended after 8 iterations: every task is done.');
    expect(await starts(workspace)).toEqual(['a', 'b', 'c', 'c after test', 'c-fix-1', 'c after test', 'd', 'e']);
    expect(await handoffsOf(workspace)).toEqual([
      'a 1: nothing',
      'b 1: a learned a',
      'c 1: a learned a, b learned b',
      'c 2: a learned a, b learned b',
      'c-fix-1 1: a learned a, b learned b, c failed learned c',
      'c 3: a learned a, b learned b, c-fix-1 learned c-fix-1',
      'd 1: a learned a, b learned b, c-fix-1 learned c-fix-1, c learned c',
      'e 1: a learned a, b learned b, c-fix-1 learned c-fix-1, c learned c, d learned d',
    ]);
    const fix = 'Fix what keeps c from passing: test failed: check: output.ok: output.ok is false';
    expect(await commits(workspace)).toEqual(['Add a', 'Add b', fix, 'Add c', 'Add d', 'Add e']);
    expect(await workspace.git('status', '--porcelain')).toBe('?? mine.txt\n');
    expect((await workspace.git('show', '--format=', '--name-only', 'HEAD')).trim()).toBe('src/e.txt');
    expect(await tasksIn(workspace)).toEqual([
      'a done 1',
      'b done 1',
      'c-fix-1 done 1',
      'c done 3',
      'd done 1',
      'e done 1',
    ]);
    const again = await expectOk(here(workspace, 'loop', 'tasks.json', '--quiet'));
    expect(again.out).toContain('The loop ended after 0 iterations');
    expect(await commits(workspace)).toHaveLength(6);
    const { out: listed } = await expectOk(here(workspace, 'tasks', 'tasks.json', '--json'));
    expect((JSON.parse(listed) as { tasks: object[] }).tasks[2]).toMatchObject({ id: 'c-fix-1', task: fix });
  });

  it('ends after ten iterations of five tasks, two of which need a second try and one a repair', async () => {
    const hard = (id: string): object => ({ ...FIVE.find((one) => one.id === id), task: `Add ${id}, which is hard` });
    await using workspace = await tasks([hard('a'), ...FIVE.slice(1, 4), hard('e')]);
    const { out } = await expectOk(here(workspace, 'loop', 'tasks.json', '--quiet'));
    expect(out).toContain('The loop ended after 10 iterations: every task is done.');
    expect((await tasksIn(workspace)).map((one) => one.replace(/ done /, ' '))).toEqual([
      'a 2',
      'b 1',
      'c-fix-1 1',
      'c 3',
      'd 1',
      'e 2',
    ]);
    expect(await commits(workspace)).toHaveLength(6);
    const told = await handoffsOf(workspace);
    expect(told).toHaveLength(10);
    // What each iteration learnt is known to the next one of another task.
    expect(told.at(-1)).toBe('e 2: a learned a, b learned b, c-fix-1 learned c-fix-1, c learned c, d learned d');
  });

  it('stops for what only a person can decide, and continues afterwards', async () => {
    await using workspace = await tasks(FIVE.slice(0, 2));
    await workspace.write('notes.txt', 'staged');
    await workspace.git('add', 'notes.txt');
    const staged = await here(workspace, 'loop', 'tasks.json', '--quiet');
    expect([staged.code, staged.err]).toEqual([2, expect.stringContaining('STAGED_CHANGES')]);
    expect(await commits(workspace)).toEqual([]);
    await workspace.commitAll('mine');
    const first = await here(workspace, 'loop', 'tasks.json', '--quiet', '--max-iterations', '1', '--json');
    expect(first.code).toBe(1);
    expect(JSON.parse(first.out)).toMatchObject({
      format: 'gateline-tasks/1',
      iterations: 1,
      reason: '1 iteration is used up; the next task is b',
      tasks: [
        { id: 'a', status: 'done' },
        { id: 'b', status: 'pending' },
      ],
    });
    // The person writes what the agent is about to write.
    const edits = (text: string): void => {
      if (text.includes('b: test: started')) writeFileSync(workspace.path('src/b.txt'), 'mine');
    };
    const options = { environment: plainEnvironment(workspace.variables()), onWrite: edits };
    const conflict = await gateline(workspace.root, ['loop', 'tasks.json', '--quiet'], options);
    expect([conflict.code, conflict.err]).toEqual([2, expect.stringMatching(/LOOP_CONFLICT[^]*src\/b\.txt/)]);
    expect(await workspace.read('src/b.txt')).toBe('mine');
    await rm(workspace.path('src/b.txt'));
    await expectOk(here(workspace, 'loop', 'tasks.json', '--quiet', '--commit-message', '{id}: {task}'));
    expect(await commits(workspace)).toEqual(['mine', 'Add a', 'b: Add b']);
    expect((await starts(workspace)).filter((line) => line === 'b')).toHaveLength(1);
  });

  it('with --no-commit only applies, and a task that is closed is cancelled', async () => {
    await using workspace = await tasks([{ id: 'c', task: 'Add c' }, FIVE[0]!]);
    const loop = ['loop', 'tasks.json', '--quiet', '--no-commit', '--max-failures', '1', '--max-fixes', '0'];
    const failed = await here(workspace, ...loop);
    expect(failed.code).toBe(1);
    expect(failed.out).toMatch(/^c +failed +1 run +test failed/m);
    expect(await tasksIn(workspace)).toEqual(['c pending 1', 'a done 1']);
    expect(await workspace.read('src/a.txt')).toBe('ok');
    expect(await commits(workspace)).toEqual([]);
    expect((await here(workspace, ...loop, '--max-failures', '2')).code).toBe(1);
    // As a call that was killed before the second run began leaves it.
    await rm(workspace.path('.state/runs/c/2'), { recursive: true });
    expect(await tasksIn(workspace)).toEqual(['c pending 1', 'a done 1']);
    expect((await here(workspace, ...loop, '--max-failures', '2')).code).toBe(1);
    await expectOk(here(workspace, 'close', 'c', '--reason', 'gateline loop: run 3'));
    expect((await expectOk(here(workspace, ...loop))).out).toContain('2 tasks: 1 done, 1 cancelled.');
  });

  it('commits nothing that a person changed since', async () => {
    await using workspace = await tasks([FIVE[0]!]);
    await expectOk(here(workspace, 'loop', 'tasks.json', '--quiet', '--no-commit'));
    await workspace.write('src/a.txt', 'mine');
    await expectOk(here(workspace, 'loop', 'tasks.json', '--quiet'));
    expect(await commits(workspace)).toEqual([]);
    await workspace.write('src/a.txt', 'ok');
    await expectOk(here(workspace, 'loop', 'tasks.json', '--quiet'));
    expect(await commits(workspace)).toEqual(['Add a']);
  });

  it('tells a task of others what it told it when it began, also when it continues later', async () => {
    await using workspace = await tasks([FIVE[0]!, { id: 'p', task: 'Add p' }, { id: 'q', task: 'Add q' }]);
    const [implement, test] = [
      { ...GATES.implement, inputs: [] },
      { ...GATES.test, inputs: [] },
    ];
    const last = { needs: 'test', run: 'echo 1 > "$GATELINE_OUTPUT"', inputs: [] };
    await workspace.write('gateline.yml', gatelineYml({ implement, test: { ...test, approval: 'required' }, last }));
    const loop = ['loop', 'tasks.json', '--quiet'];
    expect((await here(workspace, ...loop)).code).toBe(3);
    expect(await handoffsOf(workspace)).toEqual(['a 1: nothing', 'p 1: a learned a', 'q 1: a learned a, p learned p']);
    for (const id of ['q', 'p', 'a']) {
      await expectOk(here(workspace, 'approve', 'test', '--subject', id, '--reason', 'fine', '--actor', 'ann'));
      await here(workspace, ...loop);
    }
    await expectOk(here(workspace, ...loop));
    expect(await starts(workspace)).toEqual(['a', 'p', 'q']);
  });

  it('tries again also where the request is the same', async () => {
    await using workspace = await tasks([{ id: 'c' }]);
    const { implement, test } = GATES;
    await workspace.write('gateline.yml', gatelineYml({ implement: { ...implement, memory: [] }, test }));
    expect((await here(workspace, 'loop', 'tasks.json', '--quiet', '--max-fixes', '0')).code).toBe(1);
    expect(await starts(workspace)).toEqual(['c', 'c']);
  });

  it('takes no command for a run of its task', async () => {
    const more = { entities: { session: null }, commands: { login: { syntax: 'echo hi', creates: 'session' } } };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: writes(1), inputs: [], requires: 'session' } }, more),
      'tasks.json': '{"format":"gateline-set/1","subjects":[{"id":"one"}]}',
    });
    const shown = async (): Promise<string> => (await gateline(workspace.root, ['tasks', 'tasks.json'])).out;
    await expectOk(gateline(workspace.root, ['do', 'login', '-s', 'one']));
    expect(await shown()).toMatch(/^one +pending *$/m);
    await expectOk(gateline(workspace.root, ['run', '--set', 'tasks.json']));
    expect(await shown()).toMatch(/^one +done +1 run +run 1 is completed$/m);
  });

  it('is refused by a hook of the user, whose words it shows, and commits once that agrees', async () => {
    await using workspace = await tasks([FIVE[0]!]);
    const hook = workspace.path('.git/hooks/pre-commit');
    await mkdir(workspace.path('.git/hooks'), { recursive: true });
    await writeFile(hook, '#!/bin/sh\necho "no tests, no commit" >&2\nexit 1\n', { mode: 0o755 });
    const { code, err } = await here(workspace, 'loop', 'tasks.json', '--quiet');
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/COMMIT_REFUSED: git did not commit: no tests, no commit\n/),
    ]);
    await rm(hook);
    await expectOk(here(workspace, 'loop', 'tasks.json', '--quiet'));
    expect(await commits(workspace)).toEqual(['Add a']);
    expect(await starts(workspace)).toEqual(['a']);
  });

  it('continues the run of a killed or stopped call, which is no failure of its task', async () => {
    await using workspace = await tasks([FIVE[0]!]);
    const run = 'echo 1 >> "$START_LOG"; STOP; echo 1 > "$GATELINE_OUTPUT"; echo ok > src/a.txt';
    const implement = (stop: string): object => ({ run: run.replace('STOP', stop), files: 'changed', inputs: [] });
    const loop = ['loop', 'tasks.json', '--quiet', '--max-failures', '1'];
    await workspace.write('gateline.yml', gatelineYml({ implement: implement('kill -9 $PPID') }));
    expect((await workspace.gateline(loop)).signal).toBe('SIGKILL');
    await workspace.write('gateline.yml', gatelineYml({ implement: implement('sleep 60') }));
    let stop = (): void => undefined;
    const stopped = await gateline(workspace.root, loop, {
      environment: plainEnvironment(workspace.variables()),
      onInterrupt: (listener) => {
        stop = listener;
        return { [Symbol.dispose]: () => undefined };
      },
      onWrite: (text) => {
        if (text.includes('implement: started')) stop();
      },
    });
    expect(stopped.code).toBe(130);
    expect(await tasksIn(workspace)).toEqual(['a in-progress 1']);
    await workspace.write('gateline.yml', gatelineYml({ implement: implement('true') }));
    expect((await expectOk(here(workspace, ...loop))).out).toContain('iteration 1: a: its run was interrupted');
    expect(await tasksIn(workspace)).toEqual(['a done 1']);
    expect(await commits(workspace)).toEqual(['Add a']);
  });

  it('does not start a task that its budget does not allow, and says so', async () => {
    await using workspace = await tasks([FIVE[0]!]);
    await workspace.write('gateline.yml', gatelineYml(GATES, { budget: { gate: 2, run: 1 } }));
    const { code, out } = await here(workspace, 'loop', 'tasks.json', '--quiet');
    expect([code, out]).toEqual([3, expect.stringMatching(/^a +pending$/m)]);
    expect(out).toContain('The loop ended after 1 iteration: a cannot continue: over budget: USD 1.00 for the run');
  });
});
