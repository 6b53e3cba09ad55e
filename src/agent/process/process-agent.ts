import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { GatelineError, isDiskFull, isSystemError, messageOf } from '../../errors/gateline-error.ts';
import type { Agent, AgentResult, AgentTask, LeftoverOptions } from '../agent.ts';
import { leftBelow } from './ownership.ts';
import {
  announceProcess,
  keepProcessRecord,
  processRecordsBelow,
  recordFailure,
  removeProcessRecord,
} from './process-record.ts';
import { processTable, type ProcessTable } from './process-table.ts';
import { endProcesses } from './process-tree.ts';
import { invocationOf, type Program, type ShellInvocation } from './shells.ts';
import { watch, type StartedChild, type WatchTimes } from './watch.ts';

/** Time limits of a process agent, in milliseconds, and its platform. */
export interface ProcessAgentOptions {
  /** Time between SIGTERM and SIGKILL. Default 5000; 0: none. */
  readonly graceMs?: number;
  /** How long to wait until a killed process is gone. Default 10000. */
  readonly killMs?: number;
  /** How long output may be silent after the end while another process still has it open. Default 1000. */
  readonly drainMs?: number;
  /** Default `process.platform`. */
  readonly platform?: NodeJS.Platform;
}

/** Linux cannot pass a longer variable to a program (MAX_ARG_STRLEN). */
const MAX_VARIABLE = 131_072;

/**
 * An {@link Agent} that runs commands as processes of this machine, the way a GitHub `run:` step does: see
 * {@link file://./shells.ts}.
 *
 * Each agent gets a session of its own. When it ends or is ended, all processes that it started are ended: its process
 * group and session, all descendants, and on Linux all processes with the attempt's directory in their environment,
 * wherever they moved. A process that is no longer a descendant, has left the session and has another environment is
 * not found; only a container stops an agent that tries to escape.
 */
export function createProcessAgent(options: ProcessAgentOptions = {}): Agent {
  const platform = options.platform ?? process.platform;
  const table = processTable(platform);
  const times = {
    graceMs: options.graceMs ?? 5_000,
    killMs: options.killMs ?? 10_000,
    drainMs: options.drainMs ?? 1_000,
  };
  return {
    run: (task) => runTask(task, table, times, platform),
    endLeftovers: (root, wanted = {}) => endLeftovers(root, wanted, table, times),
    keepLeft: async (directory) => keepProcessRecord(directory),
  };
}

async function endLeftovers(
  root: string,
  { left = [], keeps = async () => [] }: LeftoverOptions,
  table: ProcessTable,
  times: WatchTimes,
): Promise<number[]> {
  const found = processRecordsBelow(root);
  const kept = found.length === 0 ? [] : await keeps(found.map(({ directory }) => directory));
  for (const directory of kept) keepProcessRecord(directory);
  const others = found.filter(({ directory }) => !kept.includes(directory));
  const { ended, remaining } = await endProcesses(table, leftBelow(table, root, others, left), times);
  if (remaining.length > 0) {
    throw new GatelineError(
      'LEFTOVER_ALIVE',
      `processes of an agent whose engine was killed cannot be stopped: ${remaining.join(', ')}`,
    );
  }
  return ended;
}

async function runTask(
  task: AgentTask,
  table: ProcessTable,
  times: WatchTimes,
  platform: NodeJS.Platform,
): Promise<AgentResult> {
  if (task.signal.aborted) return { outcome: 'cancelled', stdout: '', stderr: '' };
  let child: StartedChild;
  try {
    const invocation = task.argv ? withoutShell(task.argv) : withScript(task, platform);
    announceProcess(task.directory);
    child = await start(invocation, task, platform);
  } catch (error) {
    removeProcessRecord(task.directory);
    if (isDiskFull(error)) throw recordFailure(task.directory, error);
    return { outcome: 'not-started', message: task.redact(whyNotStarted(error)), stdout: '', stderr: '' };
  }
  return watch(child, task, table, times);
}

type Invocation = Pick<ShellInvocation, 'programs' | 'hint'>;

function withScript(task: AgentTask, platform: NodeJS.Platform): Invocation {
  const invocation = invocationOf(task.shell, task.command, task.directory, platform);
  writeFileSync(invocation.script, invocation.content, { mode: 0o700 });
  return invocation;
}

function withoutShell([file, ...args]: NonNullable<AgentTask['argv']>): Invocation {
  return { programs: [{ file, args }], hint: 'Install it, or correct the `syntax` of the command.' };
}

async function start(invocation: Invocation, task: AgentTask, platform: NodeJS.Platform): Promise<StartedChild> {
  for (const program of invocation.programs) {
    try {
      return await startProgram(program, task, platform);
    } catch (error) {
      if (!isSystemError(error, 'ENOENT')) throw explained(error, program, task);
    }
  }
  if (!existsSync(task.workingDirectory)) {
    throw new GatelineError('DIRECTORY_MISSING', `the working directory ${task.workingDirectory} does not exist`);
  }
  const names = invocation.programs.map(({ file }) => file).join(' or ');
  throw new GatelineError('SHELL_MISSING', `${names} was not found on the PATH`, { hint: invocation.hint });
}

async function startProgram(program: Program, task: AgentTask, platform: NodeJS.Platform): Promise<StartedChild> {
  const child = spawn(program.file, program.args, {
    cwd: task.workingDirectory,
    env: { ...task.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: false,
    // Its own session, so that Ctrl-C in the terminal reaches only the engine, which then ends all of it.
    detached: platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: program.verbatim ?? false,
  });
  await once(child, 'spawn');
  return child as StartedChild;
}

function explained(error: unknown, program: Program, task: AgentTask): unknown {
  if (isSystemError(error, 'E2BIG')) {
    const large = Object.entries(task.env).filter(
      ([name, value]) => Buffer.byteLength(name) + Buffer.byteLength(value) + 2 > MAX_VARIABLE,
    );
    const what =
      large.length > 0 ? `larger than 128 KiB: ${large.map(([name]) => name).join(', ')}` : 'too large in total';
    return new GatelineError('ENVIRONMENT_TOO_LARGE', `the agent's environment variables are ${what} (E2BIG)`, {
      cause: error,
    });
  }
  if (isSystemError(error, 'EACCES')) {
    return new GatelineError(
      'SHELL_FORBIDDEN',
      `${program.file} cannot be started in ${task.workingDirectory} (EACCES)`,
      {
        cause: error,
      },
    );
  }
  return error;
}

function whyNotStarted(error: unknown): string {
  const text = error instanceof GatelineError ? `${error.message}. ${error.hint}` : messageOf(error);
  return text.replace(/\.$/, '');
}
