import fc, { type Scheduler } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseStep } from '../../../src/action/report/comment-step.ts';
import type { CommentService, OwnComment } from '../../../src/action/report/comment-service.ts';
import { syncComment, type CommentContent } from '../../../src/action/report/sync-comment.ts';
import { GatelineError } from '../../../src/errors/gateline-error.ts';
import { parseRevision, pictureOfRecords } from './pictures.ts';
import { drawn } from '../../support/samples.ts';

/** Comments in memory. Every request and every answer waits for the scheduler. */
function commentsOn(scheduler: Scheduler, stored: OwnComment[]): CommentService {
  let last = 0;
  const call = async <T>(name: string, work: () => T): Promise<T> => {
    await scheduler.schedule(Promise.resolve(), `${name} arrives`);
    const answer = work();
    await scheduler.schedule(Promise.resolve(), `${name} is answered`);
    return answer;
  };
  const service: CommentService = {
    list: () => call('list', () => ({ comments: stored.map((comment) => ({ ...comment })), complete: true })),
    create: (body) =>
      call('create', () => {
        last += 1;
        const comment = { id: last, body };
        stored.push(comment);
        return { ...comment };
      }),
    update: (id, body) =>
      call('update', () => {
        const comment = stored.find((one) => one.id === id);
        if (comment === undefined) throw new GatelineError('REST_NOT_FOUND', 'gone');
        return Object.assign(comment, { body });
      }),
    remove: (id) => call('remove', () => void stored.splice(0, Infinity, ...stored.filter((one) => one.id !== id))),
    within: () => service,
  };
  return service;
}

type Sync = (comments: CommentService, content: CommentContent, scheduler: Scheduler) => Promise<unknown>;

const ours: Sync = (comments, content, scheduler) => {
  const sleep = () => scheduler.schedule(Promise.resolve(), 'pause');
  return syncComment(comments, content, { rounds: 1_000, clock: { now: () => 0, sleep } });
};

const withoutLookingAgain: Sync = async (comments, content) => {
  const picture = await content.render();
  const { step } = chooseStep((await comments.list()).comments, picture, parseRevision);
  if (step.do === 'create') await comments.create(picture.body);
  if (step.do === 'update') await comments.update(step.id, picture.body);
};

/** Jobs that leave a record each and bring the comment up to date, in an order of the scheduler's choice. */
async function endsRight(scheduler: Scheduler, jobs: number, sync: Sync): Promise<boolean> {
  const stored: OwnComment[] = [];
  const records: string[] = [];
  const comments = commentsOn(scheduler, stored);
  const render = async () => {
    const picture = pictureOfRecords(records);
    await scheduler.schedule(Promise.resolve(), 'the records are read');
    return picture;
  };
  const job = async (name: string) => {
    await scheduler.schedule(Promise.resolve(), `${name} ends`);
    records.push(name);
    await sync(comments, { render, parseRevision }, scheduler);
  };
  await scheduler.waitFor(Promise.all(Array.from({ length: jobs }, (_, index) => job(`job-${index}`))));
  return stored.length === 1 && stored[0]!.body === pictureOfRecords(records).body;
}

describe('whatever the order of requests and answers', () => {
  it.each([2, 3, 5])('%i jobs leave one comment with everything in it', async (jobs) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        expect(await endsRight(scheduler, jobs, ours)).toBe(true);
      }),
      drawn(300),
    );
  });

  it('not so without a second look: the orders that are tried are hard enough', async () => {
    const { failed } = await fc.check(
      fc.asyncProperty(fc.scheduler(), (scheduler) => endsRight(scheduler, 2, withoutLookingAgain)),
      drawn(300),
    );
    expect(failed).toBe(true);
  });
});
