import picomatch from 'picomatch';
import { GatelineError } from '../errors.ts';
import { foldersOf } from './paths.ts';

/** `s`: a name may contain a line break, and `**` matches it too. */
const OPTIONS = { dot: true, nonegate: true, windows: false, flags: 's' } as const;
const WILD = /[*?[\]{}()\\]/;

/** True for a path that the globs select. */
export type PathMatcher = (path: string) => boolean;

interface Glob {
  readonly excludes: boolean;
  /** Its names, without a trailing `/`. Empty: the folder itself. */
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
  // Most files of a large folder are in other folders, which is faster to see.
  const head = path.slice(0, path.search(WILD)).replace(/\/?[^/]*$/, '');
  if (WILD.test(path)) return { excludes, names, matches: (file) => file.startsWith(head) && matches(file) };
  if (path === '') return { excludes, names, matches };
  return { excludes, names, matches: (file) => file.startsWith(`${path}/`) || (!isFolder && file === path) };
}

/**
 * Which ignored files a list of globs names: those that match and are ignored under a name that the glob spells out.
 * `dist/**`, `.env` and `docs/*.pdf` name ignored files. `src/**` does not name an ignored `src/__pycache__`, since
 * otherwise each cache of a tool would be an input.
 */
export class IgnoredNames {
  /** The folders before the first wildcard, where git must look for ignored files; `.`: everywhere. */
  readonly places: readonly string[];
  readonly #matches: PathMatcher;
  /** The beginnings of the globs, up to each name but `*` and `**`. */
  readonly #heads: readonly PathMatcher[];
  #entries = new Set<string>();

  constructor(globs: readonly string[]) {
    const including = globs.map(parseGlob).filter(({ excludes }) => !excludes);
    const heads = including.flatMap(({ names }) =>
      names.map((name, index) => (/^\*+$/.test(name) ? '' : names.slice(0, index + 1).join('/'))),
    );
    this.#matches = createMatcher(globs);
    this.#heads = heads.filter((head) => head !== '').map((head) => picomatch(head, OPTIONS));
    const places = including.map(({ names }) => {
      const wild = names.findIndex((name) => WILD.test(name));
      return names.slice(0, wild < 0 ? names.length : wild).join('/') || '.';
    });
    this.places = this.#heads.length === 0 ? [] : places;
  }

  /** Takes the topmost files and folders (without `/`) that are ignored now, and returns those that are named. */
  select(ignored: readonly string[]): string[] {
    const entries = ignored.filter((entry) => this.#heads.some((matches) => matches(entry)));
    this.#entries = new Set(entries);
    return entries;
  }

  /** True for a file at or below one of the entries of the last {@link select}. */
  has(path: string): boolean {
    return this.#matches(path) && [path, ...foldersOf(path)].some((entry) => this.#entries.has(entry));
  }
}
