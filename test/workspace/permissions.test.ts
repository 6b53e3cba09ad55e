import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Folder } from './folder.ts';

/** Who may do everything sees none of this: such a user becomes nobody. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const MODULE = JSON.stringify(new URL('../../src/workspace/open-workspace.ts', import.meta.url).href);

/** Runs a script on a workspace as somebody who may not do everything, and answers what it returns. */
function asNobody(folder: Folder, body: string): unknown {
  const script = folder.beside('script.ts');
  const options = JSON.stringify({
    environment: folder.environment,
    store: join(folder.root, '.state/git'),
    trees: folder.trees,
  });
  writeFileSync(
    script,
    `
import { chmodSync, lstatSync, readdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs';
import { openWorkspace } from ${MODULE};
const workspace = await openWorkspace(${JSON.stringify(folder.root)}, ${options});
const checkOut = async (attempt: string) => {
  const { tree } = await workspace.snapshot([]);
  return workspace.checkOut({ base: tree, tree, attempt, place: 'tree', files: 'changed' });
};
const changed = async (checkout) => {
  const { tree } = await checkout.capture();
  return (await workspace.differences(checkout.from, tree)).map(({ path }) => path);
};
const work = async () => { ${body} };
console.log(JSON.stringify(await work().catch(({ code, message }) => ({ code, message }))));
`,
  );
  if ('uid' in NOBODY) execFileSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, folder.beside('')]);
  const result = spawnSync(process.execPath, [script], { ...NOBODY, encoding: 'utf8', timeout: 120_000 });
  expect(result.stderr).toBe('');
  return JSON.parse(result.stdout);
}

async function ordinary(): Promise<Folder> {
  const folder = await Folder.repository();
  for (const name of ['a', 'dir/b', 'dir/deep/c']) folder.write(name, name);
  folder.commitAll();
  return folder;
}

describe('rights that are missing', () => {
  it('in a work tree, since the agent took them away, are given back', async () => {
    await using folder = await ordinary();
    const said = asNobody(
      folder,
      `
      const first = await checkOut('one');
      writeFileSync(first.root + '/dir/b', 'edited');
      writeFileSync(first.root + '/dir/new', 'new');
      writeFileSync(first.root + '/dir/deep/c', 'edited');
      chmodSync(first.root + '/a', 0o000);
      chmodSync(first.root + '/dir/deep', 0o000);
      chmodSync(first.root + '/dir', 0o000);
      const captured = await changed(first);
      chmodSync(first.root + '/dir/deep', 0o500);
      chmodSync(first.root + '/dir', 0o000);
      chmodSync(first.root, 0o500);
      const { ino } = lstatSync(first.root);
      await first.release(true);
      const second = await checkOut('two');
      const isSame = lstatSync(second.root).ino === ino;
      const again = await changed(second);
      chmodSync(second.root + '/dir', 0o000);
      await second.release(false);
      await workspace.sweep(new Date().toISOString());
      return { captured, again, isSame, text: existsSync(second.root) };
      `,
    );
    expect(said).toEqual({ captured: ['dir/b', 'dir/deep/c', 'dir/new'], again: [], isSame: true, text: false });
  });

  it('in a work tree are given back once all git commands there have ended, so that it is used again', async () => {
    await using folder = await ordinary();
    const { PATH = '' } = folder.environment;
    const git = execFileSync('sh', ['-c', 'command -v git'], { env: folder.environment, encoding: 'utf8' }).trim();
    folder.environment['PATH'] = `${folder.beside('bin')}:${PATH}`;
    mkdirSync(folder.beside('bin'));
    // Of the commands that look at the work tree one takes longer than the next attempt needs to begin.
    const slow = `#!/bin/sh
case "$PWD $*" in
  ${folder.trees}/*' ls-files --others '*) mkdir "$HOME/slow" 2>/dev/null && sleep 3 ;;
esac
exec '${git}' "$@"
`;
    writeFileSync(folder.beside('bin/git'), slow, { mode: 0o755 });
    const said = asNobody(
      folder,
      `
      const first = await checkOut('one');
      writeFileSync(first.root + '/dir/b', 'edited');
      chmodSync(first.root + '/dir', 0o000);
      const captured = await changed(first);
      const { ino } = lstatSync(first.root);
      await first.release(true);
      const second = await checkOut('two');
      return { captured, isSame: lstatSync(second.root).ino === ino };
      `,
    );
    expect(said).toEqual({ captured: ['dir/b'], isSame: true });
    expect(existsSync(folder.beside('home/slow'))).toBe(true);
  });

  it('to a folder of files that git tracks are an error that names it', async () => {
    await using folder = await ordinary();
    const said = asNobody(
      folder,
      `
      chmodSync(workspace.root + '/dir/deep', 0o000);
      try {
        return await workspace.snapshot([]);
      } finally {
        chmodSync(workspace.root + '/dir/deep', 0o700);
      }
      `,
    );
    expect(said).toEqual({ code: 'WORKSPACE_UNREADABLE', message: expect.stringContaining('dir/deep/c') });
  });

  it('to a file that changed are an error that names it', async () => {
    await using folder = await ordinary();
    const said = asNobody(
      folder,
      `
      writeFileSync(workspace.root + '/dir/b', 'edited');
      chmodSync(workspace.root + '/dir/b', 0o000);
      return workspace.snapshot([]);
      `,
    );
    expect(said).toEqual({ code: 'WORKSPACE_UNREADABLE', message: expect.stringContaining('dir/b') });
  });

  it.each(['.state/git', '.state/git/objects'])('to write into %s are an error that names it', async (path) => {
    await using folder = await ordinary();
    const said = asNobody(
      folder,
      `
      await workspace.snapshot([]);
      writeFileSync(workspace.root + '/dir/b', 'edited');
      chmodSync(workspace.root + '/${path}', 0o500);
      try {
        return await workspace.snapshot([]);
      } finally {
        chmodSync(workspace.root + '/${path}', 0o700);
      }
      `,
    );
    expect(said).toEqual({ code: 'STORE_WRITE_FAILED', message: expect.stringContaining(path) });
  });

  it('to a folder that git does not track are a notice', async () => {
    await using folder = await ordinary();
    mkdirSync(join(folder.root, 'data'));
    folder.write('data/secret', 'x');
    const said = asNobody(
      folder,
      `
      chmodSync(workspace.root + '/data', 0o000);
      const { tree, notices } = await workspace.snapshot([]);
      return { notices, files: [...(await workspace.files(tree)).keys()] };
      `,
    );
    expect(said).toEqual({
      notices: ['not part of the inputs: data (it cannot be read)'],
      files: ['a', 'dir/b', 'dir/deep/c'],
    });
    chmodSync(join(folder.root, 'data'), 0o700);
  });
});
