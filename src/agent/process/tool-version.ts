import { spawn } from 'node:child_process';
import type { Environment } from '../../environment.ts';
import { GatelineError, messageOf } from '../../errors/gateline-error.ts';
import { sendSignal } from './process-tree.ts';

/** A version command that takes longer than this is assumed to hang. */
const TIME_LIMIT_MS = 30_000;
/** No version is longer. */
const LENGTH_LIMIT = 1_000;

/** How a version command runs. */
export interface ToolVersionOptions {
  readonly workingDirectory: string;
  /** Default: that of this process. */
  readonly env?: Environment;
  /** Aborted if the answer is no longer wanted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The output of a tool's version command (stdout, else stderr), trimmed. The command is from the pipeline's definition
 * and runs in the system's shell; nothing that it started in its process group is left after its time limit of 30 s.
 * @throws GatelineError `TOOL_MISSING` when it cannot be run or fails.
 */
export async function toolVersion(
  command: string,
  { workingDirectory, env, signal }: ToolVersionOptions,
): Promise<string> {
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  const stop = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const { problem, stdout, stderr } = await ended(command, { workingDirectory, ...(env && { env }), signal: stop });
  if (problem === undefined) return (stdout.trim() || stderr.trim()).slice(0, LENGTH_LIMIT);
  const why = stderr.trim().split('\n')[0] || problem;
  throw new GatelineError('TOOL_MISSING', `tools: \`${command}\` does not print a version: ${why}`);
}

function ended(
  command: string,
  { workingDirectory: cwd, env, signal }: ToolVersionOptions & { readonly signal: AbortSignal },
): Promise<{ readonly problem: string | undefined; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    // A group of its own, so that what the shell starts ends with it.
    const isGroup = process.platform !== 'win32';
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(command, {
      shell: true,
      cwd,
      detached: isGroup,
      windowsHide: true,
      stdio: [...stdio],
      ...(env && { env }),
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (texts[name].length < 64 * LENGTH_LIMIT) texts[name] += text;
      });
    const kill = (): void => {
      if (child.pid !== undefined) sendSignal(isGroup ? -child.pid : child.pid, 'SIGKILL');
      settle('it was stopped');
    };
    const settle = (problem: string | undefined): void => {
      signal.removeEventListener('abort', kill);
      resolve({ problem, ...texts });
    };
    signal.addEventListener('abort', kill);
    if (signal.aborted) kill();
    child.on('error', (error) => settle(messageOf(error)));
    child.on('close', (code, by) => settle(code === 0 ? undefined : `it ended with ${code ?? by}`));
  });
}
