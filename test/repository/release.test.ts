import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { ROOT } from './repository-files.ts';

const release = (args: readonly string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'scripts/release.mjs'), ...args], { encoding: 'utf8' });

/** A clone and its remote, a bare repository beside it. */
async function released(...tags: readonly string[]): Promise<ScratchWorkspace> {
  const workspace = await ScratchWorkspace.create({ 'package.json': '{"version": "1.2.0"}' });
  await workspace.git('init', '-q', '--bare', workspace.beside('remote'));
  await workspace.git('remote', 'add', 'origin', workspace.beside('remote'));
  for (const tag of tags) await publish(workspace, tag);
  return workspace;
}

/** A commit with a tag, on the remote. Every second tag is annotated. */
async function publish(workspace: ScratchWorkspace, tag: string): Promise<void> {
  await workspace.write('last.txt', tag);
  await workspace.commitAll(tag);
  await (tag.endsWith('0') ? workspace.git('tag', tag) : workspace.git('tag', '-a', '-m', tag, tag));
  await workspace.git('push', '-q', 'origin', tag);
}

/** The release that a tag of the remote is at. */
async function at(workspace: ScratchWorkspace, tag: string): Promise<string> {
  return workspace.git('--git-dir', workspace.beside('remote'), 'show', `${tag}:last.txt`);
}

describe('the tag of the major version', () => {
  it('is made by the first release, moves with each newer one, and stays at a commit', async () => {
    await using workspace = await released('v1.0.0');
    const move = (tag: string) => release(['move', tag, workspace.root]);
    expect(move('v1.0.0').stderr).toContain('v1 is at v1.0.0 now.');
    expect(move('v1.0.0').stderr).toContain('v1 is at v1.0.0 already.');
    await publish(workspace, 'v1.0.1');
    expect(move('v1.0.1').status).toBe(0);
    await publish(workspace, 'v1.10.0');
    await publish(workspace, 'v2.0.0');
    expect(move('v1.10.0').status).toBe(0);
    expect(move('v2.0.0').status).toBe(0);
    expect([await at(workspace, 'v1'), await at(workspace, 'v2')]).toEqual(['v1.10.0', 'v2.0.0']);
    const type = await workspace.git('--git-dir', workspace.beside('remote'), 'cat-file', '-t', 'v1');
    expect(type.trim()).toBe('commit');
  });

  it('does not go back to an older release, and is not moved by a prerelease', async () => {
    await using workspace = await released('v1.9.0', 'v1.10.0', 'v1.9.1', 'v1.11.0-rc.1');
    const move = (tag: string) => release(['move', tag, workspace.root]);
    expect(move('v1.10.0').status).toBe(0);
    expect(move('v1.9.1').stderr).toContain('v1.10.0 is newer than v1.9.1: v1 does not move.');
    expect(move('v1.11.0-rc.1').stderr).toContain('is a prerelease');
    expect(await at(workspace, 'v1')).toBe('v1.10.0');
  });

  it('stays where it is for what is no release, or not on the remote', async () => {
    await using workspace = await released('v1.0.0');
    for (const tag of ['v1', '1.0.0', 'v1.0', 'v01.0.0', 'v1.0.0; id', '--force', 'v1.0.2']) {
      expect([tag, release(['move', tag, workspace.root]).status]).toEqual([tag, 1]);
    }
    const tags = await workspace.git('ls-remote', '--tags', 'origin');
    expect(tags).not.toMatch(/refs\/tags\/v1$/m);
  });

  it('fails if nobody may push', async () => {
    await using workspace = await released('v1.0.0');
    await workspace.write('../remote/hooks/update', '#!/bin/sh\necho denied >&2\nexit 1\n');
    await workspace.git('-C', workspace.beside('remote'), 'config', 'core.hooksPath', workspace.beside('remote/hooks'));
    spawnSync('chmod', ['+x', workspace.beside('remote/hooks/update')]);
    const { status, stderr } = release(['move', 'v1.0.0', workspace.root]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('git push failed')]);
  });
});

describe('a release', () => {
  it('is of the version of package.json', async () => {
    await using workspace = await released();
    expect(release(['check', 'v1.2.0', workspace.root]).status).toBe(0);
    const other = release(['check', 'v1.2.1', workspace.root]);
    expect([other.status, other.stderr]).toEqual([1, expect.stringContaining('v1.2.1 is not v1.2.0')]);
    expect(release([]).stderr).toContain('usage: ');
  });

  it('is published from the repository that its provenance names', () => {
    const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      repository: { url: string };
    };
    expect(repository.url).toBe('git+https://github.com/gateline/gateline.git');
  });

  it('gives each right to the one job that needs it, which runs nothing that dependencies bring', () => {
    const { jobs } = parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')) as {
      jobs: Record<string, { permissions: object; environment?: string; steps: { run?: string }[] }>;
    };
    const rights = Object.entries(jobs).map(([id, { permissions, environment }]) => [id, permissions, environment]);
    expect(rights).toEqual([
      ['build', { contents: 'read' }, undefined],
      ['publish', { 'id-token': 'write', attestations: 'write' }, 'release'],
      ['move-major-tag', { contents: 'write' }, 'release'],
    ]);
    const runs = (id: string): string => jobs[id]!.steps.map(({ run = '' }) => run).join('\n');
    expect(runs('build')).toMatch(/npm ci\n+npm run check:dist\n+npm pkg set gitHead="\$GITHUB_SHA"\nnpm pack /);
    expect(runs('publish')).toMatch(/npm publish \.\/package\/\*\.tgz --provenance --access public .*--ignore-scripts/);
    expect(`${runs('publish')}${runs('move-major-tag')}`).not.toMatch(/npm (?:ci|install|run)/);
  });
});
