import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gatelineYml, writes, gatelineIn as call } from './in-process.ts';

const MAKE = {
  run: ['echo made > made.txt', 'echo made > mine.txt', writes('made')].join('\n'),
  inputs: [],
  files: 'changed',
};

/** A workspace whose run is applied, and the list of what that changed. */
async function applied(): Promise<{ workspace: ScratchWorkspace; list: string }> {
  const definition = gatelineYml({ make: MAKE });
  const workspace = await ScratchWorkspace.create({ 'gateline.yml': definition, 'mine.txt': 'mine\n' });
  const { code, err } = await call(workspace, 'run', '-q', '--apply');
  expect(code, err).toBe(0);
  const [time] = readdirSync(workspace.path('.state/applied'));
  return { workspace, list: workspace.path(`.state/applied/${time}/applied.json`) };
}

/** What can be wrong with a list, and how the error says it. */
const DAMAGES: Readonly<Record<string, readonly [damage: (list: string, text: string) => void, says: string]>> = {
  'holds another object': [(list) => writeFileSync(list, '{}'), 'is damaged, or of another version'],
  'holds another value': [(list) => writeFileSync(list, 'null'), 'is damaged, or of another version'],
  'is empty': [(list) => writeFileSync(list, ''), 'is not JSON'],
  'is cut off': [(list, text) => writeFileSync(list, text.slice(0, -9)), 'is not JSON'],
  'is of another version': [
    (list, text) => writeFileSync(list, text.replace('gateline-applied/1', 'gateline-applied/9')),
    'is damaged, or of another version',
  ],
  'names what is no file of git': [
    (list, text) => writeFileSync(list, text.replace(/"blob": "[^"]+"/, '"blob": "x"')),
    'is damaged, or of another version',
  ],
  'is missing beside its copies': [(list) => rmSync(list), 'is missing'],
  'is a folder': [(list) => (rmSync(list), mkdirSync(list)), 'EISDIR'],
};

describe.runIf(process.platform !== 'win32')('a list of what was applied', () => {
  it('that is gone with the whole folder stops a rollback, which `--force` does without these files', async () => {
    const { workspace } = await applied();
    await using _workspace = workspace;
    rmSync(workspace.path('.state/applied'), { recursive: true });
    const files = await workspace.files();
    const refused = await call(workspace, 'rollback', '--all');
    expect(refused).toMatchObject({ code: 1 });
    expect(await call(workspace, 'rollback', '--all', '--dry-run')).toMatchObject({ code: 1 });
    expect(refused.err).toContain('ROLLBACK_CONFLICT: as gates left them, but no list below .state/applied names them');
    expect(refused.err).toContain('made.txt');
    expect((await call(workspace, 'status')).out).toContain('completed');
    const forced = await call(workspace, 'rollback', '--all', '--force');
    expect(forced, forced.err).toMatchObject({ code: 0 });
    expect(await workspace.files()).toEqual(files);
  });

  it('is not missed for files that were never applied, or that were so before the run', async () => {
    const { workspace } = await applied();
    await using _workspace = workspace;
    await workspace.commitAll('what the gate made');
    rmSync(workspace.path('.state/applied'), { recursive: true });
    // The next run reuses the output, and finds the files as they are.
    await workspace.write('gateline.yml', gatelineYml({ make: MAKE, more: { run: writes('more'), inputs: [] } }));
    expect((await call(workspace, 'run', '-q', '--new', '--reason', 'more')).out).toContain('reused');
    const rolled = await call(workspace, 'rollback', '--all');
    expect(rolled, rolled.err).toMatchObject({ code: 0 });
    expect(rolled.out).toContain('No gate changed this folder');
  });

  it.each(Object.entries(DAMAGES))('that %s is an error, and nothing is rolled back', async (_, [damage, says]) => {
    const { workspace, list } = await applied();
    await using _workspace = workspace;
    damage(list, await workspace.read(list.slice(workspace.root.length + 1)));
    const files = await workspace.files();
    for (const more of [[], ['--force'], ['--dry-run']]) {
      const refused = await call(workspace, 'rollback', '--all', ...more);
      expect(refused).toMatchObject({ code: 74 });
      expect(refused.err).toContain('STORE_READ_FAILED');
      expect(refused.err).toContain(list);
      expect(refused.err).toContain(says);
    }
    expect(await workspace.files()).toEqual(files);
    renameSync(dirname(list), workspace.beside('moved away'));
    expect(await call(workspace, 'rollback', '--all')).toMatchObject({ code: 1 });
    expect(await call(workspace, 'rollback', '--all', '--force')).toMatchObject({ code: 0 });
  });

  it('names the file whose version is gone, and the run of another branch', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml({ make: MAKE }) });
    await workspace.write('mine.txt', 'mine\n');
    expect(await call(workspace, 'run', '-q', '--apply')).toMatchObject({ code: 0 });
    await workspace.git('switch', '-q', '-c', 'another');
    const { err: none } = await call(workspace, 'rollback', '--all');
    expect(none).toContain('RUN_NOT_OPEN: nothing to roll back: there is no run of another');
    expect(none).toContain("The files of run 1 of main are in this folder: `gateline rollback --all --run 'main#1'`");
    await workspace.git('switch', '-q', 'main');
    rmSync(workspace.path('.state/git'), { recursive: true });
    const [time] = readdirSync(workspace.path('.state/applied'));
    rmSync(workspace.path(`.state/applied/${time}/files/mine.txt`));
    const { err: gone } = await call(workspace, 'rollback', '--all');
    expect(gone).toContain('SNAPSHOT_GONE: a version of mine.txt is not kept');
    expect(gone).toContain('Can be restored: make.');
  });

  it('is not expected of a call that was killed before it changed anything', async () => {
    const { workspace, list } = await applied();
    await using _workspace = workspace;
    mkdirSync(`${dirname(list)}-2`);
    mkdirSync(`${dirname(list)}-2.new.0123abcd/files`, { recursive: true });
    expect(await call(workspace, 'rollback', '--all')).toMatchObject({ code: 0 });
    expect(await workspace.read('mine.txt')).toBe('mine\n');
  });
});
