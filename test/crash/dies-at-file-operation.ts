/**
 * Loaded by `node --import` before the command line: kills the process right before its k-th change of a name in the file
 * system, or in the middle of its k-th write; `DIE_AT_OPERATION` is k. Each is one line in the file `OPERATIONS`. Agents
 * do not load it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { DIE_AT_OPERATION, OPERATIONS } = process.env;
for (const name of ['NODE_OPTIONS', 'DIE_AT_OPERATION', 'OPERATIONS']) delete process.env[name];

// Bound before they are replaced.
const { appendFileSync, writevSync } = fs;
let count = 0;

/** @returns whether the process must die here */
function note(what: string): boolean {
  count += 1;
  if (OPERATIONS !== undefined) appendFileSync(OPERATIONS, `${what}\n`);
  return count === Number(DIE_AT_OPERATION);
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

type Operation = (...args: unknown[]) => unknown;

function killBefore(functions: object, names: readonly string[]): void {
  const those = functions as Record<string, Operation>;
  for (const name of names) {
    const original = those[name]!;
    those[name] = (...args) => {
      if (note(`${name} ${String(args[0])}`)) die();
      return original(...args);
    };
  }
}

killBefore(fs.promises, ['rename', 'link', 'unlink', 'rm']);
killBefore(fs, ['renameSync', 'linkSync', 'unlinkSync', 'rmSync']);
fs.writevSync = (file, buffers, position) => {
  if (note('writevSync')) {
    const whole = Buffer.concat(buffers as readonly Uint8Array[]);
    fs.writeSync(file, whole.subarray(0, whole.length / 2));
    die();
  }
  return writevSync(file, buffers, position);
};
syncBuiltinESMExports();
