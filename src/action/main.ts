import { ACTION_STATE, type Environment } from '../environment.ts';
import type { CommandName } from './inputs/command-names.ts';
import type { ActionCommand, ActionWorld } from './invocation.ts';
import { runPost, type PostHook } from './post.ts';
import { guardProcess, interruptSignal } from './process-guard.ts';
import { ofItsPullRequest } from './event/dispatched-pull.ts';
import { restOfStep } from './event/rest-client.ts';
import { readStep } from './job/read-step.ts';
import { reportError } from './step/report-error.ts';
import { createRunner } from './runner.ts';

/** The parts of the action. Each is loaded on demand: a step needs one. */
export interface ActionParts {
  readonly commands: Readonly<Record<CommandName, () => Promise<ActionCommand>>>;
  /** Settles a claim that may be open, in the post step. */
  readonly settle: () => Promise<PostHook>;
}

/** The two programs of a step. The file determines which one runs: earlier steps may set variables. */
export type Stage = 'main' | 'post';

/**
 * Runs this process as a step of the action. Returns at once; the process ends when the work does, with code 0 only if
 * the result is green.
 */
export function startAction(stage: Stage, environment: Environment, parts: ActionParts): void {
  const runner = createRunner(environment);
  const finish = guardProcess({
    uncaught: (error) => reportError(runner, error),
    unfinished: () =>
      runner.annotate(
        'error',
        'Gateline exited before it finished: a GitHub service dropped the connection. Re-run the job.',
        { title: 'Gateline did not finish' },
      ),
  });
  const program = process.argv[1] ?? '';
  const world: ActionWorld = { environment, runner, program, now: () => new Date(), signal: interruptSignal() };
  const work = stage === 'post' ? runPost(world, parts.settle) : runMain(world, parts.commands);
  void work
    .catch((error: unknown) => {
      reportError(runner, error);
      return false;
    })
    .then(finish);
}

/** Runs the main program: the command that the inputs name, and a mark that it finished. True: green. */
export async function runMain(world: ActionWorld, commands: ActionParts['commands']): Promise<boolean> {
  const { runner } = world;
  runner.saveState(ACTION_STATE.finished, 'false');
  runner.saveState(ACTION_STATE.claim, '');
  runner.saveState(ACTION_STATE.agentExit, '');
  const ok = await execute(world, commands).catch((error: unknown) => {
    reportError(runner, error);
    return false;
  });
  runner.saveState(ACTION_STATE.finished, 'true');
  return ok;
}

async function execute(given: ActionWorld, commands: ActionParts['commands']): Promise<boolean> {
  const { runner } = given;
  const world = { ...given, ...firstListing(given) };
  const { inputs, event: read } = await readStep(world);
  // `complete` and the post step use what `begin` noted.
  const event =
    inputs.command === 'complete' ? read : await ofItsPullRequest(read, restOfStep({ inputs, event: read }));
  for (const notice of [...inputs.notices, ...event.notices]) runner.annotate('notice', notice, { title: 'Gateline' });
  const command = await commands[inputs.command]();
  const { ok, title, message } = await command({ world, inputs, event });
  if (ok) runner.info(message);
  else runner.annotate('error', message, { title });
  return ok;
}

/** Commands that read the records of their run first. */
const LISTING: ReadonlySet<string> = new Set<CommandName>(['run', 'begin', 'plan', 'report']);

/** Requests the first listing before the rest of the program is loaded: the answer arrives meanwhile. */
function firstListing({ environment, runner }: ActionWorld): Pick<ActionWorld, 'listed'> {
  if (!LISTING.has(runner.getInput('command').trim())) return {};
  const listed = import('./records/first-listing.ts').then(({ requestListing }) => requestListing(environment));
  // Whoever lists gets the error.
  listed.catch(() => undefined);
  return { listed };
}
