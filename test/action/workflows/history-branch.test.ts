import { expect, it } from 'vitest';
import { parseHistoryEntry } from '../../../src/history/entry.ts';
import { expectOk, gateline } from '../../cli/in-process.ts';
import { startGitServer, type GitServer } from '../../support/github/git-server.ts';
import { ActionWorld, messagesOf, type WorldRunOptions } from './action-world.ts';
import { pullRequest } from './pull-request.ts';
import { gate, run, setOf, worldOf } from './set-world.ts';
import { agent, gateJob, reportJob, type Keys } from './workflow-text.ts';

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
