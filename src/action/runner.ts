import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { EOL } from 'node:os';
// Named imports only: if a namespace's members are looked up dynamically, the bundler keeps everything, including an
// HTTP library.
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

/**
 * Maximum size of a step's summary for {@link Runner.appendSummary}, in bytes: GitHub drops a summary over 1 MiB
 * completely, after masking.
 */
export const MAX_SUMMARY_BYTES = 1_000_000;
/** The longest message of an annotation, in characters. */
const MAX_ANNOTATION = 4_000;

/** The level of an annotation. GitHub keeps ten of each per step. */
export type AnnotationLevel = 'notice' | 'warning' | 'error';

/** The files that a step writes to, by their variables. */
type RunnerFile = 'output' | 'state' | 'summary';

/** The properties of an annotation besides its message. */
export interface Annotation {
  readonly title?: string;
  /** Where; the file relative to the workspace. */
  readonly place?: Pick<Place, 'file' | 'line' | 'column'>;
  /** Last line, if it differs from the first. */
  readonly endLine?: number;
}

/**
 * The runner of this step: inputs, log, annotations, outputs, states, summary, masks.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export interface Runner {
  /** The value of an input as in the workflow, including white space; '' if it is not set. */
  getInput(name: string): string;
  /** Prints text to the log; no line of it is interpreted as a command. */
  info(text: string): void;
  /** Begins a collapsible group of log lines; disposing of the result ends it. */
  group(title: string): Disposable;
  annotate(level: AnnotationLevel, message: string, about?: Annotation): void;
  /** @throws GatelineError `RUNNER_FILE` */
  setOutput(name: OutputName, value: string | number | boolean): void;
  /** Saved for the post step of this step only. A later value of a name wins. @throws GatelineError `RUNNER_FILE` */
  saveState(name: string, value: string): void;
  /** The value that main saved; '' if there is none, and in main. */
  getState(name: string): string;
  /** Number of bytes that still fit into this step's summary. */
  summaryRoom(): number;
  /**
   * Adds Markdown to this step's summary. False: it does not fit, and nothing was added. One call at a time.
   * @throws GatelineError `RUNNER_FILE`
   */
  appendSummary(markdown: string): Promise<boolean>;
  /** Masks a value and each of its lines in the log and in summaries from now on. */
  mask(value: string): void;
  /**
   * Prints the output of a user's program: `print` prints one line unchanged. During `work` the runner accepts only
   * commands of this object, so that an agent's output cannot set anything.
   */
  quote<T>(work: (print: (line: string) => void) => Promise<T>): Promise<T>;
}

/**
 * The runner, using GitHub's toolkit, which reads `process.env` and writes to standard output itself. This adds what
 * the toolkit lacks: text is never a command, invisible characters are not printed, the summary is bounded, and output
 * of agents is quoted.
 * @param environment that of this process, or a replacement
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
      // A new one each time: the shared one keeps text that it failed to write, and writes it again with the next text.
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
  /** Issues a command to the runner, also while something is quoted. */
  command(issue: () => void): void;
  quote: Runner['quote'];
}

/**
 * Standard output as the runner reads it. While something is quoted, each of our commands ends the quotation and begins
 * a new one.
 */
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

/**
 * Changes a line so that the runner finds no command in it: neither `::name::` at its start nor `##[name]` anywhere.
 */
function withoutCommand(line: string): string {
  return showUnseen(line)
    .replaceAll('##[', '## [')
    .replace(/^(\s*:):/, '$1 :');
}

/** Lets the toolkit write to a file of the runner: the toolkit's errors do not say how to fix the problem. */
function writeFile(environment: Environment, file: RunnerFile, write: () => void): void {
  requireFile(environment, file);
  try {
    write();
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

/** Without a file the toolkit prints a command that runners no longer accept. */
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
