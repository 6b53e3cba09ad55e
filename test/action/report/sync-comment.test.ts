import { describe, expect, it } from 'vitest';
import { syncComment } from '../../../src/action/report/sync-comment.ts';
import { recordedClock } from '../../support/github/rest-client.ts';
import { startResultsService } from '../../support/github/results-service.ts';
import { SOMEBODY, bodiesOf, commentsOf, operationsOf, options, put, withMeanwhile } from '../comment/one-pull.ts';
import { contentOf, parseRevision, pictureOf, pictureOfRecords } from '../comment/pictures.ts';

describe('a lone job', () => {
  it('makes the comment with 4 requests, updates it with 4, leaves it with 2', async () => {
    await using service = await startResultsService();
    const records = ['a'];
    const sync = () => syncComment(commentsOf(service), contentOf(records), options());
    const made = await sync();
    expect(made).toEqual({ choice: 'created', reason: 'written', commentId: expect.any(Number), notices: [] });
    expect(operationsOf(service).splice(0)).toEqual(['graphql', 'list-comments', 'create-comment', 'list-comments']);
    records.push('b');
    expect(await sync()).toEqual({ ...made, choice: 'updated' });
    expect(operationsOf(service).slice(4)).toEqual(['graphql', 'list-comments', 'update-comment', 'list-comments']);
    expect(await sync()).toEqual({ ...made, choice: 'kept', reason: 'same' });
    expect(operationsOf(service).slice(8)).toEqual(['graphql', 'list-comments']);
    expect(bodiesOf(service)).toEqual([pictureOfRecords(records).body]);
  });

  it('looks twice at the comment of an earlier run that it replaced, with 5 requests', async () => {
    await using service = await startResultsService();
    put(service, pictureOfRecords(['old', 'older'], 1).body);
    const clock = recordedClock();
    const result = await syncComment(commentsOf(service), contentOf(['new'], 2), options({ clock }));
    expect(result).toMatchObject({ choice: 'updated', reason: 'written' });
    expect(operationsOf(service).filter((name) => name === 'list-comments')).toHaveLength(3);
    expect(service.calls).toHaveLength(5);
    expect(clock.pauses).toHaveLength(1);
    expect(clock.pauses[0]).toBeGreaterThanOrEqual(2_000);
  });

  it('of an older run leaves what a later one wrote', async () => {
    await using service = await startResultsService();
    const newer = pictureOfRecords(['one'], 12).body;
    const commentId = put(service, newer);
    const result = await syncComment(commentsOf(service), contentOf(['a', 'b', 'c'], 11), options());
    expect(result).toEqual({ choice: 'kept', reason: 'newer', commentId, notices: [] });
    expect(bodiesOf(service)).toEqual([newer]);
  });

  it('removes what another left behind, and nothing but that', async () => {
    await using service = await startResultsService();
    const picture = pictureOfRecords(['a']).body;
    const theirs = put(service, picture, SOMEBODY);
    const lowest = put(service, pictureOfRecords([], 0).body);
    put(service, picture);
    const other = put(service, pictureOf({ runNumber: 1, runAttempt: 1, records: 1 }, 'a', 'other').body);
    const quoted = put(service, `> ${picture}`);
    const result = await syncComment(commentsOf(service), contentOf(['a']), options());
    expect(result).toMatchObject({ choice: 'updated', commentId: lowest });
    expect(service.world.comments.map(({ id }) => id)).toEqual([theirs, lowest, other, quoted]);
  });
});

describe("others' comments", () => {
  it.each([
    ['a person', SOMEBODY],
    ['another app', { login: 'gateline[bot]', id: 99, type: 'Bot' }],
    ['a person with the name of the bot', { login: 'github-actions', id: 66, type: 'User' }],
  ] as const)('are never touched, though %s forges the marker', async (_, author) => {
    await using service = await startResultsService();
    const forged = pictureOf({ runNumber: 999_999, runAttempt: 9, records: 9 }, 'all is well');
    const id = put(service, forged.body, author);
    const result = await syncComment(commentsOf(service), contentOf(['a']), options());
    expect(result).toMatchObject({ choice: 'created', reason: 'written' });
    expect(result.commentId).not.toBe(id);
    expect(bodiesOf(service)).toEqual([forged.body, pictureOfRecords(['a']).body]);
  });

  it('are those of the bot when the token is a person, who finds his own', async () => {
    await using service = await startResultsService();
    const token = service.issueToken({
      repository: 'octo/gates',
      permissions: { issues: 'write' },
      identity: SOMEBODY,
    });
    const bots = put(service, pictureOfRecords([]).body);
    const own = put(service, pictureOfRecords([]).body, SOMEBODY);
    const result = await syncComment(commentsOf(service, { token }), contentOf(['a']), options());
    expect(result).toMatchObject({ choice: 'updated', commentId: own });
    expect(service.world.comments.map(({ id, body }) => [id, body])).toEqual([
      [bots, pictureOfRecords([]).body],
      [own, pictureOfRecords(['a']).body],
    ]);
  });
});

