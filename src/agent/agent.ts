/** What it takes to start one attempt of a gate's agent. */
export interface AgentTask {
  /** Absolute path of this attempt's own directory; it exists. `output.json`, `stdout.log` … lie in it. */
  readonly directory: string;
  readonly command: string;
  /** As `Gate.shell`. */
  readonly shell: string;
  /** Absolute path to run in. */
  readonly workingDirectory: string;
  /** The whole environment of the agent: nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Bytes of stdout and of stderr that are kept, each: the first and the last half. */
  readonly logLimit: number;
  /** Aborted on Ctrl-C: ends the whole process tree. */
  readonly signal: AbortSignal;
  /** Called for each line of output as it comes, redacted. */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string) => void;
  /** Makes text safe to keep or show; see `createRedactor`. */
  readonly redact: (text: string) => string;
  /**
   * The same for text that comes in pieces; `createRedactor`'s `createStream`. Default: `redact`, line by line, which
   * does not see a private key that lies on several lines.
   */
  readonly redactStream?: () => { readonly push: (piece: string) => string; readonly flush: () => string };
}

/** How an agent ended. Its output file is not read here. */
export interface AgentResult {
  readonly outcome: 'exited' | 'signalled' | 'timeout' | 'cancelled' | 'not-started';
  readonly exitCode?: number;
  readonly signal?: string;
  /** For `not-started`: why (no such shell, E2BIG, …). */
  readonly message?: string;
  /** Captured output, capped and redacted; a line in between says how many bytes were left out. */
  readonly stdout: string;
  readonly stderr: string;
}

/** How a gate's work is started. The only implementation so far is a local process. */
export interface Agent {
  /** Runs to the end; never throws for what the agent does. Whatever it started is gone when this settles. */
  run(task: AgentTask): Promise<AgentResult>;
  /**
   * Ends what is left of agents that an engine which was killed had started in attempt directories below `root`. The caller
   * holds the workspace's lock, so no other engine works there. Agents that run by themselves are left alone, whether their
   * claim still holds or not.
   * @returns the pids that were ended, for the log.
   */
  endLeftovers(root: string): Promise<number[]>;
}
