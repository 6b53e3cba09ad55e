import { existsSync, readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, beginGate, decideRun, loadPipeline, localPorts, runPipeline } from '../../src/index.ts';
import { gateline } from '../cli/in-process.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { readIfThere, type ScratchWorkspace } from '../support/scratch-workspace.ts';
import { dumpOf, integrityOf, sqliteProject } from '../support/sqlite-project.ts';
import { someOf } from '../support/test-size.ts';
import { atATime, DYING, killPoints, numbersTo } from './kill-points.ts';

const LONG = { timeout: 3_600_000 };
const NEVER = 1_000_000;

let ran: ScratchWorkspace;
let operations: readonly string[];
let found: State;
let applied: State;

/** What a rollback changes. */
interface State {
  readonly files: Readonly<Record<string, string>>;
  readonly database: string;
}

const variables = (workspace: ScratchWorkspace): Record<string, string> => ({ DB: workspace.path('app.db') });

async function stateOf(workspace: ScratchWorkspace): Promise<State> {
  const files = Object.entries(await workspace.files()).filter(([path]) => !path.startsWith('app.db'));
  return { files: Object.fromEntries(files), database: dumpOf(workspace.path('app.db')) };
}

beforeAll(async () => {
  ran = await sqliteProject();
  found = await stateOf(ran);
  const run = await ran.gateline(['run', '-q', '--apply'], { env: variables(ran) });
  expect(run, run.stderr).toMatchObject({ code: 0 });
  applied = await stateOf(ran);
  await using whole = await ran.copy();
  const log = whole.beside('operations');
  const done = await rollback(whole, { DIE_AFTER: String(NEVER), OPERATIONS: log });
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(await stateOf(whole)).toEqual(found);
  operations = (await readFile(log, 'utf8')).trim().split('\n');
}, LONG.timeout);
afterAll(() => ran[Symbol.asyncDispose]());

const rollback = (workspace: ScratchWorkspace, env: Record<string, string>) =>
  workspace.gateline(['rollback', '--all'], { script: DYING, env: { ...variables(workspace), ...env } });

/** Kept copies of what was overwritten. */
async function keptStates(workspace: ScratchWorkspace): Promise<string[]> {
  const folder = workspace.path('.state/snapshots');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /before-\d+$/.test(name)).map((name) => dumpOf(join(folder, name)));
}

/** Files and database are either as they were or as they are to be, and what was overwritten is kept. */
async function expectNothingLost(workspace: ScratchWorkspace): Promise<void> {
  const now = await stateOf(workspace);
  expect(integrityOf(workspace.path('app.db'))).toBe('ok');
  expect([found.database, applied.database]).toContain(now.database);
  if (now.database !== applied.database) expect(await keptStates(workspace)).toContain(applied.database);
  for (const [path, state] of Object.entries(now.files))
    expect([found.files[path], applied.files[path]], path).toContain(state);
  if (now.files['schema.txt'] === applied.files['schema.txt']) return;
  const folder = workspace.path('.state/applied');
  const copies = await Promise.all(
    readdirSync(folder).map((name) => readIfThere(join(folder, name, 'files/schema.txt'))),
  );
  expect(copies).toContain('second\n');
}

/** Does it again, in this process: that completes it, and the run is over. */
async function goOn(workspace: ScratchWorkspace): Promise<void> {
  const environment = { ...plainEnvironment(workspace.variables()), ...variables(workspace) };
  const again = await gateline(workspace.root, ['rollback', '--all'], { environment });
  expect(again.code, again.err).toBe(0);
  expect(await stateOf(workspace)).toEqual(found);
  await expectNothingLost(workspace);
  const status = await gateline(workspace.root, ['status', '--json'], { environment });
  expect(JSON.parse(status.out)).toMatchObject({ run: 1, status: 'rollback', problems: [] });
  const plan = await gateline(workspace.root, ['plan', '--json'], { environment });
  const { gates } = JSON.parse(plan.out) as { gates: { choice: string }[] };
  expect(gates.map(({ choice }) => choice)).toEqual(['run', 'run']);
  const left = existsSync(workspace.path('.state/attempts')) ? readdirSync(workspace.path('.state/attempts')) : [];
  expect(left.filter((name) => name.startsWith('database-'))).toEqual([]);
}

