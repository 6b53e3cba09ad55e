import type { Plan, PlanChoice } from '../../run/plan/plan.ts';
import type { UnitGraph } from '../../run/records/unit.ts';
import { gatesOf } from '../../history/query.ts';
import { estimatedTime, medianTimes } from '../../history/statistics/estimate.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { historyIn } from '../../local/local-ports.ts';
import { durationText } from '../../report/wording.ts';
import type { ForkOrigin } from '../../engine/fork.ts';
import { planPipeline } from '../../engine/plan-pipeline.ts';
import { planJson } from '../../report/json/plan-json.ts';
import { planTable } from '../../report/terminal/plan-table.ts';
import type { CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor, open } from '../project/open.ts';
import { whatToRun } from '../project/what-to-run.ts';
import { lookOf } from '../output/paint.ts';
import { printJson } from '../output/print-json.ts';
import { noteStale } from '../memory/note-stale.ts';
import { planTheSet } from '../sets/plan-set.ts';
import { refuseSetOptions } from '../sets/set-options.ts';
import { errorLines, exitCodeOfError } from '../output/report-error.ts';
import { noticesTo, say } from '../output/say.ts';

/** `gateline plan` and `gateline run --dry-run`: reports what a run would do, and why. Changes nothing. */
export function execute(invocation: CommandInvocation): Promise<ExitCode> {
  return invocation.options['set'] === undefined ? planRun(invocation) : planTheSet(invocation);
}

/** Reports what a run would do. @param fork the run that it would be a fork of */
export async function planRun(invocation: CommandInvocation, fork?: ForkOrigin): Promise<ExitCode> {
  const { world, options } = invocation;
  refuseSetOptions(options);
  const loaded = await loadFor(invocation);
  const { assigned, resume } = await whatToRun(invocation, loaded, fork);
  await noteStale(world, loaded);
  const { ports, assignment, graph } = await open(invocation, loaded, { readOnly: true });
  const { plan, errors } = await planPipeline(ports, { ...assignment, ...assigned }, {}, resume, noticesTo(world));
  if (options['json']) printJson(world, planJson(plan));
  else world.out.write(planTable(plan, graph, lookOf(world)));
  const estimated = estimateOf(loaded, graph, plan);
  if (!options['json'] && estimated !== undefined && estimated >= SHORTEST_ESTIMATE)
    say(world.out, `Estimated time: ${durationText(estimated)}, from the medians of earlier runs.`);
  for (const error of errors) for (const line of errorLines(error)) say(world.err, line);
  const [first] = errors;
  return first === undefined ? EXIT_CODES.ok : exitCodeOfError(first);
}

/** Shorter times are not worth a line. Milliseconds. */
const SHORTEST_ESTIMATE = 5_000;

/** How long what is planned takes, if earlier runs show it. */
function estimateOf(loaded: LoadedPipeline, graph: UnitGraph, { units }: Plan): number | undefined {
  const willRun = new Set(units.filter(({ choice }) => MAY_RUN.has(choice)).map(({ key }) => key));
  return estimatedTime(graph, willRun, medianTimes(gatesOf(historyIn(loaded), { pipeline: loaded.pipeline.id })));
}

/** Choices after which a gate runs, as far as it is known. */
const MAY_RUN: ReadonlySet<PlanChoice> = new Set(['run', 'depends', 'send-back', 'wait']);
