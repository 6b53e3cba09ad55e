import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { GatelineError, isSystemError, messageOf } from '../../errors/gateline-error.ts';
import { GIT_SETTINGS, KEPT_FOR_GIT, WITHHELD_FROM_AGENTS, type Environment } from '../../environment.ts';

/** The result of a git command. */
export interface GitAnswer {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
}

/** How one git command is called. */
export interface GitCall {
  /** Working directory; default: the one of the runner. */
  readonly cwd?: string;
  readonly input?: Buffer;
  /** Exit codes that are valid results; any other is an error. Default 0 only. */
  readonly answers?: readonly number[];
  /** Variables in addition to the runner's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called once if the command takes long: the error to end it with, if it cannot end by itself. */
  readonly whenSlow?: () => Promise<GatelineError | undefined>;
}

/** Runs git in one place. */
export type Git = (args: readonly string[], call?: GitCall) => Promise<GitAnswer>;

/** Options of a runner of git commands. */
export interface GitOptions {
  /** Name or absolute path of git. */
  readonly binary: string;
  /** The caller's environment; see {@link gitEnvironment}. */
  readonly environment: Environment;
  /** Milliseconds after which a command and everything that it started are ended. Default 600,000. */
  readonly timeoutMs?: number;
  /** When aborted, commands that run or are started then have three seconds left. */
  readonly signal?: AbortSignal | undefined;
}

/** Never run a monitor configured by the repository. */
const ALWAYS = ['-c', 'core.fsmonitor=', '--no-optional-locks'];
const LARGEST_ANSWER = 1_024 ** 3;
const TIMEOUT_MS = 600_000;
const SLOW_MS = 5_000;
const ABORTED_MS = 3_000;

/** git's messages for a missing object, or one that does not match its name. */
const DAMAGED =
  /unable to read|loose object|object file .* is empty|missing blob|bad object|corrupt|unpack tree object/;
const DAMAGED_HINT =
  'Run `git fsck`. If the repository is sound, remove `.state/git`, which is created again, and run the same command again.';

/**
 * git's environment: the caller's without variables that would point git elsewhere, and without those that the runner
 * withholds from commands, since git starts a repository's filters as programs.
 */
export function gitEnvironment(environment: Environment): Record<string, string> {
  const kept = Object.entries(environment).filter(
    (pair): pair is [string, string] =>
      pair[1] !== undefined &&
      !WITHHELD_FROM_AGENTS.test(pair[0]) &&
      (!pair[0].toUpperCase().startsWith('GIT_') || KEPT_FOR_GIT.test(pair[0])),
  );
  return { ...Object.fromEntries(kept), ...GIT_SETTINGS };
}

/**
 * A runner of git commands, never through a shell.
 *
 * @param place working directory
 */
export function gitIn(place: string, { binary, environment, timeoutMs = TIMEOUT_MS, signal }: GitOptions): Git {
  const env = gitEnvironment(environment);
  return async (args, { cwd = place, input, answers = [0], env: more, whenSlow } = {}) => {
    const how = { cwd, env: { ...env, ...more }, input, timeoutMs, signal, whenSlow };
    const answer = await execute(binary, [...ALWAYS, ...args], how);
    if (answer.error === undefined && answer.code !== undefined && answers.includes(answer.code)) {
      return { code: answer.code, out: answer.out, err: answer.err };
    }
    throw explain(answer, binary, args, cwd);
  };
}

/** Starts git for communication over its standard streams. Only the caller ends it. */
export function startGit(
  cwd: string,
  { binary, environment }: GitOptions,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  return spawn(binary, [...ALWAYS, ...args], {
    cwd,
    env: { ...gitEnvironment(environment), ...env },
    windowsHide: true,
  });
}

interface Execution {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly input: Buffer | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly whenSlow: GitCall['whenSlow'];
}

interface Outcome {
  /** Absent if a signal ended it. */
  readonly code: number | undefined;
  readonly out: Buffer;
  readonly err: string;
  readonly error?: unknown;
  /** The time limit in milliseconds that it exceeded. */
  readonly exceeded?: number | undefined;
}

