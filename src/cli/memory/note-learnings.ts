import { openCall } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { addEntries, learningsOfRun, newLearnings, PATTERNS } from '../../local/memory/documents.ts';
import { hasUncommitted } from '../../local/memory/uncommitted.ts';
import { documentPath } from '../../memory/documents.ts';
import type { MemoryEntry } from '../../memory/entries.ts';
import { count } from '../../report/text.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { errorLines } from '../output/report-error.ts';
import { say } from '../output/say.ts';
import type { OpenProject } from '../project/open.ts';
import type { CliWorld } from '../world.ts';

/** A notice about learnings of a run that no document contains: their number, and how to add them. */
export function learningLines(learnings: readonly MemoryEntry[]): string[] {
  if (learnings.length === 0) return [];
  return [
    `Agents noted ${count(learnings.length, 'learning')}: \`gateline memory promote\` adds ${learnings.length === 1 ? 'it' : 'them'} to ${documentPath(PATTERNS)}.`,
  ];
}

/**
 * After a run: names what its agents noted, or adds it to the document (`learning: auto`, of a run that is completed).
 * Errors are shown: the run has ended, whatever the documents are like.
 */
export async function noteLearnings(
  world: CliWorld,
  { ports, assignment, loaded }: OpenProject,
  run: RunState,
): Promise<void> {
  if (!hasLearnings(run)) return;
  await orShown(world, async () => {
    const call = await openCall(ports, assignment, () => undefined, { runNumber: run.runNumber, shows: true });
    const learnings = await newLearnings(call, loaded.root);
    if (run.status === 'completed' && loaded.pipeline.learning === 'auto' && learnings.length > 0) {
      const { added } = await addEntries(loaded.root, PATTERNS, learnings);
      say(world.err, `Added ${count(added.length, 'learning')} to ${documentPath(PATTERNS)}.`);
    } else for (const line of learningLines(learnings)) say(world.err, line);
  });
}

/**
 * As {@link noteLearnings}, in a loop that commits what it adds.
 * @param isNew whether it is added; what was added before may have been removed by a person since
 * @returns the document, if what it has of this run is not committed
 */
export async function keepLearnings(
  world: CliWorld,
  opened: OpenProject,
  run: RunState,
  isNew: boolean,
): Promise<readonly string[]> {
  const { ports, assignment, loaded } = opened;
  if (isNew) await noteLearnings(world, opened, run);
  if (!hasLearnings(run) || run.status !== 'completed') return [];
  const isOpen = await orShown(world, async () => {
    const call = await openCall(ports, assignment, () => undefined, { runNumber: run.runNumber, shows: true });
    return hasUncommitted(await learningsOfRun(call), loaded.root, world.environment);
  });
  return isOpen === true ? [documentPath(PATTERNS)] : [];
}

function hasLearnings({ units }: RunState): boolean {
  return [...units.values()].some(({ ended }) => ended?.learnings !== undefined);
}

async function orShown<T>(world: CliWorld, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    for (const line of errorLines(error)) say(world.err, line);
    return undefined;
  }
}
