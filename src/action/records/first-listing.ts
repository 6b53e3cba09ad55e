import { CACHE_VARIABLES, type Environment } from '../../environment.ts';
import type { ListedArtifact } from '../../store/github/artifacts/artifact-service.ts';
import { ResultsClient } from '../../store/github/artifacts/results-client.ts';
import { timeLimits } from '../inputs/time-limits.ts';

/**
 * Requests the artifacts of this run once, for {@link openJobStore}, which retries if this fails.
 * @throws CallFailure; GatelineError if this is not a step of an action
 */
export async function requestListing(environment: Environment): Promise<ListedArtifact[]> {
  // The step itself warns of a wrong limit.
  const { artifacts: limits } = timeLimits(environment, { annotate: () => undefined });
  const { [CACHE_VARIABLES.resultsUrl]: url = '', [CACHE_VARIABLES.runtimeToken]: token = '' } = environment;
  return new ResultsClient({ url, token }, limits).list();
}