function execute(binary: string, args: readonly string[], how: Execution): Promise<Outcome> {
  return new Promise((resolve) => {
    const { cwd, env, input, timeoutMs, signal, whenSlow } = how;
    // A separate process group, so that filters started by git end with it.
    const detached = process.platform !== 'win32';
    const child = spawn(binary, args, { cwd, env, detached, windowsHide: true });
    const [out, err] = [new CollectedChunks(), new CollectedChunks()];
    let error: unknown;
    let exceeded: number | undefined;
    const end = (): void => {
      try {
        if (detached && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch (cause) {
        if (!isSystemError(cause, 'ESRCH')) error ??= cause;
      }
      // A filter may have left the group and still have the pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const endAfter = (limit: number): NodeJS.Timeout =>
      setTimeout(() => {
        exceeded = limit;
        end();
      }, limit);
    const timers = [endAfter(timeoutMs)];
    const hurry = (): void => void timers.push(endAfter(Math.min(timeoutMs, ABORTED_MS)));
    if (signal?.aborted === true) hurry();
    else signal?.addEventListener('abort', hurry);
    const look = async (): Promise<void> => {
      const found = await whenSlow?.().catch((cause: unknown) => cause);
      if (found === undefined || child.exitCode !== null) return;
      error ??= found;
      end();
    };
    timers.push(setTimeout(() => void look(), Math.min(SLOW_MS, timeoutMs / 2)));
    for (const [stream, collected] of [[child.stdout, out] as const, [child.stderr, err] as const]) {
      stream.on('data', (chunk: Buffer) => {
        if (collected.add(chunk)) return;
        error ??= new RangeError(`git printed more than ${LARGEST_ANSWER} bytes`);
        end();
      });
    }
    child.on('error', (cause) => (error ??= cause));
    // git may end before reading everything; its exit code then says why.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('close', (code) => {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', hurry);
      const text = err.bytes().toString('utf8').trim();
      resolve({
        code: code ?? undefined,
        out: out.bytes(),
        err: text,
        exceeded,
        ...(error !== undefined && { error }),
      });
    });
  });
}

/** Chunks of one stream, up to the maximum output size. */
class CollectedChunks {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: Buffer): boolean {
    this.#length += chunk.length;
    this.#chunks.push(chunk);
    return this.#length <= LARGEST_ANSWER;
  }

  bytes(): Buffer {
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
  }
}

function explain(
  { error, err, code, exceeded }: Outcome,
  binary: string,
  args: readonly string[],
  cwd: string,
): GatelineError {
  if (error instanceof GatelineError) return error;
  if (exceeded !== undefined) {
    const after = `${Math.round(exceeded / 1_000)} s`;
    return new GatelineError('GIT_TIMEOUT', `git ${commandOf(args)} did not end within ${after} in ${cwd}`);
  }
  if (isSystemError(error, 'ENOENT')) {
    return new GatelineError('GIT_NOT_FOUND', `\`${binary}\` could not be started: Gateline needs git 2.30 or newer.`, {
      cause: error,
    });
  }
  if (/dubious ownership/.test(err)) {
    return new GatelineError(
      'GIT_UNSAFE_DIRECTORY',
      `git refuses ${cwd}, since it belongs to another user: ${err.split('\n')[0]!}`,
      {
        hint: `If you trust it: git config --global --add safe.directory '${/safe\.directory (.+)$/m.exec(err)?.[1] ?? cwd}' (usual in containers).`,
        cause: error,
      },
    );
  }
  if (/clean filter|external filter|filter-process|git-lfs/.test(err)) {
    return new GatelineError('GIT_FILTER_FAILED', `A filter that .gitattributes names failed in ${cwd}: ${err}`, {
      cause: error,
    });
  }
  if (/No space left on device|Disk quota exceeded|Out of diskspace/.test(err)) {
    return noSpaceFor(`git ${commandOf(args)} failed in ${cwd}: ${err}`);
  }
  const said = err !== '' ? err : error === undefined ? `exit code ${code ?? 'unknown'}` : messageOf(error);
  return new GatelineError('GIT_FAILED', `git ${commandOf(args)} failed in ${cwd}: ${said}`, {
    hint: DAMAGED.test(err)
      ? DAMAGED_HINT
      : 'Run `git status` there; if it fails too, the repository is damaged or no longer there.',
    cause: error,
  });
}

/** The error of a git command for which the disk had no space. */
export function noSpaceFor(message: string): GatelineError {
  return new GatelineError('GIT_FAILED', message, {
    hint: 'The disk is full: free some space, then run the same command again.',
    // The same code as for our own writes.
    cause: Object.assign(new Error(message), { code: 'ENOSPC' }),
  });
}

/** The command among the arguments, for messages: settings come before it. */
function commandOf(args: readonly string[]): string {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c');
  return args[at] ?? '';
}
