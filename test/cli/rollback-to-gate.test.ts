import { chmodSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gatelineYml, writes, gatelineIn as call, expectOk } from './in-process.ts';

const CHANGES = {
  first: [
    'echo first > made-then-removed.txt',
    'echo first > made-then-changed.txt',
    'echo first > edited-and-back.txt',
    'rm removed-and-back.txt',
    'echo first > private.txt',
    'mkdir folder-then-file; echo first > folder-then-file/inside.txt',
    'chmod +x tool.sh',
  ],
  second: [
    'rm made-then-removed.txt',
    'echo second > made-then-changed.txt',
    'echo mine > edited-and-back.txt',
    'echo mine > removed-and-back.txt',
    'echo mine > private.txt',
    'rm -r folder-then-file; echo second > folder-then-file',
    'chmod -x tool.sh',
    'echo second > made-late.txt',
  ],
  third: ['echo third > made-then-removed.txt', 'rm made-late.txt', 'echo third > edited-and-back.txt'],
};
const GATES = Object.fromEntries(
  Object.entries(CHANGES).map(([name, lines], at, all) => [
    name,
    {
      run: [...lines, writes(name)].join('\n'),
      inputs: ['in.txt'],
      files: 'changed',
      ...(at > 0 && { needs: all[at - 1]![0] }),
    },
  ]),
);
const FILES = {
  'gateline.yml': gatelineYml(GATES),
  'in.txt': 'in\n',
  'edited-and-back.txt': 'mine\n',
  'removed-and-back.txt': 'mine\n',
  'private.txt': 'mine\n',
  'tool.sh': 'echo tool\n',
};

async function created(): Promise<ScratchWorkspace> {
  const workspace = await ScratchWorkspace.create(FILES);
  chmodSync(workspace.path('private.txt'), 0o600);
  return workspace;
}

/** Each file with its content and permissions. */
async function foundIn(workspace: ScratchWorkspace): Promise<Record<string, string>> {
  const files = await workspace.files();
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, `${lstatSync(workspace.path(path)).mode.toString(8)} ${text}`]),
  );
}

describe.runIf(process.platform !== 'win32')('rollback --to GATE', () => {
  it('leaves the folder as a run until that gate leaves it, also where a later gate removed or changed what it made', async () => {
    await using whole = await created();
    const before = await foundIn(whole);
    await expectOk(call(whole, 'run', '-q', '--apply'));
    const last = await foundIn(whole);
    for (const gate of ['second', 'first']) {
      await using until = await created();
      await expectOk(call(until, 'run', '-q', '--until', gate));
      await expectOk(call(until, 'apply'));
      await expectOk(call(whole, 'rollback', '--to', gate));
      expect(await foundIn(whole), gate).toEqual(await foundIn(until));
    }
    await expectOk(call(whole, 'resume', '-q', '--apply'));
    expect(await foundIn(whole)).toEqual(last);
    await expectOk(call(whole, 'rollback', '--all'));
    expect(await foundIn(whole)).toEqual(before);
  });

  it('restores what a later gate removed where that is all that was applied, and nothing if nothing was', async () => {
    await using workspace = await created();
    await expectOk(call(workspace, 'run', '-q', '--until', 'second'));
    const before = await foundIn(workspace);
    const plain = await expectOk(call(workspace, 'rollback', '--to', 'first', '--dry-run'));
    expect(plain.out).toContain('No gate changed this folder');
    await expectOk(call(workspace, 'apply', '--gate', 'second'));
    await expectOk(call(workspace, 'rollback', '--to', 'first'));
    expect(await workspace.read('made-then-removed.txt')).toBe('first\n');
    await expectOk(call(workspace, 'rollback', '--all'));
    expect(await foundIn(workspace)).toEqual(before);
  });

  it('refuses to overwrite what the user wrote where a gate had removed its own file', async () => {
    await using workspace = await created();
    await expectOk(call(workspace, 'run', '-q', '--until', 'second'));
    await expectOk(call(workspace, 'apply'));
    await workspace.write('made-then-removed.txt', 'mine\n');
    const refused = await call(workspace, 'rollback', '--to', 'first');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('made-then-removed.txt: ')]);
    expect(await workspace.read('made-then-removed.txt')).toBe('mine\n');
    await expectOk(call(workspace, 'rollback', '--to', 'first', '--force'));
    const folder = workspace.path('.state/applied');
    const copies = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'files/made-then-removed.txt')));
    expect(copies).toHaveLength(1);
  });

  it('that ends with nothing to write still notes that a path is the user’s again', async () => {
    await using workspace = await created();
    await expectOk(call(workspace, 'run', '-q', '--until', 'first'));
    await expectOk(call(workspace, 'apply'));
    rmSync(workspace.path('made-then-removed.txt'));
    await expectOk(call(workspace, 'rollback', '--all'));
    await workspace.write('made-then-removed.txt', 'mine\n');
    await expectOk(call(workspace, 'rollback', '--all', '--force'));
    expect(await workspace.read('made-then-removed.txt')).toBe('mine\n');
  });
});
