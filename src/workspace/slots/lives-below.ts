import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { sep } from 'node:path';

/**
 * Whether a process is running in a slot, if the system shows it (Linux): its working directory or an open file is
 * there, or its environment names the slot, like that of an agent and of everything that an agent starts
 * (`Checkout.environment`). A moved slot takes the first two with it.
 *
 * Not through the thread pool: there are thousands of files, and the system answers without a disk.
 * @param path absolute path of the slot
 * @param left pids of processes that stay there, for systems that do not show it. Another process may have such a pid
 *   meanwhile: a folder that stays too long does no harm
 */
export function livesBelow(path: string, left: readonly number[] = []): boolean {
  if (left.some(isThere)) return true;
  let processes;
  try {
    processes = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && name !== String(process.pid));
  } catch {
    return false;
  }
  // `gateline complete` runs in the environment that `begin` printed, as may its parent processes.
  const above = ancestors();
  return processes.some((pid) => worksBelow(pid, path) || (!above.has(pid) && isNamedByEnvironment(pid, path)));
}

function isThere(pid: number): boolean {
  if (process.platform !== 'linux') return or(false, () => process.kill(pid, 0));
  // One that has ended stays visible until its parent has asked, without a command line.
  return or('', () => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) !== '';
}

function worksBelow(pid: string, path: string): boolean {
  const open = or([], () => readdirSync(`/proc/${pid}/fd`));
  return ['cwd', ...open.map((name) => `fd/${name}`)].some((name) => {
    const place = or('', () => readlinkSync(`/proc/${pid}/${name}`));
    return place === path || place.startsWith(`${path}${sep}`);
  });
}

function isNamedByEnvironment(pid: string, path: string): boolean {
  const environment = or('', () => readFileSync(`/proc/${pid}/environ`, 'utf8'));
  return environment.includes(path) && environment.split('\0').some((one) => one.split(/[=:]/).includes(path));
}

function ancestors(): Set<string> {
  const found = new Set<string>();
  for (let pid = String(process.ppid); pid !== '0' && pid !== '' && !found.has(pid);) {
    found.add(pid);
    const stat = or('', () => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    // `<pid> (<name>) <state> <parent> …`; a name may contain anything.
    pid = stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2] ?? '';
  }
  return found;
}

/** The answer of the system about a process; `otherwise` if the process has exited or belongs to another user. */
function or<T>(otherwise: T, ask: () => T): T {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}
