import { describe, expect, it } from 'vitest';
import { readEvent, type WorkflowEvent } from '../../../src/action/event/event.ts';
import { inputsIn } from '../../support/runner/lent-process.ts';

const SHA = 'a'.repeat(40);

const ENVIRONMENT: Readonly<Record<string, string>> = {
  GITHUB_REPOSITORY: 'octo/gates',
  GITHUB_RUN_ID: '9007199254740993',
  GITHUB_RUN_NUMBER: '12',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_JOB: 'design',
  GITHUB_SHA: SHA,
  GITHUB_REF: 'refs/heads/feature/x',
  GITHUB_REF_NAME: 'feature/x',
  GITHUB_EVENT_NAME: 'push',
  GITHUB_ACTOR: 'dependabot[bot]',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_API_URL: 'https://api.github.com/',
  GITHUB_WORKFLOW_REF: 'octo/gates/.github/workflows/ci.yml@refs/heads/feature/x',
  GITHUB_WORKSPACE: '/home/runner/work/gates/gates',
  RUNNER_TEMP: '/home/runner/work/_temp',
};

const REPOSITORY = { full_name: 'octo/gates', default_branch: 'main' };

function eventOf(
  environment: Readonly<Record<string, string | undefined>> = {},
  payload: unknown = { repository: REPOSITORY },
  given: Readonly<Record<string, string>> = {},
): WorkflowEvent {
  const read = inputsIn(given);
  if (!read.ok) throw new Error('inputs');
  return readEvent({ ...ENVIRONMENT, ...environment }, payload, read.inputs);
}

const pullRequest = (headRepository: object | null) => ({
  repository: REPOSITORY,
  pull_request: {
    number: 7,
    head: { sha: 'c'.repeat(40), ref: 'x', repo: headRepository },
    base: { sha: 'b'.repeat(40), ref: 'main', repo: REPOSITORY },
  },
});

