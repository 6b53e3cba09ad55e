import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { filesBelow, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, writes } from './in-process.ts';

describe('gateline run', () => {
  it('runs a pipeline that was renamed: its attempts have folders of their own', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: writes(1), inputs: [] } }),
    });
    expect((await gateline(workspace.root, ['run', '-q'])).code).toBe(0);
    await workspace.edit('gateline.yml', '"pipeline": "p"', '"pipeline": "renamed"');
    const { code, out } = await gateline(workspace.root, ['run', '-q']);
    expect(out).toContain('a: passed');
    expect(code).toBe(0);
  });

  it('reports once what prepares no gate, and ends with its exit code', async () => {
    const gates = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, { run: writes(1), inputs: [] }]));
    const definition = { ...JSON.parse(gatelineYml(gates)), workspace: { setup: 'echo no network; exit 4' } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': JSON.stringify(definition) });
    const { code, out, err } = await gateline(workspace.root, ['run', '-q']);
    expect(err.match(/^gateline: .*/gm)).toEqual([expect.stringMatching(/SETUP_FAILED: .* failed with exit code 4/)]);
    expect(out).toContain('Fix the errors above, then run `gateline run` again.');
    expect(code).toBe(2);
  });

  it('shows in the table at its end which gates an error keeps from starting', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: writes(1), inputs: ['nothing'] }, b: { run: writes(1), inputs: [] } }),
    });
    const { code, out } = await gateline(workspace.root, ['run', '-q']);
    expect(code).toBe(2);
    expect(out).toMatch(/^0 +a +blocked +INPUT_UNMATCHED: gate a: inputs: no file matches nothing$/m);
    // It could start: nothing that is recorded keeps it from starting.
    expect((await gateline(workspace.root, ['status'])).out).toMatch(/^0 +a +ready/m);
  });

  it('says of a skip below an open gate that it does not count yet', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({
        a: { run: 'exit 1', inputs: [] },
        b: { needs: 'a', run: writes(1), inputs: [] },
        c: { needs: 'b', run: writes(1), inputs: [] },
      }),
    });
    await gateline(workspace.root, ['skip', 'b', '--reason', 'no time.']);
    const { out } = await gateline(workspace.root, ['run', '-q']);
    expect(out).toContain('b: depends: skipped by tester@example.test: no time (applies after a)\n');
    expect(out).toMatch(/^1 +b +skipped +skipped +skipped by tester@example.test: no time \(applies after a\)$/m);
    expect(out).toContain('0 of 3 gates done');
  });

  it('waits for a gate, not for each of its legs', async () => {
    const matrix = { matrix: { part: ['x', 'y'] } };
    const gates = { test: { inputs: [], strategy: matrix }, after: { needs: 'test', run: writes(1), inputs: [] } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    const { out } = await gateline(workspace.root, ['run', '-q']);
    expect(out).toContain('after: depends: waits for test; reused');
    expect(out).toMatch(/^1 +after +pending .*waits for test$/m);
    const { token, variables } = JSON.parse((await gateline(workspace.root, ['begin', 'test/x', '--json'])).out);
    await writeFile(variables.GATELINE_OUTPUT, '1');
    await gateline(workspace.root, ['complete', '--token', token]);
    const status = await gateline(workspace.root, ['status']);
    expect(status.out).toMatch(/^1 +after +pending .*waits for test\/y$/m);
    expect(status.out).toContain('1 of 3 gates and legs done');
  });

  it('that ran as far as it was asked to ends with 0, and otherwise as any run', async () => {
    const start = { run: writes(1), inputs: [] };
    const chain = { a: start, b: { ...start, needs: 'a' }, c: { ...start, needs: 'b' } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(chain) });
    const code = async (...args: string[]): Promise<number> =>
      (await gateline(workspace.root, ['run', '-q', ...args])).code;
    expect(await code('--max-gates', '1')).toBe(0);
    expect(await code('--until', 'b')).toBe(0);
    await workspace.write('gateline.yml', gatelineYml({ ...chain, c: { ...chain.c, run: 'exit 1' } }));
    expect(await code('--max-gates', '1')).toBe(1);
    await workspace.write('gateline.yml', gatelineYml({ ...chain, c: { ...chain.c, approval: 'required' } }));
    expect(await code('--max-gates', '1')).toBe(3);
    // One gate may start, and an error keeps the other one from it.
    await workspace.write('gateline.yml', gatelineYml({ d: start, e: { ...start, inputs: ['nothing'] } }));
    expect(await code('--max-gates', '1')).toBe(2);
  });

  it('does not report what keeps a gate from running that was not asked for', async () => {
    const gates = { a: { run: writes(1), inputs: [] }, b: { needs: 'a', run: writes(1), inputs: ['nothing'] } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    for (const limit of [
      ['--until', 'a'],
      ['--gate', 'a'],
    ]) {
      const { code, out, err } = await gateline(workspace.root, ['run', '-q', ...limit]);
      expect(code).toBe(0);
      expect(err).not.toContain('INPUT_UNMATCHED');
      expect(out).toContain('Run `gateline run` to continue: a will be reused.');
      expect(out).toMatch(/^1 +b +ready/m);
      const plan = await gateline(workspace.root, ['run', '--dry-run', ...limit]);
      expect(plan.code).toBe(0);
      expect(plan.out).toMatch(/^1 +b +blocked +not requested; it could not run: INPUT_UNMATCHED: .*nothing$/m);
      expect(plan.err).toBe('');
    }
    const { code, err } = await gateline(workspace.root, ['run', '-q']);
    expect(code).toBe(2);
    expect(err).toContain('INPUT_UNMATCHED');
  });

  it('says everywhere why a gate waits again whose output was approved before its request changed', async () => {
    const gates = { a: { run: writes(1), inputs: ['a.txt'], approval: 'required' } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates), 'a.txt': '1' });
    const call = async (...args: string[]): Promise<string> => (await gateline(workspace.root, args)).out;
    await call('run', '-q');
    await call('approve', 'a', '--reason', 'fine', '--actor', 'maria');
    await workspace.write('a.txt', '2');
    const why = 'waiting for approval; the request changed since maria approved: file a.txt changed';
    expect(await call('run', '-q')).toContain(why);
    for (const args of [['status'], ['status', '--json'], ['show', 'a']]) expect(await call(...args)).toContain(why);
    const checkpoint = (await filesBelow(workspace.path('.state'), [])).find((path) =>
      path.endsWith('-gate0-checkpoint.md'),
    );
    expect(checkpoint).toBeDefined();
    expect(await workspace.read(`.state/${checkpoint!}`)).toContain(why);
  });
});
