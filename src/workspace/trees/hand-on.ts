import type { Content, FileChange, FileState } from '../../run/records/record.ts';
import type { TreeDifference, TreeFile } from '../../run/files/tree.ts';
import { isSystemError } from '../../errors/gateline-error.ts';
import { openToRead } from '../files/blob.ts';
import { whyNotContained } from '../files/contain.ts';
import type { Globs } from '../files/globs.ts';
import { onDisk, splitNames } from '../files/path-bytes.ts';
import { BlobReader } from '../objects/blob-reader.ts';
import { type ObjectStore, snapshotIndexOf } from '../objects/object-store.ts';
import type { CapturedWork, Changes, KeepContent } from '../workspace.ts';
import { listOfNames } from './index-file.ts';

/** Limits for handed-on files. */
export interface HandOnLimits {
  /** Bytes of one file. */
  readonly bytes: number;
  readonly files: number;
}

/** Parameters for separating an attempt's changes. */
export interface HandOn {
  readonly store: ObjectStore;
  /** Top of the folder that the attempt worked in, absolute, and the workspace's path below it. */
  readonly folder: string;
  readonly prefix: string;
  readonly differences: readonly TreeDifference[];
  /** Unreadable entries; paths relative to the workspace. */
  readonly leftOut: CapturedWork['leftOut'];
  /** The globs of the gate's `files`; `undefined`: all changes are handed on. */
  readonly globs: Globs | undefined;
  readonly keep: KeepContent;
  readonly limits: HandOnLimits;
}

type RefusedChange = Changes['refused'][number];

const TOUCHED_LIMIT = 10_000;

