import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { minifySync } from 'rolldown/utils';
import { start, writeFiles } from './folders.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MODULES = join(ROOT, 'node_modules');
const ACTIONS = ['apply', 'begin', 'comment', 'complete', 'gate', 'post', 'report'];

/**
 * The actions and the command line as the product has them: by tsc and ncc, in one bundle whose parts they share,
 * minified as a whole (`ncc -m` minifies entries only). Each starts with `<name>.js`.
 */
export function bundleProduct(folder: string): string {
  const [build, out] = [join(folder, 'build'), join(folder, 'dist')];
  const places = { noEmit: false, outDir: build, rootDir: join(ROOT, 'next', 'src') };
  const compilerOptions = { ...places, typeRoots: [join(MODULES, '@types')] };
  const programs = [...ACTIONS.map((name) => [name, `action/${name}/main.js`] as const), ['cli', 'cli/index.js']];
  writeFiles(build, {
    'package.json': { type: 'module' },
    'tsconfig.json': { extends: join(ROOT, 'next', 'tsconfig.json'), compilerOptions, include: [places.rootDir] },
    'programs.js': programs.map(([name, path]) => `export const ${name} = () => import('./${path}');\n`).join(''),
  });
  start(ROOT, join(MODULES, '.bin', 'tsc'), '-p', build);
  linkModules(build);
  pack(join(build, 'programs.js'), out);
  for (const name of readdirSync(out).filter((name) => name.endsWith('.js'))) {
    const names = { function: true, class: true };
    const { code, errors } = minifySync(name, readFileSync(join(out, name), 'utf8'), {
      module: true,
      compress: { keepNames: names },
      mangle: { keepNames: names },
      codegen: { removeWhitespace: true },
    });
    if (errors.length > 0) throw new Error(`${name} cannot be minified: ${errors[0]!.message}`);
    writeFileSync(join(out, name), code);
  }
  for (const [name] of programs)
    writeFiles(out, { [`${name}.js`]: `import { ${name} } from './index.js';\nawait ${name}();\n` });
  return out;
}

/** The five steps, as GitHub bundles its actions: by ncc, not minified. @returns the path of the bundle */
export function bundleFiveSteps(folder: string): string {
  pack(join(import.meta.dirname, 'five-steps.mjs'), folder);
  return join(folder, 'index.mjs');
}

export function megabytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1_000_000;
}

function pack(source: string, folder: string): void {
  const ncc = join(MODULES, '@vercel', 'ncc', 'dist', 'ncc', 'cli.js');
  start(ROOT, process.execPath, ncc, 'build', source, '--out', folder, '--no-cache', '--quiet');
}

/**
 * The packages, with an `@actions/core` that declares that its modules have no side effects: else the bundler keeps its
 * client of OpenID tokens, and an HTTP library with it, in each action.
 */
function linkModules(folder: string): void {
  const modules = join(folder, 'node_modules');
  const core = join(modules, '@actions', 'core');
  for (const name of readdirSync(MODULES)) {
    const names = name === '@actions' ? readdirSync(join(MODULES, name)).map((other) => join(name, other)) : [name];
    for (const path of names.filter((other) => !other.startsWith('.') && join(modules, other) !== core)) {
      mkdirSync(dirname(join(modules, path)), { recursive: true });
      symlinkSync(join(MODULES, path), join(modules, path));
    }
  }
  cpSync(join(MODULES, '@actions', 'core'), core, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(core, 'package.json'), 'utf8')) as object;
  writeFiles(core, { 'package.json': { ...manifest, sideEffects: false } });
}
