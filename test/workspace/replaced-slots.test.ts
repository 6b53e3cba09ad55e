import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, Folder } from './folder.ts';
import { changed, checkOut, put } from './round.ts';

async function ordinary(): Promise<Folder> {
  const folder = await Folder.repository();
  folder.write('a', 'a');
  folder.write('.gitignore', 'ignored\n');
  folder.commitAll();
  folder.write('ignored', 'precious');
  folder.write('untracked', 'precious');
  return folder;
}

/** Everything that the user has, their git folder too. */
function everything(folder: Folder): Record<string, string> {
  const index = readFileSync(join(folder.root, '.git/index')).toString('base64');
  return { ...filesBelow(folder.root), index };
}

/** What an agent does to the folders around its work tree. */
const DEEDS: Readonly<Record<string, (root: string, users: string) => void>> = {
  'a link for its work tree': (root, users) => {
    rmSync(root, { recursive: true });
    symlinkSync(users, root);
  },
  'a link for its slot': (root, users) => {
    rmSync(dirname(root), { recursive: true });
    symlinkSync(users, dirname(root));
  },
  'a link for all slots': (root, users) => {
    renameSync(dirname(dirname(root)), `${dirname(dirname(root))}.away`);
    symlinkSync(users, dirname(dirname(root)));
  },
  'a link for the index of its slot': (root, users) => {
    rmSync(join(dirname(root), 'index'));
    symlinkSync(join(users, '.git/index'), join(dirname(root), 'index'));
  },
  'links for what is written beside the state of its slot': (root, users) => {
    symlinkSync(join(users, 'a'), join(dirname(root), 'slot.json.tmp'));
    symlinkSync(join(users, 'untracked'), join(dirname(root), 'index.lock'));
    symlinkSync(join(users, 'untracked'), join(dirname(dirname(root)), 'next.tmp'));
    // Another slot is made, with the next number.
    rmSync(join(dirname(root), 'index'));
    mkdirSync(join(dirname(root), 'index'));
  },
  'a folder for the state of its slot': (root) => {
    rmSync(join(dirname(root), 'slot.json'));
    put(dirname(root), 'slot.json/file', 'x');
  },
};

describe('an agent that puts something in the place of its slot', () => {
  it.each(Object.entries(DEEDS))('changes nothing of the user by it: %s', async (_, deed) => {
    await using folder = await ordinary();
    const before = everything(folder);
    {
      await using workspace = await folder.open();
      const checkout = await checkOut(workspace);
      deed(checkout.root, folder.root);
      await checkout.capture().catch((error: unknown) => expect(error).toMatchObject({ code: 'WORK_TREE_REPLACED' }));
      await checkout
        .release(true)
        .catch((error: unknown) => expect(error).toMatchObject({ code: /^(?:WORK_TREE|TREES)_/ }));
      for (const attempt of ['two', 'three']) {
        const next = await checkOut(workspace, { attempt }).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'WORK_TREE_REPLACED' });
        });
        if (next === undefined) continue;
        const { ignored: _, ...files } = filesBelow(folder.root);
        expect(filesBelow(next.root)).toEqual(files);
        await next.release(true);
      }
      await workspace.sweep('2030-01-01T00:00:00.000Z');
    }
    expect(everything(folder)).toEqual(before);
  });
});

describe('a commit that the user drops while a call is at work', () => {
  it('is replaced by the one that is checked out by then', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    await (await checkOut(workspace)).release(true);
    folder.git('commit', '-q', '--amend', '-m', 'another');
    folder.git('reflog', 'expire', '--expire=now', '--all');
    folder.git('gc', '-q', '--prune=now');
    const checkout = await checkOut(workspace, { attempt: 'two' });
    const head = execFileSync('git', ['log', '-1', '--format=%s'], { cwd: checkout.root, encoding: 'utf8' });
    expect(head).toBe('another\n');
  });
});

describe('an edit within the second in which the slot was written', () => {
  it.each([2, 4])(
    'is seen though size and time of the file are those of before (index version %i)',
    async (version) => {
      await using folder = await Folder.repository();
      folder.git('config', 'index.version', String(version));
      for (const name of ['a/long/name', 'a/long/named', 'f', 'z']) folder.write(name, 'x');
      folder.git('add', '-A');
      expect(readFileSync(join(folder.root, '.git/index')).readUInt32BE(4)).toBe(version);
      await using workspace = await folder.open();
      // Tools that set fixed times, for builds that can be repeated. Several rounds: one may reach into the next second.
      for (let round = 0; round < 6; round += 1) {
        for (const text of [`A${round}`, `B${round}`]) {
          const checkout = await checkOut(workspace, { attempt: text });
          const file = join(checkout.root, 'f');
          writeFileSync(file, text);
          utimesSync(file, 1_500_000_000, 1_500_000_000);
          expect([text, await changed(workspace, checkout)]).toEqual([text, ['f: 100644 → 100644']]);
          await checkout.release(true);
          folder.write('f', text);
        }
      }
    },
  );
});
