import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { explainRequestError, pauseAfterRequest } from '../../../src/github/octokit.ts';
import { withRetry, within, type RetryLimits } from '../../../src/github/retry.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

/** Runs the loop to its end on the fake clock: what it came to, when, and what it reported. */
async function run(call: (tries: number) => Promise<string>, limits: Partial<RetryLimits> = {}) {
  const lines: string[] = [];
  vi.setSystemTime(START);
  const all = { tryMs: 10_000, deadline: START + 60_000, report: (line: string) => void lines.push(line), ...limits };
  const settled = withRetry('The upload', call, all).catch((error: Error) => `failed: ${error.message}`);
  let result: string | undefined;
  void settled.then((value) => (result = value));
  while (result === undefined) await vi.advanceTimersToNextTimerAsync();
  return { result, seconds: (Date.now() - START) / 1_000, lines };
}

const failing = (times: number) => async (tries: number) => {
  if (tries <= times) throw new Error(`try ${tries}`);
  return `try ${tries} worked`;
};

describe('calls of a service', () => {
  it('are repeated with longer pauses, each with a line', async () => {
    expect(await run(failing(3))).toEqual({
      result: 'try 4 worked',
      seconds: 7,
      lines: [
        'The upload failed: try 1. Next try in 1 s, 60 s are left.',
        'The upload failed: try 2. Next try in 2 s, 59 s are left.',
        'The upload failed: try 3. Next try in 4 s, 57 s are left.',
      ],
    });
  });

  it('end with their last error when the time is over', async () => {
    expect(await run(failing(99))).toMatchObject({ result: 'failed: try 8', seconds: 60 });
  });

  it('are given up one by one if no answer comes, and end', async () => {
    const { result, seconds, lines } = await run(() => new Promise(() => {}));
    expect({ result, seconds }).toEqual({ result: 'failed: The upload got no answer in 10 s', seconds: 65 });
    expect(lines).toHaveLength(4);
  });

  it('are made once where the error is final, and where no time is left', async () => {
    expect(await run(failing(1), { pauseAfter: () => undefined })).toMatchObject({
      result: 'failed: try 1',
      seconds: 0,
    });
    expect(await run(failing(1), { deadline: START })).toMatchObject({ result: 'failed: try 1', seconds: 0 });
    expect(await run(failing(0), { deadline: START - 1 })).toMatchObject({ result: 'try 1 worked' });
  });

  it('wait as long as the service asks, if that is before the end', async () => {
    expect(await run(failing(1), { pauseAfter: () => 30_000 })).toMatchObject({ result: 'try 2 worked', seconds: 30 });
    expect(await run(failing(1), { pauseAfter: () => 90_000 })).toMatchObject({ result: 'failed: try 1', seconds: 0 });
  });

  it('that fail after they were given up end nothing', async () => {
    const late = new Promise<string>((_, reject) => {
      setTimeout(() => reject(new Error('too late')), 20_000);
    });
    const result = within(10_000, 'The cache', late).catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await result).toBe('The cache got no answer in 10 s');
  });
});

const answer = (status: number, headers: Record<string, string> = {}) =>
  Object.assign(new Error(`HTTP ${status}`), { status, response: { headers } });

describe('a failed REST request', () => {
  it.each([
    ['no answer', new Error('ECONNRESET'), 1_000],
    ['502', answer(502), 1_000],
    ['503 that asks for a pause', answer(503), 1_000],
    ['429', answer(429), 1_000],
    ['429 that asks for a pause', answer(429, { 'retry-after': '7' }), 7_000],
    ['403 of the secondary limit', answer(403, { 'retry-after': '60' }), 60_000],
    [
      '403 of the hourly limit',
      answer(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${START / 1_000 + 90}` }),
      90_000,
    ],
    ['403', answer(403, { 'x-ratelimit-remaining': '12' }), undefined],
    ['404', answer(404), undefined],
    ['410', answer(410), undefined],
    ['401', answer(401), undefined],
    ['422', answer(422), undefined],
  ])('is repeated if that may help: %s', (_, error, pause) => {
    expect(pauseAfterRequest(error, 1)).toBe(pause);
  });

  it.each([
    [403, 'permissions:\n  contents: read\n  actions: read'],
    [404, 'GitHub also says so if the token may not read it'],
    [401, 'leave out `github-token`'],
    [502, 'githubstatus.com'],
  ])('says what to do: %s', (status, hint) => {
    const error = explainRequestError('The list of artifacts', 'actions: read', answer(status));
    expect(error).toMatchObject({ fault: 'platform', message: `The list of artifacts failed: HTTP ${status}` });
    expect(error.hint).toContain(hint);
  });

  it('names with a missing permission those that would be missed next', () => {
    const error = explainRequestError('The comment', 'pull-requests: write', answer(403));
    expect(error.hint).toMatch(/permissions:\n {2}contents: read\n {2}actions: read\n {2}pull-requests: write$/);
  });

  it('names a limit of requests as what it is', () => {
    const error = explainRequestError('The list', 'actions: read', answer(403, { 'retry-after': '60' }));
    expect(error.hint).toBe('The limit of requests is reached: run the job again later.');
  });
});
