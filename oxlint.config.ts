import { defineConfig } from 'oxlint';

/**
 * Room → the rooms that it may import. A room is a folder of src/, or a file beside them without its extension. Every room
 * may also import {@link EVERYWHERE}. No folder inside a room may have the name of a room that it must not import: an
 * import of it would look the same.
 */
const ROOMS: Record<string, readonly string[]> = {
  errors: [],
  environment: ['errors'],
  version: [],
  json: [],
  untrusted: ['json'],
  pipeline: [],
  verdict: ['pipeline'],
  run: ['verdict', 'pipeline'],
  history: ['run', 'pipeline'],
  report: ['run', 'history', 'pipeline', 'verdict'],
  formats: ['report', 'run', 'history', 'pipeline', 'verdict'],
  compile: ['pipeline'],
  workspace: ['run', 'pipeline'],
  store: ['run', 'agent', 'verdict', 'pipeline', 'github', 'history'],
  github: [],
  agent: ['pipeline', 'run'],
  engine: ['run', 'verdict', 'pipeline', 'history', 'workspace', 'store', 'agent'],
  local: [
    'engine',
    'agent',
    'store',
    'workspace',
    'compile',
    'formats',
    'report',
    'history',
    'run',
    'verdict',
    'pipeline',
    'version',
  ],
  langgraph: ['store'],
  gateline: ['local', 'engine', 'report', 'formats', 'compile', 'history', 'run', 'pipeline', 'workspace', 'version'],
  index: [
    'gateline',
    'local',
    'engine',
    'history',
    'report',
    'formats',
    'compile',
    'run',
    'verdict',
    'pipeline',
    'version',
  ],
  cli: ['gateline', 'report', 'history', 'run', 'pipeline', 'local', 'version'],
  action: [
    'engine',
    'report',
    'store',
    'github',
    'local',
    'workspace',
    'formats',
    'history',
    'run',
    'verdict',
    'pipeline',
    'agent',
    'version',
  ],
};

/** These rooms import only earlier ones of this list. */
const EVERYWHERE = ['errors', 'environment', 'json', 'untrusted'];

/** Rooms that receive files, time, random numbers, processes and the network only as arguments. */
const PURE = ['json', 'untrusted', 'pipeline', 'verdict', 'run', 'history', 'report', 'formats', 'compile'];

const IMPURE_MODULES =
  '^(node:)?(fs|child_process|cluster|dgram|dns|http|https|http2|inspector|net|os|perf_hooks|process|readline|repl|timers|tls|tty)(/|$)';
const WORKERS = '^(node:)?worker_threads$';

/** Methods of vitest that replace modules: tests hand the code another implementation of its interface. */
const NO_MOCKS = Object.fromEntries(
  ['mock', 'doMock', 'unmock', 'doUnmock', 'hoisted', 'importActual', 'importMock'].map((name) => [name, null]),
);

const UNSAFE = {
  'typescript/no-unsafe-argument': 'off',
  'typescript/no-unsafe-assignment': 'off',
  'typescript/no-unsafe-call': 'off',
  'typescript/no-unsafe-member-access': 'off',
  'typescript/no-unsafe-return': 'off',
} as const;

/** What a room must not import, as patterns on the specifiers of its imports. */
function forbidden(room: string) {
  const before = EVERYWHERE.includes(room) ? EVERYWHERE.slice(0, EVERYWHERE.indexOf(room)) : EVERYWHERE;
  const allowed = new Set([room, ...before, ...ROOMS[room]!]);
  const names = Object.keys(ROOMS).filter((name) => !allowed.has(name));
  const layers = {
    regex: String.raw`^(\./|(\.\./)+)(${names.join('|')})(/|\.ts$)`,
    message: `'${room}' may import: ${[...allowed].slice(1).join(', ') || 'nothing'} (oxlint.config.ts).`,
  };
  const inside = { ...layers, regex: layers.regex.replace(String.raw`(\./|(\.\./)+)`, String.raw`(\.\./)+`) };
  return { aside: layers, inside };
}

