import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { git, ROOT } from './run.ts';

/**
 * The steps of .github/workflows/release.yml for a pushed tag. `check TAG [FOLDER]` fails unless the tag names the version of
 * package.json. `move TAG [FOLDER] [REMOTE]` points the tag of the major version (`v1`) at its commit, on the remote.
 */

/** Captures the tag of the major version. */
const RELEASE = /^(v\d+)\.\d+\.\d+$/;
const PRERELEASE = /^v\d+\.\d+\.\d+-[0-9A-Za-z.-]+$/;

function checkTag(tag: string, folder: string): void {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  if (tag !== `v${version}`)
    throw new Error(`${tag} is not v${version}, the version of package.json: tag another commit.`);
}

/** Moves the tag of the major version, unless the tag is a prerelease or an older release. @returns what was done */
function moveMajorTag(tag: string, folder: string, remote: string): string {
  if (PRERELEASE.test(tag)) return `${tag} is a prerelease: no tag moves.`;
  const major = RELEASE.exec(tag)?.[1];
  if (major === undefined) throw new Error(`${tag} is not a version such as v1.2.3.`);
  const tags = readTags(folder, remote);
  const commit = tags.get(tag)?.commit;
  if (commit === undefined) throw new Error(`The remote has no tag ${tag}.`);
  const releases = [...tags.keys()].filter((name) => RELEASE.exec(name)?.[1] === major);
  const newer = releases.find((name) => name.localeCompare(tag, 'en', { numeric: true }) > 0);
  if (newer !== undefined) return `${newer} is newer than ${tag}: ${major} does not move.`;
  const old = tags.get(major);
  if (old?.commit === commit) return `${major} is at ${tag} already.`;
  const ref = `refs/tags/${major}`;
  // Fails if somebody else has moved the tag since. An empty value expects that there is none.
  const lease = `--force-with-lease=${ref}:${old?.object ?? ''}`;
  git(folder, 'push', '--quiet', lease, remote, `${commit}:${ref}`);
  return `${major} is at ${tag} now.`;
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
