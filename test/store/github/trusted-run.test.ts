import { describe, expect, it } from 'vitest';
import { distrustReason, type ReuseScope } from '../../../src/store/github/trusted-run.ts';

const ours = { full_name: 'octo/gates' };
const onPush: ReuseScope = {
  repository: 'Octo/Gates',
  workflow: '.github/workflows/ci.yml',
  branches: ['fix', 'main'],
};
const onPullRequest: ReuseScope = { ...onPush, branches: ['main'], pullRequest: 7 };
const push = {
  repository: ours,
  head_repository: ours,
  path: '.github/workflows/ci.yml@refs/heads/main',
  event: 'push',
  head_branch: 'main',
  pull_requests: [],
};
const pullRequest = { ...push, event: 'pull_request', head_branch: 'fix', pull_requests: [{ number: 7 }] };
const fork = { ...push, head_repository: { full_name: 'mallory/gates' } };

describe('artifacts of another run are used', () => {
  it.each([
    ['of the default branch', push, onPush],
    ['of the own branch', { ...push, head_branch: 'fix' }, onPush],
    ['of a schedule, whose path has no ref', { ...push, event: 'schedule', path: '.github/workflows/ci.yml' }, onPush],
    ['of a dispatch', { ...push, event: 'workflow_dispatch' }, onPush],
    ['of the same pull request', pullRequest, onPullRequest],
    ['of the base of a pull request', push, onPullRequest],
  ])('%s', (_, run, scope) => {
    expect(distrustReason(run, scope)).toBeUndefined();
  });
});

describe('artifacts of another run are not used', () => {
  it.each([
    ['of a fork, whose branch is called main', fork, 'its commit is of mallory/gates'],
    ['of a fork that is deleted', { ...push, head_repository: null }, 'its commit is of a deleted fork'],
    [
      'of another repository',
      { ...push, repository: { full_name: 'octo/other' } },
      'it is of the repository octo/other',
    ],
    [
      'of another workflow',
      { ...push, path: '.github/workflows/x.yml@main' },
      'it is of the workflow .github/workflows/x.yml',
    ],
    [
      'of a workflow with our name in a folder',
      { ...push, path: 'a/.github/workflows/ci.yml' },
      'it is of the workflow a/',
    ],
    [
      'of an event that anybody can cause',
      { ...push, event: 'pull_request_target' },
      'its event is pull_request_target',
    ],
    ['of a comment', { ...push, event: 'issue_comment' }, 'its event is issue_comment'],
    ['of an event that is new', { ...push, event: 'moon_phase' }, 'its event is moon_phase'],
    ['of another branch', { ...push, head_branch: 'other' }, 'its branch is other'],
    ['of no branch', { ...push, head_branch: null }, 'its branch is unknown'],
    [
      'of a merge queue',
      { ...push, event: 'merge_group', head_branch: 'gh-readonly-queue/main/pr-7' },
      'its branch is gh-readonly',
    ],
    ['of another pull request', { ...pullRequest, pull_requests: [{ number: 8 }] }, 'it is of another pull request'],
    [
      'of a pull request from the branch main',
      { ...pullRequest, head_branch: 'main', pull_requests: [] },
      'another pull request',
    ],
    ['that GitHub describes in another way', { ...push, path: 3 }, 'not understood'],
    ['that is an error page', '<html>', 'not understood'],
  ])('%s', (_, run, reason) => {
    expect(distrustReason(run, onPullRequest)).toContain(reason);
  });

  it('of a pull request, on a branch or in a pull request of a fork', () => {
    expect(distrustReason(pullRequest, onPush)).toBe('it is of another pull request');
  });
});
