import { describe, expect, it } from 'vitest';
import { removeOld, type Cleaning, type CleanResult } from '../../../src/action/clean/remove-old.ts';
import { RequestLimit } from '../../../src/action/clean/request-limit.ts';
import type { RestOptions } from '../../../src/github/rest/rest.ts';
import { recordedClock, restClient } from '../../support/github/rest-client.ts';
import { REPOSITORY_NAME, startResultsService, type ResultsService } from '../../support/github/results-service.ts';
import type { RunOptions } from '../../support/github/workflow-runs.ts';

const DAY = 24 * 60 * 60 * 1_000;
const PERMISSIONS = { actions: 'write', 'pull-requests': 'read' } as const;

const RECORDS = ['started.json', 'decided.reject.json', 'started.files', `ended.passed.${'a'.repeat(12)}._.json`];

/** What a gate of a run leaves, in the order of upload. */
function namesOf(gate = 'review', parts: readonly string[] = ['value.json', ...RECORDS]): string[] {
  return parts.map((part) => `gl1.0123abcd.${gate}._.1.1.${part}`);
}

/** Adds a run that ended so many days ago, with these artifacts. */
function addRun(service: ResultsService, id: number, days: number, more: AddedRun = {}): void {
  const { names = namesOf(), young = [], ...options } = more;
  service.addRun({ id, number: id, status: 'completed', conclusion: 'success', ...options });
  const run = service.world.runs.get(id)!;
  const at = new Date(service.world.now().getTime() - days * DAY);
  Object.assign(run, { createdAt: at, updatedAt: at });
  for (const name of [...names, ...young]) plant(service, id, name, young.includes(name) ? service.world.now() : at);
}

interface AddedRun extends Partial<RunOptions> {
  readonly names?: readonly string[];
  readonly young?: readonly string[];
}

function plant({ world }: ResultsService, run: number, name: string, createdAt: Date): void {
  const id = world.nextNumber();
  world.artifacts.push({
    id,
    name,
    run,
    attempt: 1,
    job: 'review',
    mimeType: 'application/json',
    blob: `planted/${id}`,
    createdAt,
    expiresAt: new Date(world.now().getTime() + DAY),
    finalized: true,
    size: 10,
    digest: `sha256:${'0'.repeat(64)}`,
  });
}

interface PlantedEntry {
  readonly run: number;
  readonly used: number;
  readonly made?: number;
  readonly fingerprint?: string;
  readonly scope?: string;
}

function plantCache({ world }: ResultsService, entry: PlantedEntry): void {
  const { run, used, made = used, fingerprint = 'ab'.repeat(32), scope = 'refs/heads/main' } = entry;
  const id = world.nextNumber();
  const key = `gateline-${fingerprint}-${run}.1`;
  const before = (days: number): Date => new Date(world.now().getTime() - days * DAY);
  const times = { createdAt: before(made), usedAt: before(used) };
  const version = '0'.repeat(64);
  world.caches.push({
    id,
    repository: REPOSITORY_NAME,
    key,
    version,
    scope,
    blob: `caches/${id}`,
    finalized: true,
    ...times,
  });
}

function clean(
  service: ResultsService,
  more: Partial<Cleaning> = {},
  options: Partial<RestOptions> = {},
): Promise<CleanResult> {
  const limit = more.limit ?? new RequestLimit();
  const token = service.issueToken({ repository: REPOSITORY_NAME, permissions: PERMISSIONS });
  return removeOld({
    rest: restClient(service, { token, onRequest: () => limit.count(), ...options }),
    limit,
    before: new Date(service.world.now().getTime() - 30 * DAY),
    dryRun: false,
    pauseMs: 400,
    clock: recordedClock(),
    signal: new AbortController().signal,
    ...more,
  });
}

const runsLeft = ({ world }: ResultsService): number[] => [...new Set(world.artifacts.map(({ run }) => run))];
const removalsOf = (service: ResultsService): string[] =>
  service.callsOf('actions/delete-artifact').map(({ name }) => name!);

