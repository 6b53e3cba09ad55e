import type { CommentService } from '../../../src/action/report/comment-service.ts';
import { createRestComments } from '../../../src/action/report/rest-comments.ts';
import type { SyncOptions } from '../../../src/action/report/sync-comment.ts';
import type { RestOptions } from '../../../src/github/rest/rest.ts';
import { ACTIONS_BOT, type Identity } from '../../support/github/model.ts';
import { recordedClock, restClient } from '../../support/github/rest-client.ts';
import type { ResultsService } from '../../support/github/results-service.ts';

export const PULL = 7;
export const SOMEBODY: Identity = { login: 'mallory', id: 13, type: 'User' };

export function commentsOf(service: ResultsService, options: Partial<RestOptions> = {}): CommentService {
  return createRestComments(restClient(service, options), { pull: PULL });
}

/** Pauses take no time. */
export function options(more: SyncOptions = {}): SyncOptions {
  return { clock: recordedClock(), random: () => 0.5, ...more };
}

export function put(service: ResultsService, body: string, author: Identity = ACTIONS_BOT): number {
  const now = service.world.now();
  const id = 1_000 + service.world.comments.length;
  service.world.comments.push({
    id,
    repository: 'octo/gates',
    issue: PULL,
    author,
    createdAt: now,
    reactions: [],
    updatedAt: now,
    body,
  });
  return id;
}

export function bodiesOf(service: ResultsService): string[] {
  return service.world.comments.map(({ body }) => body);
}

export function operationsOf(service: ResultsService): string[] {
  return service.calls.map(({ operation }) => operation.replace('issues/', ''));
}

/** A service in which something happens between the look and the write, once. */
export function withMeanwhile(comments: CommentService, meanwhile: () => void): CommentService {
  let happen = () => {
    happen = () => {};
    meanwhile();
  };
  const wrapped: CommentService = {
    ...comments,
    create: async (body) => (happen(), comments.create(body)),
    update: async (id, body) => (happen(), comments.update(id, body)),
    within: () => wrapped,
  };
  return wrapped;
}
