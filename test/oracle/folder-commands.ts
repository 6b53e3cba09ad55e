import { rollBack } from '../../src/engine/decide/rollback.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { orderOf, type OrderOptions } from '../support/pipelines.ts';
import { isEditorAlone } from './checks.ts';
import { BY, type Simulation } from './simulation.ts';

/** Brings the files of an isolated run into the folder. @returns whether there was one, and no file stayed as it was */
export async function applyRun(simulation: Simulation, pipeline: Pipeline, options: OrderOptions): Promise<boolean> {
  const { folder, world, oracle } = simulation;
  if ([...oracle.busy.values()].some(isEditorAlone)) return false;
  const before = new Map(simulation.options.paths.map((path) => [path, folder.read(path)]));
  const trees = await world.apply(simulation.callOf(pipeline, options));
  if (trees === undefined) return false;
  oracle.tally('applied');
  let isWhole = true;
  for (const [path, content] of before) {
    const [base, result] = trees.map((tree) => tree.get(path) ?? null);
    const expected = content === base ? result! : content;
    if (folder.read(path) !== expected) oracle.fault('d: apply writes another version', path, content, expected);
    if (content !== expected) folder.writers.set(path, 'put');
    oracle.history.add(path, content, folder.read(path));
    isWhole &&= expected === result || base === result;
  }
  return isWhole;
}

/** Takes the work of the newest run back. @param to `all`, or the last gate whose work stays */
export async function rollBackRun(
  simulation: Simulation,
  pipeline: Pipeline,
  options: OrderOptions,
  to: string,
): Promise<void> {
  const { oracle, folder } = simulation;
  const order = orderOf(pipeline, options);
  const first = oracle.history.findFirst(order.subject, simulation.options.paths);
  await simulation.quietly(pipeline, options, (ports) => rollBack(ports, order, { to, isDry: false }, BY));
  // A call that was killed may have put files without saying so.
  if (to !== 'all' || oracle.counts.has('deaths')) return;
  for (const [path, content] of first)
    if (folder.read(path) !== content)
      oracle.fault('d: rollback leaves what the run changed', path, folder.read(path), content);
}
