import { readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { sep } from 'node:path';

/**
 * Whether a process is running in a slot, if the system shows it (Linux): its working directory or an open file is
 * there, or its environment names the slot, like that of an agent and of everything that an agent starts
 * (`Checkout.environment`). A moved slot takes the first two with it.
 * @param path absolute path of the slot
 */
export async function livesBelow(path: string): Promise<boolean> {
  let processes;
  try {
    processes = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name) && name !== String(process.pid));
  } catch {
    return false;
  }
  // `gateline complete` runs in the environment that `begin` printed, as may its parent processes.
  const above = await ancestors();
  const found = await Promise.all(
    processes.map(
      async (pid) => (await worksBelow(pid, path)) || (!above.has(pid) && (await isNamedByEnvironment(pid, path))),
    ),
  );
  return found.includes(true);
}

async function worksBelow(pid: string, path: string): Promise<boolean> {
  const open = await readdir(`/proc/${pid}/fd`).catch(() => []);
  return ['cwd', ...open.map((name) => `fd/${name}`)].some((name) => {
    const place = leadOf(`/proc/${pid}/${name}`);
    return place === path || place.startsWith(`${path}${sep}`);
  });
}

/** Not through the thread pool: there are thousands, and the system answers without a disk. */
function leadOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

async function isNamedByEnvironment(pid: string, path: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return environment.includes(path) && environment.split('\0').some((one) => one.split(/[=:]/).includes(path));
}

async function ancestors(): Promise<Set<string>> {
  const found = new Set<string>();
  for (let pid = String(process.ppid); pid !== '0' && pid !== '' && !found.has(pid);) {
    found.add(pid);
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // `<pid> (<name>) <state> <parent> …`; a name may contain anything.
    pid = stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2] ?? '';
  }
  return found;
}
