import type { Clock } from '../../../src/github/clock.ts';
import { createRestClient, type RestClient, type RestOptions } from '../../../src/github/rest/rest.ts';
import { REPOSITORY_NAME, type ResultsService } from './results-service.ts';

/** A clock on which nothing takes time but pauses, which end at once. */
export interface RecordedClock extends Clock {
  /** Every pause in milliseconds. */
  readonly pauses: number[];
}

export function recordedClock(): RecordedClock {
  const pauses: number[] = [];
  let slept = 0;
  return {
    pauses,
    now: () => slept,
    sleep: async (milliseconds) => {
      pauses.push(milliseconds);
      slept += milliseconds;
    },
  };
}

/** A token of the repository that may read runs and write comments. */
export function jobToken(service: ResultsService): string {
  return service.issueToken({
    repository: REPOSITORY_NAME,
    permissions: { actions: 'read', 'pull-requests': 'write' },
  });
}

/** Our client on that service; pauses take no time unless a clock is given. */
export function restClient(service: ResultsService, options: Partial<RestOptions> = {}): RestClient {
  return createRestClient({
    apiUrl: service.origin,
    token: options.token ?? jobToken(service),
    repository: REPOSITORY_NAME,
    clock: recordedClock(),
    random: () => 0.5,
    ...options,
  });
}
