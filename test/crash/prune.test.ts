import { readdirSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gateline, gatelineYml, writes } from '../cli/in-process.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { atATime, DYING } from './kill-points.ts';

const LONG = { timeout: 3_600_000 };

async function expectOk(workspace: ScratchWorkspace, ...args: string[]): Promise<string> {
  const { code, out, err } = await gateline(workspace.root, args, {
    environment: plainEnvironment(workspace.variables()),
  });
  expect(code, out + err).toBe(0);
  return out;
}

/** The files of the object store, and their bytes. */
function storeOf(workspace: ScratchWorkspace): { files: string[]; bytes: number } {
  const folder = workspace.path('.state/git/objects');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const files = names.filter((name) => statSync(name).isFile());
  return { files, bytes: files.reduce((sum, file) => sum + statSync(file).size, 0) };
}

/** A workspace with a pinned run, whose next run makes another version. */
async function pinned(): Promise<ScratchWorkspace> {
  const run = `head -c 300000 /dev/urandom > large.bin\n${writes(1)}`;
  const last = { needs: 'make', run: writes(1), inputs: [] };
  const gates = JSON.parse(gatelineYml({ make: { run, inputs: ['in.txt'] }, last })) as object;
  const definition = JSON.stringify({ ...gates, snapshots: { keep: 0 } });
  const workspace = await ScratchWorkspace.create({ 'gateline.yml': definition, 'in.txt': '1\n' });
  await expectOk(workspace, 'run', '-q', '--until', 'make');
  await expectOk(workspace, 'pin', '--reason', 'release', '--actor', 'ann');
  await expectOk(workspace, 'run', '-q');
  await workspace.write('in.txt', '2\n');
  return workspace;
}

describe.runIf(process.platform !== 'win32')('the removal of old snapshots, killed by SIGKILL', () => {
  it('at any moment loses nothing that is kept, and the next call removes the rest', LONG, async () => {
    await using ready = await pinned();
    const diff = await expectOk(ready, 'diff', 'make', '--run', '1');
    expect(diff).toContain('large.bin');
    const killed = (workspace: ScratchWorkspace, k: number) =>
      workspace.gateline(['run', '-q'], {
        script: DYING,
        env: { DIE_AFTER: String(k), OPERATIONS: workspace.beside('operations') },
      });
    await using whole = await ready.copy();
    const done = await killed(whole, 1_000_000);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(storeOf(whole).bytes).toBeLessThan(450_000);
    const operations = (await readFile(whole.beside('operations'), 'utf8')).trim().split('\n');
    const steps = ['objects packed', 'objects removed'].map((what) => operations.indexOf(what) + 1);
    expect(steps).not.toContain(0);
    // Between the two steps, files are removed one after the other: some of them are gone.
    const cases = [...steps.map((k) => [k, 0] as const), [steps[0]!, 2] as const, [steps[0]!, 3] as const];
    await atATime(2, cases, async ([k, each]) => {
      await using workspace = await ready.copy();
      const before = new Set(storeOf(workspace).files);
      expect((await killed(workspace, k)).signal).toBe('SIGKILL');
      const { files } = storeOf(workspace);
      const pack = files.filter((file) => file.includes('/pack/') && !before.has(file));
      const old = files.filter((file) => !pack.includes(file));
      for (const [at, file] of old.entries()) if (each > 0 && at % each === 0) rmSync(file);
      await workspace.git('--git-dir=.state/git', 'fsck', '--full', '--no-dangling');
      expect(await expectOk(workspace, 'diff', 'make', '--run', '1')).toBe(diff);
      await workspace.write('in.txt', `${k} ${each}\n`);
      await expectOk(workspace, 'run', '-q');
      expect(await expectOk(workspace, 'diff', 'make', '--run', '1')).toBe(diff);
      expect(storeOf(workspace).bytes).toBeLessThan(450_000);
    });
  });
});
