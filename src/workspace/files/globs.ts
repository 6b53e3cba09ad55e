import picomatch from 'picomatch';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { ErrorCode } from '../../errors/error-codes.ts';

/** A compiled list of globs. */
export interface Globs {
  /** Whether the list matches the path. */
  matches(path: string): boolean;
  /** Whether the list matches the repository (a submodule) at `path`, or names something in it. */
  matchesRepository(path: string): boolean;
  /** The globs, as written, that match none of these. Excluding globs are never included. */
  unmatched(paths: Iterable<string>, repositories: ReadonlySet<string>): string[];
  /** For each glob the folder or file before its first wildcard; globs without one are left out. */
  readonly prefixes: readonly string[];
}

/** Globs that match none of these paths. */
export function withoutPaths(globs: Globs, isLeftOut: (path: string) => boolean): Globs {
  return { ...globs, matches: (path) => globs.matches(path) && !isLeftOut(path) };
}

interface Glob {
  readonly written: string;
  readonly excludes: boolean;
  readonly prefix: string;
  readonly test: (path: string) => boolean;
}

const WILD = /[*?[\]{}()\\]/;
/** `s`: a name may contain a line break, and `**` matches it too. */
const OPTIONS = { dot: true, nonegate: true, windows: false, flags: 's' } as const;

/**
 * Compile globs. They are `/`-separated, relative to the workspace, and match dot files. A glob that names a folder
 * (`src`, `src/`, `.`) matches everything below it. A leading `!` excludes; as in GitHub's path filters, the last glob
 * that matches a path decides.
 *
 * @throws GatelineError `GLOB_ESCAPES` for a glob that is absolute or contains `..`; `GLOB_EMPTY` for an empty one;
 *   `GLOBS_ONLY_EXCLUDE` if every glob excludes.
 */
export function compileGlobs(written: readonly string[]): Globs {
  const globs = written.map(compileGlob);
  const including = globs.filter((glob) => !glob.excludes);
  if (globs.length > 0 && including.length === 0) {
    throw new GatelineError('GLOBS_ONLY_EXCLUDE', `The globs ${written.join(', ')} all exclude, so no file is left.`);
  }
  const takes = (test: (glob: Glob) => boolean): boolean => {
    const last = globs.findLast(test);
    return last !== undefined && !last.excludes;
  };
  return {
    matches: (path) => takes((glob) => glob.test(path)),
    matchesRepository: (path) => takes((glob) => reaches(glob, path)),
    unmatched(paths, repositories) {
      const open = new Set(including);
      for (const path of paths) {
        if (open.size === 0) break;
        const inside = repositories.has(path);
        for (const glob of open) if (inside ? reaches(glob, path) : glob.test(path)) open.delete(glob);
      }
      return [...open].map((glob) => glob.written);
    },
    prefixes: [...new Set(including.map((glob) => glob.prefix))].filter((prefix) => prefix !== ''),
  };
}

function reaches(glob: Glob, repository: string): boolean {
  return glob.test(repository) || (!glob.excludes && glob.prefix.startsWith(`${repository}/`));
}

function compileGlob(written: string): Glob {
  const excludes = written.startsWith('!');
  const body = (excludes ? written.slice(1) : written).replaceAll(/\/{2,}/g, '/').replace(/^(?:\.\/)+/, '');
  const names = body.split('/').filter((name) => name !== '.');
  if (written === '' || body === '') throw bad('GLOB_EMPTY', written, 'is empty');
  if (body.startsWith('/') || /^[a-z]:/i.test(body)) throw bad('GLOB_ESCAPES', written, 'is absolute');
  if (names.includes('..')) throw bad('GLOB_ESCAPES', written, 'holds `..`');
  const folder = body.endsWith('/') || names.length === 0;
  const path = names.filter((name) => name !== '').join('/');
  if (path === '') return { written, excludes, prefix: '', test: () => true };

  const wild = names.findIndex((name) => WILD.test(name));
  const prefix = wild < 0 ? path : names.slice(0, wild).join('/');
  const below = picomatch(`${path}/**/*`, OPTIONS);
  const itself = picomatch(path, OPTIONS);
  const named = wild < 0 ? (candidate: string) => candidate.startsWith(`${path}/`) : folder ? below : () => false;
  return { written, excludes, prefix, test: (candidate) => named(candidate) || (!folder && itself(candidate)) };
}

function bad(code: ErrorCode, written: string, why: string): GatelineError {
  return new GatelineError(code, `The glob ${JSON.stringify(written)} ${why}.`, {
    hint: 'Globs are relative to the workspace, for instance `src/**`.',
  });
}
