import { randomUUID } from 'node:crypto';
import { appendFileSync, statSync } from 'node:fs';
// Named imports only: else the bundler keeps all of it, an HTTP library included.
import {
  endGroup,
  error,
  exportVariable,
  info,
  notice,
  saveState,
  setOutput,
  setSecret,
  startGroup,
  warning,
} from '@actions/core';
import { readSummaryPath, type Environment } from '../environment.ts';
import { isSystemError, type Place } from '../errors.ts';
import { forTerminal } from '../untrusted/escape.ts';

/** GitHub drops a step's summary over 1 MiB as a whole; masks may make it longer. */
const STEP_SUMMARY_LIMIT = 1_000_000;
const MAX_ANNOTATION = 4_000;

export type AnnotationLevel = 'notice' | 'warning' | 'error';

const ANNOTATE = { notice, warning, error } as const;

/**
 * The output of a step for GitHub's runner. It adds to GitHub's toolkit that text is never a command, that output of agents
 * is quoted, and that the summary is bounded.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export class Runner {
  readonly setOutput = setOutput;
  /** Sets a variable of all later steps of the job. */
  readonly exportVariable = exportVariable;
  /** Saves a value for the post step of this step. */
  readonly saveState = saveState;
  readonly #summary: string | undefined;
  #quote: string | undefined;

  constructor(environment: Environment) {
    this.#summary = readSummaryPath(environment);
  }

  /** Prints text, none of whose lines is a command. */
  info(text: string): void {
    for (const line of text.split(/\r\n|[\r\n]/)) info(withoutCommand(line));
  }

  annotate(
    level: AnnotationLevel,
    message: string,
    { title, place }: { readonly title?: string; readonly place?: Place } = {},
  ): void {
    this.#command(() =>
      ANNOTATE[level](forTerminal(message).slice(0, MAX_ANNOTATION), {
        ...(title !== undefined && { title: forTerminal(title) }),
        ...(place && { file: place.file, startLine: place.line, startColumn: place.column }),
      }),
    );
  }

  /** Adds Markdown to the summary of the step; false: it does not fit. */
  addSummary(markdown: string): boolean {
    const path = this.#summary;
    if (!path || sizeOf(path) + Buffer.byteLength(markdown) + 1 > STEP_SUMMARY_LIMIT) return false;
    appendFileSync(path, `${markdown}\n`);
    return true;
  }

  mask(value: string): void {
    if (value.trim() !== '') this.#command(() => setSecret(value));
  }

  group(title: string): Disposable {
    this.#command(() => startGroup(forTerminal(title)));
    return { [Symbol.dispose]: () => this.#command(endGroup) };
  }

  /** Quotes what agents print: until {@link endQuote}, the runner accepts commands of this object only. */
  startQuote(): void {
    if (this.#quote === undefined) info(`::stop-commands::${(this.#quote = randomUUID())}`);
  }

  endQuote(): void {
    if (this.#quote !== undefined) info(`::${this.#quote}::`);
    this.#quote = undefined;
  }

  #command(issue: () => void): void {
    const isQuoting = this.#quote !== undefined;
    this.endQuote();
    issue();
    if (isQuoting) this.startQuote();
  }
}

/** A line without commands, which are `::name::` at its start and `##[name]` anywhere. */
function withoutCommand(line: string): string {
  return forTerminal(line)
    .replaceAll('##[', '## [')
    .replace(/^(\s*:):/, '$1 :');
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return 0;
    throw error;
  }
}
