/** Everything needed to start one attempt of a gate's agent. */
export interface AgentTask {
  /** Absolute path of this attempt's own directory; it exists. It contains `output.json`, `output.log` …. */
  readonly directory: string;
  readonly command: string;
  /** A program and its arguments, to be started without a shell in place of `command`. */
  readonly argv?: readonly [string, ...string[]];
  /** As `Gate.shell`. */
  readonly shell: string;
  /** Absolute path of the working directory. */
  readonly workingDirectory: string;
  /** The whole environment of the agent: nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Processes that it started stay if it ends with exit code 0. Default: they are ended, too. */
  readonly leaves?: boolean;
  readonly timeoutMs: number;
  /** Bytes kept of stdout and of stderr, each: the first and the last half. */
  readonly logLimit: number;
  /** Also write what is printed into the file `LIVE_LOG` of the directory, as it arrives, redacted. Default: no. */
  readonly live?: boolean;
  /** Aborted on Ctrl-C: ends the whole process tree. */
  readonly signal: AbortSignal;
  /**
   * Called for each line of output as it arrives, redacted.
   * @param goesOn it is a piece of a long line, and the next one is of the same line
   */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string, goesOn: boolean) => void;
  /** Makes text safe to keep or show; see `createRedactor`. */
  readonly redact: (text: string) => string;
  /**
   * The same for text in pieces; `createRedactor`'s `createStream`. Default: `redact`, line by line, which misses a
   * private key on several lines.
   */
  readonly redactStream?: () => { readonly push: (piece: string) => string; readonly flush: () => string };
}

/** How an agent ended. Its output file is not read here. */
export interface AgentResult {
  readonly outcome: 'exited' | 'signalled' | 'timeout' | 'cancelled' | 'not-started';
  readonly exitCode?: number;
  readonly signal?: string;
  /** With {@link AgentTask.leaves}: the processes that stay, with their start times as the system reports them. */
  readonly left?: readonly { readonly pid: number; readonly started: string }[];
  /** For `not-started`: the reason (no such shell, E2BIG, …). */
  readonly message?: string;
  /** Captured output, capped and redacted; a line in the middle says how many bytes were omitted. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Which processes of a killed engine are ended. */
export interface LeftoverOptions {
  /** Processes of one attempt, in addition to those that are found. */
  readonly left?: NonNullable<AgentResult['left']>;
  /**
   * Says of which of the attempts that are found the processes stay, as after {@link Agent.keepLeft}: the engine may
   * have been killed before it noted that. Default: of none.
   */
  readonly keeps?: (directories: readonly string[]) => Promise<readonly string[]>;
}

/** Starts a gate's work. The only implementation so far is a local process. */
export interface Agent {
  /** Runs to the end; never throws because of the agent. All processes that it started are gone when this settles. */
  run(task: AgentTask): Promise<AgentResult>;
  /**
   * Ends processes left by agents that a killed engine had started in attempt directories below `root`. The caller
   * holds the workspace's lock, so no other engine works there. Agents that run by themselves are not touched, whether
   * their claim is still valid or not.
   * @param root of all attempts; or the directory of one attempt, whose processes are ended even if they were kept
   * @returns pids of the ended processes, for the log.
   */
  endLeftovers(root: string, options?: LeftoverOptions): Promise<number[]>;
  /**
   * The processes that an attempt left stay: {@link endLeftovers} of all attempts no longer ends them. Calling it again
   * has no effect.
   */
  keepLeft(directory: string): Promise<void>;
}
