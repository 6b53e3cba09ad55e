import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testAttempt } from './attempt.ts';

describe('how a command is run', () => {
  it('tells exit codes and signals apart', async () => {
    await using attempt = await testAttempt();
    expect(await attempt.run('exit 0')).toMatchObject({ outcome: 'exited', exitCode: 0 });
    expect(await attempt.run('exit 7')).toMatchObject({ outcome: 'exited', exitCode: 7 });
    expect(await attempt.run('kill -SEGV $$')).toMatchObject({ outcome: 'signalled', signal: 'SIGSEGV' });
  });

  it('stops bash at the first failing command, in a pipe too, as a run: step does', async () => {
    await using attempt = await testAttempt();
    const result = await attempt.run('echo before\nfalse | cat\necho after');
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 1, stdout: 'before\n' });
  });

  it.each([
    ['sh', 'echo "$0" | grep -c command.sh; false; echo no', '1\n', 1],
    ['python', 'import sys\nprint(sys.version_info[0] >= 3)\nsys.exit(4)', 'True\n', 4],
    ['node', "import { sep } from 'node:path';\nconsole.log(typeof sep);\nprocess.exit(5)", 'string\n', 5],
    ['cat {0}', 'the script itself', 'the script itself', 0],
    ['bash -c "cat" "a b" {0}', 'unused', '', 0],
    ['{0}', '#!/bin/sh\necho itself', 'itself\n', 0],
  ])('shell %s', async (shell, command, stdout, exitCode) => {
    await using attempt = await testAttempt();
    expect(await attempt.run(command, { shell })).toMatchObject({ outcome: 'exited', exitCode, stdout });
  });

  it('gives the agent exactly its environment, a closed stdin and its directory', async () => {
    await using attempt = await testAttempt();
    const env = { PATH: process.env['PATH']!, ODD: 'a \'b\' "c" $(d)\n`e`' };
    const code =
      'console.log(JSON.stringify([Object.keys(process.env).sort(), process.env.ODD, process.cwd(), fs.readFileSync(0, "utf8")]))';
    const { stdout } = await attempt.run(`import fs from 'node:fs';\n${code}`, { shell: 'node', env });
    expect(JSON.parse(stdout)).toEqual([['ODD', 'PATH'], env.ODD, attempt.directory, '']);
  });

  it('takes a path with spaces, quotes and dollars as it is', async () => {
    await using attempt = await testAttempt();
    const directory = join(attempt.directory, `it's "$(touch pwned)" \`x\`; a`);
    await (await import('node:fs/promises')).mkdir(directory);
    for (const shell of ['bash', 'sh', 'node', 'python']) {
      const command = shell === 'node' || shell === 'python' ? 'x = 1' : 'x=1';
      const changes = { shell, directory, workingDirectory: directory };
      expect(await attempt.run(shell === 'node' ? 'let x = 1' : command, changes)).toMatchObject({
        outcome: 'exited',
        exitCode: 0,
      });
    }
  });
});

describe('what cannot be started', () => {
  it('says which shell is missing and what to do', async () => {
    await using attempt = await testAttempt();
    const env = { PATH: attempt.directory };
    expect(await attempt.run('x', { env, shell: 'pwsh' })).toMatchObject({
      outcome: 'not-started',
      message: expect.stringMatching(/pwsh was not found.*Install PowerShell/),
    });
    expect(await attempt.run('x', { env, shell: 'python' })).toMatchObject({
      outcome: 'not-started',
      message: expect.stringMatching(/python or python3.*PATH/),
    });
    expect(await attempt.run('x', { shell: 'fish' })).toMatchObject({
      outcome: 'not-started',
      message: expect.stringMatching(/no \{0\}.*template/),
    });
  });

  it('falls back to python3 where there is no python', async () => {
    await using attempt = await testAttempt();
    const python3 = join(attempt.directory, 'python3');
    await writeFile(python3, '#!/bin/sh\necho "python3 $#"\n');
    await chmod(python3, 0o755);
    const env = { PATH: attempt.directory };
    expect(await attempt.run('x', { env, shell: 'python' })).toMatchObject({ exitCode: 0, stdout: 'python3 1\n' });
  });

  it('says so when the working directory is missing', async () => {
    await using attempt = await testAttempt();
    const workingDirectory = join(attempt.directory, 'gone');
    expect(await attempt.run('true', { workingDirectory })).toMatchObject({
      outcome: 'not-started',
      message: expect.stringMatching(/working directory .*gone does not exist/),
    });
  });

  it('names the variable that is too large', async () => {
    await using attempt = await testAttempt();
    const env = { ...attempt.task('').env, HUGE: 'x'.repeat(200_000) };
    expect(await attempt.run('true', { env })).toMatchObject({
      outcome: 'not-started',
      message: expect.stringMatching(/128 KiB: HUGE \(E2BIG\).*file/),
    });
  });

  it('says so when a program may not be run', async () => {
    await using attempt = await testAttempt();
    await writeFile(join(attempt.directory, 'tool'), 'x', { mode: 0o644 });
    const shell = `${join(attempt.directory, 'tool')} {0}`;
    expect(await attempt.run('true', { shell })).toMatchObject({
      outcome: 'not-started',
      message: expect.stringMatching(/EACCES/),
    });
  });

  it('says so when an argument or variable holds a NUL', async () => {
    await using attempt = await testAttempt();
    expect(await attempt.run('true', { env: { A: 'a\0b' } })).toMatchObject({
      outcome: 'not-started',
      message: expect.stringMatching(/null bytes/),
    });
  });

  it('does not start at all when it was cancelled before', async () => {
    await using attempt = await testAttempt();
    const result = await attempt.run('touch started', { signal: AbortSignal.abort() });
    expect(result.outcome).toBe('cancelled');
    expect(await attempt.run('ls')).toMatchObject({ stdout: expect.not.stringContaining('started') });
  });
});
