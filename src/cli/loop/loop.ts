import { runLoop, type LoopEvent, type LoopResult } from '../../engine/set/loop.ts';
import { assignmentFor } from '../../engine/set/set-order.ts';
import { requireHead } from '../../engine/set/deliver-set.ts';
import { lockWorkspace } from '../../local/local-ports.ts';
import { whoDecides } from '../../local/who-decides.ts';
import type { Mirror } from '../../local/exchange/mirror.ts';
import type { Projector } from '../../local/projector.ts';
import { count, oneLine } from '../../report/text.ts';
import type { Task } from '../../run/subjects/tasks.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { keepLearnings } from '../memory/note-learnings.ts';
import { interruptible } from '../output/interrupt.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { mirrorFor, projectorFor } from '../project/open.ts';
import { noteTooShort, redactorFor } from '../project/redactor.ts';
import { removeOldRuns } from '../project/remove-old-runs.ts';
import { savedFolder } from '../project/saved-folder.ts';
import { openSet, type OpenSet } from '../sets/open-set.ts';
import { setProgress, type SetProgress } from '../sets/set-progress.ts';
import { loadTasks, numberOption, taskLimits, taskLines, tasksJson, taskSummary } from './tasks.ts';

/** Runs of one call, unless --max-iterations says otherwise: a loop that makes no progress must end. */
const MOST_ITERATIONS = 100;

/** `gateline loop FILE`: does the tasks of a set one after another. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const set = await loadTasks(invocation);
  const limits = taskLimits(options);
  const maxIterations = numberOption(options, 'max-iterations', 1) ?? MOST_ITERATIONS;
  await using _lock = await lockWorkspace(set.loaded.root, world);
  const stop = new AbortController();
  const opened = await openSet(invocation, set, { readOnly: false, signal: stop.signal });
  const isCommitting = options['no-commit'] !== true;
  if (isCommitting) await requireHead(opened.ports.branches!);
  const redactor = redactorFor(set.loaded.pipeline, world.environment);
  const progress = setProgress(invocation);
  noteTooShort(redactor, progress);
  const message = textOption(options, 'commit-message') ?? '{task}';
  const result = await interruptible(world, progress, stop, async (signal) =>
    runLoop(opened.ports, opened.order, {
      ...limits,
      maxIterations,
      commitMessage: isCommitting ? (task) => messageFor(message, task) : undefined,
      saved: () => savedFolder(world, opened.ports.workspace.root),
      actor: await whoDecides(set.loaded.root, world.environment),
      observe: observer(invocation, opened, redactor.redactText, progress),
      signal,
      ...(set.loaded.pipeline.learning === 'auto' && {
        afterRun: (run, assignment, isNew) => keepLearnings(world, { ...opened, assignment }, run, isNew),
      }),
    }),
  );
  show(invocation, set.loaded.pipeline.id, result);
  if (!result.cancelled) await removeOldRuns(world, opened);
  return exitCodeOf(result);
}

/** The message of a commit: the template with `{id}` and `{task}`, on one line unless the template has more. */
function messageFor(template: string, { id, task = id }: Task): string {
  const values: Readonly<Record<string, string>> = { id, task: oneLine(task).slice(0, 200) };
  return template.replaceAll(/\{(id|task)\}/g, (_, name: string) => values[name]!);
}

/** Shows what happens, and keeps the files of each task that people read up to date. */
function observer(
  invocation: CommandInvocation,
  opened: OpenSet,
  redact: (text: string) => string,
  progress: SetProgress,
): (event: LoopEvent) => Promise<void> {
  let projector: Projector | undefined;
  let mirror: Mirror | undefined;
  return async (event) => {
    if (event.type === 'task') {
      const { task, iteration, reason } = event;
      progress.note(`iteration ${iteration}: ${task.id}: ${reason}`);
      const own = { ...opened, assignment: assignmentFor(opened.assignment, task) };
      projector = await projectorFor(invocation.world, own, redact);
      mirror = mirrorFor(invocation.world, own);
    } else if (event.type === 'applied') {
      const { task, files, commit } = event;
      const where = commit === undefined ? 'applied' : `committed as ${commit.slice(0, 12)}`;
      progress.note(`${task.id}: ${count(files, 'file')} ${where}`);
    } else {
      progress.follow(event);
      const notices = (await projector?.follow(event.event)) ?? [];
      if ('state' in event.event) notices.push(...((await mirror?.show(event.event.state)) ?? []));
      for (const notice of notices) progress.note(notice);
    }
  };
}

function show(
  { world, options }: CommandInvocation,
  pipeline: string,
  { tasks, iterations, reason }: LoopResult,
): void {
  const screen = options['json'] ? world.err : world.out;
  if (options['json']) printJson(world, { ...tasksJson(pipeline, tasks), iterations, reason });
  else say(screen, '');
  for (const line of options['json'] ? [] : taskLines(tasks)) say(screen, line);
  say(screen, taskSummary(tasks));
  say(screen, `The loop ended after ${count(iterations, 'iteration')}: ${reason}.`);
}

function exitCodeOf({ tasks, cancelled, isPaused }: LoopResult): ExitCode {
  const open = tasks.filter(({ status }) => status !== 'done' && status !== 'cancelled');
  if (open.length === 0) return EXIT_CODES.ok;
  if (cancelled) return EXIT_CODES.interrupted;
  return isPaused || open.every(({ status }) => status === 'review') ? EXIT_CODES.paused : EXIT_CODES.gateFailed;
}
