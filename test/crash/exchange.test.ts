import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setImmediate as next } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/formats/formats.ts';
import { expectOk, gateline, gatelineYml, writes } from '../cli/in-process.ts';
import { SOUND } from '../formats/hostile-files.ts';
import { plainEnvironment, type RunningCommand } from '../support/command-line.ts';
import { filesBelow, readIfThere, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { bySize, numbersFrom, SEED, spread } from '../support/test-size.ts';
import { DYING, numbersTo } from './kill-points.ts';

const LONG = { timeout: 3_600_000 };
const SYSTEMS = Object.keys(FORMATS);

/** Where a process is killed: right after a durable operation, or before a temporary file gets its name. */
interface KillPoint {
  readonly variable: 'DIE_AFTER' | 'DIE_BEFORE_RENAME';
  readonly k: number;
}

/** A command that ran to its end. */
interface Whole {
  /** All points at which it can be killed. */
  readonly points: readonly KillPoint[];
  /** The files that it gave their names, absolute. */
  readonly renamed: readonly string[];
}

async function runWhole(workspace: ScratchWorkspace, args: readonly string[]): Promise<Whole> {
  const [operations, renames] = [workspace.beside('operations'), workspace.beside('renames')];
  const env = { OPERATIONS: operations, RENAMES: renames };
  const result = await workspace.gateline(args, { script: DYING, env });
  expect(result, result.stderr).toMatchObject({ signal: null });
  const linesOf = async (path: string): Promise<string[]> =>
    (await readIfThere(path)).split('\n').filter((line) => line !== '');
  const renamed = await linesOf(renames);
  const after = numbersTo((await linesOf(operations)).length).map((k) => ({ variable: 'DIE_AFTER' as const, k }));
  const before = numbersTo(renamed.length).map((k) => ({ variable: 'DIE_BEFORE_RENAME' as const, k }));
  return { points: [...after, ...before], renamed };
}

/**
 * Points of a command, others in each soak: always before one of the files that people see gets its name.
 * @param folder of these files
 */
function pointsOf({ points, renamed }: Whole, folder: string): KillPoint[] {
  const own = renamed.flatMap((path, at) => {
    const isOwn = isBelow(folder, path) && !isBelow(join(folder, '.state'), path);
    return isOwn ? [{ variable: 'DIE_BEFORE_RENAME' as const, k: at + 1 }] : [];
  });
  expect(own).not.toEqual([]);
  return [...drawnFrom(own, { sample: 1, full: 4 }), ...drawnFrom(points, { sample: 1, full: 5 })];
}

function drawnFrom(
  points: readonly KillPoint[],
  counts: { readonly sample: number; readonly full: number },
): KillPoint[] {
  const random = numbersFrom(SEED);
  const shuffled = points.map((point) => [random(), point] as const).toSorted(([a], [b]) => a - b);
  return spread(shuffled, bySize({ ...counts, soak: Infinity })).map(([, point]) => point);
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** Reads files again and again while a command runs. @param isWhole whether a text is all of a file's content */
async function watched(
  command: RunningCommand,
  paths: readonly string[],
  isWhole: (path: string, text: string) => boolean,
): Promise<Awaited<RunningCommand['ended']>> {
  const over = new AbortController();
  const ended = command.ended.finally(() => over.abort());
  while (!over.signal.aborted) {
    for (const path of paths) {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text !== undefined) expect(isWhole(path, text), `${path}:\n${text}`).toBe(true);
    }
    await next();
  }
  return ended;
}

/** A command in this process, which takes less time. */
function here(workspace: ScratchWorkspace, args: readonly string[]): ReturnType<typeof gateline> {
  return gateline(workspace.root, args, { environment: plainEnvironment(workspace.variables()) });
}

/** Starts a command, and kills it at a point while its files are read. */
async function killAt(
  workspace: ScratchWorkspace,
  args: readonly string[],
  { variable, k }: KillPoint,
  watch: { readonly paths: readonly string[]; readonly isWhole: (path: string, text: string) => boolean },
): Promise<boolean> {
  const command = workspace.start(args, { script: DYING, env: { [variable]: String(k) } });
  const { signal, stderr } = await watched(command, watch.paths, watch.isWhole);
  expect([null, 'SIGKILL'], stderr).toContain(signal);
  return signal === 'SIGKILL';
}

/** Files below a folder that a person sees, with their texts. */
async function textsBelow(folder: string): Promise<Record<string, string>> {
  const paths = (await filesBelow(folder, ['.state'])).filter((path) => !path.startsWith('.git/'));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readIfThere(join(folder, path))] as const)),
  );
}

/** What killed processes left, but for what is swept, and for folders of attempts, which are removed with them. */
async function leftovers(folder: string): Promise<string[]> {
  const all = await filesBelow(folder, []);
  return all.filter((path) => path.endsWith('.tmp') && !/(?:^|\/)\.state\/(?:attempts\/|(?:.*\/)?tmp\/)/.test(path));
}

