import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Folder } from '../workspace/folder.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { gateline, gatelineYml, writes } from './in-process.ts';

/** A repository with so many gates, and a git that notes what it is asked. */
async function repositoryOf(
  gates: number,
  files?: 'changed',
): Promise<{ folder: Folder; asked: () => Promise<string[]> }> {
  const folder = await Folder.repository();
  const run = `${writes({ done: true })}${files === undefined ? '' : '; echo new > "new-$GATELINE_GATE"'}`;
  const ids = Array.from({ length: gates }, (_, index) => `g${index}`);
  folder.write('src/a.txt', 'a\n');
  folder.write('.gitignore', '.state/\n');
  folder.write(
    'gateline.yml',
    gatelineYml(Object.fromEntries(ids.map((id) => [id, { run, inputs: ['src/**'], ...(files && { files }) }]))),
  );
  folder.git('add', '-A');
  folder.git('commit', '-qm', 'all');
  const [bin, log] = [folder.beside('bin'), folder.beside('asked')];
  mkdirSync(bin);
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nexec '${git}' "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  const environment = plainEnvironment({ GATELINE_TREES: folder.trees });
  environment['PATH'] = `${bin}${delimiter}${environment['PATH']}`;
  return {
    folder,
    asked: async () => {
      writeFileSync(log, '');
      const { code, err } = await gateline(folder.root, ['run', '--quiet'], { environment });
      expect(err).not.toMatch(/Error|GIT_/);
      expect(code).toBe(0);
      return readFileSync(log, 'utf8').split('\n').slice(0, -1);
    },
  };
}

/** How often git is asked when all of that many gates run, and again when none does. */
async function asksOf(gates: number): Promise<{ running: number; reused: number }> {
  const { folder, asked } = await repositoryOf(gates);
  await using _folder = folder;
  return { running: (await asked()).length, reused: (await asked()).length };
}

describe('what git is asked by a run', () => {
  it('is the same for any number of gates that are reused, and four commands for each that runs', async () => {
    const [one, three, nine] = [await asksOf(1), await asksOf(3), await asksOf(9)];
    expect([three.reused, nine.reused]).toEqual([one.reused, one.reused]);
    expect(one.reused).toBeLessThanOrEqual(16);
    // The tree is brought to the version, cleaned, compared with it, and searched for new files.
    expect((nine.running - three.running) / 6).toBeLessThanOrEqual(4);
  });

  it('is a reader of contents for a gate only where files are handed on', async () => {
    const { folder, asked } = await repositoryOf(2, 'changed');
    await using _folder = folder;
    const commands = await asked();
    expect(commands.filter((command) => command.endsWith('cat-file --batch'))).toHaveLength(2);
  });
});

/** How often an all-reused run of that many gates writes the file that shows the whole run. */
async function pipelineFilesOf(gates: number): Promise<number> {
  const { folder, asked } = await repositoryOf(gates);
  await using _folder = folder;
  await asked();
  const durable: string[] = [];
  const { code } = await gateline(folder.root, ['run', '--quiet'], {
    environment: plainEnvironment({ GATELINE_TREES: folder.trees }),
    onDurable: (what) => durable.push(what),
  });
  expect(code).toBe(0);
  return durable.filter((what) => what.includes('-pipeline.json')).length;
}

describe('the file that shows the whole run', () => {
  it('is written as often for nine reused gates as for one: each time costs what all gates cost', async () => {
    const [one, nine] = [await pipelineFilesOf(1), await pipelineFilesOf(9)];
    expect(one).toBeGreaterThan(0);
    expect(nine).toBe(one);
  });
});
