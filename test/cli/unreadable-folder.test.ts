import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainEnvironment, startNode } from '../support/command-line.ts';
import { gatelineYml, writes } from './in-process.ts';

const AS_NOBODY = join(import.meta.dirname, 'fixtures/as-nobody.ts');

describe.runIf(process.platform !== 'win32')('a folder of the workspace that may not be listed', () => {
  it('is an error that names it, not a folder without files', async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'gateline-unreadable-')));
    const data = join(root, 'data');
    const trees = await realpath(await mkdtemp(join(tmpdir(), 'gateline-trees-')));
    try {
      await chmod(root, 0o777);
      await chmod(trees, 0o777);
      await writeFile(join(root, 'gateline.yml'), gatelineYml({ a: { run: writes(1) } }));
      await mkdir(data);
      await writeFile(join(data, 'input.txt'), 'read by somebody else');
      const env = plainEnvironment({ GIT_CEILING_DIRECTORIES: tmpdir(), GATELINE_TREES: trees });
      const run = () => startNode(AS_NOBODY, ['run', '-q'], { cwd: root, env }).ended;
      const first = await run();
      expect(first).toMatchObject({ code: 0 });
      await chmod(data, 0);
      const second = await run();
      // Its files were part of the inputs: not to see them is not the same as their being gone.
      expect(second.stderr).toMatch(/WORKSPACE_UNREADABLE: .*data/);
      expect(second).toMatchObject({ code: 74 });
    } finally {
      await chmod(data, 0o755);
      for (const folder of [root, trees]) await rm(folder, { recursive: true, force: true });
    }
  });
});
