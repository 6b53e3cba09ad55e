import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createAgents } from '../../src/agent/process.ts';
import { pidsIn, running, testAttempt } from './attempt.ts';

describe('how a command is run', () => {
  it.each([
    ['exit 0', { outcome: 'exited', exitCode: 0 }],
    ['exit 7', { outcome: 'exited', exitCode: 7 }],
    ['kill -SEGV $$', { outcome: 'signalled', signal: 'SIGSEGV' }],
    ['echo a\nfalse | cat\necho b', { outcome: 'exited', exitCode: 1, stdout: 'a\n' }],
    ['echo out; echo err >&2', { stdout: 'out\n', stderr: 'err\n' }],
  ])('tells how it ended: %j', async (command, result) => {
    await using attempt = await testAttempt();
    expect(await attempt.run(command)).toMatchObject(result);
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

  it('gives it its environment, odd names and values included, an empty stdin and its directory', async () => {
    await using attempt = await testAttempt();
    const env = { PATH: process.env['PATH']!, 'my-name': '1', ODD: 'a \'b\' "c" $(d)\n`e`', BASH_ENV: 'evil.sh' };
    await writeFile(join(attempt.directory, 'evil.sh'), 'touch evil');
    const code = `import fs from 'node:fs';
      console.log(JSON.stringify([process.env, process.cwd(), fs.readFileSync(0, 'utf8')]))`;
    const { stdout } = await attempt.run(code, { shell: 'node', env });
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining(env), attempt.directory, '']);
    expect(existsSync(join(attempt.directory, 'evil'))).toBe(false);
  });

  it.each(['bash', 'sh', 'node', 'python'])('takes a path with quotes and dollars as it is: %s', async (shell) => {
    await using attempt = await testAttempt();
    const directory = join(attempt.directory, `it's "$(touch pwned)" \`x\`; a`);
    await mkdir(directory);
    const changes = { shell, directory, workingDirectory: directory };
    expect(await attempt.run(shell === 'node' ? 'let x' : 'x=1', changes)).toMatchObject({ exitCode: 0 });
  });
});

describe('what cannot be started', () => {
  it.each([
    ['no such shell', { shell: 'pwsh', env: { PATH: '/nowhere' } }, /pwsh was not found.*Install PowerShell/],
    ['no python at all', { shell: 'python', env: { PATH: '/nowhere' } }, /python or python3 .*PATH/],
    ['an unknown shell', { shell: 'fish' }, /"fish" is no known shell and has no \{0\}/],
    ['no such folder', { workingDirectory: '/nowhere/at/all' }, /working directory \/nowhere\/at\/all does not exist/],
    ['a variable of 200 kB', { env: { A: 'a', HUGE: 'x'.repeat(200_000) } }, /E2BIG.*HUGE has 200,000 bytes.*file/],
    [
      'too many variables',
      { env: Object.fromEntries([...Array(99).keys()].map((n) => [`A${n}`, 'x'.repeat(99_000)])) },
      /E2BIG/,
    ],
    ['a NUL in a variable', { env: { A: 'a\0b' } }, /null bytes/],
    ['a program that may not be run', { shell: '/etc/passwd {0}' }, /\/etc\/passwd .*may not be run\. Make/],
  ])('says why: %s', async (_, changes, message) => {
    await using attempt = await testAttempt();
    const prepared = await createAgents().prepare(attempt.task('true', changes));
    expect(prepared.process).toBeUndefined();
    const result = await prepared.run(new AbortController().signal);
    expect(result).toMatchObject({ outcome: 'not-started', message: expect.stringMatching(message) });
  });

  it('falls back to python3 where python is missing or cannot be run', async () => {
    await using attempt = await testAttempt();
    await writeFile(join(attempt.directory, 'python'), '');
    await writeFile(join(attempt.directory, 'python3'), '#!/bin/sh\necho "python3 $#"\n');
    await chmod(join(attempt.directory, 'python3'), 0o755);
    const env = { PATH: attempt.directory };
    expect(await attempt.run('x', { env, shell: 'python' })).toMatchObject({ exitCode: 0, stdout: 'python3 1\n' });
  });
});

describe('a prepared agent that waits for `run`', () => {
  it('does nothing, and is the process that was logged', async () => {
    await using attempt = await testAttempt();
    const agents = createAgents();
    const prepared = await agents.prepare(attempt.task('echo $$; touch ran'));
    expect(await agents.isAlive(prepared.process!)).toBe(true);
    expect(await agents.isAlive({ ...prepared.process!, start: '1' })).toBe(false);
    await sleep(100);
    expect(existsSync(join(attempt.directory, 'ran'))).toBe(false);
    const result = await prepared.run(new AbortController().signal);
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: `${prepared.process!.pid}\n` });
    expect(await agents.isAlive(prepared.process!)).toBe(false);
  });

  it('ends without doing anything if it is cancelled', async () => {
    await using attempt = await testAttempt();
    const result = await attempt.run('touch ran', {}, { signal: AbortSignal.abort() });
    expect(result.outcome).toBe('cancelled');
    expect(existsSync(join(attempt.directory, 'ran'))).toBe(false);
  });

  it('ends with an engine that is killed before `run`, and does nothing', async () => {
    await using attempt = await testAttempt();
    const engine = spawn(process.execPath, [
      join(import.meta.dirname, 'engine.ts'),
      attempt.directory,
      'touch ran',
      'wait',
    ]);
    const [text] = (await once(engine.stdout, 'data')) as [Buffer];
    engine.kill('SIGKILL');
    const { pid } = JSON.parse(text.toString());
    while ((await running([pid])).length > 0) await sleep(5);
    expect(existsSync(join(attempt.directory, 'ran'))).toBe(false);
  });
});

describe('an agent that does not end by itself', () => {
  it('is ended at its timeout, with all that it started', async () => {
    await using attempt = await testAttempt();
    const result = await attempt.run('echo $$; sleep 600 & echo $!; wait', { timeoutMs: 500 });
    expect(result.outcome).toBe('timeout');
    const pids = result.stdout.split('\n').filter(Boolean).map(Number);
    expect([pids.length, await running(pids)]).toEqual([2, []]);
  });

  it('gets a grace period to clean up', async () => {
    await using attempt = await testAttempt();
    const command = "trap 'echo cleaned; exit 3' TERM; echo $$ > a.pid; while :; do sleep 0.05; done";
    const controller = new AbortController();
    const result = attempt.run(command, {}, { signal: controller.signal, graceMs: 60_000 });
    await pidsIn(attempt.directory, 1);
    controller.abort();
    expect(await result).toMatchObject({ outcome: 'cancelled', stdout: 'cleaned\n' });
  });
});
