import { realpathSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { AGENT_VARIABLES } from '../../environment.ts';
import { isSystemError } from '../../errors/gateline-error.ts';
import type { FoundRecord } from './process-record.ts';
import type { ProcessInfo, ProcessTable } from './process-table.ts';
import type { Belongs } from './process-tree.ts';

/** Variables with a path in the attempt's own directory: they identify the attempt of a process, wherever it moved. */
const MARKERS = [AGENT_VARIABLES.output, AGENT_VARIABLES.request, AGENT_VARIABLES.metrics, AGENT_VARIABLES.learnings];

/**
 * An agent that we started ourselves: its first process, its process group and session, and all processes with the
 * attempt's directory in their environment. Processes older than the first one are not checked.
 */
export function ofAttempt(table: ProcessTable, first: ProcessInfo, directory: string): Belongs {
  const marked = markedBelow(table, [directory]);
  return (one, all) => {
    if (one.pid === first.pid) return one.started === first.started;
    if (isOlder(one, first)) return false;
    return inGroupOf(one, first, all) || marked(one);
  };
}

/**
 * Agents of an engine that is gone: processes recorded below `root`, if pid, start time and boot match, and those that
 * have the directory of a recorded attempt in their environment. If an attempt has no record, its agent runs by itself:
 * its processes, and those that its user started from that shell, do not belong to it. Never this process, its
 * ancestors or its descendants.
 * @param found the records below `root`
 * @param left other processes that belong to them
 */
export function leftBelow(
  table: ProcessTable,
  root: string,
  found: readonly FoundRecord[],
  left: readonly Pick<ProcessInfo, 'pid' | 'started'>[] = [],
): Belongs {
  const named = new Map(left.map(({ pid, started }) => [pid, started]));
  const recorded = found.flatMap(({ process }) => (process?.boot === table.boot ? [process] : []));
  const first = new Map(recorded.map((record) => [record.pid, record.started]));
  const attempts = found.map(({ directory }) => relative(root, directory));
  const marked = markedBelow(
    table,
    pathsOf(root).flatMap((path) => attempts.map((attempt) => join(path, attempt))),
  );
  return (one, all) => {
    if (isRelated(one, all)) return false;
    if (named.get(one.pid) === one.started) return true;
    // The agent can write to the place of its record. We start it as leader of its group, so a record of any other
    // process is ignored.
    if (first.get(one.pid) === one.started && (one.pgid === one.pid || one.pgid === -1)) return true;
    const leader = all.get(one.pgid);
    if (leader !== undefined && first.get(leader.pid) === leader.started) return true;
    return marked(one);
  };
}

/** Start times are numbers on Linux, the only system whose environments are read: this avoids reading most of them. */
function isOlder(one: ProcessInfo, first: ProcessInfo): boolean {
  return Number(one.started) < Number(first.started);
}

/**
 * While a group or session exists, its number is not reused as a pid; so only a leader with another start time is proof
 * of a different group.
 */
function inGroupOf(one: ProcessInfo, first: ProcessInfo, all: ReadonlyMap<number, ProcessInfo>): boolean {
  if (one.pgid !== first.pid && one.session !== first.pid) return false;
  const leader = all.get(first.pid);
  return leader === undefined || leader.started === first.started;
}

function markedBelow(table: ProcessTable, directories: readonly string[]): (one: ProcessInfo) => boolean {
  const prefixes = directories.flatMap((directory) => MARKERS.map((name) => `${name}=${directory}${sep}`));
  return ({ pid }) => table.environment(pid).some((entry) => prefixes.some((prefix) => entry.startsWith(prefix)));
}

function isRelated(one: ProcessInfo, all: ReadonlyMap<number, ProcessInfo>): boolean {
  return isAncestor(one.pid, process.pid, all) || isAncestor(process.pid, one.pid, all);
}

/** Also true if both are the same. */
function isAncestor(ancestor: number, pid: number, all: ReadonlyMap<number, ProcessInfo>): boolean {
  const seen = new Set<number>();
  for (let at = pid; at > 0 && !seen.has(at); at = all.get(at)?.ppid ?? 0) {
    if (at === ancestor) return true;
    seen.add(at);
  }
  return false;
}

/** As given, absolute, and with links resolved: an engine may have used any of these. */
function pathsOf(root: string): string[] {
  try {
    return [...new Set([root, resolve(root), realpathSync(root)])];
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [root, resolve(root)];
    throw error;
  }
}
