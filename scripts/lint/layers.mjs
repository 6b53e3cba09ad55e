/**
 * What each room of src/ may import. A room is a folder of src/, or a file beside them without its extension.
 * `scripts/lint/plugin.mjs` enforces it; test/repository/layers.test.ts tests the plugin.
 */

/** All rooms may import these. They import only each other, in this order: a later one may import earlier ones. */
const EVERYWHERE = ['errors', 'environment', 'in-parallel', 'json', 'untrusted'];

/** Rooms that the middle rooms may import. */
const CORE = [...EVERYWHERE, 'memory', 'pipeline', 'verdict', 'run'];

/** The same with what past runs came to. */
const CORE_AND_HISTORY = [...CORE, 'history'];

/** The only files that the engine may import from these rooms: their interfaces. */
const INTERFACES = [
  'store/record-store',
  'agent/agent',
  'agent/attempt-files',
  'workspace/workspace',
  'workspace/branches',
];

const BEHIND_THE_WAYS_IN = [
  'version',
  ...CORE_AND_HISTORY,
  'report',
  'formats',
  'store',
  'agent',
  'workspace',
  'engine',
];

/**
 * Room → what it may import: rooms, or single files as `room/file` without extension. Its own files are always allowed.
 */
export const LAYERS = {
  errors: [],
  version: [],
  environment: ['errors'],
  'in-parallel': [],
  json: ['errors'],
  untrusted: ['errors', 'environment', 'json'],
  memory: EVERYWHERE,
  pipeline: [...EVERYWHERE, 'memory'],
  verdict: [...EVERYWHERE, 'pipeline'],
  run: [...EVERYWHERE, 'memory', 'pipeline', 'verdict'],
  history: CORE,
  report: CORE_AND_HISTORY,
  formats: CORE_AND_HISTORY,
  compile: [...EVERYWHERE, 'pipeline'],
  github: EVERYWHERE,
  store: [...CORE_AND_HISTORY, 'github'],
  agent: CORE,
  workspace: CORE,
  engine: [...CORE_AND_HISTORY, ...INTERFACES],
  local: BEHIND_THE_WAYS_IN,
  langgraph: ['errors', 'json', 'store'],
  cli: [...BEHIND_THE_WAYS_IN, 'local', 'compile'],
  action: [...BEHIND_THE_WAYS_IN, 'local', 'github'],
  index: [...BEHIND_THE_WAYS_IN, 'local'],
};

/**
 * The folders of a room, in order: each may import those before it. Files directly in the room may be imported by all
 * of them, and may import all of them; import cycles are forbidden anyway.
 */
export const FOLDERS = {
  action: [
    'inputs',
    'event',
    'records',
    'decisions',
    'job',
    'report',
    'delivery',
    'comments',
    'clean',
    'step',
    'commands',
  ],
  cli: ['output', 'project', 'templates', 'sets', 'inspect', 'history', 'memory', 'loop', 'exchange', 'commands'],
  engine: ['call', 'snapshots', 'upstream', 'plan', 'attempt', 'adoption', 'delivery', 'set', 'history'],
  formats: ['agent-flow', 'dev-loop', 'nexus', 'state-guide'],
  local: ['state-files', 'clean', 'doctor', 'memory', 'report', 'exchange'],
  pipeline: ['yaml', 'file', 'checks', 'subjects'],
  report: ['graph', 'html', 'markdown', 'json', 'terminal', 'github'],
  run: ['records', 'state', 'files', 'plan', 'retention', 'subjects'],
  store: ['memory', 'filesystem', 'github'],
  'store/filesystem': ['lock', 'contents', 'history', 'projections'],
  'store/github': ['artifacts', 'cache', 'records', 'history'],
  verdict: ['json-schema', 'expression'],
  workspace: ['files', 'dependencies', 'git', 'objects', 'trees', 'folder', 'slots'],
};

/** Rooms that receive files, time, randomness, processes and the network only as arguments. */
export const PURE_ROOMS = [
  'errors',
  'environment',
  'in-parallel',
  'version',
  'json',
  'untrusted',
  'memory',
  'pipeline',
  'verdict',
  'run',
  'history',
  'report',
  'formats',
  'compile',
];

/** Modules of Node that only compute. `names` limits the imported names, `rooms` the importing rooms. */
export const PURE_MODULES = {
  assert: {},
  buffer: { names: ['Buffer', 'isUtf8', 'isAscii'] },
  crypto: { names: ['createHash'], rooms: ['json'] },
  path: { names: ['posix', 'win32'] },
  'path/posix': {},
  string_decoder: {},
  url: { names: ['URL', 'URLSearchParams'] },
  util: { names: ['isDeepStrictEqual', 'types', 'TextDecoder', 'TextEncoder', 'stripVTControlCharacters'] },
};

/** Globals with outside effects: pure rooms must not use them. */
export const IMPURE_GLOBALS = new Set([
  'process',
  'performance',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'crypto',
  'navigator',
  'console',
  'globalThis',
  'global',
  'require',
  'WebSocket',
  'EventSource',
  'localStorage',
  'sessionStorage',
]);

/** The only places that may read the environment of the process: the entry points, which pass it on. */
export const ENVIRONMENT_READERS = [/^cli\/index\.ts$/, /^action\//];
