import { setTimeout as sleep } from 'node:timers/promises';
import { isSystemError } from '../../errors/gateline-error.ts';
import type { ProcessInfo, ProcessTable } from './process-table.ts';

/** Decides which processes belong to an agent. Its descendants are included automatically. */
export type Belongs = (one: ProcessInfo, all: ReadonlyMap<number, ProcessInfo>) => boolean;

/** Waiting times in milliseconds. */
export interface EndingTimes {
  /** Between SIGTERM and SIGKILL; 0: SIGKILL at once. */
  readonly graceMs: number;
  /** How long to wait until a killed process is gone. */
  readonly killMs: number;
}

/** The result of {@link endProcesses}. */
export interface ProcessEnding {
  /** Pids that are gone. */
  readonly ended: number[];
  /** Pids of processes that could not be ended: they belong to another user, or hang in the system. */
  readonly remaining: number[];
}

/**
 * Ends processes and all that they started: SIGTERM, a grace period, SIGKILL, until none is left. Processes that appear
 * meanwhile are ended too. A process is identified by pid and start time, so a reused pid is never signalled.
 */
export async function endProcesses(table: ProcessTable, belongs: Belongs, times: EndingTimes): Promise<ProcessEnding> {
  const known = new Map<number, string>();
  const refused = new Set<number>();
  const alive = async (): Promise<ProcessInfo[]> => {
    const found = membersOf(await table.list(), belongs, known);
    for (const { pid, started } of found) known.set(pid, started);
    return found.filter(({ pid }) => !refused.has(pid));
  };
  const rest = await signalUntilGone(alive, 'SIGTERM', times.graceMs, refused);
  if (rest.length > 0) await signalUntilGone(alive, 'SIGKILL', times.killMs, refused);
  const remaining = new Set([...refused, ...(await alive()).map(({ pid }) => pid)]);
  return { ended: [...known.keys()].filter((pid) => !remaining.has(pid)), remaining: [...remaining] };
}

/** The processes that belong to an agent now. */
export async function livingProcesses(
  table: ProcessTable,
  belongs: Belongs,
): Promise<Pick<ProcessInfo, 'pid' | 'started'>[]> {
  const members = membersOf(await table.list(), belongs, new Map());
  return members.map(({ pid, started }) => ({ pid, started }));
}

/** Processes that belong, were known to belong, or descend from such processes. */
function membersOf(list: readonly ProcessInfo[], belongs: Belongs, known: ReadonlyMap<number, string>): ProcessInfo[] {
  const all = new Map(list.map((one) => [one.pid, one]));
  const children = Map.groupBy(list, (one) => one.ppid);
  const members = new Set(list.filter((one) => known.get(one.pid) === one.started || belongs(one, all)));
  for (const member of members) {
    for (const child of children.get(member.pid) ?? []) members.add(child);
  }
  members.delete(all.get(process.pid)!);
  return [...members];
}

async function signalUntilGone(
  alive: () => Promise<ProcessInfo[]>,
  signal: 'SIGTERM' | 'SIGKILL',
  forMs: number,
  refused: Set<number>,
): Promise<ProcessInfo[]> {
  const signalled = new Set<string>();
  const deadline = performance.now() + forMs;
  for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
    const found = await alive();
    if (found.length === 0 || performance.now() >= deadline) return found;
    for (const { pid, started } of found) {
      const first = !signalled.has(`${pid} ${started}`);
      if ((first || signal === 'SIGKILL') && !sendSignal(pid, signal)) refused.add(pid);
      signalled.add(`${pid} ${started}`);
    }
    await sleep(pause);
  }
}

/**
 * Signals a process, or a process group by its negative id. One that has ended is no failure.
 * @returns false if the system does not permit it
 */
export function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ESRCH')) return true;
    if (isSystemError(error, 'EPERM')) return false;
    throw error;
  }
}
