import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { filesBelow, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, writes, type Answer, type WorldOptions } from './in-process.ts';

const here = (workspace: ScratchWorkspace, args: readonly string[], options: WorldOptions = {}): Promise<Answer> =>
  gateline(workspace.root, args, { environment: plainEnvironment(workspace.variables()), ...options });

/** Its first attempt is not good enough. */
const REVIEW = `if [ -n "\${GATELINE_FEEDBACK:-}" ]; then echo second > review.txt; ${writes({ score: 90 })}
else echo first > review.txt; printf '\\033]0;title\\007' > strange.txt; ${writes({ score: 10 })}; fi`;

const GATES = gatelineYml({
  edit: {
    run: `echo made > a.txt; mkdir -p new; echo new > new/b.txt; echo left > left.txt; ${writes(1)}`,
    inputs: ['a.txt'],
    files: ['a.txt', 'new/**'],
  },
  review: {
    needs: 'edit',
    run: REVIEW,
    inputs: [],
    files: ['review.txt'],
    retries: 1,
    output: { score: '/score', threshold: 50 },
  },
  legs: { run: writes(1), inputs: [], strategy: { matrix: { part: ['x', 'y'] } } },
  fails: { needs: 'review', run: 'echo half > half.txt; exit 1', inputs: [] },
});

/** Paths that a patch is about. */
function pathsOf(patch: string): string[] {
  return [...patch.matchAll(/^diff --git a\/(\S+) b\/\1$/gm)].map(([, path]) => path!);
}

