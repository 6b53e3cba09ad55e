import { spawn } from 'node:child_process';
import type { Environment } from '../environment.ts';
import { GatelineError, isSystemError, messageOf } from '../errors.ts';

/** How one git command is called. */
export interface GitCall {
  readonly cwd: string;
  /** Variables in addition to those of {@link createGit}. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Exit codes that are no error. Default 0 only. */
  readonly codes?: readonly number[];
}

/** Runs git, never through a shell. @returns its stdout */
export type Git = (args: readonly string[], call: GitCall) => Promise<Buffer>;

/** A git command that failed. */
export class GitError extends GatelineError {
  readonly stderr: string;

  constructor(message: string, stderr: string, hint: string, cause?: unknown) {
    super('platform', message, { hint, cause, code: 'git-failed' });
    this.stderr = stderr;
  }
}

/**
 * Settings that override the user's for our own commands: no programs, nothing in the background, a plain index, all
 * checks of whether a file changed, and one flush to the disk for all objects of a command (git 2.37; older versions
 * ignore it).
 */
const SETTINGS = [
  'core.fsmonitor= core.hooksPath=/dev/null gc.auto=0 maintenance.auto=false core.sparseCheckout=false',
  'index.sparse=false core.splitIndex=false core.untrackedCache=false core.ignoreStat=false core.trustctime=true',
  'core.checkStat=default core.fileMode=true core.symlinks=true core.safecrlf=false core.fsyncMethod=batch',
].flatMap((settings) => settings.split(' ').flatMap((setting) => ['-c', setting]));

const VARIABLES = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  // Nothing is fetched into a partial clone.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: '',
};
/** Variables of git that are passed on. All others are dropped: `GIT_DIR`, set in a hook, names another repository. */
const PASSED =
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|CEILING_DIRECTORIES|EXEC_PATH|LFS_.*)$/;
/** Not passed on: git starts filters of the repository, which must not see what only an action may use. */
const WITHHELD = /^(?:ACTIONS_|INPUT_|STATE_|GATELINE_)/;

const TIMEOUT_MS = 600_000;

/** Runs git commands with the variables of the caller that git may see. */
export function createGit(environment: Environment): Git {
  const passed = Object.entries(environment).filter(
    ([name]) => !WITHHELD.test(name) && (!name.startsWith('GIT_') || PASSED.test(name)),
  );
  const env = { ...Object.fromEntries(passed), ...VARIABLES };
  return (args, call) =>
    new Promise((resolve, reject) => {
      // A process group of its own: Ctrl-C in a terminal must not end a snapshot half-way.
      const options = { cwd: call.cwd, env: { ...env, ...call.env }, detached: true, timeout: TIMEOUT_MS };
      const child = spawn('git', [...SETTINGS, ...args], options);
      const [out, err]: [Buffer[], Buffer[]] = [[], []];
      let failure: unknown;
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      // git may end before it has read everything; its exit code says why.
      child.stdin.on('error', () => undefined);
      child.on('error', (error) => (failure = error));
      child.on('close', (code, signal) => {
        if (failure === undefined && code !== null && (call.codes ?? [0]).includes(code)) resolve(Buffer.concat(out));
        else reject(explainFailure(args, call.cwd, Buffer.concat(err).toString().trim(), failure ?? signal ?? code));
      });
      child.stdin.end(call.input);
    });
}

/** Recognizes errors by the start of a line of git's message, since a path in it can hold any word. */
function explainFailure(args: readonly string[], cwd: string, stderr: string, failure: unknown): GatelineError {
  if (isSystemError(failure, 'ENOENT')) {
    const hint = 'Install git 2.30 or newer, and check that the folder is there.';
    return new GatelineError('platform', `git could not be started in ${cwd}.`, { hint, cause: failure });
  }
  const reason =
    stderr !== '' ? stderr : failure instanceof Error ? messageOf(failure) : `it ended with ${String(failure)}`;
  const message = `git ${args.find((arg) => !arg.startsWith('-'))} failed in ${cwd}: ${reason}`;
  let hint = 'If `git status` fails here too, repair the repository. Else remove `.state/git`: it is made again.';
  if (/^fatal: detected dubious ownership/m.test(stderr)) {
    const advice = /^\s*(git config .*safe\.directory .*)$/m.exec(stderr)?.[1];
    hint = `If you trust the repository: ${advice ?? 'add it to safe.directory'}`;
  } else if (/^fatal: .*: (?:clean|smudge) filter '/m.test(stderr)) {
    hint = 'Install the program of this filter, which .gitattributes names.';
  }
  return new GitError(message, stderr, hint, failure instanceof Error ? failure : undefined);
}

/** The names in the output of a command with `-z`. Bytes that are not UTF-8 become U+FFFD. */
export function splitNames(out: Buffer): string[] {
  return out.toString().split('\0').slice(0, -1);
}

/** The input of a command that reads lines or names. */
export function joinLines(lines: Iterable<string>, end: '\0' | '\n'): string {
  return [...lines].map((line) => line + end).join('');
}
