import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { dumpOf, integrityOf, sqliteProject } from '../support/sqlite-project.ts';
import type { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, type Answer, expectOk } from './in-process.ts';

/** A token as agents get it, made up. */
const TOKEN = 'user 17';

function run(workspace: ScratchWorkspace, args: readonly string[], env: Record<string, string> = {}): Promise<Answer> {
  const environment = { ...plainEnvironment(workspace.variables()), DB: workspace.path('app.db'), ...env };
  return gateline(workspace.root, args, { environment });
}

/** Runs both gates and applies their files. @returns the dumps before, after the first, and after both */
async function migrated(workspace: ScratchWorkspace): Promise<[string, string, string]> {
  const path = workspace.path('app.db');
  const before = dumpOf(path);
  await expectOk(run(workspace, ['run', '-q', '--until', 'first']));
  const between = dumpOf(path);
  await expectOk(run(workspace, ['run', '-q', '--apply']));
  const after = dumpOf(path);
  expect(new Set([before, between, after]).size).toBe(3);
  return [before, between, after];
}

/** Files with states of the database, by name. */
function keptStates(workspace: ScratchWorkspace): Record<string, string> {
  const folder = workspace.path('.state/snapshots');
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?:before-\d+|[0-9a-f]{64})$/.test(name),
  );
  return Object.fromEntries(files.map((name) => [name, dumpOf(join(folder, name))]));
}

