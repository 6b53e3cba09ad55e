import type { Environment } from '../environment.ts';

/** What the command line needs of the process it runs in; the entry file makes one, tests make others. */
export interface CliWorld {
  /** Arguments after the program's name. */
  readonly arguments: readonly string[];
  readonly environment: Environment;
  readonly workingDirectory: string;
  readonly out: Screen;
  readonly err: Screen;
  readonly now: () => Date;
  /** Calls the listener on Ctrl-C (and SIGTERM), the first time and each further one. */
  readonly onInterrupt: (listener: () => void) => Disposable;
  /** Called after each durable operation; crash tests end the process there. */
  readonly onDurable?: (what: string) => void;
}

/** Where text goes. */
export interface Screen {
  write(text: string): void;
  /** A terminal that a person looks at: live progress and colours make sense. */
  readonly interactive: boolean;
  /** Columns; 0 when it is no terminal. */
  readonly columns: number;
}
