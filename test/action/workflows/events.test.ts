import { describe, expect, it } from 'vitest';
import { headOf } from '../../support/runner/repository.ts';
import { ActionWorld, messagesOf, outputsOf, redJobs, type WorldRunOptions } from './action-world.ts';
import { agent, agentStep, CHECKOUT, gateAround, gateJob, gateStep, job, reportJob } from './workflow-text.ts';

const REPOSITORY_NAME = 'octo/gates';
const PULL = 7;
/** What the agent makes lacks a plan, which the schema of the base asks for. */
const STRICT = '{"type":"object","required":["plan"]}';
const LAX = '{"type":"object"}';
const JOBS = {
  one: gateJob({ run: agent({ score: 1 }), schema: 'schema.json' }),
  report: reportJob('one', { comment: 'always' }),
};
const FILES = { 'schema.json': STRICT };

/** A run for a pull request from `repository` with what is committed now, into `base`. */
async function pullRequest(
  world: ActionWorld,
  base: string,
  repository: string,
  event = 'pull_request',
): Promise<WorldRunOptions> {
  const head = await headOf(world.repository.root);
  const side = (sha: string, ref: string, name: string): object => ({ sha, ref, repo: { full_name: name } });
  return {
    about: { event, headBranch: 'feature', headSha: head, headRepository: repository, pullRequests: [PULL] },
    payload: {
      repository: { full_name: REPOSITORY_NAME, default_branch: 'main' },
      pull_request: {
        number: PULL,
        head: side(head, 'feature', repository),
        base: side(base, 'main', REPOSITORY_NAME),
      },
    },
  };
}

/** A world whose pull request makes the schema ask for nothing; `base` is the commit before that. */
async function withLaxSchema(
  jobs: Parameters<typeof ActionWorld.ofJobs>[0] = JOBS,
): Promise<{ world: ActionWorld; base: string }> {
  const world = await ActionWorld.ofJobs(jobs, FILES);
  const base = await headOf(world.repository.root);
  await world.repository.write('schema.json', LAX);
  await world.repository.commitAll('ask for less');
  return { world, base };
}

describe('a pull request of the repository itself', () => {
  it('is judged by its own contract, reuses what the base has in its cache, and keeps its own in its scope', async () => {
    const run = agent({ score: 1 });
    const { world, base } = await withLaxSchema({ ...JOBS, kept: gateJob({ run, subject: 'always the same' }) });
    await using _ = world;
    const onMain = await world.run({ commit: base });
    await onMain.start().ended;
    expect(await world.startedGates()).toEqual(['kept', 'one']);
    expect(world.service.world.caches.map(({ scope }) => scope)).toEqual(['refs/heads/main']);

    const report = await (await world.run(await pullRequest(world, base, REPOSITORY_NAME))).start().ended;
    expect(redJobs(report)).toEqual([]);
    expect(outputsOf(report.job('kept'))).toMatchObject({ decision: 'reuse', 'reused-from': '1.1.1' });
    expect(await world.startedGates()).toEqual(['one']);
    const scopes = world.service.world.caches.map(({ scope }) => scope);
    expect(new Set(scopes)).toEqual(new Set(['refs/heads/main', `refs/pull/${PULL}/merge`]));
    expect(world.records().some(({ subject }) => subject === `pr-${PULL}`)).toBe(true);
    expect(world.service.world.comments).toMatchObject([{ issue: PULL, body: expect.stringContaining('one') }]);
  });
});