const GATES = {
  plan: { run: writes({ steps: 5 }), inputs: [] },
  design: { run: writes('x'.repeat(40_000)), needs: 'plan', inputs: [] },
  build: { run: `grep yes ready.txt && ${writes({ built: true })}`, needs: 'design', inputs: ['ready.txt'] },
};

describe.runIf(process.platform !== 'win32').each(SYSTEMS)('gateline export %s, killed by SIGKILL', (name) => {
  it('leaves whole files, and ends with the same ones when it is done again', LONG, async () => {
    await using ran = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(GATES, { task: 'shop' }),
      'ready.txt': 'no',
    });
    expect((await here(ran, ['run', '-q'])).code).toBe(1);
    const folderIn = (workspace: ScratchWorkspace): string => workspace.beside('exported');
    const argsIn = (workspace: ScratchWorkspace): string[] => ['export', name, '--to', folderIn(workspace)];
    // Files of an earlier export are there, and in the place of one what another system wrote.
    const prepared = async (): Promise<ScratchWorkspace> => {
      const workspace = await ran.copy();
      await expectOk(here(workspace, argsIn(workspace)));
      await workspace.write('ready.txt', 'yes');
      await expectOk(here(workspace, ['run', '-q']));
      return workspace;
    };
    await using before = await prepared();
    const old = await textsBelow(folderIn(before));
    const foreign = Object.keys(old)[0]!;
    const other = 'what another system wrote\n'.repeat(1_000);
    const made = async (): Promise<ScratchWorkspace> => {
      const copy = await before.copy();
      for (const [path, text] of Object.entries({ ...old, [foreign]: other })) {
        await mkdir(dirname(join(folderIn(copy), path)), { recursive: true });
        await writeFile(join(folderIn(copy), path), text);
      }
      // The list of what was written names files by their paths.
      const list = await readIfThere(copy.path('.state/exported.json'));
      await copy.write('.state/exported.json', list.replaceAll(folderIn(before), folderIn(copy)));
      return copy;
    };
    await using undisturbed = await made();
    const whole = await runWhole(undisturbed, argsIn(undisturbed));
    const after = await textsBelow(folderIn(undisturbed));
    const changed = Object.keys(after).filter((path) => after[path] !== { ...old, [foreign]: other }[path]);
    expect(changed).toContain(foreign);
    const renamed = whole.renamed.map((path) => relative(folderIn(undisturbed), path));
    expect(renamed).toEqual(expect.arrayContaining(changed));
    const copies = async (workspace: ScratchWorkspace): Promise<string[]> => {
      const all = await readdir(workspace.path('.state/quarantine'), { recursive: true, withFileTypes: true });
      return all.filter((one) => one.isFile()).map((one) => one.name);
    };
    expect(await copies(undisturbed)).toHaveLength(1);
    for (const point of pointsOf(whole, folderIn(undisturbed))) {
      await using workspace = await made();
      const folder = folderIn(workspace);
      const known = (path: string): (string | undefined)[] => [
        old[path],
        after[path],
        path === foreign ? other : undefined,
      ];
      const isWhole = (path: string, text: string): boolean => known(relative(folder, path)).includes(text);
      const paths = Object.keys(after).map((path) => join(folder, path));
      const isKilled = await killAt(workspace, argsIn(workspace), point, { paths, isWhole });
      expect(isKilled, JSON.stringify(point)).toBe(true);
      expect(await leftovers(folder), JSON.stringify(point)).toEqual([]);
      for (const path of Object.keys(await textsBelow(folder)))
        expect(isWhole(join(folder, path), await readIfThere(join(folder, path))), path).toBe(true);
      await expectOk(here(workspace, argsIn(workspace)));
      expect(await textsBelow(folder), JSON.stringify(point)).toEqual(after);
      // One copy, of what others wrote: none of a file that the killed process wrote.
      expect(await copies(workspace), JSON.stringify(point)).toEqual(await copies(undisturbed));
    }
  });
});

