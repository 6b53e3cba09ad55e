import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ProcessId } from '../../src/run/entry.ts';
import { createAgents } from '../../src/agent/process.ts';
import { identifyProcess, listProcesses } from '../../src/agent/process-table.ts';
import { pidsIn, running, testAttempt, type TestAttempt } from './attempt.ts';

const STUBBORN = 'trap "" TERM; echo $$ > a.pid; while :; do sleep 600; done';

/** Each writes its pid and lives for ten minutes if nobody ends it. */
const WAYS_TO_STAY = {
  'a child': 'sleep 600 & echo $! > a.pid; wait',
  'a grandchild': "bash -c 'sleep 600 & echo $! > a.pid; wait'; true",
  'a grandchild that ignores SIGTERM': `bash -c '${STUBBORN}'; true`,
  'a session of its own': "setsid bash -c 'echo $$ > a.pid; exec sleep 600' & wait",
  'a session of its own that ignores SIGTERM': `setsid bash -c '${STUBBORN}' & wait`,
  'nohup in the background': "nohup bash -c 'echo $$ > a.pid; exec sleep 600' > /dev/null 2>&1 & wait",
  'a daemon: a double fork into another session':
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
  const result = attempt.run(command, {}, { signal: controller.signal });
  const pids = await pidsIn(attempt.directory, count);
  expect((await running(pids)).length).toBeGreaterThan(0);
  controller.abort();
  expect((await result).outcome).toBe('cancelled');
  return pids;
}

describe('no process outlives', () => {
  it.each(Object.entries(WAYS_TO_STAY))('a cancelled attempt: %s', async (_, command) => {
    await using attempt = await testAttempt();
    expect(await running(await cancelled(attempt, command, 1))).toEqual([]);
  });

  it('a cancelled attempt, however it tries to escape', async () => {
    await using attempt = await testAttempt();
    const ways = Object.values(WAYS_TO_STAY).map((way, index) => `(${way.replaceAll('a.pid', `${index}.pid`)}) &`);
    expect(await running(await cancelled(attempt, [...ways, 'wait'].join('\n'), ways.length))).toEqual([]);
  });

  it('a cancelled attempt, even if it keeps starting others', async () => {
    await using attempt = await testAttempt();
    const command = `trap "" TERM; n=0
      while :; do n=$((n+1)); (trap "" TERM; exec sleep 600) & echo $! > $n.pid; sleep 0.02; done`;
    await cancelled(attempt, command, 5);
    expect(await running(await pidsIn(attempt.directory, 5))).toEqual([]);
  });

  it('a successful attempt, whose result does not wait for output of what it left running', async () => {
    await using attempt = await testAttempt();
    const command = "setsid sleep 600 & echo $! > a.pid\n(trap '' TERM; sleep 600) & echo $! > b.pid\necho done";
    expect(await attempt.run(command)).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: 'done\n' });
    expect(await running(await pidsIn(attempt.directory, 2))).toEqual([]);
  });

  it('an attempt, unless it left session, parent and environment: then it does not delay the result', async () => {
    await using attempt = await testAttempt();
    const command = `env -i PATH="$PATH" bash -c 'setsid sleep 600 & echo $! > a.pid'\necho done`;
    expect(await attempt.run(command)).toMatchObject({ outcome: 'exited', stdout: 'done\n' });
  });
});

/** Starts an engine with this command, and kills it once `count` pids were written. */
async function killedEngine(directory: string, command: string, count: number) {
  const engine = spawn(process.execPath, [join(import.meta.dirname, 'engine.ts'), directory, command]);
  const exited = once(engine, 'exit');
  const [text] = (await once(engine.stdout, 'data')) as [Buffer];
  const pids = await pidsIn(directory, count);
  engine.kill('SIGKILL');
  await exited;
  return { first: JSON.parse(text.toString()) as ProcessId, pids };
}

/** A process that descends from nobody here, with a child in its group, in a session of its own. */
async function bystander(attempt: TestAttempt, variables: Readonly<Record<string, string>> = {}) {
  const group = `setsid bash -c 'sleep 600 & echo $! > ${attempt.directory}/by.pid; wait' > /dev/null 2>&1 & echo $!`;
  const env = { PATH: process.env['PATH'], ...variables };
  const pid = Number((await promisify(execFile)('bash', ['-c', group], { env })).stdout);
  const [child = 0] = await pidsIn(attempt.directory, 1);
  return { id: await identifyProcess(pid), pids: [pid, child] };
}

