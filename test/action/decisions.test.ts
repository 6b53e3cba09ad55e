import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseCommentCommand, readCommentDecisions } from '../../src/action/comment-decisions.ts';
import { readDispatchDecisions } from '../../src/action/dispatch-decisions.ts';
import { parseRework, readRework } from '../../src/action/rework.ts';
import { createOctokit, Github as GithubClient } from '../../src/github/octokit.ts';
import { startGithub, type Github } from '../support/github/github.ts';
import { ACTIONS_BOT, type Comment, type Repository, type WorkflowRun } from '../support/github/model.ts';
import { addComment } from '../support/github/rest-issues.ts';
import { createDocument, createJob, digestWith, parse } from './support.ts';

const [D1, D2] = ['1'.repeat(32), '2'.repeat(32)];

describe('a command in a comment', () => {
  const approve = { command: 'approve', unit: 'design', digest: D1, reason: '' };
  it.each<readonly [string, object]>([
    [`/gateline approve design ${D1}`, approve],
    [`/gateline approve design ${D1}  `, approve],
    [
      `/gateline reject design/a-b ${D1} größer – „nein“`,
      { command: 'reject', unit: 'design/a-b', reason: 'größer – „nein“' },
    ],
    [`/gateline approve design ${D1}\r\nlooks good\nto me`, { ...approve, reason: 'looks good to me' }],
    ['/gateline retry', { command: 'retry' }],
    ['/gateline status\nplease', { command: 'status' }],
    ...['/gateline', '/gateline aprove design', `/gateline approve design ${D1.slice(1)}`, '/gateline retry now'].map(
      (body) => [body, { problem: expect.stringContaining('as the report prints it') as string }] as const,
    ),
    [`/gateline approve design ${D1.replace('1', 'A')}`, { problem: expect.anything() as string }],
    [`/gateline approve design ${D1} a\u0007b`, { problem: expect.anything() as string }],
    [`/gateline approve design ${D1}${'\n'.repeat(20)}`, { problem: expect.stringContaining('20 lines') as string }],
  ])('is read: %j', (body, command) => {
    expect(parseCommentCommand(body)).toMatchObject(command);
  });

  it('is its first line, unquoted', () => {
    const line = `/gateline approve design ${D1}`;
    for (const body of [
      `> ${line}`,
      ` ${line}`,
      `\n${line}`,
      `\`\`\`\n${line}\n\`\`\``,
      `Yes!\n${line}`,
      '',
      '/gatelines',
    ])
      expect([body, parseCommentCommand(body)]).toEqual([body, undefined]);
  });
});

let github: Github;
let repository: Repository;
beforeAll(async () => {
  github = await startGithub();
  process.env['GITHUB_API_URL'] = github.origin;
  process.env['GITHUB_GRAPHQL_URL'] = `${github.origin}/graphql`;
  repository = github.addRepository('octo/gates', [
    { login: 'maintainer', permission: 'maintain' },
    { login: 'triager', permission: 'triage' },
    { login: 'app[bot]', type: 'Bot', permission: 'write' },
  ]);
});
afterAll(() => github[Symbol.asyncDispose]());
beforeEach(() => {
  for (const list of [repository.comments, repository.deletions, repository.runs]) list.splice(0);
  github.calls.splice(0);
});
const createClient = () => {
  const open = () => createOctokit(github.issueToken({ repository: 'octo/gates' }));
  return new GithubClient('octo/gates', open, () => {});
};

