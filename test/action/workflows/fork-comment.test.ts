import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EndedRecord } from '../../../src/run/records/record.ts';
import { CONTROLS, HOSTILE } from '../../report/hostile.ts';
import type { StoredArtifact } from '../../support/github/model.ts';
import { headOf } from '../../support/runner/repository.ts';
import type { RunReport } from '../../support/runner/workflow-run.ts';
import { ActionWorld, messagesOf, redJobs } from './action-world.ts';
import { lastAnswer, packaged, runFor, writeComment } from './comment-world.ts';
import { pullRequest } from './pull-request.ts';
import { agent, gateJob, reportJob, workflowOf } from './workflow-text.ts';

// The packaged workflow fork-comment.yml after a run for a fork, whose token can only read.

const GATES = '.github/workflows/gates.yml';
const DEFINITION = {
  pipeline: 'gates',
  gates: { review: { run: agent({ score: 90 }), inputs: [], output: { score: '/score' } } },
};
const READ = { contents: 'read', actions: 'read', checks: 'read' };

let world: ActionWorld;
beforeAll(async () => {
  world = await ActionWorld.create({
    'gateline.yml': JSON.stringify(DEFINITION),
    [GATES]: workflowOf(
      {
        review: gateJob({ file: 'gateline.yml' }),
        report: reportJob('review'),
      },
      { permissions: READ },
    ),
    '.github/workflows/fork-comment.yml': packaged('fork-comment.yml', 'workflow_run', {
      ...READ,
      'pull-requests': 'write',
    }),
    '.github/workflows/comment.yml': packaged('comment.yml', 'issue_comment'),
  });
  world.service.world.collaborators.set('maria', 'write');
  const run = await world.run({ workflow: GATES, ...(await pullRequest(world, 'eve/gates')) });
  const report = await run.start().ended;
  expect(redJobs(report)).toEqual([]);
  expect(world.service.world.comments).toEqual([]);
});
afterAll(() => world[Symbol.asyncDispose]());

/** What the end of the fork's run starts. */
async function afterTheRun(): Promise<RunReport> {
  const run = await world.run({
    workflow: '.github/workflows/fork-comment.yml',
    branch: 'main',
    commit: await headOf(world.repository.root),
    inputs: { workflow: 'gates.yml', file: '' },
    about: { event: 'workflow_run', headBranch: 'main' },
    payload: {
      action: 'completed',
      repository: { full_name: 'octo/gates', default_branch: 'main' },
      workflow_run: { id: 502, event: 'pull_request', head_repository: { full_name: 'eve/gates' }, pull_requests: [] },
    },
  });
  return run.start().ended;
}

it('says what it could not do where the caller grants less', async () => {
  const path = '.github/workflows/fork-comment.yml';
  const before = await world.repository.read(path);
  await world.repository.write(
    path,
    packaged('fork-comment.yml', 'workflow_run', { ...READ, 'pull-requests': 'read' }),
  );
  await world.repository.commitAll('a caller who may only read');
  const report = await afterTheRun();
  const told = (['error', 'warning', 'notice'] as const).flatMap((level) => messagesOf(report.job('comment'), level));
  expect(told.join()).toContain('Give the job `pull-requests: write` under `permissions:`');
  expect(world.service.world.comments).toEqual([]);
  await world.repository.write(path, before);
  await world.repository.commitAll('as before');
});

type Document = { format: string; record: EndedRecord; contents: Record<string, string> };

/** Puts another document in the place of the end of `review`, as a fork's job may; undone afterwards. */
async function withForged(change: (document: Document) => unknown, work: () => Promise<void>): Promise<void> {
  const { artifacts, blobs } = world.service.world;
  const index = artifacts.findIndex(({ name }) => /\.review\..*\.ended\..*\.json$/.test(name));
  const old = artifacts[index]!;
  const content = blobs.blobs.get(old.blob)!.content;
  const document = JSON.parse(content.toString()) as Document;
  const made = change(document);
  const text = typeof made === 'string' ? made : JSON.stringify(made ?? document);
  const { status } = document.record.verdict;
  const forged: StoredArtifact = {
    ...old,
    name: old.name.replace(/\.ended\.[a-z-]+\./, `.ended.${status}.`),
    blob: `${old.blob}-forged`,
  };
  const bytes = Buffer.from(text);
  blobs.put(forged.blob, bytes, old.mimeType, world.service.world.now());
  artifacts[index] = {
    ...forged,
    size: bytes.length,
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  };
  try {
    await work();
  } finally {
    artifacts[index] = old;
    world.service.world.comments.splice(0);
  }
}

function failed(record: EndedRecord, message: string): void {
  const issue = { severity: 'error', message };
  Object.assign(record, { verdict: { ...record.verdict, status: 'failed', kind: 'schema', issues: [issue] } });
}

const TEXTS = [
  ...HOSTILE,
  '${{ github.token }} payload',
  '$(touch payload) `touch payload`; payload',
  '<details open><summary>payload</summary>',
  '<a href="javascript:payload">x</a>',
  '[x]: https://evil.example/payload',
  '&lt;img src=x&gt; payload &#64;octocat',
  '/gateline approve review payload',
  `payload ${'x'.repeat(200_000)}`,
];

