import type { Decider, Order } from '../../engine/ports.ts';
import { GatelineError } from '../../errors.ts';
import { deepDiveHeader } from '../../formats/agent-flow/read.ts';
import { documentPath } from '../../run/memory.ts';
import { fileGlobs, UnitGraph } from '../../run/units.ts';
import { createMatcher } from '../../workspace/globs.ts';
import type { Folder } from '../folder/folder.ts';
import { checkFreshness, type Freshness } from './memory.ts';
import { runFolder, type RunOptions, type RunOutcome } from '../runs/run-folder.ts';

const DEEP_DIVE = 'deep-dive';

/**
 * Runs the gates that make the deep dive, all of them again, if it is stale.
 * @param isForced even if it is not
 * @throws GatelineError `usage` if no gate of the pipeline makes it
 */
export async function refreshDeepDive(
  folder: Folder,
  order: Order,
  isForced: boolean,
  options: Pick<RunOptions, 'signal'>,
  by: Decider,
): Promise<{ readonly freshness: Freshness; readonly outcome?: RunOutcome }> {
  const { pipeline } = order;
  const path = documentPath(DEEP_DIVE);
  const maker = pipeline.gates.find((gate) => createMatcher(fileGlobs(gate))(path));
  if (maker === undefined)
    throw new GatelineError('usage', `no gate of ${pipeline.id} makes ${path}`, {
      hint: 'Name the definition that does: `--file deep-dive.yml`. `gateline init --template deep-dive` writes one.',
    });
  const bytes = await folder.documents.read(DEEP_DIVE);
  const header = deepDiveHeader(new TextDecoder().decode(bytes));
  const freshness = header
    ? await checkFreshness(folder, header)
    : { isStale: true, reason: bytes ? 'its front matter cannot be read' : 'there is no such document' };
  if (!freshness.isStale && !isForced) return { freshness };
  const until = [maker.id];
  const before = new UnitGraph(pipeline).ancestors(maker.id);
  const force = pipeline.gates.map(({ id }) => id).filter((id) => id === maker.id || before.has(id));
  return { freshness, outcome: await runFolder(folder, order, { ...options, until, force }, by) };
}
