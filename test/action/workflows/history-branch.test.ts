import { expect, it } from 'vitest';
import { parseHistoryEntry } from '../../../src/history/entry.ts';
import { expectOk, gateline } from '../../cli/in-process.ts';
import { compiled } from '../../compile/compiled.ts';
import { startGitServer, type GitServer } from '../../support/github/git-server.ts';
import { ActionWorld, errorsOf, messagesOf, type WorldRunOptions } from './action-world.ts';
import { pullRequest } from './pull-request.ts';
import { gate, run, setOf, worldOf } from './set-world.ts';
import { ACTION, agent, CHECKOUT, gateJob, gateStep, job, reportJob, type Keys } from './workflow-text.ts';

interface Served extends AsyncDisposable {
  readonly world: ActionWorld;
  readonly server: GitServer;
}

/** Has the repository of a world behind a git server. */
async function serve(world: ActionWorld): Promise<Served> {
  const { tokens } = world.service.world;
  const server = await startGitServer(
    world.repository.root,
    (token = '') => tokens.get(token)?.permissions.contents ?? 'none',
  );
  world.service.world.serverUrl = server.origin;
  return {
    world,
    server,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

/** A gate that fails in its first attempt, and a report with these permissions. Its repository is behind a git server. */
async function served(permissions: Keys, inputs: Keys = {}): Promise<Served> {
  const fails = agent(1, 'test "$GITHUB_RUN_ATTEMPT" -gt 1 || exit 1');
  const report = reportJob(['make'], { 'history-branch': 'gateline-history', ...inputs });
  const world = await ActionWorld.ofJobs({ make: gateJob({ run: fails }), report: { ...report, permissions } });
  return serve(world);
}

const WRITES: Keys = { actions: 'read', contents: 'write' };

it('a report appends what its run came to, and after a re-run what that came to', async () => {
  await using place = await served(WRITES);
  const { world } = place;
  const started = await world.run();
  const first = await started.start().ended;
  expect(messagesOf(first.job('report'), 'notice').filter((one) => one.includes('pushed'))).toEqual([]);
  await started.rerunFailed().ended;
  const { repository } = world;
  const days = (await repository.git('ls-tree', '--name-only', 'gateline-history')).trim().split('\n');
  expect(days).toEqual([expect.stringMatching(/^\d{4}-\d{2}-\d{2}\.jsonl$/)]);
  const text = await repository.git('show', `gateline-history:${days[0]}`);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const runs = lines.filter(({ status }) => status !== undefined);
  expect(runs.map(({ attempt, status, runId, event }) => [attempt, status, runId, event])).toEqual([
    [1, 'error', '502', 'push'],
    [2, 'completed', '502', 'push'],
  ]);
  expect(runs.map((run) => parseHistoryEntry(run).state)).toEqual(['present', 'present']);
  // Gateline's own query finds the newest one, with its gates.
  const { out } = await expectOk(
    gateline(repository.root, ['history', '--from', 'branch', '--gate', 'make', '--json']),
  );
  expect(JSON.parse(out)).toMatchObject({ entries: [{ gate: 'make', status: 'passed', runId: '502' }], unreadable: 0 });
});

it('a report that may not write says what it needs, and is what it would be otherwise', async () => {
  await using place = await served({ actions: 'read', contents: 'read' });
  const { world } = place;
  const started = await world.run();
  await started.start().ended;
  const second = await started.rerunFailed().ended;
  expect(second.job('report').conclusion).toBe('success');
  expect(messagesOf(second.job('report'), 'notice')).toContainEqual(
    expect.stringMatching(/was not pushed to the branch gateline-history: .* needs `permissions: contents: write`/),
  );
  expect(await world.repository.git('branch', '--list', 'gateline-history')).toBe('');
});

it('nothing is pushed for a fork, nor without the input', async () => {
  await using place = await served(WRITES);
  const { world, server } = place;
  const ended = async (options: WorldRunOptions = {}): Promise<void> => {
    const report = (await (await world.run(options)).start().ended).job('report');
    expect(messagesOf(report, 'notice').filter((one) => one.includes('pushed'))).toEqual([]);
  };
  await ended(await pullRequest(world, 'somebody/gates'));
  expect(server.requests).toEqual([]);
  await using other = await served(WRITES, { 'history-branch': '' });
  await (await other.world.run()).start().ended;
  expect(other.server.requests).toEqual([]);
});

it('a compiled report keeps the run on the branch and as a page, and the badge of the default branch', async () => {
  const workflow = '.github/workflows/pipeline.yml';
  const definition = JSON.stringify({
    workflow: { 'history-branch': 'gateline-history', 'html-report': true },
    gates: { make: { run: agent(1, 'test ! -e broken'), inputs: ['*.json'] } },
  });
  await using place = await serve(
    await ActionWorld.create({ 'gateline.yml': definition, 'a.json': '1', [workflow]: compiled(definition).text }),
  );
  const { world } = place;
  const { repository } = world;
  const badge = async (): Promise<unknown> =>
    JSON.parse(await repository.git('show', 'gateline-history:badge-pipeline.json'));
  const payload = { repository: { full_name: 'octo/gates', default_branch: 'main' } };
  const first = await (await world.run({ workflow, payload })).start().ended;
  expect(first.job('report').conclusion).toBe('success');
  expect(await badge()).toEqual({ schemaVersion: 1, label: 'pipeline', message: 'passed', color: 'brightgreen' });
  expect(world.service.world.artifacts.map(({ name }) => name)).toContain('gateline-pipeline-1.html');

  await repository.write('broken', 'x');
  await repository.write('a.json', '2');
  await repository.commitAll('broken');
  const pull = await (await world.run({ workflow, ...(await pullRequest(world)) })).start().ended;
  expect(pull.job('report').conclusion).toBe('failure');
  expect(await badge()).toMatchObject({ message: 'passed' });
  await (await world.run({ workflow, payload })).start().ended;
  expect(await badge()).toMatchObject({ message: 'failed' });
  const entries = await repository.git('log', '--format=%s', 'gateline-history');
  expect(entries.trim().split('\n')).toEqual(['Add 1 run', 'Add 1 run', 'Add 1 run']);
});

it('the report about a set appends one line for each subject', async () => {
  const permissions: Keys = { contents: 'write', actions: 'read', checks: 'read', 'pull-requests': 'read' };
  const gates = { make: gate('make'), check: { ...gate('check'), needs: 'make' } };
  await using place = await serve(
    await worldOf(setOf({ id: 'base' }, { id: 'top', set: 'second' }), gates, permissions),
  );
  const { world } = place;
  const inputs = { set: 'subjects.json', 'history-branch': 'kept/history' };
  await (await world.run({ ...run, inputs })).start().ended;
  const { out } = await expectOk(
    gateline(world.repository.root, ['history', '--from', 'branch:kept/history', '--json']),
  );
  const { entries } = JSON.parse(out) as { entries: { subject: string; status: string; set?: string }[] };
  expect(entries.map(({ subject, status, set = '' }) => `${subject} ${status} ${set}`.trim()).toSorted()).toEqual([
    'base completed',
    'top completed second',
  ]);
  expect((await world.repository.git('rev-list', '--count', 'kept/history')).trim()).toBe('1');
});

/** A plan that reads the branch, the gate after it, and a report that writes to the branch. */
function budgetWorld(budget: object, also = ''): Promise<ActionWorld> {
  const spends = `${agent(1)}\nprintf '{"costUsd": 0.4}' > "$GATELINE_METRICS"\n${also}`;
  const gates = { make: { run: spends, inputs: [], reuse: 'never' } };
  const definition = { pipeline: 'p', defaults: { run: { shell: 'sh' } }, budget, gates };
  const plan = { uses: ACTION, with: { command: 'plan', 'history-branch': 'gateline-history' } };
  const jobs = {
    plan: { ...job([CHECKOUT, plan]), permissions: { actions: 'read', contents: 'read' } },
    make: job([CHECKOUT, gateStep({ file: 'gateline.yml' })], { needs: ['plan'] }),
    report: { ...reportJob(['make'], { 'history-branch': 'gateline-history' }), permissions: WRITES },
  };
  return ActionWorld.ofJobs(jobs, { 'gateline.yml': JSON.stringify(definition) });
}

it('a plan is red where the runs of the day have spent its budget, and no gate starts after it', async () => {
  await using place = await serve(await budgetWorld({ gate: 0.4, day: 1 }));
  const { world } = place;
  for (const expected of ['success', 'success', 'failure']) {
    const report = await (await world.run()).start().ended;
    expect(report.job('plan').conclusion).toBe(expected);
    if (expected === 'success') continue;
    expect(errorsOf(report.job('plan'))).toEqual([
      expect.stringContaining(
        'Over budget: make: over budget: USD 1.00 for the day, USD 0.80 spent, USD 0.40 to reserve',
      ),
    ]);
    expect(report.job('make').conclusion).toBe('skipped');
  }
  expect(await world.startedGates()).toEqual(['make', 'make']);
  // A raised limit goes on.
  await world.repository.write(
    'gateline.yml',
    (await world.repository.read('gateline.yml')).replace('"day":1', '"day":1.2'),
  );
  await world.repository.commitAll('raised');
  expect((await (await world.run()).start().ended).job('plan').conclusion).toBe('success');
});

it('a plan of a re-run does not count its own run twice', async () => {
  await using place = await serve(await budgetWorld({ day: 0.5 }, 'exit 1'));
  const started = await place.world.run();
  await started.start().ended;
  const planned = (await started.rerunAll().ended).job('plan');
  expect(errorsOf(planned)).toEqual([]);
  expect(await place.world.startedGates()).toEqual(['make', 'make']);
  const other = (await (await place.world.run()).start().ended).job('plan');
  expect(errorsOf(other)).toEqual([expect.stringContaining('USD 0.50 for the day, USD 0.80 spent')]);
});

it('a plan that cannot read the branch says so, and where unknown cost fails, it does', async () => {
  const definition = { pipeline: 'p', budget: { day: 1, 'on-unknown': 'fail' }, gates: { make: { run: 'true' } } };
  const plan = { uses: ACTION, with: { command: 'plan', 'history-branch': 'gateline-history' } };
  const jobs = { plan: { ...job([CHECKOUT, plan]), permissions: { actions: 'read' } } };
  await using place = await serve(await ActionWorld.ofJobs(jobs, { 'gateline.yml': JSON.stringify(definition) }));
  const planned = (await (await place.world.run()).start().ended).job('plan');
  expect(errorsOf(planned)).toEqual([
    expect.stringContaining('Over budget: make: the dollars of other runs are unknown, and budget.on-unknown is fail'),
  ]);
  expect(messagesOf(planned, 'notice')).toContainEqual(
    expect.stringMatching(
      /^The branch gateline-history was not read, so it is unknown what other runs spent: the server refused it. The job needs `permissions: contents: read` \(/,
    ),
  );
});
