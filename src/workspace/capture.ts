import type { Content, FileChange, FileState } from '../run/record.ts';
import { sameFile, type Tree, type TreeFile } from '../run/tree.ts';
import { isSystemError } from '../errors/gateline-error.ts';
import { openToRead } from './blob.ts';
import { neverCounts, whyNotContained } from './contain.ts';
import type { Globs } from './globs.ts';
import { inParallel } from './in-parallel.ts';
import { onDisk } from './path-bytes.ts';
import { SPECIAL_MODE, type Snapshot } from './snapshot.ts';
import { lookBelow } from './standing.ts';
import type { Baseline, Changes, EarlierWork, KeepContent } from './workspace.ts';

/** How much may be handed on. */
export interface CaptureLimits {
  /** Of one file. */
  readonly bytes: number;
  readonly files: number;
}

/** Everything that tells what an attempt changed. */
export interface Capture {
  readonly root: string;
  /** Taken after the attempt, as `now` was. */
  readonly snapshot: Snapshot;
  /** Look anew, to see whether files changed while they were kept. */
  readonly lookAgain: () => Promise<Snapshot>;
  readonly before: Baseline;
  readonly earlier: EarlierWork;
  readonly now: Baseline;
  /** The checked out commit; `undefined` without git. */
  readonly committed: Tree | undefined;
  /** What the gate hands on; `undefined`: all that changed. */
  readonly globs: Globs | undefined;
  readonly keep: KeepContent;
  readonly limits: CaptureLimits;
}

type Refused = Changes['refused'][number];
interface Difference {
  readonly path: string;
  readonly before: TreeFile | null;
  readonly after: TreeFile | null;
}

/** Files that change while they are kept are kept again, so often. */
const TRIES = 3;
/** Files that are kept side by side. */
const AT_ONCE = 8;
const TOUCHED_LIMIT = 10_000;

/**
 * What differs between two looks at the workspace. Git's index plays no part: an attempt may commit, switch
 * branches, stage, or change what git ignores, and the answer is the same.
 */
export async function changesSince(capture: Capture): Promise<Changes> {
  const { snapshot, globs } = capture;
  const looked = await lookAtAll(capture);
  const goesOn = goingOn(capture);
  const handsOn = ({ path }: Difference): boolean => {
    if (globs === undefined) return true;
    return snapshot.repositories.has(path) ? globs.matchesRepository(path) : globs.matches(path);
  };
  const touched = looked.filter((one) => !handsOn(one) && !sameFile(one.before, one.after)).flatMap(asTouched);
  const handed = looked.filter((one) => handsOn(one) && goesOn(one));
  return { ...(await keepAll(capture, handed)), touched: touched.slice(0, TOUCHED_LIMIT) };
}

/**
 * Which files go on to later gates. Those that the attempt changed; those that earlier attempts which came to nothing
 * had changed already; and of those that no checkout would bring also the ones that the gate made before and left alone,
 * and those that a glob names and that it made again just the same. What lies there otherwise is somebody else's:
 * handed on, it would later take the place of what they made of it since.
 */
function goingOn({ earlier, globs, committed, before, now }: Capture): (one: Difference) => boolean {
  const { since, made = [] } = earlier;
  const handedOn = new Map(made.map(({ path, after }) => [path, after]));
  return (one) => {
    const { path, after } = one;
    if (!sameFile(one.before, after)) return true;
    if (since !== undefined && !sameFile(since.get(path) ?? null, after)) return true;
    if (sameFile(committed?.get(path) ?? null, after)) return false;
    const known = handedOn.get(path);
    if (known !== undefined && sameFile(known, after)) return true;
    return globs !== undefined && before.stamps.get(path) !== now.stamps.get(path);
  };
}

async function lookAtAll({ snapshot, earlier, before, now }: Capture): Promise<Difference[]> {
  const then = new Map([...before.tree, ...before.named]);
  const after = new Map([...now.tree, ...now.named]);
  const known = [...then.keys(), ...(earlier.since?.keys() ?? []), ...(earlier.made ?? []).map(({ path }) => path)];
  // What git saw before and does not see now may still be there: ignored since, or in a new repository.
  const unseen = known.filter((path) => !after.has(path) && !neverCounts(path));
  for (const [path, file] of await snapshot.resolve(unseen)) after.set(path, file);
  const paths = [...new Set([...known, ...after.keys()])].toSorted();
  return paths
    .map((path) => ({ path, before: then.get(path) ?? null, after: after.get(path) ?? null }))
    .filter((one) => !neverCounts(one.path));
}

/** A record tells of plain files only; a link or submodule that was touched counts as edited from then on. */
function asTouched({ path, before, after }: Difference): FileChange[] {
  if (whyNotPlain(before) !== undefined || whyNotPlain(after) !== undefined || whyNotContained(path) !== undefined)
    return [];
  return [{ path, before: stateOf(before), after: stateOf(after) }];
}

function stateOf(file: TreeFile | null): FileState | null {
  return file === null ? null : { blob: file.blob, mode: file.mode === '100755' ? '100755' : '100644' };
}

