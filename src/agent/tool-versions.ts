import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { GatelineError } from '../errors.ts';

/** Milliseconds after which a version command is taken to hang. */
const TIME_LIMIT_MS = 10_000;
const MAX_VERSION = 1_000;

/** How version commands run. */
export interface ToolVersionOptions {
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  /** Default: 10,000. */
  readonly timeLimitMs?: number;
}

/**
 * A function that runs a version command of `tools:` in the system's shell and returns what it prints (stdout, else
 * stderr). Each command runs only once. The function throws GatelineError `usage` if the command fails or hangs.
 */
export function createToolVersions(options: ToolVersionOptions): (command: string) => Promise<string> {
  const versions = new Map<string, Promise<string>>();
  return (command) => {
    const version = versions.get(command) ?? readVersion(command, options);
    versions.set(command, version);
    return version;
  };
}

async function readVersion(command: string, options: ToolVersionOptions): Promise<string> {
  const { workingDirectory: cwd, env, timeLimitMs: timeout = TIME_LIMIT_MS } = options;
  try {
    const { stdout, stderr } = await promisify(exec)(command, { cwd, env, timeout, killSignal: 'SIGKILL' });
    return (stdout.trim() || stderr.trim()).slice(0, MAX_VERSION);
  } catch (cause) {
    const { killed, stderr = '', message } = cause as Error & { killed?: boolean; stderr?: string };
    const reason = killed ? `it took longer than ${timeout / 1_000} seconds` : stderr.trim() || message;
    throw new GatelineError('usage', `tools: \`${command}\` does not print a version: ${reason.slice(0, 500)}`, {
      hint: 'Install the tool, or correct its command under `tools`.',
      cause,
    });
  }
}
