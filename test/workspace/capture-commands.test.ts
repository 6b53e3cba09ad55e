import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Folder } from './folder.ts';

it('asks git four times for the changes in a work tree, also where a file changes twice within a second', async () => {
  await using folder = await Folder.repository();
  folder.write('a', 'one\n');
  folder.git('add', '-A');
  folder.git('commit', '-qm', 'all');
  const [git, log] = [folder.beside('git'), folder.beside('asked')];
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(git, `#!/bin/sh\necho "$*" >> '${log}'\nexec '${real}' "$@"\n`);
  chmodSync(git, 0o755);
  const workspace = await folder.open({ git });
  const { tree } = await workspace.snapshot([]);
  const checkout = await workspace.checkOut({ base: tree, tree, attempt: 'a', place: 'tree', files: 'changed' });
  await checkout.capture();
  const trees = new Set([tree]);
  for (const text of ['two\n', 'six\n', 'ten\n']) {
    writeFileSync(join(checkout.root, 'a'), text);
    writeFileSync(log, '');
    trees.add((await checkout.capture()).tree);
    const asked = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    expect(
      asked.map((command) => /(?:^| )(diff-files|ls-files|update-index|write-tree)(?: |$)/.exec(command)?.[1]),
    ).toEqual(expect.arrayContaining(['diff-files', 'ls-files', 'update-index', 'write-tree']));
    expect(asked).toHaveLength(4);
  }
  expect(trees.size).toBe(4);
});
