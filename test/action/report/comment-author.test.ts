import { describe, expect, it } from 'vitest';
import { createRestComments } from '../../../src/action/report/rest-comments.ts';
import { ACTIONS_BOT, identify } from '../../../src/action/report/comment-author.ts';
import type { Identity } from '../../support/github/model.ts';
import { restClient } from '../../support/github/rest-client.ts';
import { startResultsService, type ResultsService } from '../../support/github/results-service.ts';

const PERSON: Identity = { login: 'octocat', id: 1, type: 'User' };
const APP: Identity = { login: 'our-app[bot]', id: 2, type: 'Bot' };

function tokenOf(service: ResultsService, identity: Identity): string {
  return service.issueToken({ repository: 'octo/gates', permissions: { issues: 'write' }, identity });
}

/** As on a server that knows nothing of GraphQL, or a proxy that lets nothing through to it. */
function withoutGraphql(service: ResultsService): void {
  service.faults.add({ operation: 'graphql', times: Infinity, fault: { kind: 'status', status: 404 } });
}

describe('who a token acts as', () => {
  it.each([PERSON.login, APP.login, ACTIONS_BOT])('is known after 1 request: %s', async (login) => {
    await using service = await startResultsService();
    const identity = [PERSON, APP].find((one) => one.login === login);
    const rest = restClient(service, identity === undefined ? {} : { token: tokenOf(service, identity) });
    expect(await identify(rest)).toBe(login);
    expect(service.calls.map(({ operation }) => operation)).toEqual(['graphql']);
  });

  it('is asked of REST where there is no GraphQL: a person is told, else it is taken for a job', async () => {
    await using service = await startResultsService();
    withoutGraphql(service);
    expect(await identify(restClient(service, { token: tokenOf(service, PERSON) }))).toBe('octocat');
    expect(await identify(restClient(service))).toBe(ACTIONS_BOT);
    expect(service.calls.map(({ operation }) => operation)).toEqual(
      Array.from({ length: 2 }, () => ['graphql', 'users/get-authenticated']).flat(),
    );
  });

  it('is not guessed while GitHub is down', async () => {
    await using service = await startResultsService();
    service.faults.add({ times: Infinity, fault: { kind: 'status', status: 503 } });
    await expect(identify(restClient(service))).rejects.toMatchObject({ code: 'REST_OUTAGE' });
  });

  it('is learnt from the first comment at the latest', async () => {
    await using service = await startResultsService();
    withoutGraphql(service);
    const comments = createRestComments(restClient(service, { token: tokenOf(service, APP) }), { pull: 7 });
    await createRestComments(restClient(service), { pull: 7 }).create("a job's");
    expect((await comments.list()).comments).toMatchObject([{ body: "a job's" }]);
    const made = await comments.create("the app's");
    expect((await comments.within(1_000_000).list()).comments).toEqual([made]);
  });

  it('on an Enterprise Server is asked beside its REST API', async () => {
    await using service = await startResultsService();
    const rest = restClient(service, { apiUrl: `${service.origin}/api/v3` });
    await identify(rest);
    expect(service.calls[0]?.operation).toBe('unknown: POST /api/graphql');
  });
});
