import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gatelineIn as call, writes } from './in-process.ts';

async function expectOk(workspace: ScratchWorkspace, ...args: string[]): Promise<string> {
  const { code, out, err } = await call(workspace, ...args);
  expect(code, out + err).toBe(0);
  return out;
}

/** A pipeline whose first gate leaves a large file that it does not hand on, and whose second one works in the folder. */
function definition(snapshots: object, id = 'p'): string {
  const large = 'head -c 400000 /dev/urandom > large.bin';
  return JSON.stringify({
    pipeline: id,
    defaults: { run: { shell: 'sh' } },
    snapshots,
    gates: {
      make: { run: `${large}\necho made > made.txt\n${writes(1)}`, inputs: ['in.txt'], files: ['made.txt'] },
      edit: {
        needs: 'make',
        run: `echo edited > edited.txt\n${writes(2)}`,
        inputs: ['in.txt'],
        workspace: 'in-place',
      },
    },
  });
}

const FILES = { 'in.txt': '1\n', 'made.txt': 'made\n' };

async function created(snapshots: object): Promise<ScratchWorkspace> {
  return ScratchWorkspace.create({ ...FILES, 'gateline.yml': definition(snapshots) });
}

/** Bytes below a folder. */
function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.reduce((sum, name) => {
    const stats = statSync(join(folder, name));
    return sum + (stats.isFile() ? stats.size : 0);
  }, 0);
}

const storeOf = (workspace: ScratchWorkspace): number => sizeOf(workspace.path('.state/git/objects'));

/** Completes runs, each with other inputs. */
async function complete(workspace: ScratchWorkspace, runs: number): Promise<void> {
  for (let run = 1; run <= runs; run += 1) {
    await workspace.write('in.txt', `${Math.random()}\n`);
    rmSync(workspace.path('edited.txt'), { force: true });
    await expectOk(workspace, 'run', '-q');
  }
}

const fsck = (workspace: ScratchWorkspace): Promise<string> =>
  workspace.git('--git-dir=.state/git', 'fsck', '--full', '--no-dangling');

