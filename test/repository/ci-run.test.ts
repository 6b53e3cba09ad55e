import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { ROOT } from './repository-files.ts';

/** `npm`, as `.ci/run` calls it: does what `$NPM_DOES` says, with the file for its count as `$file`. */
const NPM = `#!/bin/sh
for word in "$@"; do file="\${word#--counts=}"; done
eval "$NPM_DOES"
`;

/** Runs `.ci/run` in a repository of which nothing else is there. */
async function ciRun(npmDoes: string): Promise<{
  readonly code: number;
  readonly last: string;
  readonly printed: readonly string[];
  readonly said: string;
}> {
  await using workspace = await ScratchWorkspace.create({
    'scripts/install-workflow-tools.mjs': '',
    '.gitignore': 'build\nbin\n',
    'README.md': 'A project\n',
  });
  await mkdir(workspace.path('.ci'));
  await copyFile(join(ROOT, '.ci/run'), workspace.path('.ci/run'));
  await workspace.commitAll('with .ci');
  // Of an earlier run, by an earlier version.
  await workspace.write('build/test-counts.txt', '1000 passed, 0 failed\n');
  for (const [name, text] of Object.entries({ npm: NPM, chromium: '#!/bin/sh\n', python3: '#!/bin/sh\n' })) {
    await workspace.write(`bin/${name}`, text);
    await chmod(workspace.path(`bin/${name}`), 0o755);
  }
  const { PATH = '', ...others } = plainEnvironment({ NPM_DOES: npmDoes });
  const env = { ...others, PATH: [workspace.path('bin'), PATH].join(delimiter) };
  return await new Promise((resolve) => {
    const child = execFile(workspace.path('.ci/run'), { env }, (_, stdout, said) => {
      const printed = stdout.trimEnd().split('\n');
      resolve({ code: child.exitCode ?? -1, last: printed.at(-1)!, printed, said });
    });
  });
}

describe.runIf(process.platform !== 'win32')('.ci/run', () => {
  it('prints what the test run comes to', async () => {
    const { code, last } = await ciRun('echo "5 passed, 0 failed" > "$file"');
    expect([code, last]).toEqual([0, '5 passed, 0 failed']);
  });

  it('is red when it is, and ends with what failed', async () => {
    const { code, last, printed } = await ciRun(
      'printf "5 passed, 2 failed\\nlint failed\\na.test.ts: adds: 3 is not 4\\n" > "$file"; exit 3',
    );
    expect([code, last]).toEqual([3, '5 passed, 2 failed']);
    expect(printed.slice(-3)).toEqual(['lint failed', 'a.test.ts: adds: 3 is not 4', last]);
  });

  it('never prints an earlier count when npm ends before it has counted', async () => {
    const { code, last, said } = await ciRun('exit 1');
    expect([code, last]).toEqual([1, '0 passed, 1 failed']);
    expect(said).toContain('the tests ended before they had counted anything');
  });

  it('is red when the run says that all is well and counts a failure, or the other way round', async () => {
    expect(await ciRun('echo "5 passed, 1 failed" > "$file"')).toMatchObject({ code: 1, last: '5 passed, 1 failed' });
    expect(await ciRun('echo "5 passed, 0 failed" > "$file"; exit 4')).toMatchObject({
      code: 4,
      last: '5 passed, 1 failed',
    });
  });

  it('is red when the tests changed the tree', async () => {
    const { code, last, said } = await ciRun('echo x > left.txt; echo "5 passed, 0 failed" > "$file"');
    expect([code, last]).toEqual([1, '5 passed, 1 failed']);
    expect(said).toContain('left.txt');
  });
});
