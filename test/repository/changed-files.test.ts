import { describe, expect, it } from 'vitest';
import { changedFiles, roomOf } from '../../scripts/changed-files.mjs';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

async function repository(): Promise<ScratchWorkspace> {
  const workspace = await ScratchWorkspace.create({ 'src/run/a.ts': 'a\n', 'src/engine/b.ts': 'b\n' });
  await workspace.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  return workspace;
}

const changes = (workspace: ScratchWorkspace, environment: Record<string, string> = {}) =>
  changedFiles({ root: workspace.root, environment });

describe('what differs from the merge base', () => {
  it('is nothing where nothing differs', async () => {
    await using workspace = await repository();
    expect(changes(workspace)).toEqual({ base: 'origin/main', files: [] });
  });

  it('is what was committed, changed, removed or added since this branch left', async () => {
    await using workspace = await repository();
    await workspace.write('src/run/a.ts', 'another\n');
    await workspace.commitAll('a commit of this branch');
    await workspace.git('rm', '-q', 'src/engine/b.ts');
    await workspace.write('test/cli/new test.ts', 'new\n');
    const { files } = changes(workspace);
    expect(files?.toSorted()).toEqual(['src/engine/b.ts', 'src/run/a.ts', 'test/cli/new test.ts']);
    expect(files?.map(roomOf).toSorted()).toEqual(['cli', 'engine', 'run']);
  });

  it('is not what others did since', async () => {
    await using workspace = await repository();
    await workspace.git('checkout', '-q', '-b', 'others');
    await workspace.write('src/run/a.ts', 'theirs\n');
    await workspace.commitAll('a commit of others');
    await workspace.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    await workspace.git('checkout', '-q', 'main');
    expect(changes(workspace).files).toEqual([]);
  });

  it('is counted from the commit that the environment names', async () => {
    await using workspace = await repository();
    await workspace.write('src/run/a.ts', 'another\n');
    await workspace.commitAll('a commit of this branch');
    expect(changes(workspace, { GATELINE_FAULTS_BASE: 'HEAD' })).toEqual({ base: 'HEAD', files: [] });
  });

  it('is unknown where there is no such commit', async () => {
    await using workspace = await repository();
    expect(changes(workspace, { GATELINE_FAULTS_BASE: 'nowhere' })).toEqual({ base: 'nowhere', files: undefined });
  });
});
