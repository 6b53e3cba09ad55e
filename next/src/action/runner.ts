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

/** What a step tells the runner: log, annotations, outputs, summary, masks. */
export interface Runner {
  /** Prints text; no line of it is taken for a command. */
  info(text: string): void;
  annotate(level: AnnotationLevel, message: string, about?: { readonly title?: string; readonly place?: Place }): void;
  setOutput(name: string, value: string): void;
  /** A variable of all later steps of the job. */
  exportVariable(name: string, value: string): void;
  /** For the post step of this step. */
  saveState(name: string, value: string): void;
  /** Adds Markdown to the summary of the step; false: it does not fit. */
  addSummary(markdown: string): boolean;
  mask(value: string): void;
  group(title: string): Disposable;
  /** While an agent prints: until the quotation ends, the runner accepts commands of this object only. */
  startQuote(): void;
  endQuote(): void;
}

/**
 * The runner by GitHub's toolkit. Added is what that lacks: text is never a command, output of agents is quoted, the
 * summary is bounded.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export function createRunner(environment: Environment): Runner {
  let quote: string | undefined;
  const begin = (): void => info(`::stop-commands::${(quote = randomUUID())}`);
  const end = (): void => {
    if (quote !== undefined) info(`::${quote}::`);
    quote = undefined;
  };
  const command = (issue: () => void): void => {
    const isQuoting = quote !== undefined;
    end();
    issue();
    if (isQuoting) begin();
  };
  return {
    info: (text) => text.split(/\r\n|[\r\n]/).forEach((line) => info(withoutCommand(line))),
    annotate: (level, message, { title, place } = {}) =>
      command(() =>
        ANNOTATE[level](forTerminal(message).slice(0, MAX_ANNOTATION), {
          ...(title !== undefined && { title: forTerminal(title) }),
          ...(place && { file: place.file, startLine: place.line, startColumn: place.column }),
        }),
      ),
    setOutput,
    exportVariable,
    saveState,
    addSummary: (markdown) => {
      const path = readSummaryPath(environment);
      if (!path || sizeOf(path) + Buffer.byteLength(markdown) + 1 > STEP_SUMMARY_LIMIT) return false;
      appendFileSync(path, `${markdown}\n`);
      return true;
    },
    mask: (value) => {
      if (value.trim() !== '') command(() => setSecret(value));
    },
    group: (title) => {
      command(() => startGroup(forTerminal(title)));
      return { [Symbol.dispose]: () => command(endGroup) };
    },
    startQuote: () => {
      if (quote === undefined) begin();
    },
    endQuote: end,
  };
}

const ANNOTATE = { notice, warning, error } as const;

/** The runner finds `::name::` at the start of a line, and `##[name]` anywhere. */
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
