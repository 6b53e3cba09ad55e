import type { ActionInputs } from './inputs/inputs.ts';
import type { Runner } from './runner.ts';
import type { WorkflowEvent } from './event/event.ts';
import type { Environment } from '../environment.ts';

/** The world as the action finds it: everything that its commands may touch arrives here. */
export interface ActionWorld {
  /** As the runner gave it, with `INPUT_*` and `STATE_*`. */
  readonly environment: Environment;
  readonly runner: Runner;
  /** Path of the program that this is. Work that needs a process of its own starts it once more. */
  readonly program: string;
  readonly now: () => Date;
  /** Aborted by SIGINT and SIGTERM: GitHub gives 7.5 s after the first, 2.5 s after the second. */
  readonly signal: AbortSignal;
}

/** What every command is given. */
export interface ActionInvocation {
  readonly world: ActionWorld;
  readonly inputs: ActionInputs;
  readonly event: WorkflowEvent;
}

/** The result of the step: green or red, each red one with its own title. */
export interface StepResult {
  readonly ok: boolean;
  /** For the annotation of a red step: `Gate failed`, `Waiting for approval`, … */
  readonly title: string;
  /** One sentence, safe for a log line. */
  readonly message: string;
}

/** A command of the action. */
export type ActionCommand = (invocation: ActionInvocation) => Promise<StepResult>;
