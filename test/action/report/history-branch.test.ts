import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { appendHistory, type HistoryBranch } from '../../../src/action/report/history/history-branch.ts';
import { seededRandom } from '../../../src/github/clock.ts';
import type { RunHistory } from '../../../src/history/entry.ts';
import { entryLine, gatesLine } from '../../../src/history/entry-line.ts';
import { historyOfRun } from '../../../src/history/entry-of-run.ts';
import { NOW, stateOf } from '../../report/fixtures.ts';
import { failedRecords } from '../../report/github/fixtures.ts';
import { plainEnvironment } from '../../support/command-line.ts';
import { startGitServer, type GitServer, type RightsOf } from '../../support/github/git-server.ts';
import { SEED } from '../../support/samples.ts';

const run = promisify(execFile);
const REPORTS = 6;
const BRANCH = 'gateline-history';
const TOKEN = 'ghs_0123456789abcdef';
const DAY = '2026-01-02.jsonl';

/** A repository behind a server, and clients of it. */
class Place implements AsyncDisposable {
  readonly folder: string;
  readonly server: GitServer;

  private constructor(folder: string, server: GitServer) {
    this.folder = folder;
    this.server = server;
  }

  static async create(rightsOf: RightsOf = (token) => (token === TOKEN ? 'write' : 'none')): Promise<Place> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateline-branch-')));
    const repository = join(folder, 'server.git');
    await run('git', ['init', '-q', '--bare', repository], { env: plainEnvironment() });
    return new Place(folder, await startGitServer(repository, rightsOf));
  }

  append(runs: readonly RunHistory[], more: Partial<HistoryBranch> = {}): Promise<string | undefined> {
    return appendHistory(runs, {
      url: `${this.server.origin}/octo/gates`,
      branch: BRANCH,
      authorization: `basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`,
      environment: plainEnvironment(),
      temp: join(this.folder, 'temp'),
      now: new Date(NOW),
      clock: ownClock(),
      random: seededRandom(`${SEED} ${runs[0]?.entry.run}`),
      gitTimeoutMs: 30_000,
      ...more,
    });
  }

  async git(...args: string[]): Promise<string> {
    const repository = join(this.folder, 'server.git');
    return (await run('git', ['-C', repository, ...args], { env: plainEnvironment(AUTHOR) })).stdout;
  }

  async lines(file = DAY): Promise<string[]> {
    return (await this.git('show', `${BRANCH}:${file}`)).split('\n').slice(0, -1);
  }

  /** A commit on the branch, by somebody else. */
  async commit(files: Readonly<Record<string, string>>): Promise<void> {
    const work = await mkdtemp(join(this.folder, 'work-'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(work, name), text);
    const there = (args: string[]): Promise<unknown> => run('git', args, { cwd: work, env: plainEnvironment(AUTHOR) });
    await there(['init', '-q', '-b', BRANCH]);
    await there(['add', '-A']);
    await there(['commit', '-q', '-m', 'theirs']);
    await there(['push', '-q', join(this.folder, 'server.git'), BRANCH]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const AUTHOR = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

/** Pauses are short, and only they take time: how busy the machine is does not matter. */
function ownClock(): HistoryBranch['clock'] {
  let now = 0;
  return {
    now: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds;
      await sleep(milliseconds / 3);
    },
  };
}

function outcome(number: number, started = '2026-01-02T03:04:05.000Z'): RunHistory {
  const records = failedRecords();
  const { entry, gates } = historyOfRun({ state: stateOf(records).state, records, now: NOW });
  const about = { run: number, runId: String(1_000 + number), started };
  return { entry: { ...entry, ...about }, gates: { ...gates, ...about } };
}

function linesOf({ entry, gates }: RunHistory): string[] {
  return [gatesLine(gates), entryLine(entry)];
}

describe('the history branch', () => {
  it('gets the lines of reports that push at the same time, each once, and of their repetitions none', async () => {
    await using place = await Place.create();
    const runs = Array.from({ length: REPORTS }, (_, index) => outcome(index + 1));
    expect(await Promise.all(runs.map((one) => place.append([one])))).toEqual(runs.map(() => undefined));
    expect((await place.lines()).toSorted()).toEqual(runs.flatMap(linesOf).toSorted());
    expect((await place.git('rev-list', '--count', BRANCH)).trim()).toBe(String(REPORTS));
    expect((await place.git('rev-list', '--min-parents=2', '--count', BRANCH)).trim()).toBe('0');
    const before = await place.git('rev-parse', BRANCH);
    expect(await place.append(runs.slice(0, 3))).toBeUndefined();
    expect(await place.git('rev-parse', BRANCH)).toBe(before);
    expect(await readdir(join(place.folder, 'temp'))).toEqual([]);
  }, 120_000);

  it('has one file a day, keeps what it cannot read, and downloads no other day', async () => {
    await using place = await Place.create();
    const other = '2025-12-31.jsonl';
    const old = randomBytes(100_000).toString('hex');
    await place.commit({ [DAY]: '{"half', [other]: old, 'README.md': 'What this is.\n' });
    const [first, second] = [outcome(1), outcome(2, '2026-01-03T00:00:00.000Z')];
    expect(await place.append([first, second])).toBeUndefined();
    expect(await place.lines()).toEqual(['{"half', ...linesOf(first)]);
    expect(await place.lines('2026-01-03.jsonl')).toEqual(linesOf(second));
    expect(await place.git('show', `${BRANCH}:${other}`)).toBe(old);
    expect(place.server.sent()).toBeLessThan(10_000);
    expect(await place.git('log', '-1', '--format=%an %aI %s', BRANCH)).toBe(
      'github-actions[bot] 2026-01-02T04:00:00+00:00 Add 2 runs\n',
    );
  });

  it('is pushed without anything of the user, with the token in no argument and no file', async () => {
    await using place = await Place.create();
    const [home, bin] = [join(place.folder, 'home'), join(place.folder, 'bin')];
    await mkdir(join(home, 'hooks'), { recursive: true });
    await mkdir(bin);
    const wrong = `[core]\n\thooksPath = ${home}/hooks\n[url "http://127.0.0.1:1/"]\n\tinsteadOf = ${place.server.origin}/\n`;
    await writeFile(join(home, '.gitconfig'), wrong);
    const say = `#!/bin/sh\necho hook >> "${home}/said"\nexit 1\n`;
    for (const name of ['pre-push', 'reference-transaction'])
      await writeFile(join(home, 'hooks', name), say, { mode: 0o755 });
    // Notes all arguments, and what is in files while git works.
    const { PATH = '' } = plainEnvironment();
    const temp = join(place.folder, 'temp');
    const git = `#!/bin/sh\necho "$@" >> "${home}/arguments"\ngrep -r . "${temp}" --include=config >> "${home}/files"\nPATH='${PATH}' exec git "$@"\n`;
    await writeFile(join(bin, 'git'), git, { mode: 0o755 });
    const { GIT_CONFIG_GLOBAL: _, ...machine } = plainEnvironment();
    const environment = {
      ...machine,
      HOME: home,
      PATH: [bin, PATH].join(delimiter),
      GIT_CONFIG_PARAMETERS: `'core.hooksPath=${home}/hooks'`,
      GIT_TRACE: join(home, 'trace'),
      GIT_TRACE_CURL: join(home, 'trace'),
    };
    expect(await place.append([outcome(1)], { environment })).toBeUndefined();
    expect(await place.lines()).toEqual(linesOf(outcome(1)));
    expect((await readdir(home)).toSorted()).toEqual(['.gitconfig', 'arguments', 'files', 'hooks']);
    const seen = (await readFile(join(home, 'arguments'), 'utf8')) + (await readFile(join(home, 'files'), 'utf8'));
    expect(seen).toContain('push --porcelain');
    expect(seen).toContain('config:');
    expect(seen).not.toContain(TOKEN);
    expect(seen).not.toContain(Buffer.from(`x-access-token:${TOKEN}`).toString('base64'));
  });

  it.each<[string, RightsOf, string]>([
    ['may only read', () => 'read', 'error: 403'],
    ['may not even read', () => 'none', 'not found'],
  ])('says which permission is missing where the token %s', async (_, rightsOf, why) => {
    await using place = await Place.create(rightsOf);
    const said = await place.append([outcome(1)]);
    expect(said).toContain('the server refused it. The job needs `permissions: contents: write`');
    expect(said).toContain(why);
    expect(place.server.requests.filter((request) => / 40[34]$/.test(request))).toHaveLength(1);
  });

  it('says so where a rule of the server refuses the push, and tries once', async () => {
    await using place = await Place.create();
    const hook = join(place.folder, 'server.git', 'hooks', 'pre-receive');
    await mkdir(join(hook, '..'), { recursive: true });
    await writeFile(hook, '#!/bin/sh\necho GH013: rule violations\nexit 1\n', { mode: 0o755 });
    expect(await place.append([outcome(1)])).toContain('no rule may forbid pushes to this branch (remote: GH013');
    expect(place.server.requests.filter((request) => request.startsWith('POST git-receive-pack'))).toHaveLength(1);
  });

  it('is not pushed to where a redirect leads', async () => {
    await using place = await Place.create();
    const redirecting = createServer((request, response) => {
      response.writeHead(301, { location: `${place.server.origin}${request.url}` }).end();
    });
    redirecting.listen(0, '127.0.0.1');
    await once(redirecting, 'listening');
    const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/octo/gates`;
    const clock = { now: () => 0, sleep: async () => undefined };
    expect(await place.append([outcome(1)], { url, clock })).toMatch(/^it failed/);
    expect(place.server.requests).toEqual([]);
    redirecting.close();
  });

  it('adds nothing to a branch with other files', async () => {
    await using place = await Place.create();
    await place.commit({ 'main.js': '1\n' });
    expect(await place.append([outcome(1)])).toBe('gateline-history has other files. Name a branch of its own.');
    expect(await place.git('ls-tree', '--name-only', BRANCH)).toBe('main.js\n');
  });

  it('is given up after 20 tries, or a minute', async () => {
    await using place = await Place.create();
    const pausesWith = async (random: number, take: number): Promise<number[]> => {
      const pauses: number[] = [];
      const sum = (): number => pauses.reduce((total, one) => total + one * take, 0);
      const clock = { now: sum, sleep: async (milliseconds: number) => void pauses.push(milliseconds) };
      const nobody = { url: 'http://127.0.0.1:1/octo/gates', clock, random: () => random };
      expect(await place.append([outcome(1)], nobody)).toMatch(/^it failed \(fatal: unable to access/);
      return pauses;
    };
    expect(await pausesWith(0, 0)).toHaveLength(19);
    const pauses = await pausesWith(0.99, 1);
    expect(pauses.length).toBeLessThan(19);
    expect(pauses.reduce((total, one) => total + one)).toBeLessThan(60_000);
  });
});
