import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { setStatusSchema } from '../../src/report/json/set-json.ts';
import type { CommandResult } from '../support/command-line.ts';
import { readIfThere, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { bySize, spread } from '../support/test-size.ts';
import { DYING, numbersTo } from '../crash/kill-points.ts';

const SUBJECTS = bySize({ sample: 10, full: 30 });

/** Each says that it starts. The agent of one subject kills itself the first time. */
const BUILD = [
  `s=$(sed -n 's/.*"subject":"\\([^"]*\\)".*/\\1/p' "$GATELINE_REQUEST")`,
  'echo "$s/build $GATELINE_ATTEMPT $$" >> "$START_LOG"',
  'if [ "$s" = s03 ] && mkdir "$KILLED"; then kill -9 $$; fi',
  'echo "$s" > "made-$s.txt"; echo 1 > "$GATELINE_OUTPUT"',
].join('\n');
const CHECK = [
  `s=$(sed -n 's/.*"subject":"\\([^"]*\\)".*/\\1/p' "$GATELINE_REQUEST")`,
  'echo "$s/check $GATELINE_ATTEMPT $$" >> "$START_LOG"',
  'sleep 0.1; cat "made-$s.txt" && echo 2 > "$GATELINE_OUTPUT"',
].join('\n');

const id = (index: number): string => `s${String(index).padStart(2, '0')}`;

/** Every fifth one needs the one before. */
const SET = {
  format: 'gateline-set/1',
  subjects: Array.from({ length: SUBJECTS }, (_, index) => ({
    id: id(index),
    needs: index > 0 && index % 5 === 0 ? [id(index - 1)] : [],
  })),
};

const RUN = ['run', '--set', 'subjects.json', '--json', '-q', '--max-parallel', '4'];

async function killable(): Promise<{ workspace: ScratchWorkspace; env: Record<string, string> }> {
  const workspace = await ScratchWorkspace.create({
    'gateline.yml': JSON.stringify({
      pipeline: 'p',
      defaults: { run: { shell: 'sh' } },
      gates: {
        build: { run: BUILD, inputs: ['base.txt'], files: ['made-*.txt'] },
        check: { needs: 'build', run: CHECK, inputs: ['base.txt'] },
      },
    }),
    'subjects.json': JSON.stringify(SET),
    'base.txt': 'base\n',
    '.gitignore': '.state/\n',
  });
  return { workspace, env: { KILLED: workspace.beside('killed') } };
}

/** Gates that are done, as the agents name them. */
async function done(workspace: ScratchWorkspace): Promise<string[]> {
  const records = await workspace.records();
  const good = records.filter((one) => one.kind === 'ended' && one.verdict.status === 'passed');
  return good.map(({ subject, gate }) => `${subject}/${gate}`).toSorted();
}

/** Gates whose agents started, in alphabetical order, once for each start. */
async function startsIn(log: string): Promise<string[]> {
  const lines = (await readIfThere(log)).split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split(' ')[0]!).toSorted();
}

