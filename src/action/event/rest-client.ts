import type { ActionInvocation } from '../invocation.ts';
import { createRestClient, type RestClient } from '../../github/rest/rest.ts';

/** The REST API with the token of this step; `undefined` where the step has none. Nothing is loaded or sent yet. */
export function restOfStep({ inputs, event }: Pick<ActionInvocation, 'inputs' | 'event'>): RestClient | undefined {
  if (inputs.githubToken === undefined) return undefined;
  return createRestClient({ apiUrl: event.apiUrl, token: inputs.githubToken, repository: event.repository });
}
