import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WITHHELD_FROM_AGENTS, type Environment } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { environmentOfTree } from '../git/tree-environment.ts';

/** Starts a setup command the way this machine's agent does: `Agent.run` is such a function. */
export type StartSetup = (task: {
  readonly directory: string;
  readonly command: string;
  readonly shell: string;
  readonly workingDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly logLimit: number;
  readonly signal: AbortSignal;
  readonly onLine: (stream: 'stdout' | 'stderr', line: string) => void;
  readonly redact: (text: string) => string;
}) => Promise<{
  readonly outcome: 'exited' | 'signalled' | 'timeout' | 'cancelled' | 'not-started';
  readonly exitCode?: number;
  readonly signal?: string;
  readonly message?: string;
}>;

/** Options of {@link runSetup}. */
export interface SetupOptions {
  /** `workspace.setup` and `workspace.shell` of the pipeline. */
  readonly command: string;
  readonly shell: string;
  /** Top of the user's repository and of the work tree; absolute. */
  readonly from: string;
  readonly to: string;
  /** Working directory of the command: the workspace's place in the work tree; absolute. */
  readonly workingDirectory: string;
  /**
   * Folder of this work tree, outside of it, absolute; created if missing. Contains a note of what was run, and the
   * script.
   */
  readonly folder: string;
  /** The caller's. */
  readonly environment: Environment;
  /** Names of variables that any gate declares as secret: none of them is passed on. */
  readonly secrets: Iterable<string>;
  readonly start: StartSetup;
  readonly signal: AbortSignal;
  /** Receives each line of output, redacted. */
  readonly onLine: (stream: 'stdout' | 'stderr', line: string) => void;
  readonly redact: (text: string) => string;
  /** Default: one hour. */
  readonly timeoutMs?: number;
}

const MARKER = 'setup.json';
const ONE_HOUR = 3_600_000;
const LOG_LIMIT = 65_536;
/** Lines of output shown in an error. */
const TAIL = 20;

/**
 * Run the setup command of work trees, unless the same command already succeeded in this one. A work tree that was
 * removed and recreated is a different one.
 *
 * @returns `current`: nothing to do. `cancelled`: the signal came first
 * @throws GatelineError `SETUP_FAILED` with the end of its output
 */
export async function runSetup(options: SetupOptions): Promise<'ran' | 'current' | 'cancelled'> {
  const { command, shell, to, folder, signal } = options;
  const marker = join(folder, MARKER);
  const wanted = JSON.stringify({ format: 'gateline-setup/1', command, shell, tree: await identityOf(to) });
  if ((await readFile(marker, 'utf8').catch(() => undefined)) === wanted) return 'current';
  await rm(marker, { force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const tail: string[] = [];
  const result = await options.start({
    directory: folder,
    command,
    shell,
    workingDirectory: options.workingDirectory,
    env: setupEnvironment(options),
    timeoutMs: options.timeoutMs ?? ONE_HOUR,
    logLimit: LOG_LIMIT,
    signal,
    redact: options.redact,
    onLine: (stream, line) => {
      tail.push(line.slice(0, 500));
      if (tail.length > TAIL) tail.shift();
      options.onLine(stream, line);
    },
  });
  if (result.outcome === 'cancelled') return 'cancelled';
  if (result.outcome !== 'exited' || result.exitCode !== 0) throw failed(result, tail, options);
  await writeFile(marker, wanted, { mode: 0o600 });
  return 'ran';
}

/**
 * The caller's environment as in the work tree, without secrets and without variables that the runner withholds from
 * commands.
 */
function setupEnvironment({ environment, secrets, from, to }: SetupOptions): Record<string, string> {
  const withheld = new Set(secrets);
  const moved = Object.entries(environmentOfTree(environment, from, to));
  return Object.fromEntries(moved.filter(([name]) => !withheld.has(name) && !WITHHELD_FROM_AGENTS.test(name)));
}

/** Distinguishes a folder from a recreated one with the same path. */
async function identityOf(folder: string): Promise<string> {
  const { ino, birthtimeMs } = await stat(folder);
  return `${ino} ${birthtimeMs}`;
}

function failed(
  result: Awaited<ReturnType<StartSetup>>,
  tail: readonly string[],
  { to, timeoutMs = ONE_HOUR }: SetupOptions,
): GatelineError {
  const said =
    tail.length === 0
      ? ' It printed nothing.'
      : ` The end of its output:\n${tail.map((line) => `  | ${line}`).join('\n')}`;
  return new GatelineError(
    'SETUP_FAILED',
    `The setup command of the work tree ${to} ${ending(result, timeoutMs)}.${said}`,
  );
}

function ending({ outcome, exitCode, signal, message }: Awaited<ReturnType<StartSetup>>, timeoutMs: number): string {
  switch (outcome) {
    case 'timeout':
      return `did not end within ${Math.round(timeoutMs / 60_000)} minutes`;
    case 'signalled':
      return `was ended by ${signal ?? 'a signal'}`;
    case 'not-started':
      return `could not be started: ${message ?? 'no reason given'}`;
    default:
      return `failed with exit code ${exitCode ?? 'unknown'}`;
  }
}
