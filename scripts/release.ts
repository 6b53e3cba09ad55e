import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { git, ROOT } from './run.ts';

/**
 * What .github/workflows/release.yml runs for a pushed tag. `check TAG [FOLDER]` fails unless the tag names the version of
 * package.json; `move TAG [FOLDER] [REMOTE]` points the tag of the major version (`v1`) at that commit, on the remote.
 */

const RELEASE = /^v(\d+)\.(\d+)\.(\d+)$/;
const PRERELEASE = /^v\d+\.\d+\.\d+-[0-9A-Za-z.-]+$/;

function checkTag(tag: string, folder: string): void {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  if (tag !== `v${version}`)
    throw new Error(`${tag} is not v${version}, the version of package.json: tag another commit.`);
}

/** @returns what was done. A prerelease moves nothing, and the tag never goes back to an older release. */
function moveMajorTag(tag: string, folder: string, remote: string): string {
  if (PRERELEASE.test(tag)) return `${tag} is a prerelease: no tag moves.`;
  const version = numbersIn(tag);
  if (version === undefined) throw new Error(`${tag} is not a version such as v1.2.3.`);
  const tags = readTags(folder, remote);
  const commit = tags.get(tag)?.commit;
  if (commit === undefined) throw new Error(`The remote has no tag ${tag}.`);
  const major = `v${version[0]}`;
  const newer = [...tags.keys()].find((name) => {
    const other = numbersIn(name);
    return other !== undefined && other[0] === version[0] && compare(other, version) > 0;
  });
  if (newer !== undefined) return `${newer} is newer than ${tag}: ${major} does not move.`;
  const old = tags.get(major);
  if (old?.commit === commit) return `${major} is at ${tag} already.`;
  const ref = `refs/tags/${major}`;
  // Fails if somebody else has moved it since: an empty value expects that there is none.
  const lease = `--force-with-lease=${ref}:${old?.object ?? ''}`;
  git(folder, 'push', '--quiet', lease, remote, `${commit}:${ref}`);
  return `${major} is at ${tag} now.`;
}

function numbersIn(tag: string): readonly number[] | undefined {
  return RELEASE.exec(tag)?.slice(1).map(Number);
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : one[at]! - other[at]!;
}

/** The tags of a remote: the object of each, and its commit, which differs for annotated ones. */
function readTags(folder: string, remote: string): Map<string, { readonly object: string; readonly commit: string }> {
  const tags = new Map<string, { object: string; commit: string }>();
  for (const line of git(folder, 'ls-remote', '--tags', remote).split('\n')) {
    const [, id, name, peeled] = /^([0-9a-f]+)\trefs\/tags\/(.+?)(\^\{\})?$/.exec(line) ?? [];
    // The line of the commit follows that of its tag.
    if (id !== undefined) tags.set(name!, { object: peeled ? tags.get(name!)!.object : id, commit: id });
  }
  return tags;
}

const [command, tag = '', folder = ROOT, remote = 'origin'] = process.argv.slice(2);
if (command === 'check') checkTag(tag, resolve(folder));
else if (command === 'move') process.stdout.write(`${moveMajorTag(tag, resolve(folder), remote)}\n`);
else throw new Error('usage: node scripts/release.ts check TAG [FOLDER] | move TAG [FOLDER] [REMOTE]');
