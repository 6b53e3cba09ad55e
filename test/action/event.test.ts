import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readJob } from '../../src/action/job.ts';
import { trustOf, type PullRequest } from '../../src/action/trust.ts';

const SHA = 'c'.repeat(40);
const BASE = 'b'.repeat(40);
const PULL: PullRequest = {
  number: 42,
  headRepository: 'octo/gates',
  headSha: 'd'.repeat(40),
  headBranch: 'feature',
  baseSha: BASE,
  baseBranch: 'release',
};
const fork = { ...PULL, headRepository: 'evil/gates' };

const own = { definitionFrom: SHA, isOutside: false };
const onBranch = { ...own, usesFrom: ['topic', 'main'], savesPointers: true };
const onPull = { ...own, usesFrom: ['release', 'main'], savesPointers: true };
const onFork = { definitionFrom: BASE, usesFrom: ['release', 'main'], savesPointers: false, isOutside: true };
const ofAnybody = { ...own, usesFrom: ['main'], savesPointers: false };

describe('what a run is trusted with', () => {
  it.each([
    ...['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'release', 'create'].map(
      (name) => [name, 'refs/heads/topic', undefined, onBranch] as const,
    ),
    ['push', 'refs/tags/v1', undefined, { ...own, usesFrom: ['main'], savesPointers: false }],
    ['pull_request', 'refs/pull/42/merge', PULL, onPull],
    ['pull_request_review', 'refs/pull/42/merge', { ...PULL, headRepository: 'Octo/Gates' }, onPull],
    ['pull_request_review_comment', 'refs/pull/42/merge', PULL, onPull],
    ['merge_group', 'refs/heads/gh-readonly-queue/main/pr-42', undefined, ofAnybody],
    ['pull_request', 'refs/pull/42/merge', fork, onFork],
    ['pull_request_review', 'refs/pull/42/merge', { ...PULL, headRepository: undefined }, onFork],
    ['pull_request_target', 'refs/heads/main', fork, { ...ofAnybody, isOutside: true }],
    ['pull_request_target', 'refs/heads/main', PULL, ofAnybody],
    ['issue_comment', 'refs/heads/main', undefined, ofAnybody],
    ['workflow_run', 'refs/heads/main', undefined, ofAnybody],
    ['an_event_of_next_year', 'refs/heads/topic', PULL, { ...onFork }],
    ['watch', 'refs/heads/main', undefined, { ...onFork, definitionFrom: 'refs/heads/main', usesFrom: ['main'] }],
    ['pull_request', 'refs/heads/x', undefined, { ...onFork, definitionFrom: 'refs/heads/main', usesFrom: ['main'] }],
  ] as const)('%s on %s', (name, ref, pullRequest, trust) => {
    expect(trustOf({ name, repository: 'octo/gates', sha: SHA, ref, defaultBranch: 'main', pullRequest })).toEqual(
      trust,
    );
  });

  it('is nothing if the event names no branch to trust', () => {
    const facts = { name: 'watch', repository: 'octo/gates', sha: SHA, ref: '', defaultBranch: undefined };
    expect(() => trustOf({ ...facts, pullRequest: undefined })).toThrow('names neither a pull request nor a branch');
    expect(trustOf({ ...facts, name: 'push', pullRequest: undefined }).usesFrom).toEqual([]);
  });
});

describe('the job of a step', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-event-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const read = (event: unknown, env: Readonly<Record<string, string | undefined>> = {}) => {
    const path = join(folder, 'event.json');
    writeFileSync(path, typeof event === 'string' ? event : JSON.stringify(event));
    return readJob({
      GITHUB_REPOSITORY: 'octo/gates',
      GITHUB_RUN_ID: '500',
      GITHUB_RUN_NUMBER: '5',
      GITHUB_JOB: 'review',
      GITHUB_WORKFLOW_REF: 'octo/gates/.github/workflows/gates.yml@refs/heads/main',
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_EVENT_PATH: path,
      GITHUB_SHA: SHA,
      GITHUB_REF: 'refs/pull/42/merge',
      GITHUB_WORKSPACE: folder,
      RUNNER_TEMP: folder,
      ...env,
    });
  };
  const repository = { default_branch: 'main' };
  const head = { sha: PULL.headSha, ref: 'feature', repo: { full_name: 'octo/gates' } };
  const base = { sha: BASE, ref: 'release' };

  it('has the pull request of its event', async () => {
    const job = await read({ repository, pull_request: { number: 42, head, base, title: 'x' } });
    expect(job).toMatchObject({ workflow: '.github/workflows/gates.yml', runAttempt: 1, pullRequest: PULL });
    expect(job.trust).toEqual(onPull);
    const ofDeletedFork = await read({ repository, pull_request: { number: 42, head: { ...head, repo: null }, base } });
    expect(ofDeletedFork.trust).toEqual(onFork);
  });

  it('has the inputs of a dispatch that have values and that actions read, as texts, and all others', async () => {
    const inputs = {
      skip: 'design',
      force: '',
      approve: 'false',
      reason: null,
      from: true,
      resume: 3,
      deep: true,
      x: '',
    };
    const job = await read({ repository, inputs }, { GITHUB_EVENT_NAME: 'workflow_dispatch' });
    expect(job.dispatch).toEqual({ skip: 'design', from: 'true', resume: '3' });
    expect(job.ownInputs).toEqual({ deep: 'true', x: '' });
    const { dispatch } = await read({ repository, inputs: null }, { GITHUB_EVENT_NAME: 'workflow_dispatch' });
    expect(dispatch).toEqual({});
    // An agent of an earlier step could have written them into the file.
    const push = await read({ repository, inputs }, { GITHUB_EVENT_NAME: 'push' });
    expect([push.dispatch, push.ownInputs]).toEqual([{}, {}]);
  });

  it.each([
    ['no JSON', '{', 'is not the event of a run'],
    ['no object', '[]', 'is not the event of a run'],
    ['a pull request without a base', { repository, pull_request: { number: 42, head } }, 'is not the event of a run'],
    ['a comment without an id', { repository, comment: { id: '1' } }, 'is not the event of a run'],
  ])('refuses an event that is %s', async (_, event, message) => {
    await expect(read(event)).rejects.toMatchObject({
      fault: 'platform',
      message: expect.stringContaining(message) as string,
    });
  });

  it('names a server without its artifacts, and a place that is no job', async () => {
    const event = { repository, pull_request: { number: 42, head, base } };
    for (const server of ['https://ghes.example.com', 'https://github.com.evil.org', 'https://notgithub.com'])
      await expect(read(event, { GITHUB_SERVER_URL: server })).rejects.toThrow('Enterprise Server');
    for (const server of ['https://github.com', 'https://octo.ghe.com'])
      expect((await read(event, { GITHUB_SERVER_URL: server })).server).toBe(server);
    await expect(read(event, { GITHUB_JOB: undefined })).rejects.toMatchObject({
      fault: 'platform',
      message: expect.stringContaining('GITHUB_JOB') as string,
    });
    await expect(read(event, { GITHUB_EVENT_PATH: join(folder, 'none.json') })).rejects.toThrow('not the event');
  });
});
