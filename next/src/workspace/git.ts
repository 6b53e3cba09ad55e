import { spawn } from 'node:child_process';
import { isUtf8 } from 'node:buffer';
import { GatelineError, isSystemError, messageOf } from '../errors.ts';

/** An environment as Node provides it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How one git command is called. */
export interface GitCall {
  readonly cwd: string;
  /** Variables in addition to the runner's. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Exit codes that are no error. Default 0 only. */
  readonly codes?: readonly number[];
}

/** Runs git, never through a shell, and returns what it printed. */
export type Git = (args: readonly string[], call: GitCall) => Promise<Buffer>;

/** A git command that failed. */
export class GitError extends GatelineError {
  readonly stderr: string;

  constructor(message: string, stderr: string, hint: string, cause?: unknown) {
    super('platform', message, { hint, cause, code: 'git-failed' });
    this.stderr = stderr;
  }
}

/** What the user's settings must not change about our own commands. */
const SETTINGS = [
  // No programs and no features that write into the repository or start in the background.
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'gc.auto=0',
  'maintenance.auto=false',
  // A plain index, whose entries are compared with what is on the disk by every sign that git knows.
  'core.sparseCheckout=false',
  'index.sparse=false',
  'core.splitIndex=false',
  'core.untrackedCache=false',
  'core.ignoreStat=false',
  'core.trustctime=true',
  'core.checkStat=default',
  'core.fileMode=true',
  'core.symlinks=true',
  'core.safecrlf=false',
  'core.quotePath=false',
  'advice.addEmbeddedRepo=false',
  // One flush for all objects of a command: 20,000 new files would take as many (git 2.37; older ones ignore it).
  'core.fsyncMethod=batch',
].flatMap((setting) => ['-c', setting]);

const ALWAYS = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  // Nothing is fetched into a partial clone: what is on the disk counts.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: '',
};

/** git's variables that say where settings come from; all others (`GIT_DIR` in a hook) point it at another repository. */
const PASSED =
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|CEILING_DIRECTORIES|EXEC_PATH|LFS_.*)$/;
/** git starts filters of the repository as programs, and these variables hold what only an action may use. */
const WITHHELD = /^(?:ACTIONS_|INPUT_|STATE_|GATELINE_)/;

const TIMEOUT_MS = 600_000;

/** A runner of git commands with the caller's environment, as far as it is git's business. */
export function createGit(environment: Environment): Git {
  const entries = Object.entries(environment).filter(
    ([name]) => !WITHHELD.test(name) && (!name.startsWith('GIT_') || PASSED.test(name)),
  );
  const env = { ...Object.fromEntries(entries), ...ALWAYS };
  return (args, call) =>
    new Promise((resolve, reject) => {
      // A process group of its own: Ctrl-C in a terminal must not end a snapshot half-way, and filters end with git.
      const options = { cwd: call.cwd, env: { ...env, ...call.env }, detached: true };
      const child = spawn('git', [...SETTINGS, ...args], options);
      const [out, err]: [Buffer[], Buffer[]] = [[], []];
      let failure: unknown;
      const timer = setTimeout(() => {
        failure = new Error(`it did not end within ${TIMEOUT_MS / 60_000} minutes`);
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      }, TIMEOUT_MS);
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      // git may end before it has read everything; its exit code says why.
      child.stdin.on('error', () => undefined);
      child.on('error', (error) => (failure ??= error));
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        if (failure === undefined && code !== null && (call.codes ?? [0]).includes(code)) resolve(Buffer.concat(out));
        else reject(explain(args, call.cwd, Buffer.concat(err).toString().trim(), failure ?? signal ?? code));
      });
      child.stdin.end(call.input);
    });
}

/** Errors are told apart by how a line of git's message begins: a path in it can hold any word. */
function explain(args: readonly string[], cwd: string, stderr: string, failure: unknown): GatelineError {
  if (isSystemError(failure, 'ENOENT')) {
    return new GatelineError('platform', `git could not be started in ${cwd}.`, {
      hint: 'Install git 2.30 or newer, and check that the folder is there.',
      cause: failure,
    });
  }
  const command = args.find((arg) => !arg.startsWith('-')) ?? '';
  const reason =
    stderr !== '' ? stderr : failure instanceof Error ? messageOf(failure) : `it ended with ${String(failure)}`;
  const message = `git ${command} failed in ${cwd}: ${reason}`;
  if (/^fatal: detected dubious ownership/m.test(stderr)) {
    const advice = /^\s*(git config .*safe\.directory .*)$/m.exec(stderr)?.[1];
    return new GitError(message, stderr, `If you trust the repository: ${advice ?? 'add it to safe.directory'}`);
  }
  if (/^fatal: .*: (?:clean|smudge) filter '/m.test(stderr)) {
    return new GitError(message, stderr, 'Install the program of this filter, which .gitattributes names.');
  }
  return new GitError(
    message,
    stderr,
    'If `git status` fails here too, repair the repository. Else remove `.state/git`: it is made again.',
    failure instanceof Error ? failure : undefined,
  );
}

/** A name as git printed it: text, or the bytes of a name that is not UTF-8. */
export type GitName = string | Buffer;

export function isText(name: GitName): name is string {
  return typeof name === 'string';
}

/** The names that a command with `-z` printed. */
export function splitNames(out: Buffer): GitName[] {
  const text = out.toString();
  if (!text.includes('\ufffd')) return text.split('\0').slice(0, -1);
  const names = out.toString('latin1').split('\0').slice(0, -1);
  return names.map((name) => Buffer.from(name, 'latin1')).map((bytes) => (isUtf8(bytes) ? bytes.toString() : bytes));
}

/** Names as the input of a command with `-z --stdin`. */
export function joinNames(names: readonly string[]): string {
  return names.map((name) => `${name}\0`).join('');
}