describe('decisions in comments', () => {
  function comment(
    text: string,
    { login = 'octocat', ...fields }: Partial<Comment> & { login?: string } = {},
  ): Comment {
    github.advance(2_000);
    const author = repository.users.get(login)!;
    return addComment(github, repository, { issue: 42, author, body: `/gateline ${text}`, ...fields });
  }
  const remove = (actor = ACTIONS_BOT) => {
    github.advance(2_000);
    repository.deletions.push({ issue: 42, author: repository.users.get('octocat')!, actor, createdAt: github.now() });
  };
  const read = async (unit = 'design') => {
    const decisions = await readCommentDecisions(createClient(), 42, unit);
    return decisions.map(({ decision, digest, actor, reason }) => [decision, digest, actor, reason]).toSorted();
  };

  it('are those of people who may write, the newest of each output', async () => {
    comment(`approve design ${D1}`, { login: 'maintainer' });
    comment(`reject design ${D2} too slow`);
    comment(`approve design ${D2} now it is`);
    comment(`approve other ${D1}`);
    comment(`approve design ${D1}`, { issue: 41 });
    expect(await read()).toEqual([
      ['approve', D1, 'maintainer', ''],
      ['approve', D2, 'octocat', 'now it is'],
    ]);
    // The list, facts and rights for each output, and what was deleted.
    expect(github.calls).toHaveLength(6);
    expect(await read('design/a')).toEqual([]);
    comment(`reject design ${D1}`);
    expect((await read()).map(([decision]) => decision)).toEqual(['approve', 'reject']);
  });

  it.each<[string, Partial<Comment> & { login?: string }, after?: string]>([
    ['somebody who may not write', { login: 'triager' }],
    ['no person', { login: 'app[bot]' }],
    ['an app in the name of a person', { app: 'helper' }],
    [
      'somebody else with a name that was free',
      { author: { login: 'octocat', id: 1, type: 'User', permission: 'write' } },
    ],
    // A rejection stands: whoever corrects or hides it has not approved.
    ['an editor, as REST says', { updatedAt: new Date('2030-01-01') }, 'reject'],
    ['an editor, as only GraphQL says', { lastEditedAt: new Date('2026-01-01') }, 'reject'],
    ['e-mail', { createdViaEmail: true }, 'reject'],
    ['a comment that was hidden', { isMinimized: true }, 'reject'],
  ])('are not made by %s', async (_, fields, after = 'approve') => {
    comment(`approve design ${D1}`, fields);
    expect(await read()).toEqual([]);
    comment(`approve design ${D2}`);
    comment(`reject design ${D2}`, fields);
    expect((await read()).map(([decision]) => decision)).toEqual([after]);
  });

  it('do not count after a deletion by an app, which may have deleted the rejection', async () => {
    comment(`approve design ${D1}`);
    remove(repository.users.get('maintainer'));
    expect(await read()).toHaveLength(1);
    remove();
    expect(await read()).toEqual([]);
    comment(`approve design ${D2}`);
    expect((await read()).map(([, digest]) => digest)).toEqual([D2]);
    comment(`reject design ${D1}`);
    remove();
    expect((await read()).map(([decision]) => decision)).toEqual(['reject']);
  });

  it('are unknown if a request fails', async () => {
    comment(`approve design ${D1}`);
    github.fail({ route: 'POST /graphql', fault: { kind: 'status', status: 502 } });
    await expect(read()).rejects.toThrow();
  });
});

const pipeline = parse(`
pipeline: chain
gates:
  design: {run: a}
  build: {run: a, needs: [design], strategy: {matrix: {os: [linux, mac]}}}
  other: {run: a}
`);

