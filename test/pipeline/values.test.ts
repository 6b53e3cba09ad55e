import { describe, expect, it } from 'vitest';
import { codes, gateSaid as gate, said } from './reading.ts';

describe('paths and globs stay in the workspace', () => {
  it.each([
    ['working-directory: /tmp', 'PATH_INVALID working-directory: `/tmp` is an absolute path'],
    ['working-directory: "C:x"', 'PATH_INVALID working-directory: `C:x` is an absolute path'],
    ['working-directory: a/../..', 'PATH_INVALID working-directory: `a/../..` leaves the workspace'],
    ['working-directory: "a\\\\b"', 'PATH_INVALID working-directory: `a\\b` has a backslash; use `/`'],
    [
      'output: {schema: "https://x.y/z.json"}',
      'PATH_INVALID output.schema: `https://x.y/z.json` is an address, not a path',
    ],
    ['output: {schema: ../x.json}', 'PATH_INVALID output.schema: `../x.json` leaves the workspace'],
    ['inputs: /etc/**', 'GLOB_INVALID inputs: `/etc/**` is an absolute path'],
    ['inputs: ["a/{b,../../c}"]', 'GLOB_INVALID inputs: `a/{b,../../c}` leaves the workspace with `..`'],
    ['inputs: ["**/../x"]', 'GLOB_INVALID inputs: `**/../x` leaves the workspace'],
    ['inputs: ["a\\\\b"]', 'GLOB_INVALID inputs: `a\\b` has a backslash'],
    ['inputs: ["src/[a"]', 'GLOB_INVALID inputs: `src/[a` is not a valid glob'],
    ['inputs: ["src/{a"]', 'GLOB_INVALID inputs: `src/{a` is not a valid glob'],
    ['inputs: ["!a", "!b"]', 'GLOBS_ONLY_EXCLUDE inputs: every glob excludes'],
    ['files: ["../x"]', 'GLOB_INVALID files: `../x` leaves the workspace'],
  ])('%s', (keys, expected) => {
    expect(gate(keys)).toEqual([expect.stringContaining(expected)]);
  });

  it.each(['a..b/..c', '\\[x\\]', '!(a|b)/*', '{a,b}/**', '.'])('but not the glob %s', (glob) => {
    expect(gate(`inputs: ['x', '${glob}']`)).toEqual([]);
  });

  it('also the default folder', () => {
    expect(codes('defaults: {run: {working-directory: ../x}}\ngates: {a: {}}')).toEqual(['1:37 PATH_INVALID']);
  });
});

describe('variables and secrets', () => {
  it.each([
    ['env: {GATELINE_X: 1}', 'NAME_RESERVED env: `GATELINE_X`: names that begin with'],
    ['env: {github_sha: 1}', 'NAME_RESERVED env: `github_sha`'],
    ['secrets: RUNNER_TEMP', 'NAME_RESERVED secrets: `RUNNER_TEMP`'],
    ['env: {GITHUB_TOKEN: }', 'SECRET_IN_ENV env: `GITHUB_TOKEN` looks like a secret'],
    ['env: {X: 1}, secrets: [X]', 'SECRET_IN_ENV secrets: `X` is in the `env` of this gate too'],
    ['secrets: [X, X]', 'SECRET_DUPLICATE secrets: `X`: named twice'],
    ['env: {OPENAI_API_KEY: }', 'warning SECRET_IN_ENV env: `OPENAI_API_KEY` looks like a secret'],
    ['env: {V: 1.10}', 'warning NUMBER_CHANGED env: `V`: `1.10` is a number and becomes `1.1`; put it in quotes'],
    ['env: {V: 0x1F}', 'warning NUMBER_CHANGED env: `V`: `0x1F` is a number and becomes `31`'],
    [
      'strategy: {matrix: {py: [3.9, 3.10]}}',
      'warning NUMBER_CHANGED strategy.matrix.py: `3.10` is a number and becomes `3.1`',
    ],
  ])('%s', (keys, expected) => {
    expect(gate(keys)).toEqual([expect.stringContaining(expected)]);
  });

  it('a secret in the variables of the pipeline', () => {
    expect(said('env: {X: 1}\ngates: {a: {secrets: [X]}}')).toEqual([
      '2:23 SECRET_IN_ENV secrets: `X` is in the `env` of the pipeline too, where its value would be stored; remove it from `env`',
    ]);
  });
});

describe('the result, the message and what is redacted', () => {
  it('may be given', () => {
    expect(
      gate('output: {result: {pointer: /a/b, pass: OK}, message: /c, redact: [/a/c, /d], score: /e, exports: /d}'),
    ).toEqual([]);
  });

  it.each([
    ['output: {result: /a}', 'VALUE_INVALID output.result: expected a map with the keys `pointer` and `pass`'],
    ['output: {result: {pointer: /a}}', 'KEY_MISSING output.result.pass: this key is missing'],
    ['output: {result: {pointer: /a, pass: []}}', 'VALUE_INVALID output.result.pass: expected a label or a list'],
    ['output: {result: {pointer: a.b, pass: x}}', 'VALUE_INVALID output.result.pointer: expected a JSON pointer'],
    ['output: {result: {pointer: /a, pas: x, pass: y}}', 'KEY_UNKNOWN output.result.pas: there is no such key'],
    [
      'max-reworks: 1',
      'KEY_UNKNOWN max-reworks: there is no such key under `gates.a`; write it at the top of the file, or `max-iterations` under `on-fail`',
    ],
    ['redact: /a', 'KEY_UNKNOWN redact: there is no such key under `gates.a`; write it under `output`'],
    [
      'output: {score: /a/score, redact: /a}',
      'REDACTED_PART_USED output.score: `/a/score`: `output.redact` names `/a`, so the value is never read',
    ],
    ['output: {message: /a, redact: [/b, /a]}', 'REDACTED_PART_USED output.message: `/a`'],
    [
      'output: {result: {pointer: /a, pass: x}, redact: ""}',
      'REDACTED_PART_USED output.result.pointer: `/a`: `output.redact` names the empty pointer (the whole output)',
    ],
  ])('%s', (keys, expected) => {
    expect(gate(keys)).toEqual([expect.stringContaining(expected)]);
  });
});
