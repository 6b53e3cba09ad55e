import { cpSync, existsSync, lstatSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filesBelow, Folder, Kept } from './folder.ts';
import { drawn } from '../support/test-size.ts';

type Edit =
  | { readonly do: 'write'; readonly path: string; readonly text: string; readonly executable: boolean }
  | { readonly do: 'delete'; readonly path: string }
  | { readonly do: 'commit' | 'stage' | 'reset' };

const path = fc
  .array(fc.constantFrom('a', 'b', 'c.txt', 'ü', 'x y', '[z]', '\n'), { minLength: 1, maxLength: 3 })
  .map((names) => names.join('/'));
const text = fc.constantFrom('', 'one', 'two', 'one\r\ntwo\n', 'three\n');
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), path, text, executable: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('commit' as const, 'stage' as const, 'reset' as const) }) },
);

function apply(folder: Folder, script: readonly Edit[], git: boolean): void {
  for (const step of script) {
    if (step.do === 'delete') rmSync(join(folder.root, step.path), { recursive: true, force: true });
    else if (step.do === 'write') place(folder, step);
    else if (git && step.do === 'commit') folder.commitAll();
    else if (git) folder.git(...(step.do === 'stage' ? ['add', '-A'] : ['reset', '-q']));
  }
}

/** Write a file, clearing away what is in its way. */
function place(folder: Folder, { path, text, executable }: Extract<Edit, { do: 'write' }>): void {
  for (let above = dirname(path); above !== '.'; above = dirname(above)) {
    const found = join(folder.root, above);
    if (existsSync(found) && !lstatSync(found).isDirectory()) rmSync(found);
  }
  rmSync(join(folder.root, path), { recursive: true, force: true });
  folder.write(path, text, executable ? 0o755 : 0o644);
}

async function roundTrip(before: readonly Edit[], during: readonly Edit[], git: boolean): Promise<void> {
  await using folder = git ? await Folder.repository() : await Folder.plain();
  if (git) folder.write('.gitattributes', '*.txt text\n');
  if (git) folder.commitAll();
  apply(folder, before, git);
  cpSync(folder.root, folder.beside('copy'), { recursive: true, preserveTimestamps: true });

  const kept = new Kept();
  const workspace = await folder.open();
  const baseline = await workspace.baseline('changed');
  apply(folder, during, git);
  const { files, refused } = await workspace.changesSince(baseline, 'changed', kept.keep);
  expect(refused).toEqual([]);

  const copy = await folder.open({}, '../copy');
  const done = await copy.materialise(files, kept.copy);
  expect(filesBelow(copy.root)).toEqual(filesBelow(folder.root));
  expect(done.filter(({ displaced }) => displaced !== undefined)).toEqual([]);
  expect(await copy.stands(files)).toBe(true);
  expect(await workspace.stands(files)).toBe(true);
}

const scripts = [fc.array(edit, { maxLength: 8 }), fc.array(edit, { maxLength: 12 })] as const;

describe('changes taken from one workspace and materialised on a copy of what it was', () => {
  it('give the same files and modes, in a plain folder', async () => {
    await fc.assert(
      fc.asyncProperty(...scripts, async (before, during) => roundTrip(before, during, false)),
      drawn(60),
    );
  });

  it('give the same files and modes, in a git work tree', async () => {
    await fc.assert(
      fc.asyncProperty(...scripts, async (before, during) => roundTrip(before, during, true)),
      drawn(6),
    );
  });
});
