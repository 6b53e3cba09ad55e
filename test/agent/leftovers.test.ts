import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createProcessAgent } from '../../src/agent/process/process-agent.ts';
import { listPs, processTable } from '../../src/agent/process/process-table.ts';
import { isRunning, pidsIn, running, testAttempt } from './attempt.ts';

const ENGINE = join(import.meta.dirname, 'fixtures/engine.ts');
const agent = createProcessAgent({ graceMs: 200 });

/** Starts an engine with this command in `directory`, and kills it once `count` pids were written. */
async function killedEngine(directory: string, command: string, count: number): Promise<number[]> {
  await mkdir(directory, { recursive: true });
  const engine = spawn(process.execPath, [ENGINE, directory, command], { stdio: 'ignore' });
  const exited = once(engine, 'exit');
  const pids = await pidsIn(directory, count);
  // The agent may be quicker than the engine's record of it.
  while (!existsSync(join(directory, 'process.json'))) await sleep(5);
  engine.kill('SIGKILL');
  await exited;
  return pids;
}

/** A process that descends from nobody here, with a session of its own, and what a record of it would say. */
async function bystander(variables: Readonly<Record<string, string>> = {}) {
  const script = 'setsid sleep 600 > /dev/null 2>&1 & echo $!';
  const env = { PATH: process.env['PATH'], ...variables };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
  const table = processTable(process.platform);
  const pid = Number(stdout);
  // On a busy machine it has its session only after a while.
  while ((await table.find(pid))!.session !== pid) await sleep(5);
  const { started } = (await table.find(pid))!;
  return {
    record: { format: 'gateline-process/1', pid, started, boot: table.boot },
    pid,
    [Symbol.asyncDispose]: async () => void ((await isRunning(pid)) && process.kill(pid, 'SIGKILL')),
  };
}

describe('what a killed engine left', () => {
  it('is ended, wherever it moved, before the call returns', async () => {
    await using attempt = await testAttempt();
    const command =
      'echo $$ > a.pid; setsid bash -c \'trap "" TERM; echo $$ > b.pid; while :; do sleep 600; done\' & (setsid sleep 600 & echo $! > c.pid); wait';
    const directory = join(attempt.directory, 'root/7/design._.1.1');
    const pids = await killedEngine(directory, command, 3);
    expect(await running(pids)).toEqual(pids);
    const ended = await agent.endLeftovers(join(attempt.directory, 'root'));
    expect(ended).toEqual(expect.arrayContaining(pids));
    expect(await running(pids)).toEqual([]);
    expect(await agent.endLeftovers(join(attempt.directory, 'root'))).toEqual([]);
  });

  it('is found by its record where the environment does not tell', async () => {
    await using attempt = await testAttempt();
    const directory = join(attempt.directory, 'root/1');
    const pids = await killedEngine(
      directory,
      "exec env -i /bin/bash -c 'echo $$ > a.pid; /bin/sleep 600 & echo $! > b.pid; wait'",
      2,
    );
    expect(JSON.parse(await readFile(join(directory, 'process.json'), 'utf8'))).toHaveProperty('boot');
    expect(new Set(await agent.endLeftovers(join(attempt.directory, 'root')))).toEqual(new Set(pids));
    expect(await running(pids)).toEqual([]);
  });

  it.each(['{"format":"gateline-pro', ''])(
    'is found by the environment where the record is cut off: %j',
    async (record) => {
      await using attempt = await testAttempt();
      const directory = join(attempt.directory, 'root/1');
      const pids = await killedEngine(directory, 'echo $$ > a.pid; exec sleep 600', 1);
      await writeFile(join(directory, 'process.json'), record);
      expect(await agent.endLeftovers(join(attempt.directory, 'root'))).toEqual(pids);
    },
  );

  it('is found through a link to the root', async () => {
    await using attempt = await testAttempt();
    const pids = await killedEngine(join(attempt.directory, 'root/1'), 'echo $$ > a.pid; exec sleep 600', 1);
    await symlink(join(attempt.directory, 'root'), join(attempt.directory, 'link'));
    expect(await agent.endLeftovers(join(attempt.directory, 'link'))).toEqual(pids);
  });
});

