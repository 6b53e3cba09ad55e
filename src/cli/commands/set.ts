import { Option, type Command } from 'commander';
import { resolve } from 'node:path';
import { GatelineError } from '../../errors.ts';
import { Gateline } from '../../gateline.ts';
import { renderSet, renderSetPlan } from '../../report/set.ts';
import { collectList, gatelineOptions, type TargetOptions } from '../options.ts';
import { tableScreenOf, type Answer } from '../print.ts';
import { showSetProgress } from '../progress.ts';
import { interruptOn, type World } from '../world.ts';

export interface SetFlags extends TargetOptions {
  readonly onlySet?: string[];
  readonly maxParallel?: number;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** What a set does not have: one subject, one clone, decisions before the run. */
const SINGLE = [
  'subject',
  'until',
  'gate',
  'force',
  'strategy',
  'from',
  'isolated',
  'new',
  'sequential',
  'run',
  'watch',
];

export function setOption(): Option {
  return new Option('--set <file>', 'a file with `subjects: [{id, task, needs}]`: a run for each').conflicts(SINGLE);
}

export function addSetOptions(command: Command): Command {
  return command
    .addOption(setOption())
    .addOption(new Option('--only-set <ids>', 'only these subjects of the set').argParser(collectList));
}

/** `run --set FILE`: each subject in a clone of its own. */
export async function runSetAnswer(world: World, set: string | undefined, options: SetFlags): Promise<Answer> {
  if (set === undefined) throw new GatelineError('usage', '--only-set belongs to --set');
  using progress = showSetProgress(world, options);
  const gateline = await Gateline.open({
    ...(await gatelineOptions(world, options)),
    observe: (event, subject) => progress.observe(event, subject),
  });
  const file = resolve(world.workingDirectory, set);
  const { onlySet: only, maxParallel } = options;
  const screen = tableScreenOf(world.out);
  if (options.dryRun) {
    const subjects = await gateline.sets.plan(file, only);
    return { json: { subjects }, text: renderSetPlan(subjects, screen) };
  }
  using interruption = interruptOn(world);
  const outcome = await gateline.sets.run(file, { only, maxParallel, signal: interruption.signal });
  const exit = { completed: 0, failed: 1, interrupted: 130 }[outcome.status];
  return { json: outcome, text: renderSet(outcome.subjects, screen), exit };
}

/** `status --set FILE` */
export async function setStatusAnswer(world: World, set: string, options: TargetOptions): Promise<Answer> {
  const gateline = await Gateline.open(await gatelineOptions(world, options));
  const subjects = await gateline.sets.view(resolve(world.workingDirectory, set));
  return { json: { subjects }, text: renderSet(subjects, tableScreenOf(world.out)) };
}