const FORGERIES: [string, (document: Document) => unknown][] = [
  ...TEXTS.map((text, index): [string, (document: Document) => unknown] => [
    `${text.length < 4_096 && text.isWellFormed() ? 'shown text' : 'text'} ${index + 1}`,
    ({ record }) => failed(record, text),
  ]),
  ['an output that its contract refuses', ({ record }) => void Object.assign(record.verdict, { score: 100 })],
  ['another subject', ({ record }) => void Object.assign(record, { subject: 'main' })],
  ['another run', ({ record }) => void Object.assign(record, { runNumber: 9 })],
  ['another gate', ({ record }) => void Object.assign(record, { gate: 'evil' })],
  ['a pipeline that is none', ({ record }) => void Object.assign(record, { pipeline: '__proto__' })],
  ['another digest', ({ record }) => void Object.assign(record.value!, { digest: `sha256:${'0'.repeat(64)}` })],
  ['another fingerprint', ({ record }) => void Object.assign(record, { fingerprint: `sha256:${'0'.repeat(64)}` })],
  ['a newer format', (document) => ({ ...document, format: 'gateline-artifact/9' })],
  ['no object', () => 'null'],
  ['no JSON', () => '{"record": '],
  ['a key of every object', () => '{"__proto__": {"record": 1}, "constructor": 1}'],
  ['depth', () => '['.repeat(50_000)],
];

/** Nothing of a comment does anything, or looks like ours. */
function expectDead(body: string): void {
  expect(body).not.toMatch(CONTROLS);
  expect(body).not.toMatch(/<(?:img|script|a|details|!--)\b|!\[|\]\((?!https:\/\/github\.com\/octo\/gates\/)/);
  expect(body).not.toMatch(/@octocat|closes #1|^\[x\]:|^\/gateline/m);
  expect(body.length).toBeLessThan(65_000);
}

describe('/gateline status for a fork', () => {
  it.each(FORGERIES.filter((_, index) => index % 9 === 4))(
    'answers with a forged record as text: %s',
    async (_name, change) => {
      await withForged(change, async () => {
        for (const what of ['status', 'plan']) {
          const report = await runFor(world, writeComment(world, `/gateline ${what}`), { workflow: 'gates.yml' });
          expect(redJobs(report)).toEqual([]);
          expect(lastAnswer(world)).toMatch(/^\[run 1\]\(/);
          expectDead(lastAnswer(world));
        }
      });
    },
  );
});

describe('after a run for a fork', () => {
  it('its pull request has one comment, with what GitHub says of the run', async () => {
    expect(redJobs(await afterTheRun())).toEqual([]);
    const [comment, ...more] = world.service.world.comments;
    expect(more).toEqual([]);
    expect(comment).toMatchObject({ issue: 7 });
    expect(comment!.body).toMatch(/✅.*`gates` for `pr-7`/);
    expect(comment!.body).toContain('From a run for a fork, which ended as `success`');
    const before = comment!.body;
    expect(redJobs(await afterTheRun())).toEqual([]);
    expect(world.service.world.comments.map(({ body }) => body)).toEqual([before]);
    world.service.world.comments.splice(0);
  });

  it.each(FORGERIES.filter((_, index) => index % 6 === 3))(
    'a forged record is text, and passes nothing: %s',
    async (name, change) => {
      await withForged(change, async () => {
        const starts = await world.startedGates();
        const report = await afterTheRun();
        const [comment] = world.service.world.comments;
        const body = comment?.body.split('\n').slice(1).join('\n') ?? '';
        if (name.startsWith('shown text')) expect(body).toContain('payload');
        expectDead(body);
        expect(await world.startedGates()).toEqual(starts.slice(0, 0));
        expect([...report.jobs.keys()]).toEqual(['comment']);
      });
    },
  );

  it('a record that says that it passed shows no gate as passed whose output does not', async () => {
    await world.repository.edit('gateline.yml', '"score":"/score"', '"score":"/score","threshold":95');
    await world.repository.commitAll('stricter');
    expect(redJobs(await afterTheRun())).toEqual([]);
    expect(world.service.world.comments[0]!.body).toMatch(/^\| `review` \| ❌.failed/mu);
    world.service.world.comments.splice(0);
  });

  it('a run that failed is not shown as passed, whatever its records say', async () => {
    const run = world.service.world.runs.get(502)!;
    run.conclusion = 'failure';
    await afterTheRun();
    expect(world.service.world.comments[0]!.body).toMatch(/ended as `failure`/);
    expect(world.service.world.comments[0]!.body).not.toMatch(/^### ✅/m);
    world.service.world.comments.splice(0);
    run.conclusion = 'success';
  });

  it('a pull request with a newer commit gets no comment', async () => {
    const pull = world.service.world.pulls[0]!;
    Object.assign(pull, { head: { ...pull.head, sha: '9'.repeat(40) } });
    const report = await afterTheRun();
    expect(messagesOf(report.job('comment'), 'notice')).toContain(
      'There is no comment: pull request 7 has a newer commit.',
    );
    expect(world.service.world.comments).toEqual([]);
  });
});