/** Separates an attempt's changes into those that are handed on, with their content stored, and the rest. */
export async function handOn(input: HandOn): Promise<Changes> {
  const { leftOut, globs } = input;
  const unseen = leftOut.filter(
    ({ path }) => globs === undefined || globs.matches(path) || globs.matchesRepository(path),
  );
  const names = new Set(unseen.map(({ path }) => path));
  const { files, touched, links, refused } = await part(input);
  return {
    files: files.filter(({ path }) => !names.has(path)),
    touched,
    links,
    refused: [...refused, ...unseen].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

async function part(input: HandOn): Promise<Changes> {
  const { differences, globs, limits } = input;
  const isHandedOn = ({ path, before, after }: TreeDifference): boolean => {
    if (globs === undefined) return !path.startsWith('../');
    return isRepository(before) || isRepository(after) ? globs.matchesRepository(path) : globs.matches(path);
  };
  const handed = differences.filter(isHandedOn);
  const [links, touched] = parted(differences.filter((one) => !isHandedOn(one)));
  const refused: RefusedChange[] = [];
  const sound = handed.filter((one) => {
    const why = whyRefused(one, globs === undefined);
    if (why !== undefined) refused.push({ path: one.path, why });
    return why === undefined;
  });
  const rest = { touched: touched.slice(0, TOUCHED_LIMIT), links };
  if (sound.length > limits.files) {
    const why = `${sound.length} files changed, but at most ${limits.files} can be handed on, so none is`;
    return { ...rest, files: [], refused: [...refused, { path: '.', why }] };
  }
  const files = await keepAll(input, sound, refused);
  return { ...rest, files, refused };
}

/** Paths that are not handed on: links and repositories, and plain files. */
function parted(differences: readonly TreeDifference[]): [links: string[], files: FileChange[]] {
  const isPlain = ({ before, after }: TreeDifference): boolean =>
    whyNotPlain(before) === undefined && whyNotPlain(after) === undefined;
  const links = differences.filter((one) => !isPlain(one)).map(({ path }) => path);
  const files = differences.filter(isPlain).map(({ path, before, after }) => {
    return { path, before: stateOf(before), after: stateOf(after) };
  });
  return [links, files];
}

function stateOf(file: TreeFile | null): FileState | null {
  return file === null ? null : { blob: file.blob, mode: file.mode === '100755' ? '100755' : '100644' };
}

function isRepository(file: TreeFile | null): boolean {
  return file?.mode === '160000';
}

function whyNotPlain(file: TreeFile | null): string | undefined {
  if (file?.mode === '120000') return 'a symbolic link';
  return isRepository(file) ? 'a git repository' : undefined;
}

function whyRefused({ path, before, after }: TreeDifference, isAny: boolean): string | undefined {
  const now = whyNotPlain(after);
  if (now !== undefined) return `it is ${now}; only plain files are handed on`;
  const then = whyNotPlain(before);
  if (then !== undefined) return `it was ${then} before; only plain files are handed on`;
  if (isAny && before === null && isCredentialFile(path))
    return 'it looks like a credentials file; name it in `files` if it is not';
  return whyNotContained(path);
}

async function keepAll(
  input: HandOn,
  sound: readonly TreeDifference[],
  refused: RefusedChange[],
): Promise<FileChange[]> {
  const { store, folder, prefix, keep, limits } = input;
  const files: FileChange[] = [];
  const written = sound.filter(({ after }) => after !== null).map(({ path }) => path);
  const filtered = await filteredPaths(
    store,
    folder,
    written.map((path) => prefix + path),
  );
  await using reader = new BlobReader(store);
  for (const { path, before, after } of sound) {
    const state = stateOf(after);
    if (state === null) {
      files.push({ path, before: stateOf(before), after: null });
      continue;
    }
    const kept = filtered.has(prefix + path)
      ? await keepFromDisk(input, path)
      : await keepLimited(reader.read(state.blob), path, keep, limits);
    if ('refused' in kept) refused.push({ path, why: kept.refused });
    else files.push({ path, before: stateOf(before), after: { ...state, content: kept } });
  }
  return files;
}

/** Also reads refused files to the end: the next file follows. */
async function keepLimited(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  keep: KeepContent,
  { bytes }: HandOnLimits,
): Promise<Content | { readonly refused: string }> {
  const limited = new LimitedRead(chunks, bytes);
  try {
    const kept = await keep(limited, path);
    if ('refused' in kept) await limited.drain();
    return kept;
  } catch (error) {
    if (!limited.exceeded) throw error;
    await limited.drain();
    return { refused: `it is larger than ${bytes.toLocaleString('en')} bytes, the most that is handed on` };
  }
}

/** A file that a filter stores in another form (LFS, for example) is kept as it is on disk. */
async function keepFromDisk(
  { folder, prefix, keep, limits }: HandOn,
  path: string,
): Promise<Content | { readonly refused: string }> {
  let file;
  try {
    file = await openToRead(onDisk(folder, prefix + path));
  } catch (error) {
    // ELOOP: replaced by a link; ENXIO: replaced by a socket or pipe; ENOENT: gone.
    if (['ELOOP', 'ENXIO', 'ENOENT', 'ENOTDIR'].some((code) => isSystemError(error, code))) {
      return { refused: 'it was replaced while it was read' };
    }
    throw error;
  }
  await using opened = file;
  if (!(await opened.stat()).isFile()) return { refused: 'it was replaced while it was read' };
  return await keepLimited(opened.createReadStream({ autoClose: false }), path, keep, limits);
}

/** Chunks up to a number of bytes; exceeding it is an error. The rest that the consumer leaves can be drained. */
class LimitedRead implements AsyncIterable<Uint8Array> {
  exceeded = false;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #limit: number;

  constructor(chunks: AsyncIterable<Uint8Array>, limit: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#limit = limit;
  }

  /** By hand: a consumer that stops early must not end the source. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    let bytes = 0;
    return {
      next: async () => {
        const read = await this.#chunks.next();
        bytes += read.done === true ? 0 : read.value.length;
        this.exceeded = bytes > this.#limit;
        if (this.exceeded) throw new RangeError(`larger than ${this.#limit} bytes`);
        return read;
      },
    };
  }

  async drain(): Promise<void> {
    while ((await this.#chunks.next()).done !== true);
  }
}

/**
 * Names under which tools and setup steps leave credentials in a workspace. `files: changed` never hands these on; a
 * gate that needs one must name it.
 */
const NAMES =
  /^(?:gha-creds-[0-9a-f]+\.json|\.npmrc|\.yarnrc\.yml|\.pypirc|\.netrc|_netrc|\.git-credentials|\.dockercfg|\.vault-token|\.terraformrc|application_default_credentials\.json|credentials\.tfrc\.json|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|p12|pfx|jks|keystore|kubeconfig))$/i;

/** Folders of tools, with the credentials file in each. */
const PLACES =
  /(?:^|\/)(?:\.aws\/credentials|\.docker\/config\.json|\.kube\/config|\.config\/gh\/hosts\.yml|\.cargo\/credentials(?:\.toml)?|\.ssh\/[^/]+|\.gnupg\/.*)$/i;

/** Whether a path is one of those. */
export function isCredentialFile(path: string): boolean {
  return NAMES.test(path.slice(path.lastIndexOf('/') + 1)) || PLACES.test(path);
}

/** The paths for which `.gitattributes` names a filter, such as LFS. All are from the top of `folder`. */
async function filteredPaths(store: ObjectStore, folder: string, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const { out } = await store.git(
    ['check-attr', '-z', '--stdin', 'filter'],
    { folder, index: snapshotIndexOf(store) },
    { input: listOfNames(paths) },
  );
  const fields = splitNames(out);
  const found = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    if (fields[at + 2] !== 'unspecified' && fields[at + 2] !== 'unset') found.add(fields[at]!);
  }
  return found;
}
