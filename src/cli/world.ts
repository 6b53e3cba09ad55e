import type { Environment } from '../environment.ts';
import type { Durable } from '../local/local-ports.ts';

/** What the command line needs from its process; the entry file creates one, tests create others. */
export interface CliWorld extends Durable {
  /** Arguments after the program's name. */
  readonly arguments: readonly string[];
  /** Absolute path of the program's file. `undefined`: unknown. */
  readonly program?: string | undefined;
  readonly environment: Environment;
  readonly workingDirectory: string;
  readonly out: Screen;
  readonly err: Screen;
  /** All of standard input. Throws if it has more bytes than `limit`. */
  readonly readStandardInput: (limit: number) => Promise<Uint8Array>;
  readonly now: () => Date;
  /** Calls the listener on Ctrl-C (and SIGTERM, SIGHUP), the first time and each further time. */
  readonly onInterrupt: (listener: () => void) => Disposable;
  /** After this long without output, plain progress reports what is still running. Milliseconds; default 30 seconds. */
  readonly silenceMs?: number;
}

/** Where text goes. */
export interface Screen {
  write(text: string): void;
  /** A terminal that a person reads: live progress and colours make sense. */
  readonly interactive: boolean;
  /** Current columns; 0 if it is not a terminal. */
  readonly columns: number;
  /** Current rows; 0 if it is not a terminal. */
  readonly rows: number;
}
