import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ACTIONS_BOT } from '../../../src/action/report/comment-author.ts';
import { chooseStep } from '../../../src/action/report/comment-step.ts';
import type { CommentService } from '../../../src/action/report/comment-service.ts';
import { createRestComments } from '../../../src/action/report/rest-comments.ts';
import { syncComment, type CommentContent } from '../../../src/action/report/sync-comment.ts';
import { seededRandom, systemClock, type Clock } from '../../../src/github/clock.ts';
import { seededDelays } from '../../support/github/delays.ts';
import { restClient } from '../../support/github/rest-client.ts';
import { startResultsService, type ResultsService } from '../../support/github/results-service.ts';
import { parseRevision, pictureOfRecords } from './pictures.ts';
import { bySize } from '../../support/test-size.ts';

const RUNS = bySize({ sample: 12, full: 40, soak: 1_000 });
const JOBS = 40;

/** Pauses of half a second would only make the test slow: everything happens twenty times as fast. */
const FASTER = 20;
const fastClock: Clock = {
  now: () => systemClock.now(),
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / FASTER, signal),
};

type Sync = (comments: CommentService, content: CommentContent, seed: string) => Promise<unknown>;

const ours: Sync = (comments, content, seed) =>
  syncComment(comments, content, { clock: fastClock, random: seededRandom(seed), spreadMs: 1_000 });

/** The same pieces without a second look: read, draw, list, write what is newer. */
const withoutListingAgain: Sync = async (comments, content) => {
  const picture = await content.render();
  const { comments: own } = await comments.list();
  const { step } = chooseStep(own, picture, parseRevision);
  if (step.do === 'create') await comments.create(picture.body);
  if (step.do === 'update') await comments.update(step.id, picture.body);
};

/** Forty jobs end within some milliseconds: each leaves a record, then brings the comment up to date. */
async function jobsEnd(service: ResultsService, pull: number, sync: Sync): Promise<void> {
  const random = seededRandom(`run ${pull}`);
  service.delays = seededDelays(pull, { request: 8, response: 8 }, /^issues\//);
  const records: string[] = [];
  const rest = restClient(service, { clock: fastClock });
  const job = async (name: string) => {
    await sleep(random() * 10);
    records.push(name);
    const render = async () => {
      const picture = pictureOfRecords(records);
      await sleep(random() * 8);
      return picture;
    };
    const comments = createRestComments(rest, { pull, author: async () => ACTIONS_BOT });
    await sync(comments, { render, parseRevision }, `${pull} ${name}`);
  };
  await Promise.all(Array.from({ length: JOBS }, (_, index) => job(`job-${index}`)));
}

/** How many of the runs end with exactly one comment, and that one of all records. */
async function runsThatEndRight(sync: Sync): Promise<number> {
  await using service = await startResultsService({ restLimit: Infinity });
  const whole = pictureOfRecords(Array.from({ length: JOBS }, (_, index) => `job-${index}`)).body;
  let right = 0;
  for (let pull = 1; pull <= RUNS; pull += 1) {
    // Every other time a comment of an earlier run stands already.
    if (pull % 2 === 0) {
      const earlier = createRestComments(restClient(service), { pull });
      await earlier.create(pictureOfRecords(['old'], 0).body);
    }
    await jobsEnd(service, pull, sync);
    const bodies = service.world.comments.filter(({ issue }) => issue === pull).map(({ body }) => body);
    if (bodies.length === 1 && bodies[0] === whole) right += 1;
  }
  return right;
}

describe('forty jobs that end at once', () => {
  it('leave one comment with everything in it, every time', async () => {
    expect(await runsThatEndRight(ours)).toBe(RUNS);
  });

  it('do not when nobody looks again: then more than a fifth of the runs end wrong', async () => {
    expect(RUNS - (await runsThatEndRight(withoutListingAgain))).toBeGreaterThan(RUNS / 5);
  });
});