describe('the event of a step', () => {
  it('is what the variables and the payload say', () => {
    expect(eventOf()).toMatchObject({
      name: 'push',
      repository: 'octo/gates',
      runId: '9007199254740993',
      runNumber: 12,
      runAttempt: 2,
      job: 'design',
      matrix: undefined,
      ref: 'refs/heads/feature/x',
      actor: 'dependabot[bot]',
      apiUrl: 'https://api.github.com',
      startedFile: '.github/workflows/ci.yml',
      workflowFile: { path: '.github/workflows/ci.yml', repository: 'octo/gates', commit: undefined, from: 'run' },
      pullRequest: undefined,
      defaultBranch: 'main',
      subject: 'feature/x',
      notices: [],
    });
  });

  it('knows the file that defines the job, also that of a reusable workflow elsewhere', () => {
    const inputs = {
      'INPUT_WORKFLOW-FILE': '.github/workflows/gate.yml',
      'INPUT_WORKFLOW-REPOSITORY': 'kit/flows',
      'INPUT_WORKFLOW-SHA': 'd'.repeat(40),
      INPUT_MATRIX: '{"os": "linux"}',
    };
    expect(eventOf({}, { repository: REPOSITORY }, inputs)).toMatchObject({
      workflowFile: {
        path: '.github/workflows/gate.yml',
        repository: 'kit/flows',
        commit: 'd'.repeat(40),
        from: 'job',
      },
      startedFile: '.github/workflows/ci.yml',
      matrix: { os: 'linux' },
    });
  });

  it('is about a branch, which is never taken for a pull request', () => {
    const onRef = (kind: string, name: string): string =>
      eventOf({ GITHUB_REF: `refs/${kind}/${name}`, GITHUB_REF_NAME: name }, { repository: REPOSITORY }).subject;
    expect(onRef('heads', 'pr-7')).toBe('pr-7 (branch)');
    expect(onRef('tags', 'pr-7')).toBe('pr-7 (tag)');
    for (const name of ['main', 'pr-7a', 'pr-', 'a/pr-7', 'pr-7-branch']) expect(onRef('heads', name)).toBe(name);
  });

  it('is of the workflow that act names, where nothing else does, with a notice', () => {
    const under = (workflow: string) =>
      eventOf({ GITHUB_WORKFLOW_REF: '', GITHUB_WORKFLOW: workflow }, { repository: REPOSITORY });
    expect(under('gates.yml')).toMatchObject({
      startedFile: '.github/workflows/gates.yml',
      workflowFile: { path: '.github/workflows/gates.yml', repository: 'octo/gates', from: 'run' },
      notices: [
        expect.stringMatching(
          /^GITHUB_WORKFLOW_REF is not set.*assumes the workflow file \.github\/workflows\/gates\.yml\./,
        ),
      ],
    });
    expect(under('CI / all @ night').startedFile).toBe('.github/workflows/CI-all-night');
    expect(under('.github/workflows/a.yml').startedFile).toBe('.github/workflows/a.yml');
    expect(() => under(' ')).toThrow(/GITHUB_WORKFLOW_REF is not set/);
    expect(eventOf({ GITHUB_WORKFLOW: 'other' }, { repository: REPOSITORY })).toMatchObject({
      startedFile: '.github/workflows/ci.yml',
      notices: [],
    });
  });

  it('is about a pull request where there is one', () => {
    const variables = {
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_REF: 'refs/pull/7/merge',
      GITHUB_REF_NAME: '7/merge',
    };
    expect(eventOf(variables, pullRequest(REPOSITORY))).toMatchObject({
      subject: 'pr-7',
      trust: { row: 'pull-request' },
    });
    expect(eventOf(variables, pullRequest({ full_name: 'mallory/gates' }))).toMatchObject({
      trust: { row: 'fork', contractFrom: { commit: 'b'.repeat(40) } },
    });
    expect(eventOf(variables, pullRequest(null))).toMatchObject({ trust: { row: 'fork' } });
  });

  it('is about the pull request that a comment stands at, whose author nobody knows', () => {
    const payload = { repository: REPOSITORY, issue: { number: 9, pull_request: { url: 'x' } } };
    const variables = { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_REF: 'refs/heads/main', GITHUB_REF_NAME: 'main' };
    expect(eventOf(variables, payload)).toMatchObject({ subject: 'pr-9', trust: { row: 'base', isFork: true } });
    expect(eventOf(variables, { ...payload, issue: { number: 9 } })).toMatchObject({
      subject: 'main',
      trust: { isFork: false },
    });
  });

  it('is about the one pull request of the run that it waited for', () => {
    const variables = { GITHUB_EVENT_NAME: 'workflow_run', GITHUB_REF: 'refs/heads/main', GITHUB_REF_NAME: 'main' };
    const run = (pulls: readonly object[], head: string) => ({
      repository: REPOSITORY,
      workflow_run: { head_repository: { full_name: head }, pull_requests: pulls },
    });
    expect(eventOf(variables, run([{ number: 7 }], 'octo/gates'))).toMatchObject({
      subject: 'pr-7',
      trust: { isFork: false },
    });
    expect(eventOf(variables, run([{ number: 7 }, { number: 8 }], 'octo/gates')).subject).toBe('main');
    expect(eventOf(variables, run([], 'mallory/gates')).trust).toMatchObject({ row: 'base', isFork: true });
  });

  it('has a notice for an event that nobody knows', () => {
    expect(eventOf({ GITHUB_EVENT_NAME: 'quux' }).notices).toEqual([expect.stringContaining('quux')]);
  });

  it('is told by a schedule without a repository in its payload', () => {
    expect(eventOf({ GITHUB_EVENT_NAME: 'schedule' }, { schedule: '0 0 * * *' })).toMatchObject({
      defaultBranch: undefined,
      trust: { row: 'branch', writesCache: true },
    });
  });

  it.each(Object.keys(ENVIRONMENT).filter((name) => name !== 'GITHUB_REF_NAME'))('is none without %s', (name) => {
    const refused = expect.objectContaining({
      code: 'RUNNER_ENVIRONMENT',
      fault: 'platform',
      message: expect.stringMatching(new RegExp(`^${name} is not set \\(`)),
    });
    expect(() => eventOf({ [name]: undefined })).toThrow(refused);
    expect(() => eventOf({ [name]: '' })).toThrow(refused);
    const malformed = name.endsWith('_URL') ? 'github.com' : ' ';
    expect(() => eventOf({ [name]: malformed })).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`${name} is malformed`) }),
    );
  });

  it('names every variable that is wrong at once', () => {
    const wrong = { GITHUB_RUN_ID: 'x', GITHUB_SHA: 'main', GITHUB_RUN_ATTEMPT: '0', RUNNER_TEMP: 'temp' };
    expect(() => eventOf(wrong)).toThrow(
      'GITHUB_RUN_ID is malformed (a number); GITHUB_RUN_ATTEMPT is malformed (a number); ' +
        'GITHUB_SHA is malformed (the id of a commit); RUNNER_TEMP is malformed (an absolute path)',
    );
  });

  it.each([
    [null],
    ['x'],
    [{ pull_request: { number: -1 } }],
    [{ pull_request: { number: 7, base: { sha: 'main' } } }],
    [{ workflow_run: { pull_requests: {} } }],
  ])('is none with the payload %j', (payload) => {
    expect(() => eventOf({}, payload)).toThrow(expect.objectContaining({ code: 'EVENT_INVALID', fault: 'platform' }));
  });
});
