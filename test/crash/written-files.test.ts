import { describe, expect, it } from 'vitest';
import { expectOk, gateline, gatelineYml, writes } from '../cli/in-process.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { filesBelow, readIfThere, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { DYING } from './kill-points.ts';

describe.runIf(process.platform !== 'win32')('a command that writes one file of the user, killed by SIGKILL', () => {
  it.each([
    ['compile', ['compile', '--force', '--output', '.github/workflows/own.yml'], '.github/workflows/own.yml'],
    ['report', ['report', '--html', 'page.html'], 'page.html'],
  ] as const)('leaves the old file and nothing beside it: %s', async (_, args, path) => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ make: { run: writes(1), inputs: [] } }),
      [path]: 'old',
    });
    const environment = plainEnvironment(workspace.variables());
    await expectOk(gateline(workspace.root, ['run', '-q'], { environment }));
    const before = await filesBelow(workspace.root, ['.state', '.git']);
    const { signal } = await workspace.gateline(args, { script: DYING, env: { DIE_BEFORE_RENAME: '1' } });
    expect(signal).toBe('SIGKILL');
    expect(await filesBelow(workspace.root, ['.state', '.git'])).toEqual(before);
    expect(await readIfThere(workspace.path(path))).toBe('old');
    expect(await filesBelow(workspace.path('.state/tmp'), [])).toHaveLength(1);
    await expectOk(gateline(workspace.root, args, { environment }));
    expect(await readIfThere(workspace.path(path))).not.toBe('old');
    expect(await filesBelow(workspace.root, ['.state', '.git'])).toEqual(before);
  });
});
