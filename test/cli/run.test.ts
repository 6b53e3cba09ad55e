import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
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
});
