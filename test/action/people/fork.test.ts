import { describe, expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from '../stories/support.ts';
import { notify, peopleFiles } from './support.ts';

const world = useGithub();
const GATES = {
  design: { run: agent('{"idea": "$(cat idea.txt)"}'), inputs: ['idea.txt'] },
  publish: { needs: ['design'], run: agent('{"key": "$KEY"}'), inputs: [], secrets: ['KEY'] },
};
const EVIL = pipelineFiles({ design: { run: agent('{"idea": "evil"}') } })['gateline.yml']!;
const keys = { env: { KEY: '${{ secrets.KEY }}' } };
const create = (noSecret: string) =>
  world.create({
    files: {
      ...peopleFiles(GATES, { comment: true, with: { 'no-secret': noSecret }, jobs: { publish: keys } }),
      'idea.txt': 'ours',
    },
    secrets: { KEY: 'a-secret-value' },
  });

describe('a pull request from a fork', () => {
  it('is judged by the definition of its base, has no secrets, and leaves no pointer', async () => {
    const repository = await create('fail');
    const ours = await repository.push();
    expect([worked(ours), troubles(ours)], logsOf(ours)).toEqual([['design', 'publish'], []]);
    const { caches, comments } = repository.data;
    expect(caches).toHaveLength(2);
    const files = { 'gateline.yml': EVIL, 'idea.txt': 'theirs' };
    const run = await repository.pullRequest({ branch: 'main', fork: 'evil/gates', files });
    expect(worked(run)).toEqual(['design']);
    expect(troubles(run)).toEqual(['publish failure', 'report failure']);
    expect(run.job('publish').log).toContain('publish needs KEY, and a pull request from a fork has no secrets');
    const design = repository.data.artifacts.find(({ runId, name }) => runId === run.id && name.includes('.design.'));
    expect(design!.blob.content!.toString()).toContain('"output":{"idea":"theirs"}');
    expect([caches.length, comments]).toEqual([2, []]);
    expect(run.job('report').annotations.map(({ properties }) => properties['title'])).toContain('No comment');
  });

  it('may leave out gates without their secrets; the comment action writes its report', async () => {
    const repository = await create('skip');
    const { comments } = repository.data;
    const run = await repository.pullRequest({ branch: 'x', fork: 'evil/gates', files: { 'idea.txt': 'theirs' } });
    expect([worked(run), troubles(run)], logsOf(run)).toEqual([['design'], []]);
    expect(run.job('report').summary).toContain('a pull request from a fork has no KEY');
    await notify(repository, run, 'requested');
    expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining('### 🔄 running: `story`')]);
    const end = await notify(repository, run, 'completed');
    expect([comments.length, comments[0]!.body], logsOf(end)).toEqual([1, expect.stringContaining('2 of 2 gates')]);
    expect(comments[0]!.body).toContain('a pull request from a fork has no KEY');
  });
});

it('a pull request of Dependabot has no secrets either: the gate says so, and the comment action reports', async () => {
  const repository = await create('fail');
  const { comments } = repository.data;
  const run = await repository.pullRequest({ branch: 'bump', actor: 'dependabot[bot]', files: { 'idea.txt': 'b' } });
  expect([worked(run), troubles(run)]).toEqual([['design'], ['publish failure', 'report failure']]);
  expect(run.job('publish').log).toContain('publish needs KEY, and Dependabot has');
  expect(comments).toEqual([]);
  await notify(repository, run, 'completed');
  expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining('1 of 2 gates')]);
});

it('a run of the repository itself is shown while it works, and reports by itself', async () => {
  const repository = await create('fail');
  const { comments } = repository.data;
  const running = await repository.openPull({ branch: 'own', files: { 'idea.txt': 'c' } });
  const run = await (await repository.start('pull_request', { pull: running })).completed;
  expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining('2 of 2 gates')]);
  // News of the beginning may come late: the comment keeps the end.
  await notify(repository, run, 'requested');
  await notify(repository, run, 'completed');
  expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining('2 of 2 gates')]);
  expect((await notify(repository, { ...run, runAttempt: 2 }, 'requested')).conclusion).toBe('success');
  expect(comments[0]!.body).toContain('running');
});

it.each([
  ['without a gateline.yml', '', {}],
  [
    'beside the pipeline of a gateline.yml, by `file: none`',
    'none',
    { 'gateline.yml': EVIL.replace('story', 'other') },
  ],
])('a workflow whose steps describe their gates is shown %s', async (_, file, definition) => {
  const { 'gateline.yml': __, ...files } = peopleFiles({ design: { run: '' } });
  const gate = { run: agent('{"score": 90}'), score: '/score', inputs: 'idea.txt' };
  const path = '.github/workflows/story.yml';
  const workflow = files[path]!.replace('{"needs":"${{ toJSON(needs) }}"}', JSON.stringify(gate));
  const comment = '.github/workflows/comment.yml';
  const written = {
    [path]: workflow.replace('"comment":"false"', `"comment":"false","file":"${file}"`),
    [comment]: files[comment]!.replace('comment@v1"', `comment@v1","with":{"file":"${file}"}`),
  };
  const repository = await world.create({ files: { ...files, ...definition, ...written, 'idea.txt': 'ours' } });
  const run = await repository.pullRequest({ branch: 'x', fork: 'evil/gates', files: { 'idea.txt': 'theirs' } });
  expect([worked(run), troubles(run)], logsOf(run)).toEqual([['design'], []]);
  const { comments } = repository.data;
  const begin = await notify(repository, run, 'requested');
  expect([begin.conclusion, comments[0]?.body], logsOf(begin)).toEqual([
    'success',
    expect.stringContaining('### 🔄 running: `story`'),
  ]);
  const end = await notify(repository, run, 'completed');
  expect([comments.length, comments[0]!.body], logsOf(end)).toEqual([1, expect.stringContaining('1 of 1 gate done')]);
  expect(comments[0]!.body).toContain('`story` for `pr-1`');
});

it.each([
  ['pr-1', {}],
  ['page', { subject: 'page' }],
])(
  'one comment shows the beginning, a run without any result, and a green one, about %s',
  async (subject, pipeline) => {
    const gates = { design: { run: agent('{}'), inputs: [] } };
    const create = (input: string) => peopleFiles(gates, { comment: true, pipeline, with: { 'no-secret': input } });
    const repository = await world.create({ files: create('fail') });
    const { comments } = repository.data;
    const bodies = (text: string) => expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining(text)]);
    const bad = await repository.pullRequest({ branch: 'own', files: create('maybe') });
    expect(troubles(bad)).toEqual(['design failure', 'report failure']);
    bodies(`❌ not everything was checked: \`story\` for \`${subject}\``);
    await notify(repository, { ...bad, runAttempt: 2 }, 'requested');
    bodies('### 🔄 running: `story`');
    const good = await repository.pullRequest({ branch: 'own', files: create('fail') });
    expect(troubles(good), logsOf(good)).toEqual([]);
    bodies(`✅ passed: \`story\` for \`${subject}\``);
  },
);
