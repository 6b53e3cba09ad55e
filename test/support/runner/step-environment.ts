import { delimiter } from 'node:path';
import type { JobEnvironment } from '../github/job-environment.ts';
import { plainEnvironment } from '../command-line.ts';
import type { Session } from './session.ts';
import { TRACKING_VARIABLE } from './step-process.ts';

/** Given to actions only: `NodeScriptActionHandler` of actions/runner sets them, `ScriptHandler` does not. */
const FOR_ACTIONS = /^ACTIONS_(?:RUNTIME_|RESULTS_|CACHE_)/;

/** What both kinds of steps are given beside {@link FOR_ACTIONS}. */
interface StepVariables {
  readonly session: Session;
  /** The step's own file commands, as variables. */
  readonly files: JobEnvironment;
  /** `env` of the step, with that of its job. */
  readonly env: Readonly<Record<string, string>>;
  /** `GITHUB_ACTION`. */
  readonly id: string;
}

/** What the `run:` step of a job sees. */
export function runStepEnvironment(variables: StepVariables): Record<string, string> {
  return Object.fromEntries(Object.entries(base(variables)).filter(([name]) => !FOR_ACTIONS.test(name)));
}

/** What a JavaScript action sees: the same, its inputs and state, and where the services are. */
export function actionEnvironment(
  variables: StepVariables,
  action: {
    readonly inputs: Readonly<Record<string, string>>;
    readonly state: Readonly<Record<string, string>>;
    /** `owner/name` and ref of an action that is not in the workspace, else empty. */
    readonly repository: string;
    readonly ref: string;
  },
): Record<string, string> {
  const named = (prefix: string, values: Readonly<Record<string, string>>, spell: (name: string) => string) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${spell(name)}`, value]));
  return {
    ...base(variables),
    ...named('INPUT_', action.inputs, (name) => name.replaceAll(' ', '_').toUpperCase()),
    ...named('STATE_', action.state, (name) => name),
    GITHUB_ACTION_REPOSITORY: action.repository,
    GITHUB_ACTION_REF: action.ref,
  };
}

/** The machine's, the job's and the step's, then GITHUB_* and RUNNER_*, which nothing can change. */
function base({ session, files, env, id }: StepVariables): Record<string, string> {
  const { CI, ...given } = files.env;
  const tracking = { [TRACKING_VARIABLE]: session.trackingId };
  // A runner's machine sets nothing of ours.
  const { GATELINE_TREES: _, ...machine } = plainEnvironment({ ...tracking, ...session.order.machine });
  const merged: Record<string, string> = { CI: CI ?? 'true', ...machine, ...env, ...given, GITHUB_ACTION: id };
  merged['PATH'] = [...session.path, merged['PATH'] ?? ''].join(delimiter);
  return merged;
}
