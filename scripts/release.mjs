import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT, StepFailed, say, script } from './steps.mjs';

const USAGE = 'usage: node scripts/release.mjs check TAG [FOLDER] | move TAG [FOLDER] [REMOTE]';

const RELEASE = /^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
const PRERELEASE = /^v\d+\.\d+\.\d+-[0-9A-Za-z.-]+$/;

/** git's output. */
function git(root, ...args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new StepFailed(`git ${args[0]} failed: ${stderr.trim()}`);
  return stdout;
}

/** Fails unless the tag names the version of package.json. */
function check(tag, root) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (tag !== `v${version}`)
    throw new StepFailed(`The tag ${tag} is not v${version}, the version of package.json: tag another commit.`);
  say(`${tag} is the version of package.json.`);
}

function numbersOf(name) {
  return RELEASE.exec(name)?.slice(1).map(Number);
}

function isNewer(one, other) {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at >= 0 && one[at] > other[at];
}

/** The tags of a remote: the commit of each, also of annotated ones. */
function tagsOf(root, remote) {
  const lines = git(root, 'ls-remote', '--tags', remote).split('\n');
  const found = lines.flatMap((line) => {
    const [, id, name, peeled] = /^([0-9a-f]+)\trefs\/tags\/(.+?)(\^\{\})?$/.exec(line) ?? [];
    return id === undefined ? [] : [{ name, id, peeled: peeled !== undefined }];
  });
  const tags = new Map();
  for (const { name, id, peeled } of found) {
    const { object = id } = tags.get(name) ?? {};
    tags.set(name, { object, commit: peeled ? id : (tags.get(name)?.commit ?? id) });
  }
  return tags;
}

/**
 * Points the tag of the major version at the commit of a release, on the remote. It never goes back to an older release,
 * and a prerelease moves nothing.
 */
function move(tag, root, remote) {
  const numbers = numbersOf(tag);
  if (numbers === undefined) {
    if (!PRERELEASE.test(tag)) throw new StepFailed(`${tag} is not a version such as v1.2.3.`);
    say(`${tag} is a prerelease: no tag moves.`);
    return;
  }
  const tags = tagsOf(root, remote);
  const release = tags.get(tag);
  if (release === undefined) throw new StepFailed(`The remote has no tag ${tag}.`);
  const major = `v${numbers[0]}`;
  const newer = [...tags.keys()].find((name) => {
    const others = numbersOf(name);
    return others !== undefined && others[0] === numbers[0] && isNewer(others, numbers);
  });
  if (newer !== undefined) {
    say(`${newer} is newer than ${tag}: ${major} does not move.`);
    return;
  }
  const old = tags.get(major);
  if (old?.commit === release.commit) {
    say(`${major} is at ${tag} already.`);
    return;
  }
  const ref = `refs/tags/${major}`;
  // Fails if somebody else has moved it since: an empty value expects that there is none.
  const lease = `--force-with-lease=${ref}:${old?.object ?? ''}`;
  git(root, 'push', '--quiet', lease, remote, `${release.commit}:${ref}`);
  say(`${major} is at ${tag} now.`);
}

// What .github/workflows/release.yml runs for a pushed tag.
await script(() => {
  const [command, tag, folder = ROOT, remote = 'origin'] = process.argv.slice(2);
  if (tag === undefined || (command !== 'check' && command !== 'move')) throw new StepFailed(USAGE);
  if (command === 'check') check(tag, resolve(folder));
  else move(tag, resolve(folder), remote);
});