describe.runIf(process.platform !== 'win32')('a database', () => {
  it('is what it was after a gate, and before the run, to the last row, trigger and blob', async () => {
    await using workspace = await sqliteProject();
    const path = workspace.path('app.db');
    const [before, between, after] = await migrated(workspace);
    const dry = await expectOk(run(workspace, ['rollback', '--to', 'first', '--dry-run']));
    expect(dry.out).toContain('The database would be restored.');
    expect(dumpOf(path)).toBe(after);

    const answer = await expectOk(run(workspace, ['rollback', '--to', 'first', '--json']));
    expect(JSON.parse(answer.out)).toMatchObject({ database: 'restored', gates: ['second'] });
    expect(dumpOf(path)).toBe(between);
    expect(integrityOf(path)).toBe('ok');
    expect(await workspace.read('schema.txt')).toBe('first\n');
    expect(Object.values(keptStates(workspace))).toContain(after);

    await expectOk(run(workspace, ['resume', '-q', '--apply']));
    expect(dumpOf(path)).toBe(after);
    const all = await expectOk(run(workspace, ['rollback', '--all']));
    expect(all.out).toContain('The database was restored.');
    expect(dumpOf(path)).toBe(before);
    expect(integrityOf(path)).toBe('ok');
    expect(await workspace.read('schema.txt')).toBe('none\n');

    // What people write afterwards is theirs.
    {
      using database = new DatabaseSync(path);
      database.exec(`INSERT INTO users VALUES (1000, 'later', NULL)`);
    }
    const later = dumpOf(path);
    expect((await expectOk(run(workspace, ['rollback', '--all']))).out).toContain('is rolled back already');
    expect(dumpOf(path)).toBe(later);
  });

  it('is what a gate left also where that gate was kept before, since it reads what it changed', async () => {
    await using workspace = await sqliteProject({}, { inputs: ['schema.txt'] });
    const path = workspace.path('app.db');
    const [, between, after] = await migrated(workspace);
    for (const time of [1, 2]) {
      await expectOk(run(workspace, ['rollback', '--to', 'first']));
      expect(dumpOf(path) === between, `time ${time}`).toBe(true);
      expect(await workspace.read('schema.txt')).toBe('first\n');
      await expectOk(run(workspace, ['resume', '-q', '--apply']));
      expect(dumpOf(path)).toBe(after);
    }
  });

  it('that is locked is not restored: both states are kept, no file changes, and the next call does it', async () => {
    await using workspace = await sqliteProject();
    const path = workspace.path('app.db');
    const [before, , after] = await migrated(workspace);
    const files = await workspace.files();
    {
      using other = new DatabaseSync(path);
      other.exec('BEGIN IMMEDIATE');
      const failed = await run(workspace, ['rollback', '--all']);
      expect(failed.code, failed.err).toBe(74);
      expect(failed.err).toContain('DATABASE_FAILED');
      expect(failed.err).toMatch(
        /it failed with exit code 1[^]*Both states are kept: the database before the call in .*before-1,/,
      );
      other.exec('ROLLBACK');
    }
    expect(dumpOf(path)).toBe(after);
    const { 'app.db-wal': _, 'app.db-shm': __, ...others } = await workspace.files();
    expect({ ...files, ...others }).toEqual(files);
    expect(Object.values(keptStates(workspace))).toEqual(expect.arrayContaining([before, after]));
    await expectOk(run(workspace, ['rollback', '--all']));
    expect(dumpOf(path)).toBe(before);
  });

  it('that a full disk left in halves is restored by the next call, and what it was is kept', async () => {
    await using workspace = await sqliteProject();
    const path = workspace.path('app.db');
    const [before, , after] = await migrated(workspace);
    // Before the database can have changed, nothing is in halves.
    const stopped = await run(workspace, ['rollback', '--all'], { TOKEN });
    expect([stopped.code, stopped.err]).toEqual([74, expect.stringContaining('the snapshot command of the database')]);
    expect((await expectOk(run(workspace, ['status']))).err).toBe('');
    const failed = await run(workspace, ['rollback', '--all'], { BREAK: '1' });
    expect(failed.code, failed.err).toBe(74);
    expect(failed.err).toContain('database or disk is full');
    expect(() => dumpOf(path)).toThrow();
    expect(await workspace.read('schema.txt')).toBe('second\n');
    expect(Object.values(keptStates(workspace))).toEqual(expect.arrayContaining([before, after]));
    const command = "`gateline rollback --all --run 'migration#1'` completes it";
    const { out } = await expectOk(run(workspace, ['status', '--json']));
    expect(JSON.parse(out)).toMatchObject({
      problems: [{ code: 'ROLLBACK_UNFINISHED', message: expect.stringContaining(command) as unknown }],
    });
    for (const words of [['run'], ['apply'], ['force', 'first', '--reason', 'test']]) {
      const { code, err } = await run(workspace, words);
      expect([code, err]).toEqual([2, expect.stringContaining('ROLLBACK_UNFINISHED')]);
    }
    // Nothing of the last gate is undone, but its database is in halves.
    const copy = await workspace.copy();
    await expectOk(run(copy, ['rollback', '--to', 'second']));
    expect(dumpOf(copy.path('app.db'))).toBe(after);
    await copy[Symbol.asyncDispose]();
    await expectOk(run(workspace, ['rollback', '--all']));
    expect(dumpOf(path)).toBe(before);
    expect(integrityOf(path)).toBe('ok');
    expect(Object.values(keptStates(workspace))).toContain(after);
  });

  it('is not kept if it holds a secret, or is too large', async () => {
    await using secret = await sqliteProject({}, { secrets: ['TOKEN'] });
    const told = await run(secret, ['run'], { TOKEN });
    expect(told.code, told.err).toBe(0);
    expect(told.out).toContain('the database before the first gate is not kept: it holds a secret');
    expect(keptStates(secret)).toEqual({});
    const gone = await run(secret, ['rollback', '--all'], { TOKEN });
    expect(gone).toMatchObject({ code: 2 });
    expect(gone.err).toContain('no snapshot of the database was kept before the first gate');

    await using large = await sqliteProject({ 'max-size': 100 });
    expect((await expectOk(run(large, ['run']))).out).toContain('is larger than `snapshots: {max-size: 100}`');
    expect(keptStates(large)).toEqual({});
  });

  it('is kept of the run that changed it, whatever later runs only reused', async () => {
    await using workspace = await sqliteProject({ keep: 1 });
    const path = workspace.path('app.db');
    const [before] = await migrated(workspace);
    for (const _ of [1, 2]) await expectOk(run(workspace, ['run', '-q']));
    await expectOk(run(workspace, ['rollback', '--all', '--run', '1']));
    expect(dumpOf(path)).toBe(before);
  });

  it('is kept of the gates that `every` names, and of as many runs as `keep` says, beside pinned ones', async () => {
    await using workspace = await sqliteProject({ every: 2, keep: 0 });
    await expectOk(run(workspace, ['run', '-q', '--until', 'first']));
    // Before the first gate, and nothing after it. The run is open.
    expect(Object.keys(keptStates(workspace))).toHaveLength(1);
    const skipped = await run(workspace, ['rollback', '--to', 'first']);
    expect(skipped.out).toContain('The database is unchanged.');
    await expectOk(run(workspace, ['pin', '--reason', 'release']));
    await expectOk(run(workspace, ['resume', '-q']));
    expect(Object.keys(keptStates(workspace))).toHaveLength(2);
    const first = await run(workspace, ['rollback', '--to', 'first']);
    expect(first.err).toContain('SNAPSHOT_GONE: no snapshot of the database was kept after gate first');

    await expectOk(run(workspace, ['unpin', '--reason', 'released']));
    await expectOk(run(workspace, ['run', '-q']));
    expect(readdirSync(workspace.path('.state/snapshots'))).toEqual([]);
    expect((await expectOk(run(workspace, ['show', 'second', 'record', '--run', '1']))).out).toContain('"database"');
  });

  it('whose snapshot was removed is not restored, and the error says so', async () => {
    await using workspace = await sqliteProject({ keep: 0 });
    await expectOk(run(workspace, ['run', '-q', '--apply']));
    const path = workspace.path('app.db');
    const [dump, files] = [dumpOf(path), await workspace.read('schema.txt')];
    const gone = await run(workspace, ['rollback', '--all']);
    expect(gone).toMatchObject({ code: 2 });
    expect(gone.err).toMatch(/SNAPSHOT_GONE: the snapshot of the database sha256:\w+ is no longer kept/);
    expect([dumpOf(path), await workspace.read('schema.txt')]).toEqual([dump, files]);
  });

  it('whose snapshots are damaged is not restored, and the error names what can be', async () => {
    await using workspace = await sqliteProject();
    await migrated(workspace);
    const [name] = readdirSync(workspace.path('.state/snapshots'));
    const folder = workspace.path(`.state/snapshots/${name}`);
    for (const file of readdirSync(folder)) writeFileSync(join(folder, file), 'damaged');
    // Going back to the last gate restores nothing.
    for (const how of [['--all'], ['--to', 'first']]) {
      const { code, err } = await run(workspace, ['rollback', ...how]);
      expect([code, err]).toEqual([2, expect.stringContaining('has been altered\n  Can be restored: second.')]);
    }
    await expectOk(run(workspace, ['rollback', '--to', 'second']));
  });

  it('whose snapshot cannot be taken keeps the first gate from starting', async () => {
    await using workspace = await sqliteProject({ database: { snapshot: 'exit 7', restore: 'true' } });
    const failed = await run(workspace, ['run', '-q']);
    expect(failed.code).toBe(74);
    expect(failed.err).toContain('the snapshot command of the database: it failed with exit code 7');
    await using silent = await sqliteProject({ database: { snapshot: 'true', restore: 'true' } });
    expect((await run(silent, ['run', '-q'])).err).toContain('it wrote no file to $GATELINE_DATABASE_FILE');
    await using slow = await sqliteProject({
      database: { snapshot: 'sleep 30', restore: 'true', 'timeout-minutes': 0.005 },
    });
    expect((await run(slow, ['run', '-q'])).err).toContain('it did not end within 0.005 minutes');
  });
});
