import type { Environment } from '../environment.ts';
import type { Durable } from '../local/local-ports.ts';

/** What the command line needs of the process it runs in; the entry file makes one, tests make others. */
export interface CliWorld extends Durable {
  /** Arguments after the program's name. */
  readonly arguments: readonly string[];
  readonly environment: Environment;
  readonly workingDirectory: string;
  readonly out: Screen;
  readonly err: Screen;
  /** All of standard input. */
  readonly readStandardInput: () => Promise<Uint8Array>;
  readonly now: () => Date;
  /** Calls the listener on Ctrl-C (and SIGTERM, SIGHUP), the first time and each further one. */
  readonly onInterrupt: (listener: () => void) => Disposable;
  /** After this long without a word, plain progress says what is still running. Milliseconds; default 30 seconds. */
  readonly silenceMs?: number;
}

/** Where text goes. */
export interface Screen {
  write(text: string): void;
  /** A terminal that a person looks at: live progress and colours make sense. */
  readonly interactive: boolean;
  /** Columns now; 0 when it is no terminal. */
  readonly columns: number;
  /** Rows now; 0 when it is no terminal. */
  readonly rows: number;
}
