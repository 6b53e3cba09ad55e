import { openCall } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { addEntries, newLearnings, PATTERNS } from '../../local/memory/documents.ts';
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
 * @returns paths of the documents that it changed
 */
export async function noteLearnings(
  world: CliWorld,
  { ports, assignment, loaded }: OpenProject,
  { units, runNumber, status }: RunState,
): Promise<readonly string[]> {
  if (![...units.values()].some(({ ended }) => ended?.learnings !== undefined)) return [];
  try {
    const call = await openCall(ports, assignment, () => undefined, { runNumber, shows: true });
    const learnings = await newLearnings(call, loaded.root);
    const isAdded = status === 'completed' && loaded.pipeline.learning === 'auto' && learnings.length > 0;
    if (isAdded) {
      const { added } = await addEntries(loaded.root, PATTERNS, learnings);
      say(world.err, `Added ${count(added.length, 'learning')} to ${documentPath(PATTERNS)}.`);
      return [documentPath(PATTERNS)];
    }
    for (const line of learningLines(learnings)) say(world.err, line);
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    for (const line of errorLines(error)) say(world.err, line);
  }
  return [];
}
