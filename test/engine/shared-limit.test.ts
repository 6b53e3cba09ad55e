import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSharedLimit } from '../../src/in-parallel.ts';

it('gives so many turns at a time, in the order in which they were asked for', async () => {
  const limit = createSharedLimit(2, new AbortController().signal);
  const log: string[] = [];
  let most = 0;
  let now = 0;
  const work = async (name: string): Promise<void> => {
    using _turn = await limit.take();
    log.push(name);
    most = Math.max(most, (now += 1));
    await sleep(2);
    now -= 1;
  };
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map(work));
  expect(log).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(most).toBe(2);
  await work('f');
  expect(log).toHaveLength(6);
});

it('gives none once the signal is aborted, and lets go those that wait', async () => {
  const controller = new AbortController();
  const limit = createSharedLimit(1, controller.signal);
  const first = await limit.take();
  const waiting = [limit.take(), limit.take()];
  controller.abort();
  expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  first![Symbol.dispose]();
  expect(await limit.take()).toBeUndefined();
});
