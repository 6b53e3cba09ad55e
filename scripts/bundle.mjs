import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundledPackages, licenseText } from './licenses.mjs';
import { ROOT, StepFailed, resolveCommand } from './steps.mjs';

/**
 * src/ → build/ (JavaScript and types, one file each, for library users) → dist/ (bundles that need no node_modules, for
 * the action and the command line). TypeScript 7 has no API that a bundler could call, so the compiler comes first.
 */

/**
 * Bundles: the compiled entry, and the folder of dist/ that its chunks go to as `index.js` and `<number>.index.js`.
 * `action.yml` names `dist/index.js`, so the action's are at the top of dist/.
 */
const BUNDLES = [
  { entry: 'action/index.js', folder: '' },
  { entry: 'cli/index.js', folder: 'cli' },
];

/** Compiled files of build/ that are copied as they are: the action's post step only starts `dist/index.js` with an argument. */
const COPIES = { 'action/post-entry.js': 'post.js' };

/** The files of dist/ that are started themselves. */
const PROGRAMS = new Set([
  ...BUNDLES.map(({ folder }) => (folder === '' ? 'index.js' : `${folder}/index.js`)),
  ...Object.values(COPIES),
]);

const BUILD = join(ROOT, 'build');
export const DIST = join(ROOT, 'dist');

/** Run a tool of node_modules; `more` are arguments that may hold spaces. It prints its own complaints. */
function tool(command, ...more) {
  const [file, ...args] = resolveCommand(command, process.execPath);
  const { status, signal, error } = spawnSync(file, [...args, ...more], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new StepFailed(`${command}: ${signal ?? `exit code ${status}`}`);
}

/** Compile src/ to build/, from scratch: the output of a source that is gone must not stay. */
export function compile() {
  rmSync(BUILD, { recursive: true, force: true });
  tool('tsc -p tsconfig.build.json');
}

/** Bundle build/ into `folder`, which is emptied first. The licences of what is bundled go beside it. */
export async function bundle(folder) {
  rmSync(folder, { recursive: true, force: true });
  // What the bundler calls a module, and so every byte, depends on where it is seen from.
  process.chdir(ROOT);
  const packages = new Set();
  for (const { entry, folder: name } of BUNDLES)
    for (const path of await pack(join(BUILD, entry), join(folder, name))) packages.add(path);
  for (const [from, to] of Object.entries(COPIES)) copyFileSync(join(BUILD, from), join(folder, to));
  writeFileSync(join(folder, 'licenses.txt'), licenseText(packages));
  await minify(folder);
  for (const path of filesIn(folder)) chmodSync(join(folder, path), modeOf(path));
}

/**
 * Bundle a program with all that it loads, now or later.
 * @param {string} entry absolute path of its first module
 * @param {string} out folder for `index.js` and its chunks
 * @returns {Promise<string[]>} the folders of the packages that are in it
 */
export async function pack(entry, out) {
  const { default: ncc } = await import('@vercel/ncc');
  const { code, assets, stats } = await ncc(entry, { cache: false, quiet: true });
  const files = {
    'index.js': code,
    ...Object.fromEntries(Object.entries(assets).map(([name, { source }]) => [name, source])),
  };
  mkdirSync(out, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(out, name), content);
  return bundledPackages(stats.compilation);
}

/** Without it dist/ would be more than twice as large: ncc minifies entries only. Names stay, for stack traces. */
async function minify(folder) {
  const { minifySync } = await import('rolldown/utils');
  const options = {
    module: true,
    compress: { keepNames: { function: true, class: true } },
    mangle: { keepNames: true },
    codegen: { removeWhitespace: true },
  };
  for (const path of filesIn(folder).filter((name) => name.endsWith('.js'))) {
    const { code, errors } = minifySync(path, readFileSync(join(folder, path), 'utf8'), options);
    if (errors.length > 0) throw new StepFailed(`${path}: ${errors.map(({ message }) => message).join('; ')}`);
    writeFileSync(join(folder, path), code);
  }
}

/** Mode of a file of dist/. */
function modeOf(path) {
  return PROGRAMS.has(path) ? 0o755 : 0o644;
}

/** Paths of the files under a folder, `/`-separated, sorted; empty when there is no such folder. */
function filesIn(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
  const files = entries.filter((entry) => !entry.isDirectory());
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return paths.map((path) => path.replaceAll('\\', '/')).sort();
}

/** How folder `actual` differs from folder `expected`, as `missing path`, `extra path` and `differs path`. */
export function differences(expected, actual) {
  const wanted = new Set(filesIn(expected));
  const found = new Set(filesIn(actual));
  const lines = [];
  for (const path of new Set([...wanted, ...found])) {
    if (!found.has(path)) lines.push(`missing ${path}`);
    else if (!wanted.has(path)) lines.push(`extra ${path}`);
    else if (!readFileSync(join(expected, path)).equals(readFileSync(join(actual, path))))
      lines.push(`differs ${path}`);
  }
  return lines.sort();
}

/** Make `to` what `from` is, touching only what differs: nothing that runs from `to` sees it empty. */
export function update(from, to) {
  for (const line of differences(from, to)) {
    const [what, path] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
    if (what === 'extra') {
      rmSync(join(to, path));
      continue;
    }
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), readFileSync(join(from, path)));
    chmodSync(join(to, path), modeOf(path));
  }
}
