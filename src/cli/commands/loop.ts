import { Option, type Command } from 'commander';
import { resolve } from 'node:path';
import { GatelineError } from '../../errors.ts';
import type { LoopResult } from '../../local/sets/loop.ts';
import { countOf } from '../../report/amounts.ts';
import { renderTable, safeText } from '../../report/table.ts';
import type { Task } from '../../run/tasks.ts';
import { addRequestOptions, collectList, openGateline, parseWholeNumber, type TargetOptions } from '../options.ts';
import { screenOf, type Answer, type AddAction } from '../print.ts';
import { showProgress } from '../progress.ts';
import { interruptOn, type ProcessContext } from '../process-context.ts';

interface LoopFlags extends TargetOptions {
  readonly maxIterations?: number;
  readonly only?: string[];
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

const EXIT_CODES: Readonly<Record<LoopResult['status'], number>> = { completed: 0, stopped: 1, interrupted: 130 };

/** `loop`: the tasks of a set, one after another. */
export function addLoopCommand(context: ProcessContext, program: Command, addAction: AddAction): void {
  const command = addRequestOptions(program.command('loop').argument('<set>', 'a file with `subjects: [{id, task}]`'))
    .description('do one task after another, with a commit for each; a task that failed is repaired and tried again')
    .addOption(new Option('--max-iterations <n>', 'at most so many runs in this call').argParser(parseWholeNumber(1)))
    .addOption(
      new Option('--only <tasks>', 'only these tasks; one that failed is tried once more').argParser(collectList),
    )
    .option('-n, --dry-run', 'only list the tasks, with their status and retries')
    .option('-q, --quiet', 'no progress')
    .addOption(new Option('-v, --verbose', 'show what the agents print').conflicts('quiet'));
  addAction<LoopFlags>(command, async (options, set) => {
    if (options.subject !== undefined)
      throw new GatelineError('usage', 'each task is a subject of its own', { hint: '`--only TASK` names one' });
    using progress = showProgress(context, options);
    const gateline = await openGateline(context, options, progress.observe);
    const file = resolve(context.workingDirectory, set);
    const { maxIterations, only, dryRun } = options;
    if (dryRun) return listTasks(context, await gateline.sets.tasks(file));
    using interruption = interruptOn(context);
    const result = await gateline.sets.loop(file, { maxIterations, only, signal: interruption.signal });
    progress.end();
    const { text } = listTasks(context, result.tasks);
    const commits = result.commits.map(({ id, commit }) => safeText(`${commit.slice(0, 12)} ${id}`));
    const end = `${countOf(result.iterations, 'iteration')}: ${safeText(result.reason)}`;
    return { json: result, text: [...commits, text + end].join('\n'), exit: EXIT_CODES[result.status] };
  });
}

function listTasks({ out }: ProcessContext, tasks: readonly Task[]): Answer {
  const text = renderTable(
    [
      { head: 'task', cell: ({ id }) => id, max: 60 },
      { head: 'status', cell: ({ status }) => status },
      { head: 'retries', cell: ({ retries }) => String(retries || ''), isNumber: true },
      { head: 'reason', cell: ({ reason }) => reason, max: 60 },
      { head: 'what', cell: ({ task }) => task, max: 60 },
    ],
    tasks,
    screenOf(out),
  );
  return { json: { tasks }, text };
}
