import picomatch from 'picomatch';
import { GatelineError } from '../errors.ts';
import { foldersOf } from './paths.ts';

/** The flag `s` lets `**` match a name with a line break. */
const OPTIONS = { dot: true, nonegate: true, windows: false, flags: 's' } as const;
const WILD = /[*?[\]{}()\\]/;

/** Whether globs select a path. */
export type PathMatcher = (path: string) => boolean;

interface Glob {
  readonly excludes: boolean;
  /** The names between its slashes. Empty: the folder itself. */
  readonly names: readonly string[];
  readonly matches: PathMatcher;
}

/**
 * Matches paths by globs, which are `/`-separated, relative to the folder, and match dot files. A trailing `/`, and a
 * glob without a wildcard that names a folder, stand for everything below. `!` excludes: as in GitHub's path filters,
 * the last glob that matches a path decides.
 *
 * @throws GatelineError `usage`: a glob is empty, absolute or contains `..`
 */
export function createMatcher(globs: readonly string[]): PathMatcher {
  const parsed = globs.map(parseGlob);
  return (path) => parsed.findLast((glob) => glob.matches(path))?.excludes === false;
}

function parseGlob(text: string): Glob {
  const excludes = text.startsWith('!');
  const body = excludes ? text.slice(1) : text;
  const names = body.split('/').filter((name) => name !== '' && name !== '.');
  const problem =
    body === '' ? 'is empty' : body.startsWith('/') ? 'is absolute' : names.includes('..') ? 'has a `..`' : '';
  if (problem !== '') {
    const hint = 'Globs are relative to the folder, for instance `src/**`.';
    throw new GatelineError('usage', `The glob ${JSON.stringify(text)} ${problem}.`, { hint });
  }
  const [path, isFolder] = [names.join('/'), body.endsWith('/')];
  const matches = picomatch(isFolder ? `${path}/**` : path || '**', OPTIONS);
  // The literal folders at its start are compared first: faster, and most files of a large folder are elsewhere.
  const head = path.slice(0, path.search(WILD)).replace(/\/?[^/]*$/, '');
  if (WILD.test(path)) return { excludes, names, matches: (file) => file.startsWith(head) && matches(file) };
  if (path === '') return { excludes, names, matches };
  return { excludes, names, matches: (file) => file.startsWith(`${path}/`) || (!isFolder && file === path) };
}

/**
 * The ignored files that a list of globs names. `dist/**`, `.env` and `docs/*.pdf` name ignored files, since a name in the
 * glob, other than `*` and `**`, matches the ignored file or folder. `src/**` does not name an ignored
 * `src/__pycache__`: otherwise each cache of a tool would be an input.
 */
export class IgnoredNames {
  /** Paths at or below which git must look for ignored files; `.`: everywhere. */
  readonly roots: readonly string[];
  readonly #matches: PathMatcher;
  /** The prefixes of the globs that end with a name other than `*` and `**`: those without a wildcard, and the others. */
  readonly #heads: ReadonlySet<string>;
  readonly #wildHeads: readonly PathMatcher[];
  #entries = new Set<string>();

  constructor(globs: readonly string[]) {
    const including = globs.map(parseGlob).filter(({ excludes }) => !excludes);
    const heads = including.flatMap(({ names }) =>
      names.map((name, index) => (/^\*+$/.test(name) ? '' : names.slice(0, index + 1).join('/'))),
    );
    this.#matches = createMatcher(globs);
    this.#heads = new Set(heads.filter((head) => head !== '' && !WILD.test(head)));
    this.#wildHeads = heads.filter((head) => WILD.test(head)).map((head) => picomatch(head, OPTIONS));
    const roots = including.map(({ names }) => {
      const wild = names.findIndex((name) => WILD.test(name));
      return names.slice(0, wild < 0 ? names.length : wild).join('/') || '.';
    });
    this.roots = heads.every((head) => head === '') ? [] : roots;
  }

  /** @param ignored the topmost ignored files and folders, without a trailing `/` @returns those that the globs name */
  select(ignored: readonly string[]): string[] {
    const entries = ignored.filter(
      (entry) => this.#heads.has(entry) || this.#wildHeads.some((matches) => matches(entry)),
    );
    this.#entries = new Set(entries);
    return entries;
  }

  /** Whether a file is named: it is at or below one of the entries of the last {@link select}. */
  has(path: string): boolean {
    return this.#matches(path) && [path, ...foldersOf(path)].some((entry) => this.#entries.has(entry));
  }
}
