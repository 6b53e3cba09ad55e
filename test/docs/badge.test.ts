import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { badgeOf } from '../../src/report/json/badge.ts';
import { ROOT } from '../repository/repository-files.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

it.runIf(process.platform !== 'win32')('the step of the page publishes a badge, and the next one over it', async () => {
  const page = readFileSync(join(ROOT, 'docs/recipes/github/badge.md'), 'utf8');
  const [, workflow = ''] = /^```yaml\n([^]*?)^```$/m.exec(page)!;
  const { jobs } = parse(workflow) as { jobs: { badge: { steps: { run: string }[] } } };
  await using workspace = await ScratchWorkspace.create({ 'other.json': '{}' });
  const remote = workspace.beside('remote');
  await workspace.git('clone', '-q', '--bare', workspace.root, remote);
  for (const [job, isOk] of [
    ['first', false],
    ['second', true],
    ['third', true],
  ] as const) {
    const cwd = workspace.beside(job);
    mkdirSync(cwd);
    const badge = badgeOf({ pipeline: 'reviewed', status: isOk ? 'completed' : 'error' }, isOk);
    const env = plainEnvironment({ BADGE: JSON.stringify(badge), REMOTE: `file://${remote}` });
    const { status, stderr } = spawnSync('bash', ['-e', '-c', jobs.badge.steps[0]!.run], {
      cwd,
      env,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    const published = await workspace.git('--git-dir', remote, 'show', 'HEAD:reviewed.json');
    expect(JSON.parse(published)).toEqual(badge);
  }
  // One commit each for the two badges that differ, beside what was there.
  expect((await workspace.git('--git-dir', remote, 'rev-list', '--count', 'HEAD')).trim()).toBe('3');
  expect(await workspace.git('--git-dir', remote, 'show', 'HEAD:other.json')).toBe('{}');
});
