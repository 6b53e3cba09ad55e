import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanAfterRun } from '../../src/local/clean/clean-after-run.ts';
import { loadPipeline } from '../../src/local/load-pipeline.ts';
import { localPorts } from '../../src/local/local-ports.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, type Answer } from './in-process.ts';

const DAY = 86_400_000;
const START = '[ -z "$START_LOG" ] || echo "$GATELINE_GATE $GATELINE_ATTEMPT $$" >> "$START_LOG"';
/** The output and a file say what the input is. */
const MAKE = `${START}; cp in.txt made.txt; head -c 20000 /dev/urandom >> made.txt; printf '{"in": "%s"}' "$(cat in.txt)" > "$GATELINE_OUTPUT"`;
const GATES = {
  make: { run: MAKE, inputs: ['in.txt'], files: ['made.txt'] },
  last: { needs: 'make', run: `${START}; echo said; echo 2 > "$GATELINE_OUTPUT"`, inputs: [] },
};

interface CleanJson {
  readonly removed: readonly { subject: string; run: number }[];
  readonly kept: readonly { subject: string; run: number; why: string; reason: string }[];
  readonly contents: { contents: number; bytes: number } | null;
  readonly historyEntries: number | null;
  readonly notices: readonly string[];
}

/** A workspace, and commands in it so many days later. */
async function project(more: object = {}): Promise<ScratchWorkspace> {
  const definition = { ...(JSON.parse(gatelineYml(GATES)) as object), subject: 'main', ...more };
  return ScratchWorkspace.create({ 'gateline.yml': JSON.stringify(definition), 'in.txt': '1' });
}

function on(day: number, workspace: ScratchWorkspace, ...args: string[]): Promise<Answer> {
  const environment = plainEnvironment(workspace.variables());
  return gateline(workspace.root, args, { environment, now: () => new Date(Date.now() + day * DAY) });
}

async function runWith(input: string, day: number, workspace: ScratchWorkspace, ...more: string[]): Promise<Answer> {
  await workspace.write('in.txt', input);
  return expectOk(on(day, workspace, 'run', '-q', ...more));
}

async function cleaned(day: number, workspace: ScratchWorkspace, ...args: string[]): Promise<CleanJson> {
  const { out } = await expectOk(on(day, workspace, 'clean', '--json', ...args));
  return JSON.parse(out) as CleanJson;
}

function numbers({ removed, kept }: CleanJson): { removed: number[]; kept: Record<number, string> } {
  return {
    removed: removed.map(({ run }) => run),
    kept: Object.fromEntries(kept.map(({ run, why }) => [run, why])),
  };
}

/** Every file of the state with its bytes, without the lock. */
function stateOf(workspace: ScratchWorkspace): Map<string, string> {
  const all = readdirSync(workspace.path('.state'), { recursive: true, encoding: 'utf8' });
  const files = all.filter(
    (name) => !/^lock\.|snapshot\.index/.test(name) && statSync(workspace.path(`.state/${name}`)).isFile(),
  );
  return new Map(files.map((name) => [name, readFileSync(workspace.path(`.state/${name}`), 'latin1')]));
}

