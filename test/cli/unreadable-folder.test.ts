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
    try {
      await chmod(root, 0o777);
      await writeFile(join(root, 'gateline.yml'), gatelineYml({ a: { run: writes(1) } }));
      await mkdir(data);
      await writeFile(join(data, 'input.txt'), 'read by somebody else');
      const env = plainEnvironment({ GIT_CEILING_DIRECTORIES: tmpdir() });
      const plan = () => startNode(AS_NOBODY, ['plan'], { cwd: root, env }).ended;
      expect(await plan()).toMatchObject({ code: 0, stdout: expect.stringContaining('a  run') as string });
      await chmod(data, 0);
      const refused = await plan();
      expect(refused.stderr).toMatch(/WORKSPACE_UNREADABLE: The folder data cannot be listed: EACCES/);
      expect(refused).toMatchObject({ code: 74, stdout: expect.stringContaining('a  blocked') as string });
    } finally {
      await chmod(data, 0o755);
      await rm(root, { recursive: true, force: true });
    }
  });
});