function statuses({ stdout, stderr }: CommandResult): Record<string, number> {
  expect(stdout, stderr).toMatch(/^\{/);
  const { subjects } = setStatusSchema.parse(JSON.parse(stdout));
  return Object.fromEntries([...Map.groupBy(subjects, ({ status }) => status)].map(([key, all]) => [key, all.length]));
}

it.runIf(process.platform !== 'win32')(
  'after a killed agent and a killed engine, a set runs only what is missing, and leaves no trace',
  { timeout: 600_000 },
  async () => {
    const { workspace, env } = await killable();
    await using _workspace = workspace;
    const all = SET.subjects.flatMap(({ id: one }) => [`${one}/build`, `${one}/check`]);
    const files = await workspace.files();

    const killed = workspace.start(RUN, { env });
    const isHalfWay = async (): Promise<boolean> =>
      (await readIfThere(workspace.startLog)).split('\n').length - 1 >= SUBJECTS;
    while (!(await isHalfWay())) await sleep(5);
    killed.process.kill('SIGKILL');
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
    const before = await done(workspace);
    expect(before.length).toBeGreaterThan(0);
    expect(before.length).toBeLessThan(all.length);

    // An agent of the killed engine may still say that it started: each call has a log of its own.
    const logs = [workspace.beside('second.log'), workspace.beside('third.log'), workspace.beside('fourth.log')];
    const [again, retried, none] = logs.map((START_LOG) => ({ env: { ...env, START_LOG } }));
    const second = await workspace.gateline(RUN, again);
    // The agent kills itself once, in one of the two calls.
    const third = second.code === 1 ? await workspace.gateline(RUN, retried) : second;
    expect(third.code, third.stderr).toBe(0);
    expect(statuses(third)).toEqual({ completed: SUBJECTS });
    const first = await startsIn(logs[0]!);
    const missing = all.filter((gate) => !before.includes(gate));
    if (second === third) expect(first).toEqual(missing);
    else {
      expect(statuses(second)).toMatchObject({ failed: 1 });
      const after = await startsIn(logs[1]!);
      expect(after).toContain('s03/build');
      expect([...new Set([...first, ...after])].toSorted()).toEqual(missing);
      expect(first.length + after.length).toBe(missing.length + 1);
    }

    expect(await workspace.gateline(RUN, none)).toMatchObject({ code: 0 });
    expect(await startsIn(logs[2]!)).toEqual([]);
    expect(await workspace.files()).toEqual(files);
    expect(await workspace.git('status', '--porcelain')).toBe('');
    expect(Object.values(await workspace.slots())).not.toContain('busy');
    expect(Object.keys(await workspace.slots()).length).toBeLessThanOrEqual(4);
  },
);

it.runIf(process.platform !== 'win32')(
  'a set that is killed after any durable operation ends as an undisturbed one, and each subject is delivered once',
  { timeout: 600_000 },
  async () => {
    const three = {
      format: 'gateline-set/1',
      subjects: [{ id: 's00' }, { id: 's01', needs: ['s00'] }, { id: 's02' }],
    };
    const { workspace: pristine } = await killable();
    await using _pristine = pristine;
    await pristine.write('subjects.json', JSON.stringify(three));
    await pristine.commitAll('three');
    const args = [...RUN, '--deliver', 'branch'];
    const ending = async (workspace: ScratchWorkspace): Promise<object> => {
      const branches = await workspace.git('for-each-ref', '--format=%(refname:short) %(tree)', 'refs/heads/gateline');
      expect(Object.values(await workspace.slots())).not.toContain('busy');
      return { branches, files: await workspace.files(), status: await workspace.git('status', '--porcelain') };
    };
    const dying = async (workspace: ScratchWorkspace, k: number): Promise<CommandResult> =>
      workspace.gateline(args, {
        script: DYING,
        env: { KILLED: workspace.beside('killed'), DIE_AFTER: String(k), OPERATIONS: workspace.beside('operations') },
      });
    await using undisturbed = await pristine.copy();
    expect((await dying(undisturbed, Infinity)).code).toBe(0);
    const expected = await ending(undisturbed);
    const operations = (await readIfThere(undisturbed.beside('operations'))).split('\n').length - 1;
    // Subjects run side by side: another run may take a few operations less.
    const points = numbersTo(Math.floor(operations * 0.9));
    for (const k of spread(points, bySize({ sample: 3, full: 10, soak: points.length }))) {
      await using workspace = await pristine.copy();
      expect((await dying(workspace, k)).signal, String(k)).toBe('SIGKILL');
      const before = await done(workspace);
      const START_LOG = workspace.beside('second.log');
      const second = await workspace.gateline(args, { env: { KILLED: workspace.beside('killed'), START_LOG } });
      expect(second, second.stderr).toMatchObject({ code: 0 });
      expect(
        (await startsIn(START_LOG)).filter((gate) => before.includes(gate)),
        String(k),
      ).toEqual([]);
      expect(await ending(workspace), String(k)).toEqual(expected);
    }
  },
);