describe.runIf(process.platform !== 'win32')('snapshots of files', () => {
  it('are kept of as many runs that are over as `keep` says, and nothing else of the others changes', async () => {
    await using workspace = await created({ keep: 1 });
    await complete(workspace, 4);
    expect(storeOf(workspace)).toBeGreaterThan(400_000);
    expect(storeOf(workspace)).toBeLessThan(800_000);
    await fsck(workspace);
    expect(await expectOk(workspace, 'diff', 'make')).toContain('large.bin');
    expect((await call(workspace, 'diff', 'make', '--run', '1')).err).toContain('DIFF_UNAVAILABLE');
    for (const args of [
      ['status', '--run', '1'],
      ['show', 'make', '--run', '1'],
      ['show', 'make', 'record', '--run', '1'],
    ])
      await expectOk(workspace, ...args);
    await expectOk(workspace, 'rollback', '--to', 'make');
    expect(readdirSync(workspace.root)).not.toContain('edited.txt');
  });

  it('are no part of what is reused: an old output still stands, with its files', async () => {
    await using workspace = await created({ keep: 0 });
    await complete(workspace, 1);
    const first = await workspace.read('in.txt');
    await complete(workspace, 1);
    expect(storeOf(workspace)).toBeLessThan(400_000);
    await workspace.write('in.txt', first);
    rmSync(workspace.path('made.txt'));
    await workspace.write('made.txt', 'mine\n');
    rmSync(workspace.path('edited.txt'), { force: true });
    const out = await expectOk(workspace, 'run', '--apply');
    expect(out).toContain('make: reuse');
    expect(storeOf(workspace)).toBeLessThan(400_000);
    await fsck(workspace);
  });

  it('that were removed are not restored: the error says why, and what can be restored', async () => {
    await using workspace = await created({ keep: 0 });
    await complete(workspace, 1);
    const files = await workspace.files();
    for (const to of [['--to', 'make'], ['--all']]) {
      const refused = await call(workspace, 'rollback', ...to);
      expect(refused.code).toBe(2);
      expect(refused.err).toContain('SNAPSHOT_GONE');
      expect(refused.err).toContain('`snapshots: {keep: 0}` removed the snapshots of run 1');
      expect(refused.err).toContain('Can be restored: edit.');
    }
    expect(await workspace.files()).toEqual(files);
    await expectOk(workspace, 'rollback', '--to', 'edit');
  });

  it('of open and pinned runs, of other subjects and of other pipelines stay', async () => {
    await using workspace = await created({ keep: 0 });
    await expectOk(workspace, 'run', '-q', '--until', 'make');
    const ofOthers = ['--subject', 'other'];
    await workspace.write('other.yml', definition({ keep: 0 }, 'another'));
    rmSync(workspace.path('edited.txt'), { force: true });
    await expectOk(workspace, 'run', '-q', '--until', 'make', '--file', 'other.yml');
    await expectOk(workspace, 'pin', '--reason', 'release', '--actor', 'ann');
    await expectOk(workspace, 'run', '-q');
    rmSync(workspace.path('edited.txt'));
    const before = storeOf(workspace);
    await expectOk(workspace, 'run', '-q', ...ofOthers);
    await workspace.write('in.txt', 'again\n');
    rmSync(workspace.path('edited.txt'), { force: true });
    await expectOk(workspace, 'run', '-q', ...ofOthers);
    expect(storeOf(workspace)).toBeGreaterThanOrEqual(before - 10_000);
    for (const args of [
      ['diff', 'make'],
      ['diff', 'make', '--file', 'other.yml'],
    ])
      expect(await expectOk(workspace, ...args)).toContain('large.bin');
    expect((await call(workspace, 'diff', 'make', ...ofOthers, '--run', '1')).err).toContain('DIFF_UNAVAILABLE');
  });

  it('are not removed while a record cannot be read, and are once it is in quarantine', async () => {
    await using workspace = await created({ keep: 0 });
    await workspace.write('own.yml', definition({}, 'own'));
    await expectOk(workspace, 'run', '-q', '--until', 'make', '--file', 'own.yml');
    const [record] = readdirSync(workspace.path('.state/own/runs/main/1'));
    await workspace.write(`.state/own/runs/main/1/${record}`, '{');
    await complete(workspace, 1);
    const before = storeOf(workspace);
    expect(before).toBeGreaterThan(800_000);
    expect((await call(workspace, 'run', '-q', '--until', 'make', '--file', 'own.yml')).code).toBeLessThan(70);
    rmSync(workspace.path('edited.txt'));
    await expectOk(workspace, 'run', '-q');
    expect(storeOf(workspace)).toBeLessThan(before - 300_000);
    await fsck(workspace);
  });

  it('are not removed while an agent works by itself, for whatever pipeline', async () => {
    const { gates, ...rest } = JSON.parse(definition({ keep: 0 })) as { gates: { make: object } };
    const alone = JSON.stringify({ ...rest, gates: { make: gates.make } });
    await using workspace = await ScratchWorkspace.create({ ...FILES, 'gateline.yml': alone });
    await workspace.write('own.yml', JSON.stringify({ pipeline: 'own', gates: { own: { inputs: [] } } }));
    await expectOk(workspace, 'run', '-q');
    expect(storeOf(workspace)).toBeLessThan(400_000);
    const begun = await expectOk(workspace, 'begin', 'own', '--file', 'own.yml');
    const printed = (name: string): string => new RegExp(`${name}='?([^'\\s]+)`).exec(begun)![1]!;
    await expectOk(workspace, 'run', '-q', '--force', 'make', '--reason', 'again', '--actor', 'ann');
    expect(storeOf(workspace)).toBeGreaterThan(400_000);
    writeFileSync(printed('GATELINE_OUTPUT'), '1');
    await expectOk(workspace, 'complete', '--token', printed('GATELINE_TOKEN'), '--file', 'own.yml');
    await expectOk(workspace, 'run', '-q');
    expect(storeOf(workspace)).toBeLessThan(400_000);
  });
});
