import childProcess from 'node:child_process';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { promisify } from 'node:util';

/** How many processes are killed. */
export const KILLS = Number(process.env['GATELINE_KILLS'] ?? 8);
/** How many moments of each command are tried: 100 are all of them. */
export const MOMENTS = Number(process.env['GATELINE_MOMENTS'] ?? 3);

type Call = (...args: unknown[]) => unknown;

const FILE_CALLS = ['appendFile', 'chmod', 'copyFile', 'link', 'mkdir', 'mkdtemp', 'rename', 'rm', 'rmdir'];
const MORE_FILE_CALLS = ['symlink', 'truncate', 'unlink', 'utimes', 'writeFile'];
const HANDLE_CALLS = ['appendFile', 'truncate', 'write', 'writeFile'];
const PROCESS_CALLS = ['exec', 'execFile', 'spawn'];

/**
 * Calls `see` before each call of Node by which this process changes the disk or starts a program, until it is
 * disposed of: these are the moments between which a kill makes a difference.
 */
export async function watchOperations(see: (operation: string) => void): Promise<Disposable> {
  const undo: (() => void)[] = [];
  const watch = (owner: object, name: string): void => {
    const calls = owner as Record<string, Call & { readonly [promisify.custom]?: Call }>;
    const original = calls[name]!;
    const seen = (call: Call): Call =>
      function (this: unknown, ...args) {
        see(operationText(name, args));
        return call.apply(this, args);
      };
    const custom = original[promisify.custom];
    calls[name] = Object.assign(seen(original), custom && { [promisify.custom]: seen(custom) });
    undo.push(() => (calls[name] = original));
  };
  const handle = await fs.open(import.meta.filename);
  await handle.close();
  for (const name of [...FILE_CALLS, ...MORE_FILE_CALLS]) watch(fs, name);
  for (const name of HANDLE_CALLS) watch(Object.getPrototypeOf(handle) as object, name);
  for (const name of PROCESS_CALLS) watch(childProcess, name);
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      for (const restore of undo) restore();
      syncBuiltinESMExports();
    },
  };
}

/** `git update-ref`, `rename … log.jsonl`: what a failed case shows. */
function operationText(name: string, args: readonly unknown[]): string {
  const [first, second] = args;
  if (Array.isArray(second))
    return `${basename(String(first))} ${second.find((word) => /^[a-z][a-z-]+$/.test(String(word)))}`;
  const paths = [first, second].filter((arg) => typeof arg === 'string').map((arg) => basename(arg).slice(0, 24));
  return `${name} ${paths.join(' ')}`;
}
