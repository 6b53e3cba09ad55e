import { Option, type Command } from 'commander';
import { resolve } from 'node:path';
import { GatelineError } from '../../errors.ts';
import { renderSet, renderSetPlan } from '../../report/set.ts';
import { collectList, openGateline, type TargetOptions } from '../options.ts';
import { screenOf, type Answer } from '../print.ts';
import { showSetProgress } from '../progress.ts';
import { interruptOn, type ProcessContext } from '../process-context.ts';

export interface SetFlags extends TargetOptions {
  readonly onlySet?: string[];
  readonly maxParallel?: number;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** Options of one run: a set has several subjects, each in a clone, and no decisions before the run. */
const CONFLICTS = [
  'subject',
  'until',
  'gate',
  'force',
  'strategy',
  'from',
  'isolated',
  'new',
  'sequential',
  'maxIterations',
  'memory',
  'checkpoints',
  'reason',
  'actor',
  'run',
  'watch',
];

export function setOption(): Option {
  return new Option('--set <file>', 'a file with `subjects: [{id, task, needs}]`: a run for each').conflicts(CONFLICTS);
}

export function addSetOptions(command: Command): Command {
  return command
    .addOption(setOption())
    .addOption(new Option('--only-set <ids>', 'only these subjects of the set').argParser(collectList));
}

/** `run --set FILE`: each subject in a clone of its own. */
export async function runSetAnswer(
  context: ProcessContext,
  set: string | undefined,
  options: SetFlags,
): Promise<Answer> {
  if (set === undefined) throw new GatelineError('usage', '--only-set belongs to --set');
  using progress = showSetProgress(context, options);
  const gateline = await openGateline(context, options, progress.observe);
  const file = resolve(context.workingDirectory, set);
  const { onlySet: only, maxParallel } = options;
  const screen = screenOf(context.out);
  if (options.dryRun) {
    const subjects = await gateline.sets.plan(file, only);
    return { json: { subjects }, text: renderSetPlan(subjects, screen) };
  }
  using interruption = interruptOn(context);
  const outcome = await gateline.sets.run(file, { only, maxParallel, signal: interruption.signal });
  const exit = { completed: 0, failed: 1, interrupted: 130 }[outcome.status];
  return { json: outcome, text: renderSet(outcome.subjects, screen), exit };
}

/** `status --set FILE` */
export async function setStatusAnswer(context: ProcessContext, set: string, options: TargetOptions): Promise<Answer> {
  const gateline = await openGateline(context, options);
  const subjects = await gateline.sets.view(resolve(context.workingDirectory, set));
  return { json: { subjects }, text: renderSet(subjects, screenOf(context.out)) };
}
