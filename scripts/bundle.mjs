import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { bundledPackages, licenseText } from './licenses.mjs';
import { ROOT, StepFailed, resolveCommand } from './steps.mjs';

/**
 * src/ → build/ (JavaScript and types, one file each, for library users) → dist/ (bundles that need no node_modules, for
 * the action and the command line). TypeScript 7 has no API that a bundler could call, so the compiler comes first.
 */

/**
 * The programs: the compiled module that each starts with, and its file in dist/. `action.yml` names `dist/index.js`.
 * They are bundled as one, so that what both load is there once.
 */
const PROGRAMS = {
  action: { entry: 'action/index.js', file: 'index.js' },
  cli: { entry: 'cli/index.js', file: 'cli/index.js' },
};

/** What the files of the programs load: the loader of all chunks, which are called `<number>.gateline.js`. */
const LOADER = 'gateline.js';

/** Compiled files of build/ that are copied as they are: the action's post step only starts `dist/index.js` with an argument. */
const COPIES = { 'action/post-entry.js': 'post.js' };

/** The files of dist/ that are started themselves. */
const STARTED = new Set([...Object.values(PROGRAMS).map(({ file }) => file), ...Object.values(COPIES)]);

const BUILD = join(ROOT, 'build');
const STAGED = join(BUILD, 'node_modules');
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
  const entry = join(BUILD, 'programs.js');
  const programs = Object.entries(PROGRAMS);
  writeFileSync(
    entry,
    programs.map(([name, program]) => `export const ${name} = () => import('./${program.entry}');\n`).join(''),
  );
  stageToolkit();
  try {
    const compilation = await pack(entry, folder);
    writeFileSync(join(folder, 'licenses.txt'), licenseText(bundledPackages(compilation)));
    writeFileSync(join(folder, '.npmignore'), npmIgnore(compilation));
  } finally {
    for (const path of [entry, STAGED]) rmSync(path, { recursive: true });
  }
  for (const [name, { file }] of programs)
    writeStart(join(folder, file), name, posix.relative(posix.dirname(file), LOADER));
  for (const [from, to] of Object.entries(COPIES)) copyFileSync(join(BUILD, from), join(folder, to));
  await minify(folder);
  for (const path of filesIn(folder)) chmodSync(join(folder, path), modeOf(path));
}

/**
 * Give src/ an `@actions/core` of its own, which declares that its modules do nothing when they are loaded: the bundler
 * then drops what src/ does not use of it, the client of OpenID tokens and its HTTP library among it (docs/adr/0017).
 * GitHub's other clients, in chunks of their own, have the one that npm installed.
 */
function stageToolkit() {
  const [from, to] = [ROOT, BUILD].map((folder) => join(folder, 'node_modules', '@actions', 'core'));
  cpSync(from, to, { recursive: true });
  const about = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  writeFileSync(join(to, 'package.json'), JSON.stringify({ ...about, sideEffects: false }));
}

/** The file that a program is started by: it says which of the programs that the bundle exports it is. */
function writeStart(path, name, loader) {
  mkdirSync(dirname(path), { recursive: true });
  const address = loader.startsWith('.') ? loader : `./${loader}`;
  writeFileSync(path, `#!/usr/bin/env node\nimport { ${name} } from '${address}';\nawait ${name}();\n`);
}

/**
 * Bundle a module with all that it loads, now or later.
 * @param {string} entry absolute path of the module
 * @param {string} out folder for the loader and its chunks
 * @returns {Promise<{ modules: Iterable<object> }>} the compilation, as webpack has it
 */
export async function pack(entry, out) {
  const { default: ncc } = await import('@vercel/ncc');
  const { code, assets, stats } = await ncc(entry, { cache: false, quiet: true, filename: LOADER });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, LOADER), code);
  for (const [name, { source }] of Object.entries(assets)) writeFileSync(join(out, name), source);
  return stats.compilation;
}

/** What npm leaves out of the package: the files of dist/ that only the action loads. `files` of package.json takes the rest. */
function npmIgnore(compilation) {
  const { entry } = PROGRAMS.cli;
  const start = compilation.chunkGroups.find(({ origins }) => origins.some(({ request }) => request === `./${entry}`));
  const groups = new Set([start]);
  for (const group of groups) for (const child of group.childrenIterable) groups.add(child);
  const loaded = new Set([...groups].flatMap(({ chunks }) => chunks));
  const chunks = [...compilation.chunks].filter((chunk) => !chunk.hasRuntime() && !loaded.has(chunk));
  /** @type {string[]} */
  const files = chunks.flatMap((chunk) => [...chunk.files]);
  return [PROGRAMS.action.file, ...Object.values(COPIES), ...files.sort()].map((file) => `/${file}\n`).join('');
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
  return STARTED.has(path) ? 0o755 : 0o644;
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
