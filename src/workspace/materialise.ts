import { randomBytes } from 'node:crypto';
import { chmod, open, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { GatelineError, isSystemError, messageOf } from '../errors/gateline-error.ts';
import type { Content, FileChange } from '../run/record.ts';
import type { Tree } from '../run/tree.ts';
import { foldersOf } from './contain.ts';
import { blockedBy, Displaced, makeFolders } from './displace.ts';
import { walkBelow } from './folder-walk.ts';
import { goalsOf, isAs, presentAt, type Goal, type Place } from './goals.ts';
import { lookAt, lookBelow } from './standing.ts';
import type { CopyContent, Materialised } from './workspace.ts';

/** A goal that is not reached yet. */
interface Step {
  readonly goal: Goal;
  /** What stands there is none of the states that the gates knew. */
  readonly foreign: boolean;
}

/** See `Workspace.stands`. */
export async function stands(place: Place, changes: readonly FileChange[]): Promise<boolean> {
  const goals = goalsOf(changes);
  const present = await presentAt(place, goals);
  for (const { path, after } of goals.values()) {
    if (!(await isAs(place, path, present.get(path), after))) return false;
  }
  return true;
}

/**
 * See `Workspace.materialise`. Everything is checked before the first file is changed. Files go before new ones
 * come, so that a file may take the place of a folder and the other way round. Answers once for each path.
 */
export async function materialise(
  place: Place,
  changes: readonly FileChange[],
  copy: CopyContent,
): Promise<Materialised[]> {
  const goals = goalsOf(changes);
  const steps = await stepsFor(place, goals, await presentAt(place, goals));
  const leaving = new Set(steps.filter(({ goal }) => goal.after === null).map(({ goal }) => goal.path));
  for (const { goal } of steps) await checkWay(place.root, goal, leaving);

  const displaced = new Displaced(place.root);
  const done = new Map<string, Materialised>();
  const byPath = steps.toSorted((a, b) => (a.goal.path < b.goal.path ? -1 : 1));
  for (const step of byPath.filter(({ goal }) => goal.after === null)) {
    done.set(step.goal.path, await inPlace(step.goal.path, () => remove(place.root, step, displaced)));
  }
  for (const step of byPath.filter(({ goal }) => goal.after !== null)) {
    done.set(step.goal.path, await inPlace(step.goal.path, () => write(place.root, step, displaced, copy)));
  }
  return [...goals.keys()].map((path) => done.get(path) ?? { path, action: 'unchanged' });
}

async function stepsFor(place: Place, goals: ReadonlyMap<string, Goal>, present: Tree): Promise<Step[]> {
  const steps: Step[] = [];
  const reached = new Set<string>();
  for (const goal of goals.values()) {
    const file = present.get(goal.path);
    if (await isAs(place, goal.path, file, goal.after)) {
      reached.add(goal.path);
      continue;
    }
    const matches = await Promise.all(goal.known.map((state) => isAs(place, goal.path, file, state)));
    steps.push({ goal, foreign: file !== undefined && !matches.includes(true) });
  }
  return steps.filter(({ goal }) => goal.after !== null || !isOtherSpelling(place.root, goal.path, goals, reached));
}

/** On a file system that ignores case, `A` to delete may be the very file `a` that already stands as it should. */
function isOtherSpelling(
  root: string,
  path: string,
  goals: ReadonlyMap<string, Goal>,
  reached: ReadonlySet<string>,
): boolean {
  const fold = (name: string): string => name.normalize('NFC').toLowerCase();
  const mine = lookAt(root, path);
  return [...goals.values()].some(({ path: other, after }) => {
    if (after === null || other === path || !reached.has(other) || fold(other) !== fold(path)) return false;
    const its = lookAt(root, other);
    return its?.ino === mine?.ino && its?.dev === mine?.dev;
  });
}

/** Refuse what cannot be done, as things will be once the files that are leaving are gone. */
async function checkWay(root: string, { path, after }: Goal, leaving: ReadonlySet<string>): Promise<void> {
  if (after !== null && after.content === undefined)
    throw missing(path, 'the record does not say where its content is kept');
  for (const folder of foldersOf(path)) {
    const stats = lookAt(root, folder);
    if (stats === undefined || (leaving.has(folder) && !stats.isDirectory())) return;
    if (!stats.isDirectory()) throw blockedBy(path, folder, stats);
  }
  const stats = lookBelow(root)(path);
  if (stats?.isDirectory() !== true) return;
  const stays =
    after === null ||
    lookAt(root, `${path}/.git`) !== undefined ||
    !(await walkBelow(root, path, () => true)).every((one) => leaving.has(one));
  if (stays) throw blockedBy(path, path, stats);
}

async function remove(root: string, { goal: { path }, foreign }: Step, displaced: Displaced): Promise<Materialised> {
  await makeFolders(root, path);
  const kept = foreign ? await displaced.keep(path) : undefined;
  await rm(`${root}/${path}`, { force: true });
  return { path, action: 'deleted', ...(kept === undefined ? {} : { displaced: kept }) };
}

async function write(
  root: string,
  { goal: { path, after }, foreign }: Step,
  displaced: Displaced,
  copy: CopyContent,
): Promise<Materialised> {
  await makeFolders(root, path);
  const target = `${root}/${path}`;
  const temporary = `${target.slice(0, target.lastIndexOf('/'))}/.gateline-${randomBytes(8).toString('hex')}.tmp`;
  try {
    await stage(path, after!.content!, temporary, after!.mode === '100755' ? 0o755 : 0o644, copy);
    const kept = foreign ? await displaced.keep(path) : undefined;
    if (lookAt(root, path)?.isDirectory() === true) await removeEmptyFolders(target);
    await rename(temporary, target);
    return { path, action: 'written', ...(kept === undefined ? {} : { displaced: kept }) };
  } catch (error) {
    await unlinkIfThere(temporary);
    throw error;
  }
}

/** The content in a new file beside its place, on disk for good. */
async function stage(
  path: string,
  content: Content,
  temporary: string,
  mode: number,
  copy: CopyContent,
): Promise<void> {
  const copied = await copy(content.digest, temporary, mode);
  if (copied.state === 'absent') throw missing(path, `its content ${content.digest} is not kept any more`);
  if (copied.state === 'unknown')
    throw missing(path, `its content could not be read (${copied.problem.code}: ${copied.problem.message})`);
  if (copied.value.digest !== content.digest || copied.value.bytes !== content.bytes)
    throw missing(path, 'its content is not what the record says');
  await chmod(temporary, mode);
  await using file = await open(temporary, 'r+');
  await file.sync();
}

async function removeEmptyFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeEmptyFolders(`${folder}/${entry.name}`);
  }
  await rmdir(folder);
}

async function unlinkIfThere(place: string): Promise<void> {
  try {
    await unlink(place);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}

async function inPlace<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GatelineError) throw error;
    throw new GatelineError(
      'platform',
      'FILE_NOT_WRITTEN',
      `${path} could not be brought to where a gate left it: ${messageOf(error)}`,
      {
        hint: 'Check permissions and free space, then run again: files that were done are left alone.',
        cause: error,
      },
    );
  }
}

function missing(path: string, why: string): GatelineError {
  return new GatelineError(
    'platform',
    'CONTENT_MISSING',
    `${path} cannot be brought to where a gate left it: ${why}.`,
    {
      hint: 'Run the gate that left it again.',
    },
  );
}
