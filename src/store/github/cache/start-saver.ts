import { spawn, type ChildProcess } from 'node:child_process';
import { z } from 'zod';
import type { SaveMessage } from './save-process.ts';

/** How to start the saving process. */
export interface SaverCall {
  /** Program and arguments; the key follows. */
  readonly command: readonly [string, ...string[]];
  readonly key: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** It is ended after this many milliseconds. */
  readonly timeoutMs: number;
}

/** The result of the save. */
export interface SaverResult {
  /** `undefined`: it ended without a message, or was ended. */
  readonly message: SaveMessage | undefined;
  readonly timedOut: boolean;
  /** The end of its output. */
  readonly log: string;
}

const MAX_LOG = 64 * 1024;

const messageSchema: z.ZodType<SaveMessage> = z.union([
  z.strictObject({ saved: z.number() }),
  z.strictObject({ failed: z.string() }),
]);

/** Runs it to its end. Rejects only if it cannot be started. */
export function runSaver({ command, key, cwd, env, timeoutMs }: SaverCall): Promise<SaverResult> {
  const [program, ...args] = command;
  const child = spawn(program, [...args, key], {
    cwd,
    env,
    // Its own process group, so that tar and zstd end with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let message: SaveMessage | undefined;
  let timedOut = false;
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-MAX_LOG);
    });
  // The toolkit's connections would otherwise keep it alive for a while.
  child.once('message', (told: unknown) => {
    message = messageSchema.safeParse(told).data;
    end(child);
  });
  const timer = setTimeout(() => {
    timedOut = true;
    end(child);
  }, timeoutMs);
  return new Promise<SaverResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve({ message, timedOut, log }));
  }).finally(() => clearTimeout(timer));
}

function end(child: ChildProcess): void {
  if (process.platform === 'win32' || child.pid === undefined) {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // Already gone.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
