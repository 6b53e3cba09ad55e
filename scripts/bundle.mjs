import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { bundledPackages, licenseText } from './licenses.mjs';
import { ROOT, StepFailed, resolveCommand } from './steps.mjs';

/**
 * src/ → build/ (JavaScript and types, one file each, for library users) → dist/ (bundles that need no node_modules,
 * for the action and the command line). TypeScript 7 has no API for bundlers, so the compiler runs first.
 */

/**
 * The programs: the compiled module that each starts with, and its file in dist/. `action.yml` names `dist/index.js`.
 * They are bundled as one, so that shared modules are included once.
 */
const PROGRAMS = {
  action: { entry: 'action/index.js', file: 'index.js' },
  cli: { entry: 'cli/index.js', file: 'cli/index.js' },
};

/** The file that the programs' files load: the loader of all chunks, which are named `<number>.gateline.js`. */
const LOADER = 'gateline.js';

/**
 * Compiled files of build/ that are copied unchanged: the action's post step only starts `dist/index.js` with an
 * argument.
 */
const COPIES = { 'action/post-entry.js': 'post.js' };

/** The files of dist/ that are started directly. */
const STARTED = new Set([...Object.values(PROGRAMS).map(({ file }) => file), ...Object.values(COPIES)]);

const BUILD = join(ROOT, 'build');
const STAGED = join(BUILD, 'node_modules');
export const DIST = join(ROOT, 'dist');

/** Run a tool of node_modules; `more` are arguments that may contain spaces. It prints its own errors. */
function tool(command, ...more) {
  const [file, ...args] = resolveCommand(command, process.execPath);
  const { status, signal, error } = spawnSync(file, [...args, ...more], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new StepFailed(`${command}: ${signal ?? `exit code ${status}`}`);
}

/** Compile src/ to build/, from scratch: the output of a deleted source must not remain. */
export function compile() {
  rmSync(BUILD, { recursive: true, force: true });
  tool('tsc -p tsconfig.build.json');
}

/** Bundle build/ into `folder`, which is emptied first. The licences of the bundled packages are written beside it. */
export async function bundle(folder) {
  rmSync(folder, { recursive: true, force: true });
  // The bundler's module names, and so every byte, depend on the working directory.
  process.chdir(ROOT);
  const entry = join(BUILD, 'programs.js');
  const programs = Object.entries(PROGRAMS);
  writeFileSync(
    entry,
    programs.map(([name, program]) => `export const ${name} = () => import('./${program.entry}');\n`).join(''),
  );
  stageToolkit();
  let foreign;
  try {
    const compilation = await pack(entry, folder);
    foreign = foreignFiles(compilation);
    writeFileSync(join(folder, 'licenses.txt'), licenseText(bundledPackages(compilation)));
    writeFileSync(join(folder, '.npmignore'), npmIgnore(compilation));
  } finally {
    for (const path of [entry, STAGED]) rmSync(path, { recursive: true });
  }
  for (const [name, { file }] of programs)
    writeStart(join(folder, file), name, posix.relative(posix.dirname(file), LOADER));
  for (const [from, to] of Object.entries(COPIES)) copyFileSync(join(BUILD, from), join(folder, to));
  await minify(folder, foreign);
  for (const path of filesIn(folder)) chmodSync(join(folder, path), modeOf(path));
}

/**
 * Give src/ its own `@actions/core`, which declares that its modules have no side effects: the bundler then drops the
 * parts that src/ does not use, including the client of OpenID tokens and its HTTP library (docs/adr/0017). GitHub's
 * other clients, in separate chunks, use the one that npm installed.
 */
function stageToolkit() {
  const [from, to] = [ROOT, BUILD].map((folder) => join(folder, 'node_modules', '@actions', 'core'));
  cpSync(from, to, { recursive: true });
  const about = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  writeFileSync(join(to, 'package.json'), JSON.stringify({ ...about, sideEffects: false }));
}

/** The file that starts a program: it selects the program from the bundle's exports. */
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

/**
 * Files that npm leaves out of the package: the files of dist/ that only the action loads. `files` of package.json
 * includes the rest.
 */
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

/** The files of dist/ that hold no module of src/: only packages. */
function foreignFiles(compilation) {
  const isOurs = (module) => module.resource?.startsWith(BUILD) && !module.resource.includes('/node_modules/');
  const chunks = [...compilation.chunks].filter((chunk) =>
    [...compilation.chunkGraph.getChunkModulesIterable(chunk)]
      .flatMap((module) => module.modules ?? [module])
      .every((module) => !isOurs(module)),
  );
  return new Set(chunks.flatMap((chunk) => [...chunk.files]));
}

/**
 * Without this step, dist/ would be more than twice as large: ncc minifies only entries. Names stay, for stack traces:
 * those of our functions, and of all classes, which some packages read.
 */
async function minify(folder, foreign) {
  const { minifySync } = await import('rolldown/utils');
  for (const path of filesIn(folder).filter((name) => name.endsWith('.js'))) {
    const names = { function: !foreign.has(path), class: true };
    const { code, errors } = minifySync(path, readFileSync(join(folder, path), 'utf8'), {
      module: true,
      compress: { keepNames: names },
      mangle: { keepNames: names },
      codegen: { removeWhitespace: true },
    });
    if (errors.length > 0) throw new StepFailed(`${path}: ${errors.map(({ message }) => message).join('; ')}`);
    writeFileSync(join(folder, path), code);
  }
}

/** Mode of a file of dist/. */
function modeOf(path) {
  return STARTED.has(path) ? 0o755 : 0o644;
}

/** Paths of the files under a folder, `/`-separated, sorted; empty if there is no such folder. */
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

/** Make `to` equal to `from`, changing only files that differ: a program running from `to` never sees it empty. */
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
