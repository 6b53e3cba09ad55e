import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { failureOf as failureOfRequest } from '../../../src/github/rest/rest-call.ts';
import { permissionFor } from '../../../src/github/rest/permission.ts';
import { restError, type RestClient } from '../../../src/github/rest/rest.ts';
import { GatelineError } from '../../../src/errors/gateline-error.ts';
import type { Fault } from '../../support/github/faults.ts';
import { jobToken, recordedClock, restClient } from '../../support/github/rest-client.ts';
import { startResultsService } from '../../support/github/results-service.ts';

const COMMENTS = '/repos/octo/gates/issues/7/comments';
const commentsSchema = z.array(z.object({ id: z.int(), body: z.string() }));

function list(rest: RestClient) {
  return rest.list({ method: 'GET', path: COMMENTS }, commentsSchema);
}

function create(rest: RestClient, body = 'hello') {
  return rest.call({ method: 'POST', path: COMMENTS, body: { body } }, z.object({ id: z.int() }));
}

async function failureOf(work: Promise<unknown>): Promise<GatelineError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GatelineError);
  return error as GatelineError;
}

const TRANSIENT: readonly (readonly [string, Fault])[] = [
  ['500', { kind: 'status', status: 500 }],
  ['503', { kind: 'status', status: 503, html: true }],
  ['429', { kind: 'status', status: 429 }],
  ['a reset', { kind: 'reset' }],
  ['half an answer', { kind: 'truncate' }],
  ['no answer', { kind: 'hang' }],
];

describe('reading', () => {
  it.each(TRANSIENT)('goes on after %s', async (_, fault) => {
    await using service = await startResultsService();
    const rest = restClient(service, { limits: { requestMs: 500 } });
    await create(restClient(service));
    service.faults.add({ operation: 'issues/list-comments', times: 2, fault });
    expect(await list(rest)).toEqual({ items: [{ id: expect.any(Number), body: 'hello' }], complete: true });
    expect(service.callsOf('issues/list-comments')).toHaveLength(3);
  });

  it.each(TRANSIENT)('gives up after four times %s, and never takes it for an empty list', async (name, fault) => {
    await using service = await startResultsService();
    const clock = recordedClock();
    const rest = restClient(service, { clock, limits: { requestMs: 500 } });
    service.faults.add({ times: Infinity, fault });
    const error = await failureOf(list(rest));
    const code = name === '429' ? 'REST_RATE_LIMITED' : 'REST_OUTAGE';
    expect(error).toMatchObject({ fault: 'platform', code });
    expect(service.calls).toHaveLength(4);
    expect(clock.pauses).toEqual([250, 500, 1_000]);
  });

  it('pauses as long as the service says', async () => {
    await using service = await startResultsService();
    const clock = recordedClock();
    const rest = restClient(service, { clock });
    service.faults.add({ fault: { kind: 'status', status: 429, retryAfter: 7 } });
    service.faults.add({ nth: 2, fault: { kind: 'status', status: 403, retryAfter: 3 } });
    await list(rest);
    expect(clock.pauses).toEqual([7_125, 3_125]);
  });

  it('does not wait where the service says to wait for long, nor come back earlier', async () => {
    await using service = await startResultsService();
    const clock = recordedClock();
    service.faults.add({ times: Infinity, fault: { kind: 'status', status: 429, retryAfter: 60 } });
    const rest = restClient(service, { clock, limits: { totalMs: 600_000 } });
    expect(await failureOf(list(rest))).toMatchObject({ code: 'REST_RATE_LIMITED' });
    expect(service.calls).toHaveLength(1);
    expect(clock.pauses).toEqual([]);
  });

  it('ends with the budget, which all calls of a client share', async () => {
    await using service = await startResultsService();
    const clock = recordedClock();
    const rest = restClient(service, { clock }).within(900);
    service.faults.add({ times: Infinity, fault: { kind: 'status', status: 500 } });
    expect(await failureOf(list(rest))).toMatchObject({ code: 'REST_OUTAGE' });
    // 250 and 500 have passed; a third pause would end after the budget.
    expect(clock.pauses).toEqual([250, 500]);
    await clock.sleep(200);
    const calls = service.calls.length;
    const late = await failureOf(list(rest));
    expect(late).toMatchObject({ code: 'REST_OUTAGE', message: expect.stringContaining('No time was left') });
    expect(service.calls).toHaveLength(calls);
  });

  it('ends when it is aborted', async () => {
    await using service = await startResultsService();
    const controller = new AbortController();
    service.faults.add({ times: Infinity, fault: { kind: 'hang' } });
    const failure = failureOf(list(restClient(service, { signal: controller.signal })));
    controller.abort(new Error('the job was cancelled'));
    expect(await failure).toMatchObject({ code: 'REST_OUTAGE', message: expect.stringContaining('was cancelled') });
    expect(service.calls.length).toBeLessThan(2);
  });

  it('takes no page of a proxy, and no document of another shape, for an answer', async () => {
    await using service = await startResultsService();
    const rest = restClient(service);
    service.faults.add({ times: Infinity, fault: { kind: 'status', status: 200, html: true } });
    expect(await failureOf(list(rest))).toMatchObject({ code: 'REST_ANSWER_INVALID' });
    service.faults.clear();
    const calls = service.calls.length;
    const other = rest.call({ method: 'GET', path: COMMENTS }, z.object({ total_count: z.int() }));
    expect(await failureOf(other)).toMatchObject({ code: 'REST_ANSWER_INVALID' });
    expect(service.calls).toHaveLength(calls + 1);
  });

  it('stops at the size that it is allowed', async () => {
    await using service = await startResultsService();
    const rest = restClient(service, { limits: { answerBytes: 1_000 } });
    await create(rest, 'x'.repeat(2_000)).catch(() => {});
    const calls = service.calls.length;
    expect(await failureOf(list(rest))).toMatchObject({
      code: 'REST_ANSWER_INVALID',
      message: expect.stringContaining('more than 1,000 bytes'),
    });
    expect(service.calls).toHaveLength(calls + 1);
  });
});

