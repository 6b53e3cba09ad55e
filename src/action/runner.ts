import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { EOL } from 'node:os';
// By name only: of a namespace whose members are looked up the bundler keeps everything, an HTTP library too.
import {
  endGroup,
  error,
  getInput,
  getState,
  info,
  notice,
  saveState,
  setOutput,
  setSecret,
  startGroup,
  summary,
  warning,
  type AnnotationProperties,
} from '@actions/core';
import { GITHUB_VARIABLES, type Environment } from '../environment.ts';
import { GatelineError, isSystemError, messageOf, type Place } from '../errors/gateline-error.ts';
import { showUnseen } from '../json/visible.ts';
import type { OutputName } from './outputs.ts';

/** The most bytes that {@link Runner.appendSummary} lets a step's summary have: GitHub drops one over 1 MiB whole, after masking. */
export const MAX_SUMMARY_BYTES = 1_000_000;
/** The longest message of an annotation, in characters. */
const MAX_ANNOTATION = 4_000;

/** How an annotation is shown. GitHub keeps ten of each for a step. */
export type AnnotationLevel = 'notice' | 'warning' | 'error';

/** The files that a step writes to, by their variables. */
type RunnerFile = 'output' | 'state' | 'summary';

/** What an annotation says beside its message. */
export interface Annotation {
  readonly title?: string;
  /** Where; the file relative to the workspace. */
  readonly place?: Pick<Place, 'file' | 'line' | 'column'>;
  /** Last line, where it is not the first. */
  readonly endLine?: number;
}

/**
 * The runner that runs this step, and what it takes from it: log, annotations, outputs, states, summary, masks.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export interface Runner {
  /** The value of an input as the workflow has it, white space too; '' where it has none. */
  getInput(name: string): string;
  /** Text for the log; whatever it says, no line of it is a command to the runner. */
  info(text: string): void;
  /** A group of log lines that people may open; ends with the returned `using`. */
  group(title: string): Disposable;
  annotate(level: AnnotationLevel, message: string, about?: Annotation): void;
  /** @throws GatelineError `RUNNER_FILE` */
  setOutput(name: OutputName, value: string | number | boolean): void;
  /** Kept for the post step of this step, and for no other. A later value of a name wins. @throws GatelineError `RUNNER_FILE` */
  saveState(name: string, value: string): void;
  /** What main saved; '' for nothing, and in main. */
  getState(name: string): string;
  /** Bytes that still fit into the summary of this step. */
  summaryRoom(): number;
  /**
   * Adds Markdown to the summary of this step. False: it does not fit, and nothing was added. One call at a time.
   * @throws GatelineError `RUNNER_FILE`
   */
  appendSummary(markdown: string): Promise<boolean>;
  /** Masks a value in the log and in summaries from now on; each line of it too. */
  mask(value: string): void;
  /**
   * Shows what a program of the user's prints: `print` takes one line, as it is. While `work` goes on the runner takes
   * no commands but those of this object, so that no output of an agent sets anything.
   */
  quote<T>(work: (print: (line: string) => void) => Promise<T>): Promise<T>;
}

/**
 * The runner by GitHub's toolkit, which reads `process.env` and writes to standard output itself. What the toolkit does not
 * do is here: no text is a command, nothing unseen is shown, the summary is bounded, output of agents is quoted.
 * @param environment that of this process, or of what stands for it
 */
