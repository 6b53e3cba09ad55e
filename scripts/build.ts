import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minifySync } from 'rolldown/utils';
import { licenseText } from './licenses.ts';
import { ROOT, run } from './run.ts';

/**
 * `npm run build`: src/ → build/ (a JavaScript and a type file for each source, for users of the library) → dist/ (bundles
 * without node_modules, for the actions and the command line). The compiler runs first, because TypeScript 7 has no API
 * for bundlers.
 */

const BUILD = join(ROOT, 'build');
const MODULES = join(ROOT, 'node_modules');
/** The programs of dist/ with their entry modules. All are in one bundle, so that they share modules. */
const PROGRAMS = {
  gate: 'action/gate/main.js',
  begin: 'action/begin/main.js',
  complete: 'action/complete/main.js',
  report: 'action/report/main.js',
  comment: 'action/comment/main.js',
  apply: 'action/apply/main.js',
  post: 'action/post/main.js',
  cli: 'cli/index.js',
};
/** The file that the programs import. It loads the chunks, which are named `<number>.gateline.js`. */
const LOADER = 'gateline.js';

/** The parts of a webpack compilation that are used here. */
interface Module {
  readonly resource?: string;
  readonly modules?: readonly Module[];
}
interface Compilation {
  readonly modules: Iterable<Module>;
  readonly chunks: Iterable<{ readonly files: Iterable<string> }>;
  readonly chunkGraph: { getChunkModulesIterable(chunk: object): Iterable<Module> };
}
interface Packed {
  readonly code: string;
  readonly assets: Readonly<Record<string, { readonly source: string | Buffer }>>;
  readonly stats: { readonly compilation: Compilation };
}

/** Compiles src/ and bundles it into `folder`, which is replaced. */
export async function build(folder: string): Promise<void> {
  rmSync(BUILD, { recursive: true, force: true });
  run(process.execPath, [join(MODULES, 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json']);
  const fresh = mkdtempSync(join(tmpdir(), 'gateline-dist-'));
  try {
    await bundle(fresh);
    rmSync(folder, { recursive: true, force: true });
    cpSync(fresh, folder, { recursive: true });
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function bundle(folder: string): Promise<void> {
  // Names of modules, and so all bytes, depend on the working directory.
  process.chdir(ROOT);
  const entry = join(BUILD, 'programs.js');
  const programs = Object.entries(PROGRAMS);
  writeFileSync(entry, programs.map(([name, path]) => `export const ${name} = () => import('./${path}');\n`).join(''));
  const core = stageCore();
  try {
    // @ts-expect-error -- it has no types
    const { default: ncc } = (await import('@vercel/ncc')) as {
      default: (entry: string, options: object) => Promise<Packed>;
    };
    const { code, assets, stats } = await ncc(entry, { cache: false, quiet: true, filename: LOADER });
    const files: Record<string, string | Buffer> = {
      [LOADER]: code,
      ...Object.fromEntries(Object.entries(assets).map(([name, asset]) => [name, asset.source])),
    };
    const foreign = foreignFiles(stats.compilation);
    for (const [name, source] of Object.entries(files)) {
      const isScript = name.endsWith('.js');
      writeFileSync(join(folder, name), isScript ? minify(name, source.toString(), !foreign.has(name)) : source);
    }
    writeFileSync(join(folder, 'licenses.txt'), licenseText(bundledPackages(stats.compilation)));
  } finally {
    rmSync(entry);
    rmSync(core, { recursive: true });
  }
  for (const [name] of programs) {
    const path = join(folder, `${name}.js`);
    writeFileSync(path, `#!/usr/bin/env node\nimport { ${name} } from './${LOADER}';\nawait ${name}();\n`);
    chmodSync(path, 0o755);
  }
}

/**
 * Copies `@actions/core` for our code, declared free of side effects: else every action would contain its client of OpenID
 * tokens, with an HTTP library. @returns the folder to remove
 */
function stageCore(): string {
  const [from, to] = [MODULES, join(BUILD, 'node_modules')].map((modules) => join(modules, '@actions', 'core'));
  cpSync(from!, to!, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(from!, 'package.json'), 'utf8')) as object;
  writeFileSync(join(to!, 'package.json'), JSON.stringify({ ...manifest, sideEffects: false }));
  return join(BUILD, 'node_modules');
}

function* filesBehind(modules: Iterable<Module>): Generator<string> {
  for (const { modules: parts, resource } of modules) {
    if (parts) yield* filesBehind(parts);
    else if (resource !== undefined) yield resource;
  }
}

/** The folders of the packages that are bundled, sorted. */
function bundledPackages({ modules }: Compilation): string[] {
  const folders = [...filesBehind(modules)].flatMap(
    (path) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)].toSorted();
}

/** The files without modules of ours. */
function foreignFiles({ chunks, chunkGraph }: Compilation): Set<string> {
  const isOurs = (path: string): boolean => path.startsWith(BUILD) && !path.includes('node_modules');
  const foreign = [...chunks].filter(
    (chunk) => ![...filesBehind(chunkGraph.getChunkModulesIterable(chunk))].some(isOurs),
  );
  return new Set(foreign.flatMap(({ files }) => [...files]));
}

/** Minifies a file, because ncc minifies only entries. Keeps names of our functions, for stack traces, and of all classes, which some packages read. */
function minify(name: string, source: string, isOurs: boolean): string {
  const names = { function: isOurs, class: true };
  const { code, errors } = minifySync(name, source, {
    module: true,
    compress: { keepNames: names },
    mangle: { keepNames: names },
    codegen: { removeWhitespace: true },
  });
  if (errors.length > 0) throw new Error(`${name} cannot be minified: ${errors[0]!.message}`);
  return code;
}

if (import.meta.main) await build(join(ROOT, 'dist'));
