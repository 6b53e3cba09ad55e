import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOLDERS, LAYERS, PURE_ROOMS } from '../../scripts/lint/layers.mjs';

const ROOT = join(import.meta.dirname, '..', '..');

interface Seed {
  /** The file that is added, under the repository. */
  readonly path: string;
  readonly code: string;
  /** The rule that must complain about this file, or undefined: none of ours may. */
  readonly rule: string | undefined;
}

/** All that the engine may see of these rooms. */
const INTERFACES = ['store/record-store', 'agent/agent', 'agent/attempt-files', 'workspace/workspace'];
const ROOMS_AS_FILES = ['environment', 'in-parallel', 'version', 'index'];

let number = 0;

/** Code that would be a new file of that room. */
function seed(room: string, code: string, rule: string | undefined): Seed {
  number += 1;
  const path = ROOMS_AS_FILES.includes(room) ? `src/${room}.ts` : `src/${room}/seed-${number}/seed.ts`;
  return { path, code, rule };
}

/** How a file of `from` names a file of `to`. */
function pathTo(from: string, to: string): string {
  const up = ROOMS_AS_FILES.includes(from) ? './' : '../../';
  return ROOMS_AS_FILES.includes(to) ? `${up}${to}.ts` : `${up}${to}/other.ts`;
}

/** That many lines of code. */
function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `export const x${index} = 1;`).join('\n');
}

/** Every arrow between two rooms, allowed or not: this table says it again, by itself, from the documented layers. */
const BASE = ['errors', 'environment', 'in-parallel', 'json', 'untrusted'];
const CORE = [...BASE, 'memory', 'pipeline', 'verdict', 'run'];
const PAST = [...CORE, 'history'];
const BEHIND = ['version', ...PAST, 'report', 'formats', 'store', 'agent', 'workspace', 'engine'];
const ALLOWED: Record<string, readonly string[]> = {
  errors: [],
  version: [],
  environment: ['errors'],
  'in-parallel': [],
  json: ['errors'],
  untrusted: ['errors', 'environment', 'json'],
  memory: BASE,
  pipeline: [...BASE, 'memory'],
  verdict: [...BASE, 'pipeline'],
  run: [...BASE, 'memory', 'pipeline', 'verdict'],
  history: CORE,
  report: PAST,
  formats: PAST,
  compile: [...BASE, 'pipeline'],
  github: BASE,
  store: [...PAST, 'github'],
  agent: CORE,
  workspace: CORE,
  engine: PAST,
  local: BEHIND,
  langgraph: ['errors', 'json', 'store'],
  cli: [...BEHIND, 'local', 'compile'],
  action: [...BEHIND, 'local', 'github'],
  index: [...BEHIND, 'local'],
};

/** A seed for each arrow. Rooms that are one file have theirs below: a file can be seeded once. */
function arrows(): Seed[] {
  const rooms = Object.keys(ALLOWED);
  return rooms
    .filter((room) => !ROOMS_AS_FILES.includes(room))
    .flatMap((from) =>
      rooms
        .filter((to) => to !== from)
        .map((to) => {
          const rule = ALLOWED[from]!.includes(to) ? undefined : 'gateline(layers)';
          return seed(from, `import '${pathTo(from, to)}';`, rule);
        }),
    );
}

const NO_LAYER = 'gateline(layers)';
const NO_IMPORT = 'gateline(pure-imports)';
const NO_GLOBAL = 'gateline(pure-globals)';
const NO_ENVIRONMENT = 'gateline(environment)';

const IMPURE_MODULES = [
  'node:fs',
  'node:fs/promises',
  'fs',
  'node:child_process',
  'node:process',
  'node:os',
  'node:net',
  'node:http',
  'node:https',
  'node:http2',
  'node:timers',
  'node:timers/promises',
  'node:worker_threads',
];

const IMPURE_CODE = [
  'process.cwd();',
  'Date.now();',
  'new Date();',
  'Date();',
  "Date['now']();",
  'export const clock = Date;',
  'Math.random();',
  'const { random } = Math; random();',
  'performance.now();',
  "void fetch('https://example.org');",
  'setTimeout(() => undefined, 1);',
  'globalThis.process.exit();',
  'crypto.randomUUID();',
  "console.log('x');",
];