export function createRunner(environment: Environment): Runner {
  const log = commandLog();
  const summaryRoom = (): number => MAX_SUMMARY_BYTES - sizeOf(environment[GITHUB_VARIABLES.summary]);
  return {
    getInput: (name) => getInput(name, { trimWhitespace: false }),
    info: (text) => {
      for (const line of text.split(/\r\n|[\r\n]/)) info(withoutCommand(line));
    },
    group: (title) => {
      log.command(() => startGroup(showUnseen(title)));
      return { [Symbol.dispose]: () => log.command(endGroup) };
    },
    annotate: (level, message, about = {}) =>
      log.command(() => ANNOTATE[level](showUnseen(message).slice(0, MAX_ANNOTATION), propertiesOf(about))),
    setOutput: (name, value) => writeFile(environment, 'output', () => setOutput(name, value)),
    saveState: (name, value) => writeFile(environment, 'state', () => saveState(name, value)),
    getState,
    summaryRoom,
    appendSummary: async (markdown) => {
      if (Buffer.byteLength(markdown) + EOL.length > summaryRoom()) return false;
      requireFile(environment, 'summary');
      // A new one each time: the shared one keeps what it failed to write, and writes it again with the next text.
      const fresh = new (summary.constructor as new () => typeof summary)();
      await fresh
        .addRaw(markdown, true)
        .write()
        .catch((cause: unknown) => {
          throw unwritable('summary', cause);
        });
      return true;
    },
    mask: (value) => {
      if (value.trim() !== '') log.command(() => setSecret(value));
    },
    quote: (work) => log.quote(work),
  };
}

const ANNOTATE = { notice, warning, error } as const;

function propertiesOf({ title, place, endLine }: Annotation): AnnotationProperties {
  return {
    ...(title !== undefined && { title: showUnseen(title) }),
    ...(place?.file !== undefined && { file: showUnseen(place.file) }),
    ...(place?.line !== undefined && { startLine: place.line }),
    ...(endLine !== undefined && { endLine }),
    ...(place?.column !== undefined && { startColumn: place.column }),
  };
}

interface CommandLog {
  /** Has the runner take a command, also while something is quoted. */
  command(issue: () => void): void;
  quote: Runner['quote'];
}

/** Standard output as the runner reads it. While something is quoted, each command of ours ends the quotation and begins another. */
function commandLog(): CommandLog {
  let quoting = 0;
  let token: string | undefined;
  const stop = (): void => {
    token = randomUUID();
    info(`::stop-commands::${token}`);
  };
  const resume = (): void => {
    if (token !== undefined) info(`::${token}::`);
    token = undefined;
  };
  return {
    command: (issue) => {
      const isQuoting = token !== undefined;
      resume();
      issue();
      if (isQuoting) stop();
    },
    quote: async (work) => {
      quoting += 1;
      if (quoting === 1) stop();
      try {
        return await work(info);
      } finally {
        quoting -= 1;
        if (quoting === 0) resume();
      }
    },
  };
}

/** A line in which the runner finds no command: neither `::name::` at its start nor `##[name]` anywhere. */
function withoutCommand(line: string): string {
  return showUnseen(line)
    .replaceAll('##[', '## [')
    .replace(/^(\s*:):/, '$1 :');
}

/** Has the toolkit write to a file of the runner's: its errors say nothing of what to do. */
function writeFile(environment: Environment, file: RunnerFile, write: () => void): void {
  requireFile(environment, file);
  try {
    write();
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

/** Without a file the toolkit prints a command that runners no longer take. */
function requireFile(environment: Environment, file: RunnerFile): void {
  const variable = GITHUB_VARIABLES[file];
  if ((environment[variable] ?? '') !== '') return;
  throw new GatelineError('RUNNER_FILE', `${variable} is not set`, {
    hint: 'The action needs the files that the GitHub Actions runner creates for every step.',
  });
}

function unwritable(file: RunnerFile, cause: unknown): GatelineError {
  const variable = GITHUB_VARIABLES[file];
  return new GatelineError('RUNNER_FILE', `${variable} cannot be written to: ${messageOf(cause)}`, {
    hint: 'Check that the disk of the runner is not full, and that no step removed the file.',
    cause,
  });
}

function sizeOf(path: string | undefined): number {
  try {
    return path === undefined || path === '' ? 0 : statSync(path).size;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return 0;
    throw error;
  }
}
