import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentResult, AgentTask } from '../../src/agent/agent.ts';
import { createProcessAgent, type ProcessAgentOptions } from '../../src/agent/process/process-agent.ts';

/** A directory for one attempt, with what it takes to run an agent in it. Removed at the end of the block. */
export interface TestAttempt extends AsyncDisposable {
  readonly directory: string;
  readonly task: (command: string, changes?: Partial<AgentTask>) => AgentTask;
  readonly run: (command: string, changes?: Partial<AgentTask>, options?: ProcessAgentOptions) => Promise<AgentResult>;
}

export async function testAttempt(): Promise<TestAttempt> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'gateline-agent-')));
  const task = (command: string, changes: Partial<AgentTask> = {}): AgentTask => ({
    directory,
    command,
    shell: 'bash',
    workingDirectory: directory,
    env: { PATH: process.env['PATH'] ?? '', GATELINE_OUTPUT: join(directory, 'output.json') },
    timeoutMs: 60_000,
    logLimit: 65_536,
    signal: new AbortController().signal,
    redact: (text) => text,
    ...changes,
  });
  return {
    directory,
    task,
    run: (command, changes, options) => createProcessAgent({ graceMs: 300, ...options }).run(task(command, changes)),
    [Symbol.asyncDispose]: async () => {
      await endAll(directory);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Ends what a failed test left: processes that wrote their pids anywhere below the directory. */
async function endAll(directory: string): Promise<void> {
  const files = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.pid'));
  const pids = await Promise.all(files.map(async (name) => Number(await readFile(join(directory, name), 'utf8'))));
  for (const pid of await running(pids.filter((pid) => pid > 1))) process.kill(pid, 'SIGKILL');
}

/** Whether a process runs; a zombie does not. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

/** Pids that the test's agents wrote into files `<name>.pid` of a directory, as soon as there are `count` of them. */
export async function pidsIn(directory: string, count: number): Promise<number[]> {
  for (;;) {
    const names = (await readdir(directory)).filter((name) => name.endsWith('.pid'));
    const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
    const pids = texts.filter((text) => text.endsWith('\n')).map(Number);
    if (pids.length >= count) return pids;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Which of these still run. */
export async function running(pids: readonly number[]): Promise<number[]> {
  const alive = await Promise.all(pids.map(isRunning));
  return pids.filter((_, index) => alive[index]);
}
