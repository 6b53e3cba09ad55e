import type { ResultsService } from './results-service.ts';

/**
 * What is reported of how GitHub keeps the attempts of a run; the one that asks most of
 * who looks. Tests that run a workflow again pass in all of them.
 */

/**
 * For `onLine` of a workflow run: a listing that is behind catches up as soon as a step says that it waits for it.
 */
export function listingWhatIsAwaited(service: ResultsService): (line: string) => void {
  return (line) => {
    if (line.startsWith('waiting until GitHub lists ')) service.advance(service.world.behaviour.shownAfter);
  };
}
