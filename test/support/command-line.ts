import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { devNull, homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { statusJsonSchema, type StatusJson } from '../../src/report/json/status-json.ts';
import { BUNDLED, PREPARED, REPOSITORY } from './programs/places.ts';

export { REPOSITORY };

/** The command line as the sources are now. */
export const COMMAND_LINE =
  BUNDLED === undefined ? join(REPOSITORY, 'src/cli/index.ts') : join(BUNDLED, 'cli/index.js');

/** Compiled code of the command line and of agents: without it every start compiles them anew. */
const COMPILED = join(BUNDLED ?? PREPARED, 'compiled');

/** Ends a process that takes longer than this: a test that hangs tells nothing. Milliseconds. */
const LONGEST = 240_000;

/** Without these no program starts on Windows. */
const WINDOWS = ['SystemRoot', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'];

/** What became of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that was started; {@link RunningCommand.ended} settles when it is through. */
export interface RunningCommand {
  readonly process: ChildProcess & { readonly pid: number };
  readonly ended: Promise<CommandResult>;
}

/** An environment that holds nothing of the caller's but where programs and homes are. This Node comes first on the PATH. */
export function plainEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    HOME: homedir(),
    TMPDIR: tmpdir(),
    USER: 'tester',
    NODE_COMPILE_CACHE: COMPILED,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    // Not in the cache folder of whoever runs the tests.
    GATELINE_TREES: join(tmpdir(), 'gateline-test-trees'),
    ...Object.fromEntries(WINDOWS.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    ...more,
  };
}

/** Starts a script with this Node. */
export function startNode(
  script: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): RunningCommand {
  const child = spawn(process.execPath, [script, ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST,
    killSignal: 'SIGKILL',
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text));
  }
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    ...texts,
  }));
  if (child.pid === undefined) throw new Error(`${script} could not be started`);
  return { process: child as RunningCommand['process'], ended };
}

/** What `run --json` and `status --json` print. */
export function statusOf(result: CommandResult): StatusJson {
  try {
    return statusJsonSchema.parse(JSON.parse(result.stdout));
  } catch (cause) {
    throw new Error(
      `no status: code ${result.code}, signal ${result.signal}\n${result.stdout.slice(0, 2_000)}\n${result.stderr}`,
      { cause },
    );
  }
}
