import { execFile } from 'node:child_process';
import { GatelineError, isSystemError } from '../errors/gateline-error.ts';
import { GIT_SETTINGS, KEPT_FOR_GIT, WITHHELD_FROM_AGENTS, type Environment } from '../environment.ts';

/** What a git command came to. */
export interface GitAnswer {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
}

/** How one git command is called. */
export interface GitCall {
  /** Where it runs; default: where the runner was made for. */
  readonly cwd?: string;
  readonly input?: Buffer;
  /** Exit codes that are answers; any other is an error. Default 0 only. */
  readonly answers?: readonly number[];
}

/** Runs git in one place. */
export type Git = (args: readonly string[], call?: GitCall) => Promise<GitAnswer>;

/** Never a monitor that the repository names. */
const ALWAYS = ['-c', 'core.fsmonitor=', '--no-optional-locks'];
const LARGEST_ANSWER = 1_024 ** 3;

/**
 * git's environment: the caller's without what would point git elsewhere, and without what the runner keeps
 * from commands, since a repository's filters are programs that git starts.
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
 * @param binary name or path of git
 * @param place working directory
 */
export function gitIn(binary: string, place: string, environment: Environment): Git {
  const env = gitEnvironment(environment);
  return (args, { cwd = place, input, answers = [0] } = {}) =>
    new Promise((resolve, reject) => {
      const options = { cwd, env, encoding: 'buffer', maxBuffer: LARGEST_ANSWER, windowsHide: true } as const;
      const child = execFile(binary, [...ALWAYS, ...args], options, (error, out, stderr) => {
        const err = stderr.toString('utf8').trim();
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
        if (code !== undefined && answers.includes(code)) resolve({ code, out, err });
        else reject(explain(error, binary, args, cwd, err));
      });
      // git may end before it has read all; its exit code then tells why.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
}

function explain(error: unknown, binary: string, args: readonly string[], cwd: string, err: string): GatelineError {
  if (isSystemError(error, 'ENOENT')) {
    return new GatelineError(
      'user',
      'GIT_NOT_FOUND',
      `${cwd} is in a git repository, but \`${binary}\` could not be started.`,
      {
        hint: 'Install git and put it on the PATH.',
        cause: error,
      },
    );
  }
  if (/dubious ownership/.test(err)) {
    return new GatelineError(
      'user',
      'GIT_UNSAFE_DIRECTORY',
      `git refuses ${cwd}, since it belongs to another user: ${err.split('\n')[0]!}`,
      {
        hint: `If you trust it: git config --global --add safe.directory '${/safe\.directory (.+)$/m.exec(err)?.[1] ?? cwd}' (usual in containers).`,
        cause: error,
      },
    );
  }
  if (/clean filter|external filter|filter-process|git-lfs/.test(err)) {
    return new GatelineError(
      'platform',
      'GIT_FILTER_FAILED',
      `A filter that .gitattributes names failed in ${cwd}: ${err}`,
      {
        hint: 'Install what the filter needs (for LFS: git lfs install), or take it out of the configuration.',
        cause: error,
      },
    );
  }
  const said = err === '' ? String(error) : err;
  return new GatelineError('platform', 'GIT_FAILED', `git ${args[0] ?? ''} failed in ${cwd}: ${said}`, {
    hint: 'Run `git status` there; if it fails too, the repository is damaged or no longer there.',
    cause: error,
  });
}