describe.runIf(process.platform !== 'win32')('diff', () => {
  let workspace: ScratchWorkspace;
  const diff = (args: readonly string[], options: WorldOptions = {}): Promise<Answer> =>
    here(workspace, ['diff', ...args], options);

  beforeAll(async () => {
    workspace = await ScratchWorkspace.create({ 'gateline.yml': GATES, 'a.txt': 'old\n' });
    await workspace.git('config', 'diff.noprefix', 'true');
    expect((await here(workspace, ['run', '-q'])).code).toBe(1);
  });
  afterAll(() => workspace[Symbol.asyncDispose]());

  it('of a run is a patch of what its gates hand on, which git applies', async () => {
    const { code, out, err } = await diff([]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(pathsOf(out)).toEqual(['a.txt', 'new/b.txt', 'review.txt']);
    await using patched = await workspace.copy();
    await using applied = await workspace.copy();
    await writeFile(patched.beside('patch'), out);
    await patched.git('apply', patched.beside('patch'));
    expect((await here(applied, ['apply'])).code).toBe(0);
    expect(await patched.files()).toEqual(await applied.files());
    expect(await workspace.git('status', '--porcelain')).toBe('');
  });

  it('of a gate is everything that it changed, handed on or not, also where it failed', async () => {
    expect(pathsOf((await diff(['edit'])).out)).toEqual(['a.txt', 'left.txt', 'new/b.txt']);
    expect(pathsOf((await diff(['review'])).out)).toEqual(['review.txt']);
    expect(pathsOf((await diff(['fails'])).out)).toEqual(['half.txt']);
    expect(await diff(['legs/x'])).toEqual({ code: 0, out: '', err: 'No difference.\n' });
  });

  it('of two attempts is what the second one made different', async () => {
    const { out } = await diff(['review', '--attempt', '1..2']);
    expect(pathsOf(out)).toEqual(['review.txt', 'strange.txt']);
    expect(out).toContain('-first\n+second\n');
    expect((await diff(['review', '--attempt', '2..1'])).out).toContain('-second\n+first\n');
    expect((await diff(['review', '--attempt', '2..2'])).err).toBe('No difference.\n');
  });

  it('of two attempts also says what is different in their requests and outputs', async () => {
    await using later = await workspace.copy();
    await later.edit('gateline.yml', 'exit 1', 'exit 2');
    expect((await here(later, ['run', '-q', '--force', 'review', '--reason', 'test'])).code).toBe(1);
    await later.edit('gateline.yml', '"threshold": 50', '"threshold": 5');
    await later.edit('gateline.yml', 'first >', 'third >');
    expect((await here(later, ['run', '-q'])).code).toBe(1);
    const asked = await here(later, ['diff', 'review', '--attempt', '1..5']);
    expect(asked.out.split('\n')[0]).toBe('request: key run changed');
    expect((await here(later, ['diff', 'review', '--attempt', '1..2'])).out).toMatch(/^output \/score: 10 → 90\ndiff/);
    const { out } = await here(later, ['diff', 'review', '--attempt', '1..2', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      request: [],
      output: [{ pointer: '/score', change: 'changed', before: 10, after: 90 }],
    });
  });

  it('is JSON for programs', async () => {
    const { out } = await diff(['edit', '--json']);
    const state = { mode: '100644', blob: expect.stringMatching(/^[0-9a-f]{40}$/) };
    expect(JSON.parse(out)).toEqual({
      format: 'gateline-diff/1',
      gate: 'edit',
      from: expect.stringMatching(/^[0-9a-f]{40}$/),
      to: expect.stringMatching(/^[0-9a-f]{40}$/),
      files: [
        { path: 'a.txt', before: state, after: state },
        { path: 'left.txt', before: null, after: state },
        { path: 'new/b.txt', before: null, after: state },
      ],
      request: null,
      output: null,
    });
    expect(JSON.parse((await diff(['--json'])).out)).toMatchObject({ gate: null, files: { length: 3 } });
  });

  it('lets a terminal obey nothing, and gives a pipe what is there', async () => {
    const args = ['review', '--attempt', '2..1'];
    expect((await diff(args)).out).toContain('\u001B]0;title\u0007');
    const { out } = await diff(args, { screen: { interactive: true } });
    expect(out).toContain('title');
    expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/);
  });

  it.each([
    [['--attempt', '1..2'], 2, 'OPTION_VALUE: --attempt compares attempts of one gate'],
    [['review', '--attempt', '1-2'], 2, 'OPTION_VALUE: --attempt 1-2: expected A..B'],
    [['review', '--attempt', '1..3'], 2, 'ATTEMPT_UNKNOWN: gate review has no attempt 3 in run 1: attempts: 1 to 2'],
    [['reveiw'], 2, 'GATE_UNKNOWN: there is no gate reveiw; did you mean `review`?'],
    [['legs'], 2, 'GATE_UNKNOWN: gate legs has 2 legs; name one of them\n  Legs: legs/x, legs/y.'],
    [['--run', '3'], 2, 'RUN_UNKNOWN: there is no run 3 for main'],
    [['--run', 'main#9'], 2, 'RUN_UNKNOWN: there is no run 9 for main'],
    [['--run', 'other#1'], 2, 'RUN_UNKNOWN: there is no run 1 for other'],
    [['--run', 'main#'], 2, 'OPTION_VALUE: --run main#: expected a run number, or SUBJECT#NUMBER'],
  ])('%j is refused', async (args, code, said) => {
    expect(await diff(args)).toMatchObject({ code, out: '', err: expect.stringContaining(said) });
  });

  it('shows earlier runs and other subjects by their names, after commits, `git gc` and reuse too', async () => {
    await using later = await workspace.copy();
    await later.edit('gateline.yml', 'exit 1', 'true');
    await later.write('a.txt', 'edited\n');
    expect((await here(later, ['run', '-q', '-s', 'other'])).code).toBe(1);
    await later.edit('gateline.yml', 'half.txt; true', `half.txt; ${writes(1).replaceAll('"', '\\"')}`);
    await later.write('a.txt', 'old\n');
    expect((await here(later, ['run', '-q'])).code).toBe(0);
    expect((await here(later, ['run', '-q'])).code).toBe(0);
    await later.commitAll('later');
    await later.git('reflog', 'expire', '--expire=now', '--all');
    await later.git('gc', '-q', '--prune=now');
    const first = (await diff(['edit'])).out;
    expect((await here(later, ['diff', 'edit', '--run', '1'])).out).toBe(first);
    expect((await here(later, ['diff', 'edit', '--run', 'main#2'])).out).toBe(first);
    expect((await here(later, ['diff', 'edit', '--run', 'other#1'])).out).toContain('-edited\n+made\n');
    expect((await here(later, ['status', '--run', 'other#1'])).out).toContain('Run 1 of p for other');
    expect((await here(later, ['show', 'edit', '--run', 'main#1'])).out).toMatch(/^edit, attempt 1 \(run 1\): passed/);
    expect(pathsOf((await here(later, ['diff', '--run', 'main#2'])).out)).toEqual(['a.txt', 'new/b.txt', 'review.txt']);
  });

  it('writes nothing, and says so when versions are not kept here any more', async () => {
    await using other = await workspace.copy();
    const state = async (): Promise<string[]> => filesBelow(other.path('.state'), []);
    const before = await state();
    for (const args of [[], ['edit'], ['review', '--attempt', '1..2']])
      expect((await here(other, ['diff', ...args])).code).toBe(0);
    expect(await state()).toEqual(before);
    rmSync(other.path('.state/git'), { recursive: true });
    for (const args of [['edit'], ['edit', '--json']])
      expect(await here(other, ['diff', ...args])).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /DIFF_UNAVAILABLE: a version of the workspace that run 1 of main names is not kept on this machine: .*bad object/,
        ),
      });
    rmSync(other.path('.state/content'), { recursive: true });
    for (const [args, said] of [
      [[], 'the content of a.txt, which an earlier gate handed on: it is missing'],
      [['review', '--attempt', '1..2'], 'the output of attempt 1 of gate review'],
    ] as const)
      expect(await here(other, ['diff', ...args])).toMatchObject({
        code: 2,
        err: expect.stringContaining(`DIFF_UNAVAILABLE: ${said}`),
      });
  });
});