describe('a race', () => {
  it('in which a newer picture is written over is repaired by whoever wrote the older one', async () => {
    await using service = await startResultsService();
    put(service, pictureOfRecords([]).body);
    const records = ['a'];
    const comments = withMeanwhile(commentsOf(service), () => {
      records.push('b', 'c');
      service.world.comments[0]!.body = pictureOfRecords(records).body;
    });
    const result = await syncComment(comments, contentOf(records), options());
    expect(result).toMatchObject({ choice: 'updated', reason: 'written' });
    expect(bodiesOf(service)).toEqual([pictureOfRecords(['a', 'b', 'c']).body]);
  });

  it('in which a job of an older run writes late is repaired by the later run', async () => {
    await using service = await startResultsService();
    const late = pictureOfRecords(['a', 'b', 'c'], 1).body;
    put(service, pictureOfRecords(['a', 'b'], 1).body);
    const clock = recordedClock();
    const sleep = async (milliseconds: number) => {
      if (clock.pauses.length === 0) service.world.comments[0]!.body = late;
      await clock.sleep(milliseconds);
    };
    const result = await syncComment(
      commentsOf(service),
      contentOf(['a'], 2),
      options({ clock: { now: () => clock.now(), sleep } }),
    );
    expect(result).toMatchObject({ choice: 'updated', reason: 'written' });
    expect(bodiesOf(service)).toEqual([pictureOfRecords(['a'], 2).body]);
  });

  it('to make the comment leaves that of the lowest id', async () => {
    await using service = await startResultsService();
    const comments = withMeanwhile(commentsOf(service), () => put(service, pictureOfRecords([]).body));
    const result = await syncComment(comments, contentOf(['a']), options());
    expect(result).toMatchObject({ choice: 'updated', reason: 'written', commentId: 1_000 });
    expect(bodiesOf(service)).toEqual([pictureOfRecords(['a']).body]);
  });

  it('with somebody who deletes the comment makes it anew', async () => {
    await using service = await startResultsService();
    put(service, pictureOfRecords([]).body);
    const comments = withMeanwhile(commentsOf(service), () => void service.world.comments.splice(0));
    const result = await syncComment(comments, contentOf(['a']), options());
    expect(result).toMatchObject({ choice: 'created', reason: 'written' });
    expect(bodiesOf(service)).toEqual([pictureOfRecords(['a']).body]);
  });

  it('that never ends is given up', async () => {
    await using service = await startResultsService();
    const records: string[] = [];
    const content = { parseRevision, render: async () => pictureOfRecords([...records, String(records.push('x'))]) };
    const result = await syncComment(commentsOf(service), content, options({ rounds: 6 }));
    expect(result).toMatchObject({ choice: 'created', reason: 'unsettled', notices: [expect.any(String)] });
    expect(service.callsOf('issues/list-comments')).toHaveLength(6);
  });

  it('for the first comment is rarer for a pause in between', async () => {
    await using service = await startResultsService();
    const clock = recordedClock();
    const sleep = async (milliseconds: number) => {
      put(service, pictureOfRecords(['a']).body);
      await clock.sleep(milliseconds);
    };
    const result = await syncComment(
      commentsOf(service),
      contentOf(['a']),
      options({ spreadMs: 3_000, clock: { now: () => clock.now(), sleep } }),
    );
    expect(result).toMatchObject({ choice: 'kept', reason: 'same', commentId: 1_000 });
    expect(clock.pauses).toEqual([1_500]);
    expect(service.callsOf('issues/create-comment')).toEqual([]);
  });
});
