import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentResult, AgentTask } from '../../src/agent/agent.ts';
import { createAgents } from '../../src/agent/process.ts';
import { createRedactor } from '../../src/untrusted/redact.ts';

/** A directory for one attempt. At the end of the block it and what a failed test left running are gone. */
export interface TestAttempt extends AsyncDisposable {
  readonly directory: string;
  readonly task: (command: string, changes?: Partial<AgentTask>) => AgentTask;
  readonly run: (command: string, changes?: Partial<AgentTask>, options?: RunOptions) => Promise<AgentResult>;
}

interface RunOptions {
  readonly signal?: AbortSignal;
  readonly graceMs?: number;
}

export async function testAttempt(): Promise<TestAttempt> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'gateline-agent-')));
  const task = (command: string, changes: Partial<AgentTask> = {}): AgentTask => ({
    directory,
    command,
    shell: 'bash',
    workingDirectory: directory,
    env: { PATH: process.env['PATH'] ?? '', GATELINE_OUTPUT: join(directory, 'output.json') },
    timeoutMs: 600_000,
    redactor: createRedactor({}),
    ...changes,
  });
  return {
    directory,
    task,
    run: async (command, changes, { signal = new AbortController().signal, graceMs = 300 } = {}) =>
      (await createAgents({ graceMs }).prepare(task(command, changes))).run(signal),
    [Symbol.asyncDispose]: async () => {
      for (const pid of await running(await pidsIn(directory, 0))) process.kill(pid, 'SIGKILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Pids that a test's agents wrote into files `<name>.pid` of a directory, as soon as there are `count` of them. */
export async function pidsIn(directory: string, count: number): Promise<number[]> {
  for (;;) {
    const names = (await readdir(directory)).filter((name) => name.endsWith('.pid'));
    const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
    const pids = texts.filter((text) => text.endsWith('\n')).map(Number);
    if (pids.length >= count) return pids;
    await sleep(10);
  }
}

/** Which of these run. A zombie does not. */
export async function running(pids: readonly number[]): Promise<number[]> {
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z ')));
  return pids.filter((pid, index) => pid > 1 && !/\) [ZX] /.test(stats[index]!));
}
