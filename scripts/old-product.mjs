import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, StepFailed } from './steps.mjs';

/**
 * Whether all that is not in next/ is as it was when its tests last passed. Their digest is in a file, so that nothing but the
 * tests of next/ runs, in CI too, while only next/ changes.
 */

const FILE = join(ROOT, 'next', 'old-product.digest');

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e9 });
  if (status !== 0) throw new StepFailed(`git ${args[0]} failed: ${stderr}`);
  return stdout.split('\0').filter((line) => line !== '');
}

/** The mode of a file that git does not have yet, as git would store it. */
function modeOf(stat) {
  if (stat.isSymbolicLink()) return '120000';
  return (stat.mode & 0o100) === 0 ? '100644' : '100755';
}

/**
 * The digest of the path, mode and content of each file outside next/ that git has or would add, as it is in the work tree.
 * @returns {string}
 */
export function oldProductDigest() {
  const outside = ['--', '.', ':(exclude)next'];
  /** @type {Map<string, string | undefined>} */
  const modes = new Map();
  for (const path of git('ls-files', '-z', '--others', '--exclude-standard', ...outside)) modes.set(path, undefined);
  for (const line of git('ls-files', '-z', '--stage', ...outside)) {
    const [about, path] = line.split('\t', 2);
    modes.set(path, about.slice(0, 6));
  }
  const all = createHash('sha256');
  for (const path of [...modes.keys()].sort()) {
    const file = join(ROOT, path);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined || stat.isDirectory()) continue;
    const content = stat.isSymbolicLink() ? readlinkSync(file) : readFileSync(file);
    const digest = createHash('sha256').update(content).digest('hex');
    all.update(`${modes.get(path) ?? modeOf(stat)} ${digest} ${path}\0`);
  }
  return all.digest('hex');
}

/** @returns {boolean} whether the tests of the files with this digest passed, as recorded */
export function isRecorded(digest) {
  try {
    return readFileSync(FILE, 'utf8').trim() === digest;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Record that the tests of the files with this digest passed. */
export function record(digest) {
  writeFileSync(FILE, `${digest}\n`);
}
