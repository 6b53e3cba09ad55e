import { describe, expect, it } from 'vitest';
import { LONGEST_COMMENT, syncComment, type CommentContent } from '../../../src/action/report/sync-comment.ts';
import { GatelineError } from '../../../src/errors/gateline-error.ts';
import type { Fault } from '../../support/github/faults.ts';
import { startResultsService } from '../../support/github/results-service.ts';
import { bodiesOf, commentsOf, operationsOf, options, put } from './one-pull.ts';
import { contentOf, parseRevision, pictureOf, pictureOfRecords } from './pictures.ts';

const RECORDS = ['a'];
const CONTENT = contentOf(RECORDS);
const WHOLE = pictureOfRecords(RECORDS).body;
const NOTICE = [expect.stringMatching(/^[A-Z].*\.$/)];

describe('a token that may not write', () => {
  it.each([
    ['create', 403],
    ['create', 404],
    ['update', 403],
    ['update', 404],
  ] as const)('leaves it, without another try: %s, told %i', async (work, deniedAs) => {
    await using service = await startResultsService({ deniedAs });
    if (work === 'update') put(service, pictureOfRecords([]).body);
    const before = bodiesOf(service);
    const token = service.issueToken({ repository: 'octo/gates', permissions: { 'pull-requests': 'read' } });
    const result = await syncComment(commentsOf(service, { token }), CONTENT, options());
    expect(result).toEqual({ choice: 'skipped', reason: 'denied', notices: NOTICE });
    expect(bodiesOf(service)).toEqual(before);
    // "Not found" may also say that somebody deleted the comment: a second look tells.
    const writes = work === 'update' && deniedAs === 404 ? 2 : 1;
    expect(operationsOf(service).filter((name) => name === `${work}-comment`)).toHaveLength(writes);
  });

  it('nor read says so', async () => {
    await using service = await startResultsService();
    const token = service.issueToken({ repository: 'octo/gates', permissions: {} });
    const result = await syncComment(commentsOf(service, { token }), CONTENT, options());
    expect(result).toEqual({ choice: 'skipped', reason: 'denied', notices: NOTICE });
  });

  it('leaves duplicates that it may not delete', async () => {
    await using service = await startResultsService();
    put(service, WHOLE);
    put(service, WHOLE);
    service.faults.add({ operation: 'issues/delete-comment', times: Infinity, fault: { kind: 'status', status: 403 } });
    const result = await syncComment(commentsOf(service), CONTENT, options());
    expect(result).toEqual({ choice: 'kept', reason: 'same', commentId: 1_000, notices: NOTICE });
    expect(service.callsOf('issues/delete-comment')).toHaveLength(1);
  });
});

const LOST: readonly (readonly [string, Fault])[] = [
  ['a 500', { kind: 'status', status: 500 }],
  ['a 500 after it was carried out', { kind: 'status', status: 500, carriedOut: true }],
  ['a reset', { kind: 'reset' }],
  ['a reset after it was carried out', { kind: 'reset', carriedOut: true }],
  ['half an answer', { kind: 'truncate' }],
  ['no answer', { kind: 'hang', carriedOut: true }],
];

describe('an answer that is lost', () => {
  it.each(LOST)('to a first comment does not make two: %s', async (_, fault) => {
    await using service = await startResultsService();
    service.faults.add({ operation: 'issues/create-comment', fault });
    const comments = commentsOf(service, { limits: { requestMs: 1_000 } });
    expect(await syncComment(comments, CONTENT, options())).toMatchObject({ choice: /created|kept/, notices: [] });
    expect(bodiesOf(service)).toEqual([WHOLE]);
  });

  it.each(LOST)('to an update leaves the right comment: %s', async (_, fault) => {
    await using service = await startResultsService();
    put(service, pictureOfRecords([]).body);
    service.faults.add({ operation: 'issues/update-comment', fault });
    const comments = commentsOf(service, { limits: { requestMs: 1_000 } });
    expect(await syncComment(comments, CONTENT, options())).toMatchObject({ choice: /updated|kept/, notices: [] });
    expect(bodiesOf(service)).toEqual([WHOLE]);
  });

  it.each(LOST)('to a deletion leaves one comment: %s', async (_, fault) => {
    await using service = await startResultsService();
    put(service, WHOLE);
    put(service, WHOLE);
    service.faults.add({ operation: 'issues/delete-comment', fault });
    const comments = commentsOf(service, { limits: { requestMs: 1_000 } });
    expect(await syncComment(comments, CONTENT, options())).toMatchObject({ choice: 'kept', notices: [] });
    expect(bodiesOf(service)).toEqual([WHOLE]);
  });
});