describe('decisions of who dispatches a run', () => {
  async function read(
    unit: string,
    dispatch: Readonly<Record<string, string>>,
    actor = repository.users.get('octocat')!,
    costSoFar: Parameters<typeof readDispatchDecisions>[1]['costSoFar'] = {},
  ) {
    const now = github.now();
    const state = { status: 'in_progress', conclusion: null, actor, startedAt: now, updatedAt: now, jobs: [] } as const;
    const run: WorkflowRun = {
      ...{ id: 500, number: 5, path: '.github/workflows/gates.yml', name: 'gates', displayTitle: '', actor },
      ...{ event: 'workflow_dispatch', headBranch: 'main', headSha: '1'.repeat(40), headRepository: repository.name },
      ...{ pullRequests: [], createdAt: now, attempts: [{ ...state, jobs: [] }] },
    };
    repository.runs.splice(0, 1, run);
    const job = createJob({ dispatch: { reason: 'why', ...dispatch } });
    const { entries, output } = await readDispatchDecisions(job, { pipeline, unit, costSoFar }, createClient());
    return [...entries.map(({ decision }) => decision), ...(output ? [`approve ${output.digest}`] : [])];
  }

  it.each<[string, Record<string, string>, string[]]>([
    ['design', { skip: 'design' }, ['skip']],
    ['design', { force: 'other' }, []],
    ['build/mac', { skip: 'build' }, ['skip']],
    ['build/mac', { force: 'build/mac' }, ['force']],
    ['build/mac', { force: 'build/linux' }, []],
    ['build/mac', { from: 'design' }, ['force']],
    ['build/mac', { from: 'build/linux' }, []],
    ['other', { from: 'design' }, []],
    ['design', { approve: `design ${D1}` }, [`approve ${D1}`]],
    ['build/mac', { approve: `build/linux ${D1}` }, []],
    ['other', { approve: `design ${D1}, other ${D2}` }, [`approve ${D2}`]],
    // Others may know such a gate.
    ['design', { skip: 'desing', force: 'desing', from: 'desing', approve: `desing ${D1}` }, []],
    ['design', {}, []],
  ])('%s with %j: %j', async (unit, dispatch, decisions) => {
    expect(await read(unit, dispatch)).toEqual(decisions);
  });

  it('from a gate that only its documents name', async () => {
    const costSoFar = { 'idea/a': { ms: 1 }, 'build/linux': { ms: 1 } };
    const readAfter = (from: string) => read('build/mac', { from }, undefined, costSoFar);
    expect(await Promise.all([readAfter('idea/a'), readAfter('idea')])).toEqual([['force'], ['force']]);
    expect(await Promise.all([readAfter('build/linux'), readAfter('other')])).toEqual([[], []]);
  });

  it.each([
    [{ approve: 'design' }, 'no gate and digest'],
    [{ approve: 'design 1234' }, 'no gate and digest'],
    [{ skip: 'design', reason: ' ' }, 'needs a reason'],
  ])('are refused: %j', async (dispatch, message) => {
    await expect(read('design', dispatch)).rejects.toThrow(message);
  });

  it('are a person’s: a token of a workflow may start runs, and decide nothing', async () => {
    await expect(read('design', { skip: 'design' }, ACTIONS_BOT)).rejects.toThrow('github-actions[bot] is no person');
    expect(await read('design', { rework: '{}' }, ACTIONS_BOT)).toEqual([]);
  });
});

describe('work that a report sends back', () => {
  const attempt = `7@${digestWith('a')}`;
  const rework = { gate: 'design', iteration: 2, runId: 499, causes: [{ unit: 'build', attempt }] };

  it('is parsed strictly', () => {
    expect(parseRework(JSON.stringify(rework))).toEqual({ ...rework, spentUsd: 0 });
    expect(parseRework(undefined)).toBeUndefined();
    for (const wrong of [
      '{',
      '[]',
      { ...rework, approve: 'x' },
      { ...rework, iteration: 1 },
      { ...rework, causes: [] },
    ])
      expect(() => parseRework(typeof wrong === 'string' ? wrong : JSON.stringify(wrong))).toThrow('`rework`');
  });

  it('names outputs, which are read as their digests say', async () => {
    const gateJob = { pipeline, assignment: { subject: 'main' }, job: { runNumber: 5 } } as Parameters<
      typeof readRework
    >[0];
    const now = new Date().toISOString();
    const read = readRework(gateJob, now, { ...rework, spentUsd: 0 }, async () =>
      createDocument({ unit: 'build', output: { ok: false } }),
    );
    expect(await read).toMatchObject({
      entry: { decision: 'rework', gate: 'design', iteration: 2, causes: [{ unit: 'build' }] },
      values: [{ ok: false }],
    });
    const none = () => Promise.resolve(createDocument({ unit: 'build', output: undefined }));
    await expect(readRework(gateJob, now, { ...rework, spentUsd: 0 }, none)).rejects.toThrow(
      'build, which has no output',
    );
  });
});
