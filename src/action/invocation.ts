import type { ActionInputs } from './inputs/inputs.ts';
import type { Runner } from './runner.ts';
import type { WorkflowEvent } from './event/event.ts';
import type { Environment } from '../environment.ts';
import type { ListedArtifact } from '../store/github/artifacts/artifact-service.ts';

/** Everything outside the action that its commands may use. */
export interface ActionWorld {
  /** As the runner set it, including `INPUT_*` and `STATE_*`. */
  readonly environment: Environment;
  readonly runner: Runner;
  /** Path of this program. Work that needs its own process starts it again. */
  readonly program: string;
  readonly now: () => Date;
  /** Aborted by SIGINT and SIGTERM: GitHub waits 7.5 s after the first, 2.5 s after the second. */
  readonly signal: AbortSignal;
  /** The artifacts of this run, requested before anything else was loaded. Absent: not requested. */
  readonly listed?: Promise<ListedArtifact[]>;
}

/** The arguments of every command. */
export interface ActionInvocation {
  readonly world: ActionWorld;
  readonly inputs: ActionInputs;
  readonly event: WorkflowEvent;
}

/** The result of the step: green or red; each red result has its own title. */
export interface StepResult {
  readonly ok: boolean;
  /** For the annotation of a red step: `Gate failed`, `Waiting for approval`, … */
  readonly title: string;
  /** One sentence, safe for a log line. */
  readonly message: string;
}

/** A command of the action. */
export type ActionCommand = (invocation: ActionInvocation) => Promise<StepResult>;
