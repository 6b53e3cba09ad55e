import type { ProcessId } from '../run/entry.ts';
import type { Redactor } from '../untrusted/redact.ts';

/** An agent to start. */
export interface AgentTask {
  /** Absolute path of the attempt's own directory, which exists: request, output, metrics, learnings, script. */
  readonly directory: string;
  readonly command: string;
  /**
   * In place of `command`: a program and its arguments, without a shell. Processes that it leaves running stay, unless it
   * times out or is cancelled.
   */
  readonly argv?: readonly string[];
  /** As `Gate.shell`. */
  readonly shell: string;
  /** Absolute. */
  readonly workingDirectory: string;
  /** The whole environment: nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Makes what it prints safe to keep and show. */
  readonly redactor: Redactor;
  /** Called for each whole line of output, redacted and without control sequences. */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string) => void;
}

/** How an agent ended. Its output file is not read here. */
export type AgentResult = {
  /** Redacted. Of a long output, the beginning and the end. */
  readonly stdout: string;
  /** Whether a part of stdout was left out. */
  readonly isStdoutCut?: boolean;
  readonly stderr: string;
  readonly ms: number;
} & (
  | { readonly outcome: 'exited'; readonly exitCode: number }
  | { readonly outcome: 'signalled'; readonly signal: string }
  | { readonly outcome: 'timeout' | 'cancelled' }
  /** There is no such shell or folder, or a variable is too long. */
  | { readonly outcome: 'not-started'; readonly message: string }
);

/** A process that does nothing yet, so that its id can be logged first. If Gateline ends, so does the process. */
export interface PreparedAgent {
  /** Undefined: it cannot be started, and the result of `run` says why. */
  readonly process: ProcessId | undefined;
  /**
   * Lets the agent begin. Resolves when the agent and all processes that it started are gone; its failure is no error. If
   * the signal is already aborted, the agent ends without doing anything.
   */
  run(signal: AbortSignal): Promise<AgentResult>;
}

/** A file that an agent was asked to write, or why it cannot be read. */
export type AgentFile =
  | { readonly state: 'present'; readonly bytes: Uint8Array }
  | { readonly state: 'absent' }
  | { readonly state: 'too-large'; readonly size: number }
  | { readonly state: 'refused'; readonly reason: string };

/** Starts agents. */
export interface Agents {
  prepare(task: AgentTask): Promise<PreparedAgent>;
  /**
   * Ends the processes of an agent whose engine was killed.
   * @param directory the attempt's directory
   * @throws GatelineError `platform` if some cannot be ended
   */
  endLeftover(process: ProcessId, directory: string): Promise<void>;
  isAlive(process: ProcessId): Promise<boolean>;
}