/** The folder is partly rolled back: nothing is started in it, and everybody is told. */
async function expectRefused(workspace: ScratchWorkspace): Promise<void> {
  const environment = { ...plainEnvironment(workspace.variables()), ...variables(workspace) };
  const before = await stateOf(workspace);
  const decided = ['pause', 'close'].map((word) => [word, '--reason', 'test']);
  const started = [['run'], ['run', '--new', '--reason', 'again'], ['resume'], ['begin', 'migrate']];
  for (const words of [...started, ['apply'], ...decided]) {
    const { code, err } = await gateline(workspace.root, words, { environment });
    expect([words, code, err]).toEqual([words, 2, expect.stringContaining('ROLLBACK_UNFINISHED')]);
    expect(err).toContain("`gateline rollback --all --run 'migration#1'` completes it.");
  }
  await expectLibraryRefuses(workspace, environment);
  expect(await stateOf(workspace)).toEqual(before);
  const status = await gateline(workspace.root, ['status', '--json'], { environment });
  expect(JSON.parse(status.out)).toMatchObject({ problems: [{ code: 'ROLLBACK_UNFINISHED' }] });
  const shown = await gateline(workspace.root, ['status'], { environment });
  expect(shown.out).toContain('A rollback was interrupted: repeat it before anything else.');
  expect(shown.out).not.toContain('Everything is done');
}

/** Programs are refused what the command line is refused. */
async function expectLibraryRefuses(workspace: ScratchWorkspace, environment: Record<string, string>): Promise<void> {
  const place = await loadPipeline(workspace.root);
  const { pipeline } = place;
  const ports = await localPorts({ place, environment });
  await using _workspace = ports.workspace;
  const about = { pipeline, subject: 'migration', metadata: pipeline.metadata, input: null };
  const observe = (): void => undefined;
  const by = { actor: 'maria', reason: 'test' };
  const how = { observe, signal: new AbortController().signal };
  for (const work of [
    () => runPipeline(ports, about, how),
    () => beginGate(ports, about, 'first', observe),
    () => apply(ports, about, { saved: workspace.path('.state/applied/again') }),
    () => decideRun(ports, about, { decision: 'pause', ...by }),
  ])
    await expect(work()).rejects.toMatchObject({ code: 'ROLLBACK_UNFINISHED' });
}

describe.runIf(process.platform !== 'win32')('rollback, killed by SIGKILL', () => {
  it('keeps the database, restores it, then the files, and records that last', () => {
    const order = [/^database kept$/, /^database restored$/, /^put schema.txt$/, /^put all/, /decided.rollback/];
    const places = order.map((pattern) => operations.findIndex((what) => pattern.test(what)));
    expect(places, operations.join('\n')).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('after any durable step loses nothing, and the next call ends in the same state', LONG, async () => {
    // Records and projections follow; a kill between two of them is like another.
    const partly = {
      from: operations.findIndex((what) => what.startsWith('begin to put')),
      to: operations.findLastIndex((what) => what.includes('decided.rollback')),
    };
    // The list is written; then the database is restored, and no file yet.
    const restored = operations.indexOf('database restored') + 1;
    const points = [...new Set([...someOf(numbersTo(operations.length), 4), partly.from + 1, restored, partly.to - 1])];
    await atATime(2, points, async (k) => {
      await using workspace = await ran.copy();
      const killed = await rollback(workspace, { DIE_AFTER: String(k), OPERATIONS: workspace.beside('operations') });
      expect(killed.signal).toBe('SIGKILL');
      await expectNothingLost(workspace);
      if (k > partly.from && k < partly.to) await expectRefused(workspace);
      await goOn(workspace);
    });
    console.log(
      `rollback: killed after ${points.length} of ${operations.length} operations, each ended in the same state`,
    );
  });

  it('while its commands work on the database does so too', LONG, async () => {
    const delays = someOf(killPoints(24), 3);
    await atATime(2, delays, async (delay) => {
      await using workspace = await ran.copy();
      const command = workspace.start(['rollback', '--all'], {
        script: DYING,
        env: { ...variables(workspace), DIE_AFTER: String(NEVER), OPERATIONS: workspace.beside('operations') },
      });
      const isWorking = (): boolean =>
        existsSync(workspace.path('.state/attempts')) &&
        readdirSync(workspace.path('.state/attempts')).some((name) => name.startsWith('database-'));
      const { process } = command;
      while (!isWorking() && process.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
      await new Promise((resolve) => setTimeout(resolve, delay * 5));
      process.kill('SIGKILL');
      await command.ended;
      await goOn(workspace);
      expect(statSync(workspace.path('app.db')).size).toBeGreaterThan(0);
    });
  });
});
