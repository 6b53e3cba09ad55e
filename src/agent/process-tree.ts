import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessId } from '../run/entry.ts';
import { environmentOf, listProcesses, sendSignal, type ProcessInfo } from './process-table.ts';

/** Milliseconds that a killed process may take to end. After that it hangs in the kernel. */
const KILL_MS = 10_000;

/** A process tree, identified by its first process and by the attempt's directory in the environment of each. */
export interface AgentTree {
  readonly first: ProcessId;
  readonly directory: string;
  /** This process started it. Otherwise another engine did: its group id may be used again, and proves nothing. */
  readonly isOurs: boolean;
}

/**
 * Ends all processes of an agent: SIGTERM, a grace period, SIGKILL, until none is left. An agent's processes are the
 * first one, its group and session, all their descendants, and on Linux every process with a file of the attempt's
 * directory in GATELINE_OUTPUT. Never this process or its ancestors, and never by a pid without its start time.
 * @param graceMs milliseconds between SIGTERM and SIGKILL
 * @returns pids of processes that could not be ended
 */
export async function endProcessTree(tree: AgentTree, graceMs: number): Promise<number[]> {
  if (process.platform === 'win32') return tree.isOurs ? endWindowsTree(tree.first) : [];
  const startTimes = new Map<number, string>();
  const refused = new Set<number>();
  const findMembers = async (): Promise<ProcessInfo[]> => {
    const members = membersOf(await listProcesses(), tree, startTimes);
    for (const { pid, start } of members) startTimes.set(pid, start);
    return members.filter(({ pid }) => !refused.has(pid));
  };
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const signalled = new Set<string>();
    const deadline = performance.now() + (signal === 'SIGTERM' ? graceMs : KILL_MS);
    for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
      let members = await findMembers();
      // A process that starts another one and ends while the list is read hides both: only two empty lists are proof.
      if (members.length === 0) members = await findMembers();
      if (members.length === 0) return [...refused];
      for (const { pid, start } of members) {
        const isFirst = !signalled.has(`${pid} ${start}`);
        if ((isFirst || signal === 'SIGKILL') && sendSignal(pid, signal) === 'refused') refused.add(pid);
        signalled.add(`${pid} ${start}`);
      }
      if (performance.now() >= deadline) break;
      await sleep(pause);
    }
  }
  return [...refused, ...(await findMembers()).map(({ pid }) => pid)];
}

function membersOf(
  list: readonly ProcessInfo[],
  tree: AgentTree,
  startTimes: ReadonlyMap<number, string>,
): ProcessInfo[] {
  const { first, directory, isOurs } = tree;
  const all = new Map(list.map((info) => [info.pid, info]));
  const leader = all.get(first.pid);
  // While a group exists, the system does not use its id again.
  const hasGroup = leader === undefined ? isOurs : leader.start === first.start;
  const isMember = (info: ProcessInfo): boolean => {
    if (startTimes.get(info.pid) === info.start) return true;
    if (info.pid === first.pid) return info.start === first.start;
    if (isOlder(info, first)) return false;
    if (hasGroup && (info.pgid === first.pid || info.session === first.pid)) return true;
    return environmentOf(info.pid).some((variable) => variable.startsWith(`GATELINE_OUTPUT=${directory}/`));
  };
  const ancestors = ancestorsOf(process.pid, all);
  const children = new Map<number, ProcessInfo[]>();
  for (const info of list) {
    if (ancestors.has(info.pid)) continue;
    const siblings = children.get(info.ppid);
    if (siblings) siblings.push(info);
    else children.set(info.ppid, [info]);
  }
  const members = new Set(list.filter((info) => !ancestors.has(info.pid) && isMember(info)));
  for (const { pid } of members) for (const child of children.get(pid) ?? []) members.add(child);
  return [...members];
}

/** Whether a process is older than the agent, so that it cannot belong to it. Linux counts ticks since boot. */
function isOlder(info: ProcessInfo, first: ProcessId): boolean {
  const [ticks, ...boot] = info.start.split(' ');
  const [firstTicks, ...firstBoot] = first.start.split(' ');
  return boot.join() === firstBoot.join() && Number(ticks) < Number(firstTicks);
}

/** The process itself and its ancestors. */
function ancestorsOf(pid: number, all: ReadonlyMap<number, ProcessInfo>): Set<number> {
  const ancestors = new Set<number>();
  for (let at = pid; at > 0 && !ancestors.has(at); at = all.get(at)?.ppid ?? 0) ancestors.add(at);
  return ancestors;
}

/** Windows has no process groups: ends the process, which is alive, and its descendants. */
function endWindowsTree({ pid }: ProcessId): Promise<number[]> {
  const args = ['/PID', String(pid), '/T', '/F'];
  return new Promise((resolve) => execFile('taskkill', args, { windowsHide: true }, () => resolve([])));
}