describe('a service that is down', () => {
  it.each([
    ['issues/list-comments', 'skipped', 'outage'],
    ['issues/create-comment', 'skipped', 'outage'],
    ['graphql', 'skipped', 'outage'],
  ] as const)('for %s: %s, %s', async (operation, choice, reason) => {
    await using service = await startResultsService();
    service.faults.add({ operation, times: Infinity, fault: { kind: 'status', status: 503 } });
    const result = await syncComment(commentsOf(service), CONTENT, options());
    expect(result).toEqual({ choice, reason, notices: NOTICE });
    expect(service.world.comments).toEqual([]);
  });

  it('after the write has the comment called written, and not seen', async () => {
    await using service = await startResultsService();
    service.faults.add({ operation: 'issues/list-comments', nth: 2, times: Infinity, fault: { kind: 'reset' } });
    const result = await syncComment(commentsOf(service), CONTENT, options());
    expect(result).toEqual({
      choice: 'created',
      reason: 'unsettled',
      commentId: service.world.comments[0]!.id,
      notices: NOTICE,
    });
  });

  it('with a spent limit is not asked again', async () => {
    await using service = await startResultsService({ restLimit: 0 });
    const result = await syncComment(commentsOf(service), CONTENT, options());
    expect(result).toEqual({ choice: 'skipped', reason: 'rate-limited', notices: NOTICE });
    expect(service.callsOf('issues/list-comments')).toHaveLength(1);
  });

  it.each(['issues/list-comments', 'issues/create-comment'])(
    'and never answers %s does not hold the job up',
    async (operation) => {
      await using service = await startResultsService();
      service.faults.add({ operation, times: Infinity, fault: { kind: 'hang' } });
      const begun = performance.now();
      const result = await syncComment(commentsOf(service), CONTENT, options({ budgetMs: 700 }));
      expect(result).toMatchObject({ choice: 'skipped', reason: 'outage', notices: NOTICE });
      // Far from the 10 s that one request may take.
      expect(performance.now() - begun).toBeLessThan(8_000);
    },
  );
});

describe('a picture', () => {
  it('that is too long for a comment is not sent', async () => {
    await using service = await startResultsService();
    const revision = { runNumber: 1, runAttempt: 1, records: 1 };
    const sync = (length: number) => {
      const { body } = pictureOf(revision, '');
      const picture = { body: body + 'x'.repeat(length - body.length), revision };
      return syncComment(commentsOf(service), { parseRevision, render: async () => picture }, options());
    };
    expect(await sync(LONGEST_COMMENT + 1)).toEqual({ choice: 'skipped', reason: 'too-long', notices: NOTICE });
    expect(service.calls).toEqual([]);
    expect(await sync(LONGEST_COMMENT)).toMatchObject({ choice: 'created', reason: 'written' });
  });

  it('that the service refuses is not sent again', async () => {
    await using service = await startResultsService();
    service.faults.add({ operation: 'issues/create-comment', fault: { kind: 'status', status: 422 } });
    const result = await syncComment(commentsOf(service), CONTENT, options());
    expect(result).toEqual({ choice: 'skipped', reason: 'refused', notices: NOTICE });
    expect(service.callsOf('issues/create-comment')).toHaveLength(1);
  });

  it.each([
    ['an error', () => Promise.reject(new GatelineError('LINK_FAILED', 'The records cannot be listed.'))],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- anything can be thrown
    ['what no text can be made of', () => Promise.reject(Object.create(null))],
    ['a bug', () => Promise.reject(new TypeError('x is undefined.'))],
    ['never', () => new Promise<never>(() => {})],
  ])('that cannot be drawn (%s) fails nobody', async (name, render) => {
    await using service = await startResultsService();
    const content: CommentContent = { render, parseRevision };
    const result = await syncComment(commentsOf(service), content, options({ budgetMs: 300 }));
    const reason = name === 'never' ? 'outage' : 'no-picture';
    expect(result).toEqual({ choice: 'skipped', reason, notices: NOTICE });
    expect(service.calls).toEqual([]);
  });
});

it('a pull request with thousands of comments gets no second one of ours', async () => {
  await using service = await startResultsService({ restLimit: Infinity });
  for (let number = 0; number < 2_001; number += 1) put(service, 'x', { login: 'chatty', id: 5, type: 'User' });
  const result = await syncComment(commentsOf(service), CONTENT, options());
  expect(result).toEqual({ choice: 'skipped', reason: 'too-many-comments', notices: NOTICE });
  expect(service.callsOf('issues/list-comments')).toHaveLength(20);
  // Ours is early, as it is where it was made before the talk.
  service.world.comments[3] = {
    ...service.world.comments[3]!,
    author: service.world.tokens.values().next().value!.identity,
    body: pictureOfRecords([]).body,
  };
  expect(await syncComment(commentsOf(service), CONTENT, options())).toMatchObject({ choice: 'updated' });
});
