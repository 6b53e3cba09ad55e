import type { ActionInvocation } from '../invocation.ts';
import { createRestClient, type RestClient } from '../../github/rest/rest.ts';

/** The REST API with this step's token; `undefined` if the step has none. Loads and sends nothing yet. */
export function restOfStep({ inputs, event }: Pick<ActionInvocation, 'inputs' | 'event'>): RestClient | undefined {
  if (inputs.githubToken === undefined) return undefined;
  return createRestClient({ apiUrl: event.apiUrl, token: inputs.githubToken, repository: event.repository });
}
