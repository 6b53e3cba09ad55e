import { describe, expect, it, vi } from 'vitest';
import { constantDelay, seededDelays } from '../support/github/delays.ts';
import { startResultsService } from '../support/github/results-service.ts';

const SOON = { timeout: 30_000, interval: 20 };

describe('a plan of faults', () => {
  it('counts the calls that match, and befalls the n-th and those after it', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const ask = async (name: string) => (await fetch(`${service.origin}${name}`)).status;
    const second = service.faults.add({ nth: 2, times: 2, fault: { kind: 'status', status: 418 } });
    const path = '/repos/octo/gates/actions/artifacts';
    expect([await ask(path), await ask(path), await ask('/x'), await ask(path)]).toEqual([401, 418, 418, 401]);
    expect(second).toMatchObject({ matched: 4, hits: 2 });
    service.faults.clear();
    service.faults.add({ operation: 'actions/get-artifact', name: /^1/, fault: { kind: 'status', status: 418 } });
    expect([await ask(`${path}/2`), await ask(`${path}/12`), await ask('/unheard-of')]).toEqual([401, 418, 404]);
    service.faults.add({ run: 1, attempt: 1, job: 'other', fault: { kind: 'status', status: 418 } });
    service.faults.add({ run: 1, attempt: 1, job: 'build', fault: { kind: 'status', status: 418 } });
    const headers = { authorization: `Bearer ${job.token}` };
    expect((await fetch(service.origin + path, { headers })).status).toBe(418);
    expect(service.calls.at(-1)).toMatchObject({ run: 1, attempt: 1, job: 'build', status: 418 });
    expect(service.calls.map(({ number }) => number)).toEqual(service.calls.map((_, index) => index + 1));
  });
});

describe('a delay', () => {
  /** Two comments, the second sent once the first has arrived; which of them is stored first, and answered first. */
  async function race(delay: { readonly request?: number; readonly response?: number }) {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    service.faults.add({ fault: { kind: 'delay', ...delay } });
    const answered: string[] = [];
    const headers = { authorization: `Bearer ${job.token}` };
    const comment = async (body: string) => {
      const url = `${service.origin}/repos/octo/gates/issues/7/comments`;
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ body }) });
      answered.push(`${body} ${answer.status}`);
    };
    const first = comment('first');
    await vi.waitFor(() => expect(service.calls).toHaveLength(1), SOON);
    await Promise.all([first, comment('second')]);
    return { stored: service.world.comments.map(({ body }) => body), answered };
  }

  it('before a call takes effect lets others overtake it', async () => {
    const answered = ['second 201', 'first 201'];
    expect(await race({ request: 1000 })).toEqual({ stored: ['second', 'first'], answered });
  });

  it('before its answer leaves the order of effects', async () => {
    const answered = ['second 201', 'first 201'];
    expect(await race({ response: 1000 })).toEqual({ stored: ['first', 'second'], answered });
  });

  it('of a whole service holds for every call, and may be random by a seed', async () => {
    const call = { operation: 'ListArtifacts' } as Parameters<ReturnType<typeof constantDelay>>[0];
    await using service = await startResultsService({ delays: constantDelay(20) });
    const began = performance.now();
    await fetch(service.origin);
    expect(performance.now() - began).toBeGreaterThan(35);
    const drawn = (seed: number) => {
      const plan = seededDelays(seed, { request: 10, response: 100 }, /^List/);
      return Array.from({ length: 50 }, () => plan(call));
    };
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
    expect(drawn(3).every(({ request, response }) => request < 10 && response < 100)).toBe(true);
    expect(drawn(3).some(({ response }) => response > 50)).toBe(true);
    const other = seededDelays(1, { request: 10, response: 10 }, /^List/)({ ...call, operation: 'PutBlob' });
    expect(other).toEqual({ request: 0, response: 0 });
  });
});

describe('the service', () => {
  it('throws at the end what went wrong inside it', async () => {
    const service = await startResultsService();
    const job = await service.environmentFor({ run: 1, job: 'build' });
    const headers = { authorization: `Bearer ${job.token}` };
    const broken = { ...service.world.runs.get(1)!, createdAt: new Date(Number.NaN) };
    service.world.runs.set(1, broken);
    const answer = await fetch(`${service.origin}/repos/octo/gates/actions/runs/1`, { headers });
    expect(answer.status).toBe(500);
    await job[Symbol.asyncDispose]();
    await expect(service[Symbol.asyncDispose]()).rejects.toThrow('errors inside the results service');
  });
});