describe.runIf(process.platform !== 'win32')('diff of a run', () => {
  it('is all that its gates made, also what was applied before the run went on', async () => {
    const gates = gatelineYml({
      one: { run: `echo made > one.txt; ${writes(1)}`, inputs: ['*.yml'], files: ['one.txt'] },
      two: { run: `grep -q yes ok && echo made > two.txt && ${writes(1)}`, inputs: ['ok'], files: ['two.txt'] },
    });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gates, ok: 'no' });
    expect((await here(workspace, ['run', '-q'])).code).toBe(1);
    expect((await here(workspace, ['apply'])).code).toBe(0);
    await workspace.write('ok', 'yes');
    expect((await here(workspace, ['run', '-q'])).code).toBe(0);
    expect(pathsOf((await here(workspace, ['diff'])).out)).toEqual(['one.txt', 'two.txt']);
  });

  it('is also what they made in place', async () => {
    const inPlace = { inputs: ['*.yml'], workspace: 'in-place' };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({
        // Listed last first: the order of the definition is not the order of the attempts.
        two: { needs: 'one', run: `echo made > two.txt; ${writes(1)}`, files: ['two.txt'], ...inPlace },
        one: { run: `echo made > one.txt; ${writes(1)}`, files: ['one.txt'], ...inPlace },
      }),
    });
    expect((await here(workspace, ['run', '-q'])).code).toBe(0);
    expect(pathsOf((await here(workspace, ['diff'])).out)).toEqual(['one.txt', 'two.txt']);
  });
});

describe.runIf(process.platform !== 'win32')('diff of a run whose snapshots were removed', () => {
  it('says which setting removed them', async () => {
    const gates = { make: { run: `echo made > made.txt; ${writes(1)}`, inputs: ['in.txt'], files: ['made.txt'] } };
    const definition = JSON.stringify({ ...JSON.parse(gatelineYml(gates)), snapshots: { keep: 0 } });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition, 'in.txt': '1\n' });
    for (const text of ['once\n', 'twice\n']) {
      await workspace.write('in.txt', text);
      expect((await here(workspace, ['run', '-q'])).code).toBe(0);
    }
    for (const args of [[], ['make'], ['--json'], ['make', '--json']])
      expect(await here(workspace, ['diff', ...args, '--run', '1'])).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /^gateline: DIFF_UNAVAILABLE: a version of the workspace that run 1 of main names is not kept on this machine; `snapshots: \{keep: 0\}` removed the snapshots of run 1\n {2}\S.*\n$/,
        ) as string,
      });
  });
});

describe.runIf(process.platform === 'linux')('diff after a kill', () => {
  it('counts the attempt that was killed, which left nothing', async () => {
    const run = `echo "$$" > "$BESIDE/started"; [ -e "$BESIDE/killed" ] || sleep 60; echo made > a.txt; ${writes(1)}`;
    const gates = { a: { run, inputs: [], files: ['a.txt'] } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    const options = { env: { BESIDE: workspace.beside('') } };
    const command = workspace.start(['run', '-q'], options);
    while (!(await filesBelow(workspace.beside(''), ['workspace', 'node_modules', 'trees'])).includes('started'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    command.process.kill('SIGKILL');
    await command.ended;
    await writeFile(workspace.beside('killed'), '');
    expect(await workspace.gateline(['diff', 'a'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('DIFF_UNAVAILABLE') as string,
    });
    expect(await workspace.gateline(['run', '-q'], options)).toMatchObject({ code: 0 });
    const { stdout } = await workspace.gateline(['diff', 'a']);
    expect(pathsOf(stdout)).toEqual(['a.txt']);
    expect(await workspace.gateline(['diff', 'a', '--attempt', '1..2'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('was kept for attempt 1 of gate a (begun: 2)') as string,
    });
    expect((await workspace.gateline(['diff', 'a', '--attempt', '2..2'])).code).toBe(0);
  });
});
