import { GatelineError } from '../errors/gateline-error.ts';
import type { Git } from './git.ts';
import { quotedForGit } from './path-bytes.ts';
import type { Look } from './standing.ts';

const TRIES = 3;
const LINE_BREAK = Buffer.from('\n');

/** Where git hashes files, with the filters that .gitattributes names. */
export interface HashPlace {
  readonly git: Git;
  /** Top of the work tree: `git hash-object` takes paths from there, wherever it runs. */
  readonly top: string;
  /** Path of the workspace below the top, '' or ending in `/`. */
  readonly prefix: string;
}

/**
 * Blob ids of plain files as git would store them (line endings and LFS filtered), in one process. A file that
 * vanished meanwhile is left out.
 */
export async function hashFiles(
  place: HashPlace,
  paths: readonly string[],
  look: () => Look,
): Promise<Map<string, string>> {
  let wanted = [...paths];
  for (let tries = 1; wanted.length > 0; tries++) {
    try {
      return await hashOnce(place, wanted);
    } catch (error) {
      const now = look();
      const left = wanted.filter((path) => now(path)?.isFile() ?? false);
      if (left.length === wanted.length || tries === TRIES) throw error;
      wanted = left;
    }
  }
  return new Map();
}

async function hashOnce({ git, top, prefix }: HashPlace, paths: readonly string[]): Promise<Map<string, string>> {
  const lines = paths.flatMap((path) => [quotedForGit(prefix + path), LINE_BREAK]);
  const { out } = await git(['hash-object', '--stdin-paths'], { cwd: top, input: Buffer.concat(lines) });
  const ids = out.toString('latin1').split('\n').slice(0, -1);
  if (ids.length !== paths.length) {
    throw new GatelineError('platform', 'GIT_FAILED', `git hash-object named ${ids.length} of ${paths.length} files.`, {
      hint: 'Run it again; if it stays so, check the installation of git.',
    });
  }
  return new Map(paths.map((path, index) => [path, ids[index]!]));
}