describe('artifacts of old runs', () => {
  it('are removed run by run, the oldest first, and younger runs stay', async () => {
    await using service = await startResultsService();
    addRun(service, 3, 29);
    addRun(service, 2, 31);
    addRun(service, 1, 50);
    const firstOf = (run: number): string => String(service.world.artifacts.find((one) => one.run === run)!.id);
    const [ofOldest, ofNext] = [firstOf(1), firstOf(2)];
    const result = await clean(service);
    expect(result).toMatchObject({ runs: [1, 2], artifacts: { count: 10, bytes: 100 }, isLeft: false });
    expect(runsLeft(service)).toEqual([3]);
    expect(removalsOf(service).indexOf(ofOldest)).toBeLessThan(removalsOf(service).indexOf(ofNext));
  });

  it('go in an order in which no output is without its decisions, and no record without its contents', async () => {
    await using service = await startResultsService();
    addRun(service, 1, 40);
    const nameOf = new Map(service.world.artifacts.map(({ id, name }) => [String(id), name]));
    await clean(service);
    const parts = removalsOf(service).map((id) => nameOf.get(id)!.replace('gl1.0123abcd.review._.1.1.', ''));
    expect(parts).toHaveLength(5);
    expect(parts.slice(0, 3)).toEqual([RECORDS[3], RECORDS[0], RECORDS[1]]);
  });

  it('are left when they are not of Gateline, or outlive the run: history, patches, others', async () => {
    await using service = await startResultsService();
    const others = [
      'coverage',
      'gl1.history.0123abcd.1.json',
      'gates-main-1-1.patch',
      'gateline-notes.html',
      'gateline-notes.state',
    ];
    addRun(service, 1, 40, {
      names: [
        ...namesOf(),
        ...others,
        'gateline-gates-1.html',
        'gateline-gates-1.state',
        'gateline-gates-1.req-1.1.state',
      ],
    });
    expect(await clean(service)).toMatchObject({ runs: [1], artifacts: { count: 8 } });
    expect(service.world.artifacts.map(({ name }) => name)).toEqual(others);
  });

  it('are kept where the run was used since then: another attempt, an artifact, a run that still waits', async () => {
    await using service = await startResultsService();
    addRun(service, 1, 40);
    service.world.runs.get(1)!.updatedAt = service.world.now();
    addRun(service, 2, 40, { young: namesOf('later') });
    addRun(service, 3, 40, { status: 'in_progress', conclusion: null });
    const result = await clean(service);
    expect([...result.kept]).toEqual([['used since then', 3]]);
    expect(runsLeft(service)).toEqual([1, 2, 3]);
    expect(removalsOf(service)).toEqual([]);
  });

  it('are kept for open pull requests, also of forks, and not for closed ones', async () => {
    await using service = await startResultsService();
    const base = { ref: 'main', sha: '0'.repeat(40) };
    const head = (ref: string, repository: string) => ({ ref, sha: '1'.repeat(40), repository });
    service.world.pulls.push(
      { number: 7, state: 'open', head: head('topic', REPOSITORY_NAME), base },
      { number: 8, state: 'open', head: head('main', 'guest/gates'), base },
      { number: 9, state: 'closed', head: head('done', REPOSITORY_NAME), base },
    );
    addRun(service, 1, 40, { headBranch: 'topic', event: 'pull_request' });
    addRun(service, 2, 40, { headBranch: 'main', headRepository: 'guest/gates', event: 'pull_request' });
    addRun(service, 3, 40, { headBranch: 'done', event: 'pull_request' });
    addRun(service, 4, 40, { headBranch: 'main' });
    addRun(service, 5, 40, { headBranch: 'renamed', pullRequests: [7] });
    const result = await clean(service);
    expect(result.runs).toEqual([3, 4]);
    expect([...result.kept]).toEqual([['of an open pull request', 3]]);
    expect(runsLeft(service)).toEqual([1, 2, 5]);
  });

  it('are all kept if the open pull requests cannot be listed', async () => {
    await using service = await startResultsService();
    addRun(service, 1, 40);
    const token = service.issueToken({ repository: REPOSITORY_NAME, permissions: { actions: 'write' } });
    await expect(clean(service, {}, { token })).rejects.toMatchObject({
      code: 'REST_DENIED',
      hint: expect.stringContaining('pull-requests: read'),
    });
    expect(runsLeft(service)).toEqual([1]);
  });

  it('are only counted in a dry run', async () => {
    await using service = await startResultsService();
    addRun(service, 1, 40);
    plantCache(service, { run: 1, used: 40 });
    expect(await clean(service, { dryRun: true })).toMatchObject({
      runs: [1],
      artifacts: { count: 5 },
      caches: { count: 1 },
    });
    expect(service.callsOf(/delete/)).toEqual([]);
    expect([service.world.artifacts.length, service.world.caches.length]).toEqual([5, 1]);
  });

  it.each([403, 404] as const)('are not said to be removed by a token that may not: %i', async (deniedAs) => {
    await using service = await startResultsService({ deniedAs });
    addRun(service, 1, 40);
    const permissions = { actions: 'read', 'pull-requests': 'read' } as const;
    const token = service.issueToken({ repository: REPOSITORY_NAME, permissions });
    const code = deniedAs === 403 ? 'REST_DENIED' : 'REST_NOT_FOUND';
    await expect(clean(service, {}, { token })).rejects.toMatchObject({ code });
    expect(runsLeft(service)).toEqual([1]);
  });
});

