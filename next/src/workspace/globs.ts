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
  return { excludes, names, matches: matcherOf(names.join('/'), body.endsWith('/')) };
}

function matcherOf(path: string, isFolder: boolean): PathMatcher {
  if (path === '') return () => true;
  if (!WILD.test(path)) return (candidate) => candidate.startsWith(`${path}/`) || (!isFolder && candidate === path);
  return picomatch(isFolder ? `${path}/**` : path, OPTIONS);
}

/**
 * Which ignored files a list of globs names: those that match and are ignored under a name that the glob spells out.
 * `dist/**`, `.env` and `docs/*.pdf` name ignored files. `src/**` does not name an ignored `src/__pycache__`, since
 * otherwise each cache of a tool would be an input.
 */
export class IgnoredNames {
  readonly #globs: readonly Glob[];
  /** One for each name of a glob but `*` and `**`: the glob up to that name. */
  readonly #heads: readonly PathMatcher[];
  #entries = new Set<string>();

  constructor(globs: readonly string[]) {
    this.#globs = globs.map(parseGlob);
    this.#heads = this.#globs.flatMap(({ excludes, names }) =>
      excludes
        ? []
        : names.flatMap((name, index) =>
            /^\*+$/.test(name) ? [] : [picomatch(names.slice(0, index + 1).join('/'), OPTIONS)],
          ),
    );
  }

  /** The folders before the first wildcard, where git must look for ignored files; `.`: everywhere. */
  get places(): string[] {
    if (this.#heads.length === 0) return [];
    const places = this.#globs
      .filter(({ excludes }) => !excludes)
      .map(({ names }) => {
        const wild = names.findIndex((name) => WILD.test(name));
        return names.slice(0, wild < 0 ? names.length : wild).join('/') || '.';
      });
    return [...new Set(places)];
  }

  /** Takes the topmost files and folders (without `/`) that are ignored now, and returns those that are named. */
  select(ignored: readonly string[]): string[] {
    const entries = ignored.filter((entry) => this.#heads.some((matches) => matches(entry)));
    this.#entries = new Set(entries);
    return entries;
  }

  /** True for a file at or below one of the entries of the last {@link select}. */
  has(path: string): boolean {
    if (this.#globs.findLast((glob) => glob.matches(path))?.excludes !== false) return false;
    return this.#entries.has(path) || foldersOf(path).some((folder) => this.#entries.has(folder));
  }
}