function whyNotPlain(file: TreeFile | null): string | undefined {
  if (file === null) return undefined;
  if (file.mode === '120000') return 'a symbolic link';
  if (file.mode === '160000') return 'a git repository of its own';
  return file.mode === SPECIAL_MODE ? file.blob : undefined;
}

function whyRefused({ path, before, after }: Difference): string | undefined {
  const now = whyNotPlain(after);
  if (now !== undefined) return `it is ${now}; only plain files are handed on`;
  const then = whyNotPlain(before);
  if (then !== undefined) return `it was ${then} before; only plain files are handed on`;
  return whyNotContained(path);
}

async function keepAll(capture: Capture, handed: readonly Difference[]): Promise<Pick<Changes, 'files' | 'refused'>> {
  const refused: Refused[] = [];
  const sound: Difference[] = [];
  for (const one of handed) {
    const why = whyRefused(one);
    if (why === undefined) sound.push(one);
    else refused.push({ path: one.path, why });
  }
  if (sound.length > capture.limits.files) {
    const why = `${sound.length} files changed and at most ${capture.limits.files} can be handed on, so none is`;
    return { files: [], refused: [...refused, { path: '.', why }] };
  }
  const kept = await keepUntilStill(capture, sound, refused);
  return { files: kept, refused: refused.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** Keep content, then look again: a file that changed meanwhile is kept anew, so that blob and content are of one state. */
async function keepUntilStill(
  capture: Capture,
  sound: readonly Difference[],
  refused: Refused[],
): Promise<FileChange[]> {
  const files = new Map<string, FileChange>();
  let open = [...sound];
  for (let tries = 1; open.length > 0 && tries <= TRIES; tries++) {
    const kept: Difference[] = [];
    await inParallel(AT_ONCE, open, async (one) => {
      const content = one.after === null ? undefined : await keepOne(capture, one.path);
      if (content !== undefined && 'refused' in content) {
        files.delete(one.path);
        refused.push({ path: one.path, why: content.refused });
      } else {
        files.set(one.path, changeOf(one, content));
        kept.push(one);
      }
    });
    const again = await (await capture.lookAgain()).resolve(kept.map(({ path }) => path));
    open = kept
      .map((one) => ({ one, after: again.get(one.path) ?? null }))
      .filter(({ one, after }) => !sameFile(one.after, after))
      .map(({ one: { path, before }, after }) => ({ path, before, after }))
      .filter((one) => stillGoesOn(capture, one, files, refused));
  }
  for (const { path } of open) {
    files.delete(path);
    refused.push({ path, why: 'it kept changing while it was read; a program still writes to it' });
  }
  return [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function stillGoesOn(capture: Capture, one: Difference, files: Map<string, FileChange>, refused: Refused[]): boolean {
  const why = whyRefused(one);
  if (why === undefined && goingOn(capture)(one)) return true;
  files.delete(one.path);
  if (why !== undefined) refused.push({ path: one.path, why });
  return false;
}

function changeOf({ path, before, after }: Difference, content: Content | undefined): FileChange {
  const state = stateOf(after);
  return {
    path,
    before: stateOf(before),
    after: state === null || content === undefined ? state : { ...state, content },
  };
}

/** Keep one file's bytes, or say why not. */
async function keepOne({ root, keep, limits }: Capture, path: string): Promise<Content | { refused: string }> {
  let file;
  try {
    file = await openToRead(onDisk(root, path));
  } catch (error) {
    // ELOOP: a link took the file's place; ENXIO: a socket or pipe did; ENOENT: it went away.
    if (['ELOOP', 'ENXIO', 'ENOENT', 'ENOTDIR'].some((code) => isSystemError(error, code))) {
      return { refused: 'it was replaced while it was read' };
    }
    throw error;
  }
  await using opened = file;
  const stats = await opened.stat();
  const seen = lookBelow(root)(path);
  if (!stats.isFile() || seen?.ino !== stats.ino || seen.dev !== stats.dev)
    return { refused: 'it leads out of the workspace, or was replaced while it was read' };
  const tooLarge = {
    refused: `it is larger than ${limits.bytes.toLocaleString('en')} bytes, the most that is handed on`,
  };
  if (stats.size > limits.bytes) return tooLarge;
  const counted = new LimitedRead(opened.createReadStream({ autoClose: false }), limits.bytes);
  try {
    return await keep(counted, path);
  } catch (error) {
    if (counted.exceeded) return tooLarge;
    throw error;
  }
}

/** Chunks up to a number of bytes; a file that grows past it while it is read ends in an error. */
class LimitedRead implements AsyncIterable<Uint8Array> {
  exceeded = false;
  readonly #chunks: AsyncIterable<Uint8Array>;
  readonly #limit: number;

  constructor(chunks: AsyncIterable<Uint8Array>, limit: number) {
    this.#chunks = chunks;
    this.#limit = limit;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of this.#chunks) {
      bytes += chunk.length;
      this.exceeded = bytes > this.#limit;
      if (this.exceeded) throw new RangeError(`larger than ${this.#limit} bytes`);
      yield chunk;
    }
  }
}
