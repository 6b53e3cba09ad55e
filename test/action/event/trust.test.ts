import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trustOf, type EventFacts, type PullRequest } from '../../../src/action/event/trust.ts';

const SHA = 'a'.repeat(40);
const BASE = 'b'.repeat(40);
const HEAD = 'c'.repeat(40);
const OWN = 'octo/gates';

const facts = (more: Partial<EventFacts>): EventFacts => ({
  name: 'push',
  repository: OWN,
  sha: SHA,
  ref: 'refs/heads/topic',
  defaultBranch: 'main',
  pullRequest: undefined,
  headRepository: undefined,
  ...more,
});

const pullRequest = (headRepository: string | undefined): PullRequest => ({
  number: 7,
  headRepository,
  headSha: HEAD,
  headBranch: 'topic',
  baseSha: BASE,
});

const PR_REF = 'refs/pull/7/merge';

describe('whom a run may trust', () => {
  it.each(['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'create', 'release'])(
    'on %s: its own commit, and it writes to the cache',
    (name) => {
      expect(trustOf(facts({ name }))).toMatchObject({
        row: 'branch',
        contractFrom: { commit: SHA },
        writesCache: true,
        isFork: false,
        notice: undefined,
      });
    },
  );

  it('in a merge queue: the commit that would be merged', () => {
    const ref = 'refs/heads/gh-readonly-queue/release/pr-7-abc';
    const trust = trustOf(facts({ name: 'merge_group', ref }));
    expect(trust).toMatchObject({
      row: 'branch',
      contractFrom: { commit: SHA },
      writesCache: true,
    });
  });

  it.each(['pull_request', 'pull_request_review', 'pull_request_review_comment'])(
    'on %s of the repository itself: the commit under test',
    (name) => {
      const trust = trustOf(facts({ name, ref: PR_REF, pullRequest: pullRequest('Octo/Gates') }));
      expect(trust).toMatchObject({
        row: 'pull-request',
        contractFrom: { commit: SHA },
        writesCache: true,
        isFork: false,
      });
    },
  );

  it.each([
    ['a fork', 'mallory/gates'],
    ['a deleted repository', undefined],
    ['one that only begins alike', 'octo/gates2'],
  ])('on pull_request from %s: the base judges, and the cache of the pull request is written', (_, head) => {
    const trust = trustOf(facts({ name: 'pull_request', ref: PR_REF, pullRequest: pullRequest(head) }));
    expect(trust).toMatchObject({
      row: 'fork',
      contractFrom: { commit: BASE },
      writesCache: true,
      isFork: true,
    });
  });

  it.each([
    ['pull_request_target', { pullRequest: pullRequest('mallory/gates') }, true],
    ['pull_request_target', { pullRequest: pullRequest(OWN) }, false],
    ['issue_comment', {}, false],
    ['issue_comment', { pullRequest: { ...pullRequest(undefined), baseSha: undefined } }, true],
    ['workflow_run', { headRepository: 'mallory/gates' }, true],
    ['workflow_run', { headRepository: OWN }, false],
    ['workflow_run', {}, true],
  ] as const)('on %s with %j: the commit of the base, and it writes to no cache', (name, more, isFork) => {
    expect(trustOf(facts({ name, ref: 'refs/heads/main', ...more }))).toMatchObject({
      row: 'base',
      contractFrom: { commit: SHA },
      writesCache: false,
      isFork,
      notice: undefined,
    });
  });

  it('on an event that nobody knows: the contracts of the default branch and no cache, and it says so', () => {
    const unknown = {
      row: 'base',
      writesCache: false,
      notice: expect.stringContaining('quux'),
    };
    expect(trustOf(facts({ name: 'quux', ref: 'refs/heads/main' }))).toMatchObject({
      ...unknown,
      contractFrom: { commit: SHA },
    });
    // A deployment of a commit that a fork made, for one.
    expect(trustOf(facts({ name: 'quux', ref: 'refs/heads/topic' }))).toMatchObject({
      ...unknown,
      contractFrom: { commit: 'refs/heads/main' },
    });
  });

  it('on an unknown event of a pull request: as from a fork, whoever opened it', () => {
    const trust = trustOf(facts({ name: 'quux', ref: PR_REF, pullRequest: pullRequest(OWN) }));
    expect(trust).toMatchObject({ row: 'fork', contractFrom: { commit: BASE }, isFork: true });
    expect(trust.notice).toContain('quux');
  });

  it.each([
    ['pull_request', { ref: PR_REF }],
    ['pull_request', { ref: PR_REF, pullRequest: { ...pullRequest(OWN), baseSha: undefined } }],
    ['quux', { ref: PR_REF }],
    ['quux', { ref: 'refs/heads/topic', defaultBranch: undefined }],
  ])('is not guessed: %s with %j', (name, more) => {
    expect(() => trustOf(facts({ name, ...more }))).toThrow(
      expect.objectContaining({ code: 'EVENT_INVALID', fault: 'platform' }),
    );
  });

  it('is never the commit under test of another repository, and never a cache of the base, whatever the event', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'push',
        'pull_request',
        'pull_request_target',
        'workflow_run',
        'issue_comment',
        'deployment_status',
      ),
      fc.stringMatching(/^[a-z_]{1,20}$/),
    );
    const head = fc.constantFrom('mallory/gates', undefined, '', 'octo/gates/x');
    const ref = fc.constantFrom(PR_REF, 'refs/heads/main', 'refs/heads/topic', 'refs/pull/7/head');
    fc.assert(
      fc.property(name, head, ref, (name, head, ref) => {
        const ofPullRequest = ref.startsWith('refs/pull/');
        // What GitHub runs with these rights never has a ref of a pull request.
        fc.pre(!ofPullRequest || !['push', 'pull_request_target', 'workflow_run', 'issue_comment'].includes(name));
        const known = trustOf(facts({ name, ref, pullRequest: pullRequest(head) }));
        if (!ofPullRequest && known.row === 'branch') return;
        if (ofPullRequest) expect(known.contractFrom.commit).toBe(BASE);
        expect(known.isFork).toBe(true);
        if (known.row === 'base') expect(known.writesCache).toBe(false);
      }),
    );
  });
});