describe('an agent whose engine was killed', () => {
  const agents = createAgents({ graceMs: 200 });

  it('is ended, wherever it moved, and a second time without harm', async () => {
    await using attempt = await testAttempt();
    const command = `echo $$ > a.pid; setsid bash -c '${STUBBORN.replace('a.pid', 'b.pid')}' &
      (setsid sleep 600 & echo $! > c.pid); wait`;
    const { first, pids } = await killedEngine(attempt.directory, command, 3);
    expect(await running(pids)).toEqual(pids);
    expect(await agents.isAlive(first)).toBe(true);
    await agents.endLeftover(first, attempt.directory);
    expect(await running(pids)).toEqual([]);
    await agents.endLeftover(first, attempt.directory);
    expect(await agents.isAlive(first)).toBe(false);
  });

  it('is ended by its group where the environment does not tell', async () => {
    await using attempt = await testAttempt();
    const command = "exec env -i /bin/bash -c 'echo $$ > a.pid; /bin/sleep 600 & echo $! > b.pid; wait'";
    const { first, pids } = await killedEngine(attempt.directory, command, 2);
    await agents.endLeftover(first, attempt.directory);
    expect(await running(pids)).toEqual([]);
  });

  it('is ended by its environment where the first process is gone', async () => {
    await using attempt = await testAttempt();
    const { first, pids } = await killedEngine(attempt.directory, 'sleep 600 & echo $! > a.pid; wait', 1);
    process.kill(first.pid, 'SIGKILL');
    while ((await running([first.pid])).length > 0) await sleep(5);
    await agents.endLeftover(first, attempt.directory);
    expect(await running(pids)).toEqual([]);
  });

  it.each<[string, (id: ProcessId) => ProcessId]>([
    ['that has the pid now', ({ pid, start }) => ({ pid, start: start.replace(/^\d+/, '1') })],
    ['of another boot', ({ pid, start }) => ({ pid, start: start.replace(/ \S+/, ' other') })],
    ['of another container', ({ pid, start }) => ({ pid, start: start.replace(/\S+$/, '1') })],
    ['that could not be identified', ({ pid }) => ({ pid, start: '' })],
  ])('is not a process %s', async (_, change) => {
    await using attempt = await testAttempt();
    const { id, pids } = await bystander(attempt);
    expect([await agents.isAlive(id), await agents.isAlive(change(id))]).toEqual([true, false]);
    await agents.endLeftover(change(id), attempt.directory);
    expect(await running(pids)).toEqual(pids);
    await agents.endLeftover(id, attempt.directory);
    expect(await running(pids)).toEqual([]);
  });

  it('is not confused with a process group that reuses the id', async () => {
    await using attempt = await testAttempt();
    const { id, pids } = await bystander(attempt);
    process.kill(id.pid, 'SIGKILL');
    while ((await running([id.pid])).length > 0) await sleep(5);
    await agents.endLeftover(id, attempt.directory);
    expect(await running(pids)).toEqual([pids[1]]);
  });

  it('is not confused with an agent in a directory with the same prefix, nor with this process', async () => {
    await using attempt = await testAttempt();
    const directory = join(attempt.directory, '1');
    await mkdir(directory);
    const other = await bystander(attempt, { GATELINE_OUTPUT: `${directory}1/output.json` });
    const self = await identifyProcess(process.pid);
    await agents.endLeftover({ ...self, start: '1 other 1' }, directory);
    await agents.endLeftover(self, directory);
    expect(await running(other.pids)).toEqual(other.pids);
    await agents.endLeftover({ ...self, start: '1 other 1' }, `${directory}1`);
    expect(await running(other.pids)).toEqual([]);
  });
});

describe('the table of processes', () => {
  it('is the same from /proc and from ps', async () => {
    const [proc, ps] = [await listProcesses('linux'), await listProcesses('darwin')].map((list) =>
      list.find(({ pid }) => pid === process.pid),
    );
    expect(ps).toMatchObject({ ppid: process.ppid, pgid: proc?.pgid });
  });
});
