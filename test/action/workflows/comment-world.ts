import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredComment } from '../../support/github/model.ts';
import { headOf } from '../../support/runner/repository.ts';
import type { RunReport } from '../../support/runner/workflow-run.ts';
import type { ActionWorld } from './action-world.ts';
import { ACTION, type Keys } from './workflow-text.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What a caller of `comment.yml` grants. */
export const COMMENTS = { actions: 'write', checks: 'write', contents: 'read', 'pull-requests': 'write' } as const;

/**
 * A packaged workflow as a workflow of the repository: with the action by its name, started by this event, and with what
 * its caller grants.
 */
export function packaged(name: string, event: string, permissions: Keys = COMMENTS): string {
  const text = readFileSync(join(ROOT, '.github/workflows', name), 'utf8');
  const called = text.replace('uses: $/', `uses: ${ACTION}`);
  if (called === text) throw new Error(`${name} does not use the action of its own commit`);
  const on = `on: ${event}\npermissions: ${JSON.stringify(permissions)}\n`;
  return called.replace(/^on:\n {2}workflow_call:\n(?: {4}.*\n)*/m, on);
}

/** What a comment is, where it is not one of maria's on pull request 7. */
export interface CommentOptions {
  readonly by?: string;
  readonly type?: 'User' | 'Bot';
  readonly issue?: number;
  /** What the event says of its text. */
  readonly eventBody?: string;
  readonly action?: string;
  readonly isEdited?: boolean;
  /** The GitHub App that wrote it in the name of its author. */
  readonly viaApp?: string;
  /** The workflow whose runs it is about; default `pipeline.yml`. */
  readonly workflow?: string;
}

let nextComment = 4_000;

/** Writes a comment some seconds from now. */
export function writeComment({ service }: ActionWorld, body: string, options: CommentOptions = {}): StoredComment {
  const { by = 'maria', type = 'User', issue = 7, isEdited = false, viaApp } = options;
  service.advance(5_000);
  nextComment += 1;
  const at = service.world.now();
  const comment: StoredComment = {
    id: nextComment,
    repository: 'octo/gates',
    issue,
    author: { login: by, id: 9, type },
    createdAt: at,
    updatedAt: isEdited ? new Date(at.getTime() + 60_000) : at,
    body,
    reactions: [],
    ...(viaApp !== undefined && { viaApp }),
  };
  service.world.comments.push(comment);
  service.advance(5_000);
  return comment;
}

/** The run that a comment starts, of the workflow `comment.yml` of the repository. */
export async function runFor(
  world: ActionWorld,
  comment: StoredComment,
  options: CommentOptions = {},
): Promise<RunReport> {
  const { id, author, body } = comment;
  const run = await world.run({
    workflow: '.github/workflows/comment.yml',
    branch: 'main',
    commit: await headOf(world.repository.root),
    inputs: { workflow: options.workflow ?? 'pipeline.yml', file: '' },
    about: { event: 'issue_comment', headBranch: 'main', actor: author.login },
    payload: {
      action: options.action ?? 'created',
      comment: { id, body: options.eventBody ?? body, user: author },
      issue: { number: 7, pull_request: {} },
      repository: { full_name: 'octo/gates', default_branch: 'main' },
      sender: author,
    },
  });
  return run.start().ended;
}

/** The newest comment in the thread. */
export function lastAnswer({ service }: ActionWorld): string {
  return service.world.comments.at(-1)!.body;
}