describe('the requests of one run', () => {
  const RUNS = 80;

  it('are at most 300, whole runs at a time, and the next run continues', async () => {
    await using service = await startResultsService({ restLimit: 100_000 });
    for (let id = 1; id <= RUNS; id += 1) addRun(service, id, 40 + RUNS - id);
    const first = await clean(service);
    expect(service.calls.length).toBeLessThanOrEqual(300);
    expect(first.isLeft).toBe(true);
    expect(service.world.artifacts.length).toBe((RUNS - first.runs.length) * 5);
    expect(first.runs.length).toBeGreaterThan(35);
    const second = await clean(service);
    expect(second.runs[0]).toBe(first.runs.at(-1)! + 1);
  });

  it('count when they are repeated, and end the work quietly when none is left', async () => {
    await using service = await startResultsService();
    addRun(service, 1, 40);
    service.faults.add({
      operation: 'actions/delete-artifact',
      times: Infinity,
      fault: { kind: 'status', status: 503 },
    });
    const limit = new RequestLimit(8);
    const result = await clean(service, { limit });
    expect(service.calls).toHaveLength(8);
    expect(result).toMatchObject({ isLeft: true, artifacts: { count: 0 } });
  });

  it('find old runs behind many young ones', async () => {
    await using service = await startResultsService();
    addRun(service, 1, 60);
    for (let id = 2; id <= 400; id += 1) addRun(service, id, 1);
    expect((await clean(service)).runs).toEqual([1]);
    expect(service.callsOf('actions/list-artifacts-for-repo').length).toBeLessThanOrEqual(3);
  });

  it('remove a run in parts only if it is larger than all of them', async () => {
    await using service = await startResultsService();
    const many = Array.from({ length: 400 }, (_, index) => `gl1.0123abcd.review._.1.${index + 1}.value.json`);
    addRun(service, 1, 60, { names: many });
    addRun(service, 2, 50);
    const first = await clean(service);
    expect(first).toMatchObject({ runs: [1], isLeft: true });
    expect(service.calls).toHaveLength(300);
    expect((await clean(service)).runs).toEqual([1, 2]);
    expect(runsLeft(service)).toEqual([]);
  });
});

describe('cache entries', () => {
  it('are removed when nobody used them, and those of others stay', async () => {
    await using service = await startResultsService();
    const of = (hex: string): string => hex.repeat(32);
    plantCache(service, { run: 1, used: 31, fingerprint: of('aa') });
    plantCache(service, { run: 2, used: 3, made: 60, fingerprint: of('bb') });
    plantCache(service, { run: 3, used: 90, fingerprint: of('cc'), scope: 'refs/pull/7/merge' });
    plantCache(service, { run: 4, used: 90, fingerprint: of('dd'), scope: 'refs/pull/9/merge' });
    const [first] = service.world.caches;
    service.world.caches.push({ ...first!, id: 900, key: 'gateline-checkpoint-of-others' });
    service.world.pulls.push({
      number: 7,
      state: 'open',
      head: { ref: 'topic', sha: '1'.repeat(40), repository: REPOSITORY_NAME },
      base: { ref: 'main', sha: '0'.repeat(40) },
    });
    expect((await clean(service)).caches.count).toBe(2);
    expect(service.world.caches.map(({ key }) => key.slice(9, 11))).toEqual(['bb', 'cc', 'ch']);
  });

  it('go together with all others of their fingerprint, the oldest first: what was superseded is never found again', async () => {
    await using service = await startResultsService();
    plantCache(service, { run: 1, used: 60, made: 61 });
    plantCache(service, { run: 2, used: 3, made: 40 });
    expect((await clean(service)).caches.count).toBe(0);
    service.advance(40 * DAY);
    const [oldest, next] = service.world.caches.map(({ id }) => String(id));
    expect((await clean(service)).caches.count).toBe(2);
    expect(service.callsOf('actions/delete-actions-cache-by-id').map(({ name }) => name)).toEqual([oldest, next]);
  });
});