const SEEDS: readonly Seed[] = [
  ...arrows(),
  seed('run', "export { x } from '../../engine/x.ts';", NO_LAYER),
  seed('run', "export * from '../../engine/x.ts';", NO_LAYER),
  seed('run', "export const x = () => import('../../engine/x.ts');", NO_LAYER),
  seed('run', "export type X = import('../../engine/x.ts').X;", NO_LAYER),
  seed('run', "import type { X } from '../../engine/x.ts'; export type Y = X;", NO_LAYER),
  seed('run', "import '../../../test/x.ts';", NO_LAYER),
  seed('run', "import 'gateline';", NO_LAYER),
  seed('run', "import '../order.ts';", undefined),
  seed('run', "import 'zod';", undefined),
  seed('engine', "import '../../store/memory/memory-store.ts';", NO_LAYER),
  seed('engine', "import '../../agent/process/start.ts';", NO_LAYER),
  seed('engine', "import '../../workspace/git.ts';", NO_LAYER),
  ...INTERFACES.map((file) => seed('engine', `import '../../${file}.ts';`, undefined)),
  ...Object.entries(FOLDERS).flatMap(([room, order]) =>
    order.slice(1).flatMap((later, index) => {
      const earlier = order[index]!;
      return [
        { path: `src/${room}/${earlier}/seed-a/seed.ts`, code: `import '../../${later}/x.ts';`, rule: NO_LAYER },
        { path: `src/${room}/${later}/seed-b/seed.ts`, code: `import '../../${earlier}/x.ts';`, rule: undefined },
        {
          path: `src/${room}/${later}/seed-c/seed.ts`,
          code: "import '../../x.ts'; import '../x.ts';",
          rule: undefined,
        },
      ];
    }),
  ),
  seed('unheard-of', 'export const x = 1;', NO_LAYER),

  ...PURE_ROOMS.filter((room) => !ROOMS_AS_FILES.includes(room)).flatMap((room) => [
    ...IMPURE_MODULES.map((name) => seed(room, `import '${name}';`, NO_IMPORT)),
    ...IMPURE_CODE.map((code) => seed(room, code, NO_GLOBAL)),
  ]),
  seed('json', "import { createHash } from 'node:crypto'; createHash('sha256');", undefined),
  seed('json', "import { randomBytes } from 'node:crypto'; randomBytes(1);", NO_IMPORT),
  seed('json', "import * as crypto from 'node:crypto'; crypto.randomBytes(1);", NO_IMPORT),
  seed('verdict', "import { createHash } from 'node:crypto'; createHash('sha256');", NO_IMPORT),
  seed('run', "export const x = () => import('node:fs');", NO_IMPORT),
  seed('run', 'export const at = new Date(0).getTime() + Date.parse("2026-01-01") + Math.max(1, 2);', undefined),
  seed('run', 'export const f = (process: string, date: unknown) => [process, date instanceof Date];', undefined),
  seed('run', 'export const f = (fetch: () => Date): Date => fetch();', undefined),
  seed('store', "import 'node:fs'; Date.now(); Math.random(); setTimeout(() => undefined, 1);", undefined),

  seed('store', "export const home = process.env['HOME'];", NO_ENVIRONMENT),
  seed('store', 'export const { env } = process;', NO_ENVIRONMENT),
  seed('store', "import { env } from 'node:process'; export const home = env['HOME'];", NO_ENVIRONMENT),
  seed('store', "export const home = process['env'];", NO_ENVIRONMENT),
  seed('store', 'export const all = globalThis.process.env;', NO_ENVIRONMENT),
  seed('store', 'export const where = process.cwd();', undefined),
  seed('cli', "export const home = process.env['HOME'];", NO_ENVIRONMENT),
  seed('action', "export const home = process.env['HOME'];", undefined),
  { path: 'src/cli/index.ts', code: "export const home = process.env['HOME'];", rule: undefined },
  { path: 'src/environment.ts', code: "import './run/digest.ts';", rule: NO_LAYER },
  { path: 'src/index.ts', code: "import './cli/index.ts';", rule: NO_LAYER },

  seed('store', lines(300), undefined),
  seed('store', lines(301), 'eslint(max-lines)'),
  seed('store', 'export const x: any = 1;', 'typescript(no-explicit-any)'),
  {
    path: 'test/seed-1.test.ts',
    code: "import { vi } from 'vitest';\nvi.mock('../src/index.ts');",
    rule: 'gateline(no-module-mocks)',
  },
  {
    path: 'test/seed-2.test.ts',
    code: "import { it } from 'vitest';\nit.only('x', () => {});",
    rule: 'vitest(no-focused-tests)',
  },
  {
    path: 'test/seed-3.test.ts',
    code: "import { it } from 'vitest';\nit.skip('x', () => {});",
    rule: 'vitest(no-disabled-tests)',
  },
  { path: 'test/seed-4.test.ts', code: "import { it } from 'vitest';\nit.todo('x');", rule: 'vitest(warn-todo)' },
];

