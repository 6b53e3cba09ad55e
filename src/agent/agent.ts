import type { ProcessId } from '../run/entry.ts';
import type { Redactor } from '../untrusted/redact.ts';

/** Everything needed to start one agent. */
export interface AgentTask {
  /** Absolute path of the attempt's own directory, which exists: request, output, metrics, learnings, script. */
  readonly directory: string;
  readonly command: string;
  /** In its place: a program and its arguments, without a shell. What it leaves running stays, unless it has to be ended. */
  readonly words?: readonly string[];
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
  /** Captured output, redacted; of a long one the beginning and the end. */
  readonly stdout: string;
  /** Whether a part of stdout was left out. */
  readonly isStdoutCut?: boolean;
  readonly stderr: string;
  readonly ms: number;
} & (
  | { readonly outcome: 'exited'; readonly exitCode: number }
  | { readonly outcome: 'signalled'; readonly signal: string }
  | { readonly outcome: 'timeout' | 'cancelled' }
  /** No such shell, no such folder, too long a variable. */
  | { readonly outcome: 'not-started'; readonly message: string }
);

/** A process that waits for a line on stdin: its id can be logged before it does anything. If we end, so does it. */
export interface PreparedAgent {
  /** Undefined: it cannot be started, and `run` says why. */
  readonly process: ProcessId | undefined;
  /**
   * Lets the agent begin. Settles when it and all processes that it started are gone. Never throws because of it. With a
   * signal that is aborted already the agent does nothing and ends: for a caller that gives up before it begins.
   */
  run(signal: AbortSignal): Promise<AgentResult>;
}

/** What an agent was asked to write: a plain file, or why it is none. */
export type AgentFile =
  | { readonly state: 'present'; readonly bytes: Uint8Array }
  | { readonly state: 'absent' }
  | { readonly state: 'too-large'; readonly size: number }
  | { readonly state: 'refused'; readonly reason: string };

/** Starts agents. */
export interface Agents {
  prepare(task: AgentTask): Promise<PreparedAgent>;
  /** Ends what is left of an agent whose engine was killed: its process group, and what carries its attempt's mark. */
  endLeftover(process: ProcessId, directory: string): Promise<void>;
  isAlive(process: ProcessId): Promise<boolean>;
}
