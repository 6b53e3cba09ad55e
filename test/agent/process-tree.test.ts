import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isRunning, pidsIn, running, testAttempt, type TestAttempt } from './attempt.ts';

/** Each writes its pid and lives for ten minutes if nobody ends it. */
const WAYS_TO_STAY = {
  'a child': 'sleep 600 & echo $! > a.pid; wait',
  'a grandchild': "bash -c 'sleep 600 & echo $! > a.pid; wait'; true",
  'a grandchild that ignores SIGTERM': 'bash -c \'trap "" TERM; echo $$ > a.pid; while :; do sleep 600; done\'; true',
  'a session of its own': "setsid bash -c 'echo $$ > a.pid; exec sleep 600' & wait",
  'a session of its own that ignores SIGTERM':
    'setsid bash -c \'trap "" TERM; echo $$ > a.pid; while :; do sleep 600; done\' & wait',
  'nohup in the background': "nohup bash -c 'echo $$ > a.pid; exec sleep 600' > /dev/null 2>&1 & wait",
  'a double fork into another session':
    "(setsid bash -c '(echo $BASHPID > a.pid; exec sleep 600) & exit' &) ; sleep 600",
  // Each of the next two is found in one way only: by its parents, by its group.
  'a child with another environment in a session of its own':
    'env -i PATH="$PATH" setsid bash -c \'echo $$ > a.pid; exec sleep 600\' & wait',
  'a double fork with another environment':
    '(env -i PATH="$PATH" bash -c \'echo $$ > a.pid; exec sleep 600\' &) ; sleep 600',
  'a stopped process': "bash -c 'echo $$ > a.pid; kill -STOP $$; sleep 600'; true",
};

/** Runs a command until it has written `count` pids, then cancels it. */
async function cancelled(attempt: TestAttempt, command: string, count: number): Promise<number[]> {
  const controller = new AbortController();
  const result = attempt.run(command, { signal: controller.signal });
  const pids = await pidsIn(attempt.directory, count);
  expect((await running(pids)).length).toBeGreaterThan(0);
  controller.abort();
  expect((await result).outcome).toBe('cancelled');
  return pids;
}

describe('nothing outlives', () => {
  it.each(Object.entries(WAYS_TO_STAY))('the end of the attempt: %s', async (_, command) => {
    await using attempt = await testAttempt();
    expect(await running(await cancelled(attempt, command, 1))).toEqual([]);
  });

  it('the timeout', async () => {
    await using attempt = await testAttempt();
    const result = await attempt.run('echo $$; sleep 600 & wait', { timeoutMs: 300 });
    expect(result.outcome).toBe('timeout');
    expect(await running(result.stdout.split('\n').filter(Boolean).map(Number))).toEqual([]);
  });

  it('Ctrl-C, all of it at once', async () => {
    await using attempt = await testAttempt();
    const ways = Object.values(WAYS_TO_STAY).map((way, index) => `(${way.replaceAll('a.pid', `${index}.pid`)}) &`);
    expect(await running(await cancelled(attempt, [...ways, 'wait'].join('\n'), ways.length))).toEqual([]);
  });

  it('a normal end: what was left in the background is ended, the result does not wait for its output', async () => {
    await using attempt = await testAttempt();
    const command = "setsid sleep 600 & echo $! > a.pid\n(trap '' TERM; sleep 600) & echo $! > b.pid\necho done";
    const result = await attempt.run(command);
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: 'done\n' });
    expect(await running(await pidsIn(attempt.directory, 2))).toEqual([]);
  });

  it('a process that keeps starting others', async () => {
    await using attempt = await testAttempt();
    await cancelled(
      attempt,
      'trap "" TERM; n=0; while :; do n=$((n+1)); (trap "" TERM; exec sleep 600) & echo $! > $n.pid; sleep 0.02; done',
      5,
    );
    expect(await running(await pidsIn(attempt.directory, 5))).toEqual([]);
  });

  it('what it would have written later is never written', async () => {
    await using attempt = await testAttempt();
    const later = (name: string): string =>
      `bash -c 'trap "" TERM; echo $$ > ${name}.pid; while [ ! -e go ]; do sleep 0.05; done; echo late > late'`;
    await cancelled(attempt, `setsid ${later('a')} &\n${later('b')}`, 2);
    await writeFile(join(attempt.directory, 'go'), '');
    await sleep(200);
    expect(existsSync(join(attempt.directory, 'late'))).toBe(false);
  });

  it('but who gave up session, parent and environment gets away, and does not hold up the result', async () => {
    await using attempt = await testAttempt();
    const daemon = "env -i bash -c 'setsid sleep 600 & echo $! > a.pid'";
    const result = await attempt.run(`${daemon}\necho done`, {}, { drainMs: 100 });
    const [pid] = await pidsIn(attempt.directory, 1);
    if (await isRunning(pid!)) process.kill(pid!, 'SIGKILL');
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: 'done\n' });
  });
});

describe('what does not outlive an attempt stays', () => {
  it('leaves processes of others alone, also in the same folder', async () => {
    await using attempt = await testAttempt();
    await using other = await testAttempt();
    const controller = new AbortController();
    const neighbour = other.run('echo $$ > a.pid; exec sleep 600', {
      signal: controller.signal,
      workingDirectory: attempt.directory,
    });
    const [pid] = await pidsIn(attempt.directory, 1);
    await attempt.run('setsid sleep 600 & true');
    expect(await isRunning(pid!)).toBe(true);
    controller.abort();
    expect((await neighbour).outcome).toBe('cancelled');
  });

  it('gives SIGTERM a time of grace to clean up in', async () => {
    await using attempt = await testAttempt();
    const command = "trap 'echo cleaned; exit 3' TERM; echo $$ > a.pid; while :; do sleep 0.05; done";
    const controller = new AbortController();
    const result = attempt.run(command, { signal: controller.signal }, { graceMs: 60_000 });
    await pidsIn(attempt.directory, 1);
    controller.abort();
    expect(await result).toMatchObject({ outcome: 'cancelled', exitCode: 3, stdout: 'cleaned\n' });
  });

  it('removes its record of the process', async () => {
    await using attempt = await testAttempt();
    const { stdout } = await attempt.run(
      'until [ -s process.json ]; do sleep 0.01; done; cat process.json; echo; echo $$',
    );
    const [record, pid] = stdout.split('\n').filter((line) => line !== '');
    expect(JSON.parse(record!)).toMatchObject({
      format: 'gateline-process/1',
      pid: Number(pid),
      started: expect.stringMatching(/^\d+$/),
    });
    expect(existsSync(join(attempt.directory, 'process.json'))).toBe(false);
  });
});