describe('gateline clean', () => {
  it('says of commands that ran before the first run what they are', async () => {
    await using workspace = await project({ entities: { page: null } });
    await expectOk(on(0, workspace, 'entities', 'create', 'page', '--reason', 'x'));
    await runWith('1', 0, workspace);
    const { out } = await expectOk(on(0, workspace, 'clean', '--dry-run'));
    expect(out).toMatch(/^Keeps what main had before its first run: .*\nKeeps run 1 of main: /);
  });

  it('removes old runs whole, and what only they needed', async () => {
    await using workspace = await project();
    for (const input of ['1', '2', '3']) await runWith(input, 0, workspace, '--apply');
    const before = stateOf(workspace);
    const done = await cleaned(31, workspace, '--keep', '1');
    expect(numbers(done)).toEqual({ removed: [1, 2], kept: { 3: 'newest' } });
    expect(done.contents!.bytes).toBeGreaterThan(40_000);
    const after = stateOf(workspace);
    const countOf = (state: Map<string, string>, part: RegExp): number =>
      [...state.keys()].filter((name) => part.test(name.replaceAll('\\', '/'))).length;
    for (const part of [/^runs\//, /^attempts\//, /^applied\/.*applied\.json/]) {
      expect(countOf(after, part)).toBeGreaterThan(0);
      expect(countOf(after, part)).toBe(countOf(before, part) / 3);
    }
    expect(countOf(after, /^tmp\//)).toBe(0);
    expect(after.get('checkpoints.jsonl')!.trim().split('\n')).toHaveLength(3);
    const objects = (state: Map<string, string>): number =>
      [...state].reduce((sum, [name, bytes]) => sum + (/^git.objects/.test(name) ? bytes.length : 0), 0);
    expect(objects(after)).toBeLessThan(objects(before) * 0.75);
    expect(JSON.parse((await expectOk(on(31, workspace, 'doctor', '--json'))).out)).toMatchObject({
      sound: true,
      findings: [],
    });
    // What stays can be shown and used, and the history has all of it.
    expect((await expectOk(on(31, workspace, 'diff', 'make'))).out).toContain('made.txt');
    await workspace.forgetStarts();
    await runWith('3', 31, workspace);
    expect(await workspace.startedGates()).toEqual([]);
    const { entries } = JSON.parse((await expectOk(on(31, workspace, 'history', '--json', '--rebuild'))).out) as {
      entries: { run: number }[];
    };
    expect(new Set(entries.map(({ run }) => run))).toEqual(new Set([1, 2, 3, 4]));
    expect((await on(31, workspace, 'status', '--run', '1')).err).toContain('RUN_UNKNOWN');
    await expectOk(on(31, workspace, 'rollback', '--all', '--run', '3', '--force'));
    await runWith('1', 31, workspace);
    expect(await workspace.startedGates()).toContain('make');
  });

  it('only lists with --dry-run, and says why a run stays', async () => {
    await using workspace = await project();
    for (const input of ['1', '2', '1']) await runWith(input, 0, workspace);
    const before = stateOf(workspace);
    const { out } = await expectOk(on(31, workspace, 'clean', '--keep', '1', '--dry-run'));
    expect(out.replaceAll(/\d{4}-\S+Z/g, 'TIME')).toBe(
      [
        'Would remove run 2 of main: last record of TIME.',
        'Keeps run 1 of main: run 3 uses its output of make.',
        'Keeps run 3 of main: the newest run of its subject.',
        'Would remove 1 run, keeps 2.\n',
      ].join('\n'),
    );
    expect(numbers(await cleaned(31, workspace, '--dry-run', '--keep', '1', '--pin', '2'))).toMatchObject({
      removed: [],
    });
    expect(numbers(await cleaned(31, workspace, '--dry-run'))).toMatchObject({ removed: [] });
    expect(numbers(await cleaned(29, workspace, '--dry-run', '--keep', '1'))).toMatchObject({ kept: { 2: 'recent' } });
    expect(stateOf(workspace)).toEqual(before);
  });

  it('never lets a rejected output be used again', async () => {
    await using workspace = await project();
    await runWith('1', 0, workspace);
    await expectOk(on(0, workspace, 'reject', 'make', '--reason', 'wrong', '--actor', 'ann'));
    await runWith('2', 0, workspace);
    await runWith('3', 0, workspace);
    const history = await workspace.read('.state/history.jsonl');
    const found = await cleaned(31, workspace, '--keep', '1', '--pin', '1', '--reason', 'evidence', '--actor', 'ann');
    expect(found.kept).toMatchObject([
      { run: 1, why: 'pinned', reason: 'pinned by ann: evidence' },
      { run: 2, why: 'needed', reason: 'its reject of make applies to run 1' },
      { run: 3, why: 'newest' },
    ]);
    // A pin is no outcome.
    await expectOk(on(31, workspace, 'pin', 'main#1', '--reason', 'evidence', '--actor', 'ann'));
    expect(await workspace.read('.state/history.jsonl')).toBe(history);
    await workspace.forgetStarts();
    await runWith('1', 31, workspace);
    expect(await workspace.startedGates()).toContain('make');
    expect(numbers(await cleaned(93, workspace, '--keep', '1', '--unpin', 'main#1', '--actor', 'ann'))).toMatchObject({
      kept: { 1: 'recent', 4: 'newest' },
    });
    expect((await cleaned(125, workspace, '--keep', '1')).kept).toMatchObject([
      { run: 1, reason: 'run 4 uses its output of last' },
      { run: 2, reason: 'its reject of make applies to run 1' },
      { run: 4 },
    ]);
    await runWith('5', 125, workspace);
    expect(numbers(await cleaned(157, workspace, '--keep', '1'))).toEqual({
      removed: [4, 1, 2],
      kept: { 5: 'newest' },
    });
  });

  it('keeps the run before the newest where a gate gets a summary of it', async () => {
    const gates = { make: { ...GATES.make, memory: 'handoff' }, last: { ...GATES.last, if: 'false' } };
    await using workspace = await project({ gates });
    for (const day of [0, 1, 2]) await runWith('1', day, workspace, '--new');
    const before = (await on(50, workspace, 'plan', '--json')).out;
    expect(numbers(await cleaned(50, workspace, '--keep', '1'))).toEqual({
      removed: [1],
      kept: { 2: 'newest', 3: 'newest' },
    });
    expect((await on(50, workspace, 'plan', '--json')).out).toBe(before);
  });

  it('removes no content while a record cannot be read, and not the run of that record', async () => {
    await using workspace = await project();
    for (const input of ['1', '2', '3']) await runWith(input, 0, workspace);
    const folder = workspace.path('.state/runs/main/1');
    const name = readdirSync(folder).find((one) => /last.*ended/.test(one))!;
    await writeFile(join(folder, name), 'no record');
    const before = readdirSync(workspace.path('.state/content/sha256'), { recursive: true }).length;
    const found = await cleaned(31, workspace, '--keep', '1');
    expect(numbers(found)).toEqual({ removed: [2], kept: { 1: 'unread', 3: 'newest' } });
    expect(found.notices).toEqual([expect.stringContaining('gateline doctor')]);
    expect(readdirSync(workspace.path('.state/content/sha256'), { recursive: true })).toHaveLength(before);
  });

  it('compresses contents that nobody used for a week, and every command reads them as before', async () => {
    const make = `yes 'a line of the log' | head -n 20000; ${MAKE}`;
    await using workspace = await project({ gates: { ...GATES, make: { ...GATES.make, run: make } } });
    await runWith('1', 0, workspace);
    const shown = async (): Promise<string[]> => {
      const asked = [
        ['logs', 'make'],
        ['show', 'make', 'output'],
        ['status', '--json'],
      ];
      return Promise.all(asked.map(async (args) => (await expectOk(on(8, workspace, ...args))).out));
    };
    const before = await shown();
    const { out } = await expectOk(on(8, workspace, 'clean'));
    expect(out).toMatch(/^Removed 0 runs, keeps 1\. Compressed 1 content \(saves 3\d\d KiB\)\.$/m);
    expect(await shown()).toEqual(before);
    const reused = await expectOk(on(8, workspace, 'run', '--new', '--json', '-q'));
    expect(JSON.parse(reused.out)).toMatchObject({ gates: [{ reused: true }, { reused: true }] });
    expect(JSON.parse((await expectOk(on(8, workspace, 'doctor', '--json'))).out)).toMatchObject({ findings: [] });
  });

  it('is refused while a rollback is unfinished', async () => {
    await using workspace = await project();
    await runWith('1', 0, workspace);
    const put = { what: 'rollback', pipeline: 'p', subject: 'main', runNumber: 1, at: '2099-01-01T00:00:00.000Z' };
    const list = { format: 'gateline-applied/1', state: 'begun', ...put, changes: [] };
    await workspace.write('.state/applied/x/applied.json', JSON.stringify(list));
    const { code, err } = await on(31, workspace, 'clean');
    expect([code, err]).toEqual([2, expect.stringContaining('ROLLBACK_UNFINISHED')]);
  });

  it('is refused if a run is to be pinned and unpinned', async () => {
    await using workspace = await project();
    await runWith('1', 0, workspace);
    const { code, err } = await on(0, workspace, 'clean', '--pin', '1', '--unpin', 'main#1');
    expect([code, err]).toEqual([2, expect.stringContaining('both name run 1 of main')]);
  });

  it('removes entries of the history that are old and have no run', async () => {
    await using workspace = await project();
    for (const input of ['1', '2']) await runWith(input, 0, workspace);
    expect(await cleaned(31, workspace, '--keep', '1', '--history-older', '60d')).toMatchObject({ historyEntries: 0 });
    expect(await cleaned(62, workspace, '--keep', '1', '--history-older', '60d')).toMatchObject({ historyEntries: 1 });
    const { entries } = JSON.parse((await expectOk(on(62, workspace, 'history', '--json'))).out) as {
      entries: object[];
    };
    expect(entries).toMatchObject([{ run: 2 }]);
    const gates = JSON.parse((await expectOk(on(62, workspace, 'history', '--gate', 'make', '--json'))).out) as object;
    expect(gates).toMatchObject({ entries: [{ run: 2 }] });
    expect(JSON.parse((await expectOk(on(62, workspace, 'doctor', '--json'))).out)).toMatchObject({ findings: [] });
  });

  it.each([
    ['--keep', '0'],
    ['--older', '30'],
    ['--history-older', 'never'],
    ['--pin', 'x#'],
  ])('refuses %s %s', async (...args) => {
    await using workspace = await project();
    const { code, err } = await on(0, workspace, 'clean', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining('OPTION_VALUE')]);
  });
});

describe('retention', () => {
  it('is applied every so often, within its time, and says what it did', async () => {
    await using workspace = await project({ retention: { keep: 1 } });
    await runWith('1', 0, workspace);
    await runWith('2', 31, workspace);
    const marker = workspace.path('.state/cleaned');
    expect((await runWith('3', 37, workspace)).err).not.toContain('removed');
    await rm(marker);
    const loaded = await loadPipeline(workspace.root, undefined);
    const ports = await localPorts({
      place: loaded,
      environment: plainEnvironment(workspace.variables()),
      now: () => new Date(Date.now() + 70 * DAY),
    });
    const late = ['old runs are left: `gateline clean` removes them without a time limit'];
    expect(await cleanAfterRun({ loaded, ports }, 0)).toEqual(late);
    expect([existsSync(marker), readdirSync(workspace.path('.state/runs/main')).toSorted()]).toEqual([
      false,
      ['2', '3'],
    ]);
    expect((await runWith('4', 70, workspace)).err).toContain('note: 2 old runs were removed');
    expect(await cleanAfterRun({ loaded, ports })).toEqual([]);
  });

  it('removes no run without an entry in the history, which takes longer than it may', async () => {
    await using workspace = await project({ retention: { keep: 1, every: '1m' } });
    for (const input of ['1', '2']) await runWith(input, 0, workspace);
    await rm(workspace.path('.state/history.jsonl'));
    const { err } = await runWith('3', 31, workspace);
    expect(err).toContain('note: old runs have no entry in the history');
    expect(readdirSync(workspace.path('.state/runs/main')).toSorted()).toEqual(['1', '2', '3']);
    expect(numbers(await cleaned(31, workspace))).toMatchObject({ removed: [1, 2] });
    const { entries } = JSON.parse((await expectOk(on(31, workspace, 'history', '--json'))).out) as {
      entries: object[];
    };
    expect(entries).toHaveLength(3);
  });

  it('is applied after the runs of a set', async () => {
    await using workspace = await project({ subject: undefined, retention: { keep: 1, every: '1m' } });
    await workspace.write(
      'set.json',
      JSON.stringify({ format: 'gateline-set/1', subjects: [{ id: 'one' }, { id: 'two' }] }),
    );
    for (const [day, input] of [
      [0, '1'],
      [31, '2'],
    ] as const) {
      const { err } = await runWith(input, day, workspace, '--set', 'set.json');
      expect(err.includes('note: 2 old runs were removed')).toBe(day > 0);
    }
    expect(readdirSync(workspace.path('.state/runs/one'))).toEqual(['2']);
  });
});
