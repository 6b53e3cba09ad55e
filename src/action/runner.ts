import { randomUUID } from 'node:crypto';
import { appendFileSync, statSync } from 'node:fs';
import { EOL } from 'node:os';
import { GITHUB_VARIABLES, STATE_PREFIX, type Environment } from '../environment.ts';
import { GatelineError, isSystemError, messageOf, type Place } from '../errors/gateline-error.ts';
import { showUnseen } from '../untrusted/visible.ts';
import type { OutputName } from './outputs.ts';

/** The most bytes that {@link Runner.appendSummary} lets a step's summary have: GitHub drops one over 1 MiB whole, after masking. */
export const MAX_SUMMARY_BYTES = 1_000_000;
/** The longest message of an annotation, in characters. */
const MAX_ANNOTATION = 4_000;

/** How an annotation is shown. GitHub keeps ten of each for a step. */
export type AnnotationLevel = 'notice' | 'warning' | 'error';

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
  /** Adds Markdown to the summary of this step. False: it does not fit, and nothing was added. @throws GatelineError `RUNNER_FILE` */
  appendSummary(markdown: string): boolean;
  /** Masks a value in the log and in summaries from now on; each line of it too. */
  mask(value: string): void;
  /**
   * Shows what a program of the user's prints: `print` takes one line, as it is. While `work` goes on the runner takes
   * no commands but those of this object, so that no output of an agent sets anything.
   */
  quote<T>(work: (print: (line: string) => void) => Promise<T>): Promise<T>;
}

/**
 * The runner by its log commands and files.
 * @param environment where the runner's files and states are named
 * @param write to standard output, at once
 */
export function createRunner(environment: Environment, write: (text: string) => void): Runner {
  const log = commandLog(write);
  const addTo = (variable: string, text: string): void => append(environment[variable], variable, text);
  const summaryRoom = (): number => MAX_SUMMARY_BYTES - sizeOf(environment[GITHUB_VARIABLES.summary]);
  return {
    info: (text) => log.text(text),
    group: (title) => {
      log.command('group', {}, showUnseen(title));
      return { [Symbol.dispose]: () => log.command('endgroup', {}, '') };
    },
    annotate: (level, message, { title, place, endLine } = {}) =>
      log.command(
        level,
        { title, file: place?.file, line: place?.line, endLine, col: place?.column },
        showUnseen(message).slice(0, MAX_ANNOTATION),
      ),
    setOutput: (name, value) => addTo(GITHUB_VARIABLES.output, keyAndValue(name, String(value))),
    saveState: (name, value) => addTo(GITHUB_VARIABLES.state, keyAndValue(name, value)),
    getState: (name) => environment[`${STATE_PREFIX}${name}`] ?? '',
    summaryRoom,
    appendSummary: (markdown) => {
      if (Buffer.byteLength(markdown) + EOL.length > summaryRoom()) return false;
      addTo(GITHUB_VARIABLES.summary, `${markdown}${EOL}`);
      return true;
    },
    mask: (value) => {
      if (value.trim() !== '') log.command('add-mask', {}, value);
    },
    quote: (work) => log.quote(work),
  };
}

interface CommandLog {
  text(text: string): void;
  command(name: string, properties: Readonly<Record<string, string | number | undefined>>, message: string): void;
  quote: Runner['quote'];
}

/** Standard output as the runner reads it. While something is quoted, each command of ours ends the quotation and begins another. */
function commandLog(write: (text: string) => void): CommandLog {
  let quoting = 0;
  let token: string | undefined;
  const stop = (): void => {
    token = randomUUID();
    write(`::stop-commands::${token}${EOL}`);
  };
  const resume = (): void => {
    if (token !== undefined) write(`::${token}::${EOL}`);
    token = undefined;
  };
  return {
    text: (text) => {
      for (const line of text.split(/\r\n|[\r\n]/)) write(`${withoutCommand(line)}${EOL}`);
    },
    command: (name, properties, message) => {
      const isQuoting = token !== undefined;
      resume();
      write(`${commandText(name, properties, message)}${EOL}`);
      if (isQuoting) stop();
    },
    quote: async (work) => {
      quoting += 1;
      if (quoting === 1) stop();
      try {
        return await work((line) => write(`${line}${EOL}`));
      } finally {
        quoting -= 1;
        if (quoting === 0) resume();
      }
    },
  };
}

function commandText(
  name: string,
  properties: Readonly<Record<string, string | number | undefined>>,
  message: string,
): string {
  const given = Object.entries(properties).filter(([, value]) => value !== undefined && value !== '');
  const list = given.map(([key, value]) => `${key}=${escapeProperty(String(value))}`).join(',');
  return `::${name}${list === '' ? '' : ` ${list}`}::${escapeData(message)}`;
}

/** As `ActionCommand` of actions/runner takes it apart again. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(showUnseen(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** A line in which the runner finds no command: neither `::name::` at its start nor `##[name]` anywhere. */
function withoutCommand(line: string): string {
  return showUnseen(line)
    .replaceAll('##[', '## [')
    .replace(/^(\s*:):/, '$1 :');
}

/** A value between lines that it cannot hold, since nobody knows them before. */
function keyAndValue(key: string, value: string): string {
  const delimiter = `gateline_${randomUUID()}`;
  return `${key}<<${delimiter}${EOL}${value}${EOL}${delimiter}${EOL}`;
}

function append(path: string | undefined, variable: string, text: string): void {
  if (path === undefined || path === '') {
    throw new GatelineError('platform', 'RUNNER_FILE', `${variable} is not set`, {
      hint: 'The action needs the files that the runner of GitHub Actions makes for every step.',
    });
  }
  try {
    appendFileSync(path, text);
  } catch (cause) {
    throw new GatelineError('platform', 'RUNNER_FILE', `${variable} cannot be written to: ${messageOf(cause)}`, {
      hint: 'Look whether the disk of the runner is full.',
      cause,
    });
  }
}

function sizeOf(path: string | undefined): number {
  try {
    return path === undefined || path === '' ? 0 : statSync(path).size;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return 0;
    throw error;
  }
}
