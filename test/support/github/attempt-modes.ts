import { TEST_SIZE, someOf } from '../test-size.ts';
import type { Behaviour } from './model.ts';
import type { ResultsService } from './results-service.ts';

/** How GitHub keeps the attempts of a run. */
export type AttemptMode = Pick<Behaviour, 'backendIds' | 'earlierAttempts' | 'shownAfter'>;

const MODES: readonly AttemptMode[] = [
  { backendIds: 'per-attempt', earlierAttempts: 'visible', shownAfter: 3_000 },
  { backendIds: 'per-run', earlierAttempts: 'rest-only', shownAfter: 0 },
];

/**
 * What is reported of how GitHub keeps the attempts of a run, each way at least once; in a sample, the one that asks most of
 * who looks. Tests that run a workflow again pass in all of them.
 */
export const ATTEMPT_MODES: readonly AttemptMode[] = someOf(MODES, 1);

/** Whether a service keeps the attempts of a run the second way. */
export function isSecondMode({ world: { behaviour } }: ResultsService): boolean {
  return Object.entries(MODES[1]!).every(([name, value]) => behaviour[name as keyof AttemptMode] === value);
}

/**
 * For `onLine` of a workflow run: a listing that is behind catches up as soon as a step says that it waits for it. In a
 * soak it takes its time.
 */
export function listingWhatIsAwaited(service: ResultsService): ((line: string) => void) | undefined {
  if (TEST_SIZE === 'soak') return undefined;
  return (line) => {
    if (line.startsWith('waiting until GitHub lists ')) service.advance(service.world.behaviour.shownAfter);
  };
}
