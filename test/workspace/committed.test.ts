import { describe, expect, it } from 'vitest';
import { whyNotContained } from '../../src/workspace/files/contain.ts';
import { mayBeCommitted } from '../../src/workspace/git/committed.ts';
import { gitIn } from '../../src/workspace/git/git.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

const PATH = '.state/s-gate1-output.json';

/** As file systems that ignore case compare names, U+017F is an `s`. */
const ALIKE = ['.state', '.STATE', '.\u017ftate', '.st\u200cate'];

describe('a file that a commit may have', () => {
  it.each(ALIKE)('is found below %j', async (folder) => {
    await using workspace = await ScratchWorkspace.create({ [PATH.replace('.state', folder)]: '{}' });
    const git = gitIn(workspace.root, { binary: 'git', environment: plainEnvironment() });
    expect(await mayBeCommitted(git, PATH)).toBe(true);
    expect(await mayBeCommitted(git, '.state/other.json')).toBe(false);
    expect(whyNotContained(`${folder}/x`)).toBe('it leads into .state');
  });

  it('is found in another commit that is named, if the repository has that', async () => {
    await using workspace = await ScratchWorkspace.create({ [PATH]: '{}' });
    const git = gitIn(workspace.root, { binary: 'git', environment: plainEnvironment() });
    const before = (await workspace.git('rev-parse', 'HEAD')).trim();
    await workspace.git('rm', '-q', '--cached', PATH);
    await workspace.git('commit', '-qm', 'without');
    expect(await mayBeCommitted(git, PATH)).toBe(false);
    expect(await mayBeCommitted(git, PATH, ['0'.repeat(40)])).toBe(false);
    expect(await mayBeCommitted(git, PATH, ['0'.repeat(40), before])).toBe(true);
  });
});
