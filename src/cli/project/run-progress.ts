import { gatesOf } from '../../history/query.ts';
import { medianTimes, timeLeft } from '../../history/statistics/estimate.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { historyIn } from '../../local/local-ports.ts';
import { graphOf, type UnitGraph } from '../../run/records/unit.ts';
import type { CommandInvocation } from '../command.ts';
import type { OpenProject } from './open.ts';
import { liveProgress } from '../output/live-progress.ts';
import { paintFor } from '../output/paint.ts';
import { plainProgress } from '../output/plain-progress.ts';
import { SILENCE_MS, type Progress, type ProgressInput } from '../output/progress.ts';

/**
 * Shows a run as it works: a live table on a terminal, otherwise lines. With --json on standard error.
 * @param how.checkpoints show one after each attempt. Default: unless --quiet
 */
export function progressFor(
  { world, options }: CommandInvocation,
  { loaded, graph }: Pick<OpenProject, 'loaded' | 'graph'>,
  { checkpoints = options['quiet'] !== true }: { readonly checkpoints?: boolean } = {},
): Progress {
  const screen = options['json'] === true ? world.err : world.out;
  const show = screen.interactive ? liveProgress : plainProgress;
  return show({
    screen,
    paint: paintFor(screen, world.environment),
    pipeline: loaded.pipeline,
    graph,
    now: world.now,
    timeLeft: timeLeftIn(loaded, graph, world.now),
    quiet: options['quiet'] === true,
    checkpoints,
    silenceMs: world.silenceMs ?? SILENCE_MS,
  });
}

/** How much longer a run takes. Earlier runs are read when it is first asked. */
function timeLeftIn(loaded: LoadedPipeline, graph: UnitGraph, now: () => Date): ProgressInput['timeLeft'] {
  let medians: ReadonlyMap<string, number> | undefined;
  return ({ units }) => {
    medians ??= medianTimes(gatesOf(historyIn(loaded), { pipeline: loaded.pipeline.id }));
    return timeLeft(graphOf(graph, units.values()), units, medians, now().getTime());
  };
}