/** The rules of one room: files in its folder, or the file of its name. */
function layersOf(room: string) {
  const { aside, inside } = forbidden(room);
  const isPure = PURE.includes(room);
  const message = `'${room}' is pure: take what you need as an argument.`;
  const modules = isPure ? [{ regex: IMPURE_MODULES, message }] : [];
  const workers = isPure ? [{ regex: WORKERS, message }] : [];
  const random = isPure
    ? [{ name: 'node:crypto', importNames: ['randomUUID', 'randomBytes', 'randomInt'], message }]
    : [];
  const imports = (patterns: readonly object[]) => ({
    'no-restricted-imports': ['error', { paths: random, patterns }] as never,
  });
  return [
    { files: [`src/${room}.ts`], rules: imports([aside, ...modules, ...workers]) },
    { files: [`src/${room}/**`], rules: imports([inside, ...modules, ...workers]) },
    ...(room === 'verdict' ? [{ files: ['src/verdict/worker*.ts'], rules: imports([inside, ...modules]) }] : []),
  ];
}

export default defineConfig({
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['build', 'coverage', 'dist', '.state'],
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'node'],
  jsPlugins: ['./scripts/lint/plugin.mjs'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  env: { builtin: true, node: true },
  rules: {
    eqeqeq: 'error',
    'no-empty': 'error',
    'no-eval': 'error',
    'no-fallthrough': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'no-await-in-loop': 'off',
    'no-control-regex': 'off',
    'no-shadow': 'off',
    'no-underscore-dangle': 'off',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' }],
    'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'start' }],
    'import/no-cycle': 'error',
    'oxc/no-map-spread': 'off',
    'unicorn/prefer-array-flat-map': 'off',
    'unicorn/prefer-set-has': 'off',
    'import/no-default-export': 'off',
    'import/no-unassigned-import': 'off',
    'import/no-named-as-default': 'off',
    'import/no-named-as-default-member': 'off',
    'promise/always-return': 'off',
    'typescript/consistent-return': 'off',
    'typescript/no-misused-spread': ['error', { allow: ['string'] }],
    'typescript/await-thenable': 'error',
    // Values that failed a check are printed as they are, whatever they are.
    'typescript/no-base-to-string': 'off',
    'typescript/no-unnecessary-type-parameters': 'off',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    'typescript/no-deprecated': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-require-imports': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/prefer-promise-reject-errors': 'error',
    'typescript/return-await': ['error', 'in-try-catch'],
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'unicorn/prefer-node-protocol': 'error',
    'unicorn/no-array-sort': 'off',
    'unicorn/no-array-reverse': 'off',
    'unicorn/consistent-function-scoping': 'off',
  },
  overrides: [
    {
      files: ['src/**'],
      rules: {
        'import/no-cycle': ['error', { ignoreTypes: false }],
        'max-lines': ['error', { max: 300 }],
        'node/no-process-env': 'error',
      },
    },
    // The entry points read the environment of the process, and pass it on.
    { files: ['src/cli/index.ts', 'src/environment.ts', 'src/action/**'], rules: { 'node/no-process-env': 'off' } },
    {
      files: PURE.flatMap((room) => [`src/${room}/**`]),
      rules: {
        'rooms/no-clock': 'error',
        'no-restricted-properties': [
          'error',
          { object: 'Date', property: 'now', message: 'A pure room may not read the clock.' },
          { object: 'Math', property: 'random', message: 'A pure room may not use chance.' },
        ],
        'no-restricted-globals': [
          'error',
          'process',
          'performance',
          'fetch',
          'setTimeout',
          'setInterval',
          'setImmediate',
        ],
      },
    },
    ...Object.keys(ROOMS).flatMap(layersOf),
    {
      files: ['test/**'],
      plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'node', 'vitest'],
      rules: {
        'vitest/no-disabled-tests': 'error',
        'vitest/no-focused-tests': 'error',
        'vitest/no-restricted-vi-methods': ['error', NO_MOCKS],
        'vitest/warn-todo': 'error',
        'vitest/expect-expect': 'off',
        'typescript/no-misused-spread': 'off',
        'typescript/restrict-template-expressions': 'off',
        'typescript/unbound-method': 'off',
        'typescript/require-array-sort-compare': 'off',
        'eslint/no-unmodified-loop-condition': 'off',
        'unicorn/no-useless-spread': 'off',
        'vitest/require-mock-type-parameters': 'off',
        ...UNSAFE,
      },
    },
    { files: ['scripts/**', 'examples/**', 'templates/**', 'bench/**'], rules: UNSAFE },
  ],
});
