import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { filesBelow, Folder } from './folder.ts';
import { spread } from '../support/samples.ts';
import { checkOut } from './round.ts';

const FILES = 1_500;

/** Takes a version and brings it into a slot, over and over, until it is ended. */
const SCRIPT = `
import { writeFileSync } from 'node:fs';
import { openWorkspace } from ${JSON.stringify(new URL('../../src/workspace/open-workspace.ts', import.meta.url).href)};
const [root, trees, options] = process.argv.slice(2);
const workspace = await openWorkspace(root, { ...JSON.parse(options), store: root + '/.state/git', trees });
console.log('open');
for (let round = 0; ; round += 1) {
  for (let n = 0; n < ${FILES}; n += 3) writeFileSync(root + '/d' + (n % 10) + '/f' + n, 'round ' + round + ' of ' + n);
  const { tree } = await workspace.snapshot([]);
  const checkout = await workspace.checkOut({ base: tree, tree, attempt: String(round), place: 'tree', files: 'changed' });
  await checkout.capture();
  await checkout.release(true);
  console.log('round');
}
`;

describe('a call that is killed', () => {
  it('leaves nothing that the next one trips over, whenever that happens', async () => {
    await using folder = await Folder.repository();
    for (let n = 0; n < FILES; n += 1) folder.write(`d${n % 10}/f${n}`, `${n}`);
    folder.commitAll();
    const script = folder.beside('work.ts');
    writeFileSync(script, SCRIPT);
    folder.write('.state/git/build.0123456789abcdef.index.lock', '');
    folder.write('.state/git/incoming/0123456789abcdef/0', '');
    for (const after of spread([0, 40, 90, 150, 220, 300, 450, 700], 4)) {
      const options = JSON.stringify({ environment: folder.environment });
      // In a group of its own, as a job of a shell is: its git goes with it.
      const child = spawn(process.execPath, [script, folder.root, folder.trees, options], { detached: true });
      await new Promise((resolve) => child.stdout.once('data', resolve));
      await sleep(after);
      const ended = new Promise((resolve) => child.on('exit', resolve));
      process.kill(child.pid!, 'SIGKILL');
      await ended;
      await using workspace = await folder.open();
      const now = filesBelow(folder.root);
      const checkout = await checkOut(workspace, { attempt: `after ${after}` });
      expect(filesBelow(checkout.root)).toEqual(now);
      expect((await checkout.capture()).tree).toBe(checkout.from);
      expect(await workspace.snapshot([])).toEqual({ tree: checkout.from, notices: [] });
      await checkout.release(true);
      await workspace.sweep(new Date().toISOString());
    }
    const [place] = readdirSync(folder.trees);
    expect(readdirSync(join(folder.trees, place!)).length).toBeLessThanOrEqual(2);
    const left = readdirSync(join(folder.root, '.state/git'));
    expect(left.filter((name) => /^build\.|incoming/.test(name))).toEqual([]);
    expect(existsSync(join(folder.root, '.git/index.lock'))).toBe(false);
    expect(folder.git('fsck')).toBe('');
  });
});