describe('what is not left by a killed engine is not touched', () => {
  it('nothing at all where there is no root', async () => {
    await using attempt = await testAttempt();
    expect(await agent.endLeftovers(join(attempt.directory, 'none'))).toEqual([]);
  });

  it.each([
    ['a pid that another process has now', { started: '1' }],
    ['a pid of another boot', { boot: 'other' }],
    ['a record of another version', { format: 'gateline-process/2' }],
    ['a record that is no record', { pid: -1 }],
  ])('%s', async (_, change) => {
    await using attempt = await testAttempt();
    await using other = await bystander();
    await writeFile(join(attempt.directory, 'process.json'), JSON.stringify({ ...other.record, ...change }));
    expect(await agent.endLeftovers(attempt.directory)).toEqual([]);
    expect(await isRunning(other.pid)).toBe(true);
  });

  it('(while the same record unchanged does count)', async () => {
    await using attempt = await testAttempt();
    await using other = await bystander();
    await writeFile(join(attempt.directory, 'process.json'), JSON.stringify(other.record));
    expect(await agent.endLeftovers(attempt.directory)).toEqual([other.pid]);
    expect(await isRunning(other.pid)).toBe(false);
  });

  it('this process and its own children, even if they are marked', async () => {
    await using attempt = await testAttempt();
    const env = { PATH: process.env['PATH']!, GATELINE_OUTPUT: join(attempt.directory, '1/output.json') };
    const child = spawn('sleep', ['600'], { stdio: 'ignore', env });
    await once(child, 'spawn');
    expect(await agent.endLeftovers(attempt.directory)).toEqual([]);
    expect(await isRunning(child.pid!)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('what runs in an attempt that the engine started no agent in', async () => {
    await using attempt = await testAttempt();
    await mkdir(join(attempt.directory, 's/1/own._.1.1'), { recursive: true });
    const output = join(attempt.directory, 's/1/own._.1.1/output.json');
    await using server = await bystander({ GATELINE_OUTPUT: output });
    expect(await agent.endLeftovers(attempt.directory)).toEqual([]);
    expect(await isRunning(server.pid)).toBe(true);
  });

  it.each(['process.json', '.process.json.tmp'])('(while it is ended where the engine left %s)', async (file) => {
    await using attempt = await testAttempt();
    await mkdir(join(attempt.directory, 's/1/own._.1.1'), { recursive: true });
    await writeFile(join(attempt.directory, 's/1/own._.1.1', file), '');
    const output = join(attempt.directory, 's/1/own._.1.1/output.json');
    await using server = await bystander({ GATELINE_OUTPUT: output });
    expect(await agent.endLeftovers(attempt.directory)).toEqual([server.pid]);
  });

  it('agents below another root whose name begins the same', async () => {
    await using attempt = await testAttempt();
    const [pid] = await killedEngine(join(attempt.directory, 'root2/1'), 'echo $$ > a.pid; exec sleep 600', 1);
    expect(await agent.endLeftovers(join(attempt.directory, 'root'))).toEqual([]);
    expect(await isRunning(pid!)).toBe(true);
    expect(await agent.endLeftovers(join(attempt.directory, 'root2'))).toEqual([pid]);
  });
});

describe('the table of processes', () => {
  it('is the same from /proc and from ps', async () => {
    const own = (list: readonly { pid: number; ppid: number; pgid: number }[]) => {
      const found = list.find(({ pid }) => pid === process.pid);
      return [found?.pid, found?.ppid, found?.pgid];
    };
    expect(own(await listPs())).toEqual(own(await processTable('linux').list()));
    expect(own(await listPs())[1]).toBe(process.ppid);
  });
});
