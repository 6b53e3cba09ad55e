import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { z } from 'zod';
import type { SaveMessage, SaveOrder } from './save-process.ts';

/** How to start the saving process. */
export interface SaverCall {
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The result of the save. */
export interface SaverResult {
  /** `undefined`: it ended without a message, or was ended. */
  readonly message: SaveMessage | undefined;
  readonly timedOut: boolean;
  /** The end of its output. */
  readonly log: string;
}

/** A process that saves one entry when it is asked to. Until then it does not keep this process alive. */
export interface Saver {
  readonly isRunning: () => boolean;
  /**
   * Saves the entry, and ends the process; it is ended after `timeoutMs` milliseconds in any case. Rejects only if it
   * could not be started.
   */
  readonly save: (order: SaveOrder, timeoutMs: number) => Promise<SaverResult>;
  readonly end: () => void;
}

const MAX_LOG = 64 * 1024;

const messageSchema: z.ZodType<SaveMessage> = z.union([
  z.strictObject({ saved: z.number() }),
  z.strictObject({ failed: z.string() }),
]);

/** Starts the process, which loads GitHub's client and waits. It ends with this process. */
export function startSaver({ command, cwd, env }: SaverCall): Saver {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env,
    // Its own process group, so that tar and zstd end with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let message: SaveMessage | undefined;
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-MAX_LOG);
    });
  child.once('message', (received: unknown) => {
    message = messageSchema.safeParse(received).data;
    // The toolkit's connections would otherwise keep it alive for a while.
    end(child);
  });
  const closed = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  // Whoever saves gets the error.
  closed.catch(() => undefined);
  holdFor(child, false);
  return {
    isRunning: () => child.pid !== undefined && child.exitCode === null && child.signalCode === null,
    save: async (order, timeoutMs) => {
      holdFor(child, true);
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        end(child);
      }, timeoutMs);
      // If it has ended, `close` says so.
      if (child.connected) child.send(order, () => undefined);
      try {
        await closed;
      } finally {
        clearTimeout(timer);
      }
      return { message, timedOut, log };
    },
    end: () => end(child),
  };
}

/** Whether this process waits for the other. */
function holdFor(child: ChildProcess, hold: boolean): void {
  const verb = hold ? 'ref' : 'unref';
  child[verb]();
  child.channel?.[verb]();
  // Pipes of a child process are sockets.
  for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.[verb]();
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