describe('writing', () => {
  it.each(TRANSIENT.filter(([name]) => name !== '429'))('is not done twice after %s', async (_, fault) => {
    await using service = await startResultsService();
    const rest = restClient(service, { limits: { requestMs: 500 } });
    service.faults.add({ fault: { ...fault, carriedOut: true } as Fault });
    const error = await failureOf(create(rest));
    expect(['REST_OUTAGE', 'REST_ANSWER_INVALID']).toContain(error.code);
    expect(service.world.comments).toHaveLength(1);
    expect(service.calls).toHaveLength(1);
  });

  it('is done again where the service says that it did nothing', async () => {
    await using service = await startResultsService();
    service.faults.add({ fault: { kind: 'status', status: 429, retryAfter: 1 } });
    await create(restClient(service));
    expect(service.world.comments).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it.each([
    [403, 'REST_DENIED', 'user'],
    [404, 'REST_NOT_FOUND', 'platform'],
  ] as const)('of %i is %s, at once', async (deniedAs, code, fault) => {
    await using service = await startResultsService({ deniedAs });
    const token = service.issueToken({ repository: 'octo/gates', permissions: { 'pull-requests': 'read' } });
    expect(await failureOf(create(restClient(service, { token })))).toMatchObject({ code, fault });
    expect(service.calls).toHaveLength(1);
  });

  it.each([
    ['POST', '/repos/o/r/issues/comments/1/reactions', 'pull-requests: write'],
    ['GET', '/repos/o/r/actions/runs/1', 'actions: read'],
    ['GET', '/repos/o/r/commits/abc/check-runs', 'checks: read'],
    ['POST', '/repos/o/r/git/refs', 'contents: write'],
    ['GET', '/repos/o/r/collaborators/eve/permission', undefined],
    ['GET', 'https://example.test/repos/o/r/actions/x', undefined],
  ] as const)('of %s %s names %s', (method, path, permission) => {
    expect(permissionFor({ method, path })).toBe(permission);
  });

  it('says which permission is missing', async () => {
    await using service = await startResultsService();
    const token = service.issueToken({ repository: 'octo/gates', permissions: { 'pull-requests': 'read' } });
    const hint = expect.stringContaining('Give the job `pull-requests: write` under `permissions:`');
    expect(await failureOf(create(restClient(service, { token })))).toMatchObject({ hint });
  });

  it('of an unknown token is REST_DENIED', async () => {
    await using service = await startResultsService();
    expect(await failureOf(list(restClient(service, { token: 'ghs_none' })))).toMatchObject({ code: 'REST_DENIED' });
  });

  it('for a spent limit is REST_RATE_LIMITED, though its status is 403', async () => {
    await using service = await startResultsService({ restLimit: 1 });
    const rest = restClient(service);
    await list(rest);
    expect(await failureOf(list(rest))).toMatchObject({ code: 'REST_RATE_LIMITED', fault: 'platform' });
    expect(service.calls).toHaveLength(2);
  });

  it('of 422 is REST_REFUSED, in the words of the service', async () => {
    await using service = await startResultsService();
    expect(await failureOf(create(restClient(service), 'x'.repeat(65_537)))).toMatchObject({
      code: 'REST_REFUSED',
      message: expect.stringContaining('body is too long'),
    });
  });

  it('never shows the token, even where the service repeats it', async () => {
    await using service = await startResultsService();
    const token = jobToken(service);
    for (const status of [401, 403, 404, 422, 429, 500]) {
      service.faults.clear();
      service.faults.add({ times: Infinity, fault: { kind: 'status', status, message: `no, ${token}!\u0007 no` } });
      const error = await failureOf(list(restClient(service, { token })));
      const everything = [error.message, error.stack, error.hint, JSON.stringify(error), String(error.cause)].join();
      expect(everything).not.toContain(token);
      expect(error.message).toContain('no, ***!␇ no');
    }
  });

  it('is described whatever was thrown', () => {
    const request = { method: 'GET', path: '/' } as const;
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        const codeOf = (error: unknown) =>
          restError(
            failureOfRequest(error, request, (text) => text),
            'GET /',
          ).code;
        expect(codeOf(thrown)).toMatch(/^REST_/);
        const response = { headers: { 'retry-after': thrown }, data: { message: thrown } };
        expect(codeOf({ status: 403, response })).toBe('REST_RATE_LIMITED');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a list', () => {
  it('is read page by page, up to a bound, and says whether that was all', async () => {
    await using service = await startResultsService();
    const rest = restClient(service);
    for (let number = 0; number < 7; number += 1) await create(rest, `comment ${number}`);
    const read = (bounds: object) => rest.list({ method: 'GET', path: COMMENTS }, commentsSchema, bounds);
    const bodies = (count: number) => Array.from({ length: count }, (_, number) => ({ body: `comment ${number}` }));
    expect(await read({ pageSize: 3 })).toMatchObject({ items: bodies(7), complete: true });
    expect(await read({ pageSize: 3, pages: 2 })).toMatchObject({ items: bodies(6), complete: false });
    expect(await read({ pageSize: 7, pages: 1 })).toMatchObject({ items: bodies(7), complete: true });
    const enough = (items: readonly unknown[]) => items.length >= 2;
    expect(await read({ pageSize: 2, enough })).toMatchObject({ items: bodies(2), complete: false });
    expect(service.callsOf('issues/list-comments')).toHaveLength(3 + 2 + 1 + 1);
  });
});
