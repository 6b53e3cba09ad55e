import { readTasks } from '../../engine/set/loop.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { count, oneLine, pad } from '../../report/text.ts';
import { DEFAULT_TASK_LIMITS, TASK_STATUSES, type Task, type TaskLimits } from '../../run/subjects/tasks.ts';
import { textOption, type CommandInvocation, type OptionValues } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { loadSetFor, openSet, type LoadedSet } from '../sets/open-set.ts';

/** `gateline tasks FILE`: the tasks of a set, as their runs show them. Read-only. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const set = await loadTasks(invocation);
  const { ports, order } = await openSet(invocation, set, { readOnly: true });
  const tasks = await readTasks(ports, order, taskLimits(options));
  if (options['json']) printJson(world, tasksJson(set.loaded.pipeline.id, tasks));
  else for (const line of [...taskLines(tasks), taskSummary(tasks)]) say(world.out, line);
  return EXIT_CODES.ok;
}

/** The set that the command names. */
export function loadTasks(invocation: CommandInvocation): Promise<LoadedSet> {
  return loadSetFor({ ...invocation, options: { ...invocation.options, set: invocation.positionals[0] } });
}

/** `--max-failures` and `--max-fixes`. @throws GatelineError `OPTION_VALUE` */
export function taskLimits(options: OptionValues): TaskLimits {
  const { maxFailures, maxFixes } = DEFAULT_TASK_LIMITS;
  return {
    maxFailures: numberOption(options, 'max-failures', 1) ?? maxFailures,
    maxFixes: numberOption(options, 'max-fixes', 0) ?? maxFixes,
  };
}

/** @throws GatelineError `OPTION_VALUE` */
export function numberOption(options: OptionValues, name: string, least: number): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  if (/^[0-9]{1,4}$/.test(text) && Number(text) >= least) return Number(text);
  throw new GatelineError('OPTION_VALUE', `--${name} ${text}: expected a whole number from ${least} to 9999`);
}

/** One line for each task. */
export function taskLines(tasks: readonly Task[]): string[] {
  const [ids, statuses] = [tasks.map(({ id }) => id.length), tasks.map(({ status }) => status.length)];
  const widths = [Math.max(0, ...ids), Math.max(0, ...statuses)] as const;
  return tasks.map(({ id, status, reason, runs }) => {
    const times = runs === 0 ? '' : `  ${count(runs, 'run')}`;
    const why = reason === '' ? '' : `  ${oneLine(reason)}`;
    return `${pad(id, widths[0])}  ${pad(status, widths[1])}${times}${why}`.trimEnd();
  });
}

/** `5 tasks: 3 done, 1 pending, 1 failed.` */
export function taskSummary(tasks: readonly Task[]): string {
  const counts = TASK_STATUSES.flatMap((status) => {
    const number = tasks.filter((task) => task.status === status).length;
    return number === 0 ? [] : [`${number} ${status}`];
  });
  return `${count(tasks.length, 'task')}: ${counts.join(', ')}.`;
}

/** `gateline-tasks/1`; see docs/reference/json-output.md. */
export function tasksJson(pipeline: string, tasks: readonly Task[]): object {
  const list = tasks.map(({ id, task = null, status, reason, runs, failures, fixes = null, needs }) => ({
    id,
    task,
    status,
    reason,
    runs,
    failures,
    fixes,
    needs: [...needs],
  }));
  return { format: 'gateline-tasks/1', pipeline, tasks: list };
}