describe('the payload of the event', () => {
  it('is read once, before the agent: what the agent makes of it does not change what the gate waits for', async () => {
    const text = (approval: string): string =>
      `pipeline: gates\ngates:\n  one:\n    inputs: []\n    timeout-minutes: 5${approval}\n`;
    const forge = `sed -i "s/\\"sha\\":\\"$BASE\\"/\\"sha\\":\\"$HEAD\\"/g" "$GITHUB_EVENT_PATH"`;
    const one = job([CHECKOUT, ...gateAround(agentStep({ score: 1 }, forge), { file: 'gateline.yml' })]);
    const world = await ActionWorld.ofJobs({ one }, { 'gateline.yml': text('\n    approval: required') });
    await using _ = world;
    const base = await headOf(world.repository.root);
    await world.repository.write('gateline.yml', text(''));
    await world.repository.commitAll('wait for nobody');
    const head = await headOf(world.repository.root);
    const run = await world.run({
      ...(await pullRequest(world, base, 'mallory/gates')),
      machine: { BASE: base, HEAD: head },
    });
    const report = await run.start().ended;
    expect(report.job('one').conclusion).toBe('failure');
    expect(messagesOf(report.job('one'), 'error')).toEqual([expect.stringMatching(/^Waiting for approval/)]);
  });
});

describe('a pull request from a fork', () => {
  const READ_ONLY = { actions: 'read', contents: 'read', issues: 'read', 'pull-requests': 'read' };

  it('is judged by the contract of the base, whatever it makes of the schema', async () => {
    const { world, base } = await withLaxSchema();
    await using _ = world;
    const report = await (await world.run(await pullRequest(world, base, 'mallory/gates'))).start().ended;
    expect(report.job('one').conclusion).toBe('failure');
    expect(world.endings()).toEqual(['one 1.1.1 ran schema']);
  });

  it('goes without secrets, comments nowhere with its read-only token, and says so', async () => {
    const jobs = {
      secret: {
        ...job([
          CHECKOUT,
          { ...gateStep({ run: agent({}), secrets: 'API_KEY' }), env: { API_KEY: '${{ secrets.API_KEY }}' } },
        ]),
        permissions: READ_ONLY,
      },
      free: { ...gateJob({ run: agent({ score: 1 }) }), permissions: READ_ONLY },
      report: { ...reportJob(['secret', 'free'], { comment: 'always' }), permissions: READ_ONLY },
    };
    const { world, base } = await withLaxSchema(jobs);
    await using _ = world;
    const report = await (await world.run(await pullRequest(world, base, 'mallory/gates'))).start().ended;
    expect(world.endings()).toEqual(['free 1.1.1 ran passed', 'secret 1.1.1 ran no-secret']);
    expect(await world.startedGates()).toEqual(['free']);
    expect(report.job('free').conclusion).toBe('success');
    expect(report.job('report').summary).toContain('**1 of 2 gates done**');
    expect(world.service.world.comments).toEqual([]);
    expect(messagesOf(report.job('report'), 'notice')).toEqual([
      expect.stringMatching(
        /^The comment on the pull request could not be written: .*Runs of pull requests from forks can only read\.$/,
      ),
    ]);
  });
});

describe('pull_request_target', () => {
  it('is judged by the contract of the base though the head is checked out, and writes no cache', async () => {
    const head = { uses: 'actions/checkout@v7', with: { ref: '${{ github.event.pull_request.head.sha }}' } };
    const look = `test "$(cat schema.json)" = '${LAX}'`;
    const { world, base } = await withLaxSchema({
      one: job([head, gateStep({ run: agent({ score: 1 }, look), schema: 'schema.json' })]),
      two: gateJob({ run: agent({}) }),
    });
    await using _ = world;
    const { about, ...options } = await pullRequest(world, base, 'mallory/gates', 'pull_request_target');
    const report = await (await world.run({ ...options, about: { ...about, headSha: base } })).start().ended;
    expect(world.endings()).toEqual(['one 1.1.1 ran schema', 'two 1.1.1 ran passed']);
    expect(report.job('two').conclusion).toBe('success');
    expect(world.service.world.caches).toEqual([]);
    expect(messagesOf(report.job('two'), 'notice')).toEqual([
      'The checkpoint was not saved to the cache: this run may only read the cache.',
    ]);
  });
});
