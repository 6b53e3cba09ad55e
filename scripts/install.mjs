import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alone, textOf } from './lock.mjs';
import { NODE_VERSION, PROJECT_NODE, ROOT, StepFailed, run } from './steps.mjs';

/**
 * Installs the dependencies if needed. The stamp is written inside node_modules after `npm ci` succeeded, so an
 * interrupted install, or one for another lockfile, is never used.
 */
const STAMP = join(ROOT, 'node_modules', '.gateline-install');
const LOCK = join(ROOT, '.install.lock');

/** The stamp of a correct node_modules for this project. Native packages depend on the platform. */
function wantedStamp() {
  const lockfile = readFileSync(join(ROOT, 'package-lock.json'));
  return `${createHash('sha256').update(lockfile).digest('hex')} ${process.platform} ${process.arch}\n`;
}

/** The major version of the Node at `path`, or undefined if it does not run. */
function majorOf(path) {
  const { stdout, status } = spawnSync(path, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return status === 0 ? Number(/^v(\d+)\./.exec(stdout)?.[1]) : undefined;
}

/** Path of a Node that is new enough for the project's tools, or undefined: the pinned one, else the running one. */
function projectNode() {
  const wanted = Number.parseInt(NODE_VERSION, 10);
  if (majorOf(PROJECT_NODE) === wanted) return PROJECT_NODE;
  return Number.parseInt(process.versions.node, 10) >= wanted ? process.execPath : undefined;
}

/** How to start npm: the npm that started us, with its Node, else the one on the PATH. */
function npm() {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env;
  if (cli !== undefined && /npm-cli\.c?js$/.test(cli)) return [node ?? process.execPath, cli];
  return process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c', 'npm'] : ['npm'];
}

async function npmCi(onStart) {
  rmSync(STAMP, { force: true });
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  await run({ name: 'install', command: [...npm(), ...args], shown: `npm ${args.join(' ')}`, onStart });
  const node = projectNode();
  if (node === undefined) {
    throw new StepFailed(
      `npm installed everything but Node ${NODE_VERSION}, which comes from the install script of the package 'node'.\n` +
        'Were install scripts switched off (ignore-scripts)? Allow this one: npm rebuild node --ignore-scripts=false\n' +
        `Or run this with Node ${Number.parseInt(NODE_VERSION, 10)} or newer.`,
    );
  }
  writeFileSync(`${STAMP}.new`, wantedStamp());
  renameSync(`${STAMP}.new`, STAMP);
  return node;
}

/** The Node to continue with, if the installation is complete and matches the lockfile. */
function installed() {
  return textOf(STAMP) === wantedStamp() ? projectNode() : undefined;
}

/**
 * Make node_modules match package-lock.json, unless it already does.
 * @returns {Promise<string>} path of the Node for everything else
 */
export async function install() {
  return installed() ?? alone(LOCK, 'the install', async (onStart) => installed() ?? npmCi(onStart));
}