describe.runIf(process.platform !== 'win32').each(SYSTEMS)('gateline import %s --write, killed by SIGKILL', (name) => {
  it('leaves whole files, and imports the same when it is done again', LONG, async () => {
    const metadata = { domain: 'demoqa_com', feature: 'student_registration' };
    const definition = `# mine\npipeline: shop # ${'long '.repeat(4_000)}\nmetadata: ${JSON.stringify(metadata)}\ngates: {}\n`;
    const args = ['import', name, '--from', 'old', '--write'];
    const made = (): Promise<ScratchWorkspace> => {
      const files = Object.entries(SOUND[name]!).map(([path, text]) => [`old/${path}`, text] as const);
      return ScratchWorkspace.create({ 'gateline.yml': definition, ...Object.fromEntries(files) });
    };
    await using undisturbed = await made();
    const whole = await runWhole(undisturbed, args);
    const after = await textsBelow(undisturbed.root);
    const expected = await imported(undisturbed);
    expect(expected.gates.some((gate) => gate.endsWith(' passed'))).toBe(true);
    expect(after['gateline.yml']).not.toBe(definition);
    expect(after['gateline.yml']).toMatch(/^# mine\n/);
    for (const point of pointsOf(whole, undisturbed.root)) {
      await using workspace = await made();
      const isWhole = (path: string, text: string): boolean => {
        const known = relative(workspace.root, path);
        return text === after[known] || (known === 'gateline.yml' && text === definition);
      };
      const paths = Object.keys(after).map((path) => workspace.path(path));
      const isKilled = await killAt(workspace, args, point, { paths, isWhole });
      expect(isKilled, JSON.stringify(point)).toBe(true);
      expect(await leftovers(workspace.root), JSON.stringify(point)).toEqual([]);
      await expectOk(here(workspace, args));
      expect(await textsBelow(workspace.root), JSON.stringify(point)).toEqual(after);
      expect(await imported(workspace), JSON.stringify(point)).toEqual(expected);
    }
  });
});

/** What an import recorded, without times. */
async function imported(
  workspace: ScratchWorkspace,
): Promise<{ readonly gates: string[]; readonly history: unknown[] }> {
  const json = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await expectOk(here(workspace, [...args, '--json']))).out);
  const { gates } = (await json('status')) as { gates: { key: string; status: string; attempts: number }[] };
  const { entries } = (await json('history')) as { entries: { subject: string; status: string }[] };
  return {
    gates: gates.map(({ key, status }) => `${key} ${status}`),
    history: entries.map(({ subject, status }) => `${subject} ${status}`),
  };
}

describe.runIf(process.platform !== 'win32').each(SYSTEMS)('gateline run --mirror %s, killed by SIGKILL', (name) => {
  it('leaves whole files, and keeps the same ones when it continues', LONG, async () => {
    const { folder, read } = FORMATS[name]!;
    const args = ['run', '-q', '--mirror', name];
    const files = { 'gateline.yml': gatelineYml(GATES, { task: 'shop', subject: 'shop-cart' }), 'ready.txt': 'yes' };
    await using pristine = await ScratchWorkspace.create(files);
    const filesIn = async (workspace: ScratchWorkspace) => {
      const own = await filesBelow(workspace.path(folder), ['runs', 'content', 'tmp', 'locks', 'git', 'attempts']);
      const known = own.filter((path) => FORMATS[name]!.isKnown(path));
      return Promise.all(
        known.map(async (path) => {
          const bytes = await readFile(join(workspace.path(folder), path));
          return { path, bytes, modified: 0 };
        }),
      );
    };
    const shown = async (workspace: ScratchWorkspace): Promise<unknown> => {
      const all = await filesIn(workspace);
      const { run, problems } = read(all);
      expect(problems).toEqual([]);
      const done = run.gates.map(({ gate, agent, needs }) => ({ gate, agent, needs }));
      // Ids of runs are times, and have a number more where two runs began in one second.
      return {
        paths: all.map(({ path }) => path.replaceAll(/\d{8}-\d{6}(?:-\d+)?/g, 'ID')),
        gates: done,
        runs: run.history.map(({ status }) => status),
      };
    };
    await using undisturbed = await pristine.copy();
    const whole = await runWhole(undisturbed, args);
    const expected = await shown(undisturbed);
    // A run that was completed is not continued: the next one reuses its outputs.
    await using twice = await undisturbed.copy();
    await expectOk(here(twice, args));
    const expectedTwice = await shown(twice);
    const exclude = await readIfThere(undisturbed.path('.git/info/exclude'));
    const paths = (await filesIn(undisturbed)).map(({ path }) => path);
    const isWhole = (path: string, text: string): boolean => {
      if (path.endsWith('.jsonl')) return text.endsWith('\n') && text.trim().split('\n').every(isJson);
      return path.endsWith('.json') ? isJson(text) : text.endsWith('\n');
    };
    for (const point of pointsOf(whole, undisturbed.path(folder))) {
      await using workspace = await pristine.copy();
      const watch = { paths: paths.map((path) => join(workspace.path(folder), path)), isWhole };
      // Not every run has the same operations.
      await killAt(workspace, args, point, watch);
      expect(await leftovers(workspace.root), JSON.stringify(point)).toEqual([]);
      const { out } = await here(workspace, ['status', '--json']);
      const wasCompleted = (JSON.parse(out) as { status: string }).status === 'completed';
      await expectOk(here(workspace, args));
      expect(await shown(workspace), JSON.stringify(point)).toEqual(wasCompleted ? expectedTwice : expected);
      expect(await readIfThere(workspace.path('.git/info/exclude'))).toBe(exclude);
      expect((await workspace.git('status', '--porcelain', '-uall')).trim()).toBe('');
    }
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