/** Every rule that some seed must meet. */
const GROUPS = [...new Set(SEEDS.flatMap(({ rule }) => rule ?? []))];

/** The rules that this test is about: others may complain about code as odd as the seeds. */
const WATCHED = /^gateline\(|^eslint\(max-lines\)$|no-explicit-any|^vitest\(/;

let directory: string;
const complaints = new Map<string, string[]>();

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateline-lint-'));
  cpSync(join(ROOT, 'scripts', 'lint'), join(directory, 'scripts', 'lint'), { recursive: true });
  for (const file of ['tsconfig.json', 'package.json']) cpSync(join(ROOT, file), join(directory, file));
  const config = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8'));
  // Types play no part in these rules, and cost seconds.
  config.options.typeAware = false;
  writeFileSync(join(directory, '.oxlintrc.json'), JSON.stringify(config));
  writeFileSync(join(directory, '.gitignore'), 'node_modules\n');
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'), 'junction');
  for (const { path, code } of SEEDS) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), `${code}\n`);
  }
  const lint = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules', 'oxlint', 'bin', 'oxlint'),
      '--disable-nested-config',
      '--format',
      'json',
      'src',
      'test',
    ],
    { cwd: directory, encoding: 'utf8', maxBuffer: 1e9 },
  );
  const { diagnostics } = JSON.parse(lint.stdout) as { diagnostics: { code: string; filename: string }[] };
  for (const { code, filename } of diagnostics) {
    if (!WATCHED.test(code)) continue;
    const path = filename.replaceAll('\\', '/');
    complaints.set(path, [...(complaints.get(path) ?? []), code]);
  }
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('the linter', () => {
  it('knows every room of src/', () => {
    expect(Object.keys(LAYERS).toSorted()).toEqual(Object.keys(ALLOWED).toSorted());
  });

  it('knows every folder of a room', () => {
    const isFolder = (path: string): boolean => statSync(join(ROOT, 'src', path)).isDirectory();
    const below = (path: string): string[] =>
      readdirSync(join(ROOT, 'src', path)).filter((name) => isFolder(`${path}/${name}`));
    const rooms = Object.keys(LAYERS).filter((room) => !ROOMS_AS_FILES.includes(room));
    const found = rooms.flatMap((room) => [room, ...below(room).map((name) => `${room}/${name}`)]);
    const parents = found
      .map((path) => [path, below(path).toSorted()] as const)
      .filter(([, names]) => names.length > 1);
    const listed = Object.entries(FOLDERS).map(([path, names]) => [path, names.toSorted()] as const);
    expect(new Map(listed)).toEqual(new Map(parents));
  });

  it.each(GROUPS)('refuses by %s', (rule) => {
    const seeds = SEEDS.filter((one) => one.rule === rule);
    expect(seeds.filter(({ path }) => complaints.get(path)?.includes(rule) !== true)).toEqual([]);
  });

  it('allows everything else', () => {
    const seeds = SEEDS.filter(({ rule }) => rule === undefined);
    expect(seeds.length).toBeGreaterThan(80);
    const refused = seeds.filter(({ path }) => complaints.has(path));
    expect(refused.map((one) => ({ ...one, by: complaints.get(one.path) }))).toEqual([]);
  });
});
