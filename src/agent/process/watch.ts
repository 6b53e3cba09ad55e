import type { ChildProcess } from 'node:child_process';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { AgentResult, AgentTask } from '../agent.ts';
import { AgentOutput, redactLines } from './agent-output.ts';
import { LiveLog } from './live-log.ts';
import { ofAttempt } from './ownership.ts';
import { recordFailure, removeProcessRecord, writeProcessRecord } from './process-record.ts';
import type { ProcessInfo, ProcessTable } from './process-table.ts';
import { endProcesses, livingProcesses, type EndingTimes } from './process-tree.ts';

/** Maximum delay of `setTimeout`. */
const MAX_TIMER = 2_147_483_647;

/** Output that still arrives this many times `drainMs` after the end is not waited for. */
const MAX_DRAINS = 10;

/** A started child process. */
export type StartedChild = ChildProcess & { readonly pid: number };

/** Waiting times in milliseconds. */
export interface WatchTimes extends EndingTimes {
  /** How long output may be silent after the end while another process still has it open. */
  readonly drainMs: number;
}

interface Outputs {
  readonly stdout: AgentOutput;
  readonly stderr: AgentOutput;
}

type Stop = { readonly why: 'exited' | 'timeout' | 'cancelled' } | { readonly why: 'broken'; readonly error: unknown };

/**
 * Watches an agent from its start to the end of all processes that it started. Must be called in the same turn of the
 * event loop as the child's `spawn` event, so that nothing is missed.
 */
export async function watch(
  child: StartedChild,
  task: AgentTask,
  table: ProcessTable,
  times: WatchTimes,
): Promise<AgentResult> {
  const stop = Promise.withResolvers<Stop>();
  const broken = (error: unknown): void => stop.resolve({ why: 'broken', error });
  using live = task.live === true ? new LiveLog(task.directory, 2 * task.logLimit) : undefined;
  const output = { stdout: outputOf(task, 'stdout', live), stderr: outputOf(task, 'stderr', live) };
  const lastSeen = listen(child, output, broken);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const onAbort = (): void => stop.resolve({ why: 'cancelled' });
  task.signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => stop.resolve({ why: 'timeout' }), Math.min(task.timeoutMs, MAX_TIMER));
  void exited.then(() => stop.resolve({ why: 'exited' }));

  const first = (await table.find(child.pid)) ?? unknownProcess(child.pid);
  try {
    writeProcessRecord(task.directory, first, table.boot);
  } catch (cause) {
    broken(recordFailure(task.directory, cause));
  }
  const stopped = await stop.promise;
  clearTimeout(timer);
  task.signal.removeEventListener('abort', onAbort);

  const belongs = ofAttempt(table, first, task.directory);
  const mayLeave = task.leaves === true && stopped.why === 'exited' && child.exitCode === 0;
  const left = mayLeave ? await livingProcesses(table, belongs) : [];
  const { remaining } = mayLeave ? { remaining: [] } : await endProcesses(table, belongs, times);
  await Promise.race([exited, sleep(times.killMs, undefined, { ref: false })]);
  await drained(child, closed, lastSeen, times.drainMs);
  // The record of an agent that left processes finds them when they are to be ended.
  if (remaining.length + left.length === 0) removeProcessRecord(task.directory);
  if (stopped.why === 'broken') throw stopped.error;
  const result = resultOf(stopped.why, child, output, remaining);
  return left.length === 0 ? result : { ...result, left };
}

function outputOf(task: AgentTask, stream: 'stdout' | 'stderr', live: LiveLog | undefined): AgentOutput {
  const { onLine } = task;
  const show = (line: string, goesOn: boolean): void => {
    live?.add(line);
    onLine?.(stream, line, goesOn);
  };
  return new AgentOutput(
    task.logLimit,
    task.redactStream?.() ?? redactLines(task.redact),
    onLine || live ? show : undefined,
  );
}

/** @returns the time of the last output, as `performance.now()` */
function listen(child: StartedChild, output: Outputs, broken: (error: unknown) => void): () => number {
  let last = performance.now();
  for (const name of ['stdout', 'stderr'] as const) {
    let sound = true;
    child[name]!.on('error', broken).on('data', (chunk: Uint8Array) => {
      last = performance.now();
      try {
        if (sound) output[name].add(chunk);
      } catch (error) {
        sound = false;
        broken(error);
      }
    });
  }
  return () => last;
}

/** Waits until all output has arrived. An escaped process may keep it open forever: then silence is enough. */
async function drained(
  child: StartedChild,
  closed: Promise<void>,
  lastSeen: () => number,
  drainMs: number,
): Promise<void> {
  const begin = performance.now();
  const done = closed.then(() => true);
  while (!(await Promise.race([done, sleep(Math.min(drainMs, 50), false)]))) {
    // Process available output before checking the clock again.
    await turn();
    const now = performance.now();
    if (now - Math.max(begin, lastSeen()) < drainMs && now - begin < MAX_DRAINS * drainMs) continue;
    child.stdout!.destroy();
    child.stderr!.destroy();
    child.unref();
    return;
  }
}

/** It ended before it could be examined; nothing equals this start time. */
function unknownProcess(pid: number): ProcessInfo {
  return { pid, ppid: process.pid, pgid: pid, session: pid, started: '' };
}

function resultOf(
  why: 'exited' | 'timeout' | 'cancelled',
  child: StartedChild,
  output: Outputs,
  remaining: readonly number[],
): AgentResult {
  output.stdout.end();
  output.stderr.end();
  const note = remaining.length === 0 ? '' : `\n[gateline: could not be ended: process ${remaining.join(', ')}]\n`;
  return {
    outcome: why === 'exited' && child.signalCode !== null ? 'signalled' : why,
    ...(child.exitCode === null ? {} : { exitCode: child.exitCode }),
    ...(child.signalCode === null ? {} : { signal: child.signalCode }),
    stdout: output.stdout.text(),
    stderr: output.stderr.text() + note,
  };
}
