import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { codes, said } from './reading.ts';

/** What is said about a file whose only gate is `a`, with these keys; places count from its line. */
const gate = (keys: string): string[] =>
  said(`gates: {b: {}, a: {${keys}}}`).map((line) => line.replace(/^1:\d+ /, ''));

describe('a problem', () => {
  it('has its place as file, line, column and pointer', () => {
    const result = parsePipeline('gates:\n  "a/b":\n    needs: [x, y]', 'dir/gateline.yml');
    expect(result.ok ? [] : result.problems).toContainEqual({
      severity: 'error',
      code: 'NEED_UNKNOWN',
      message: 'needs: `y`: no such gate',
      place: { file: 'dir/gateline.yml', line: 3, column: 16, pointer: '/gates/a~1b/needs/1' },
    });
  });

  it('is one line, whatever the file holds', () => {
    const [first] = said('gates: {a: {needs: "x\\n::error::y\\e[31m\\u202e"}}');
    expect(first).toBe('1:20 NEED_UNKNOWN needs: `x␊::error::y␛[31m<U+202E>`: no such gate');
  });

  it('does not hide another: structure, references, paths and conditions are told together, in order', () => {
    const text = `
version: 2
gates:
  design:
    retries: "two"
    if: always()
    inputs: ../x
  Review:
    needs: [desing]
    agnet: x
`;
    expect(said(text)).toEqual([
      '2:10 VALUE_INVALID version: expected 1, found the number 2',
      '5:14 VALUE_INVALID retries: expected a whole number from 0 to 10, found the text "two"',
      '6:9 EXPRESSION_FUNCTION if: `always()` says nothing here: a gate is only looked at once all its needs are satisfied; compare `needs.<gate>.status`, or leave it out',
      '7:13 GLOB_INVALID inputs: `../x` climbs out with `..`; write it relative to the workspace',
      '8:3 NAME_INVALID gates: `Review`: expected an id of 1 to 40 characters: a-z, 0-9, `_` and `-`, not beginning with a digit or `-`',
      '9:13 NEED_UNKNOWN needs: `desing`: no such gate; did you mean `design`?',
      '10:5 KEY_UNKNOWN agnet: there is no such key under `gates.Review`; did you mean `agent`?',
    ]);
  });
});

describe('the structure', () => {
  it.each([
    ['retries: 1.5', 'VALUE_INVALID retries: expected a whole number from 0 to 10, found the number 1.5'],
    ['retries: 11', 'VALUE_INVALID retries: expected a whole number from 0 to 10, found the number 11'],
    [
      'retries: "2"',
      'VALUE_INVALID retries: expected a whole number from 0 to 10, found the text "2"; leave the quotes out if a number is meant',
    ],
    [
      'inputs: ',
      'VALUE_INVALID inputs: expected a glob or a list of globs; `[]` says that no file counts, found nothing; write a value, or leave the key out',
    ],
    ['needs: [1]', 'VALUE_INVALID needs: expected the id of a gate, found the number 1'],
    ['needs: {x: 1}', 'VALUE_INVALID needs: expected the id of a gate or a list of ids, found a map'],
    ['run: "  "', 'VALUE_INVALID run: expected a command, found the text "  "'],
    ['run: "a\\0b"', 'VALUE_INVALID run: expected text without the character NUL, found the text "a␀b"'],
    ['reuse: no', 'VALUE_INVALID reuse: expected `auto` or `never`, found the text "no"'],
    ['files: change', 'VALUE_INVALID files: expected `changed` or a list of globs, found the text "change"'],
    [
      'shell: cmd',
      'VALUE_INVALID shell: expected one of `bash`, `sh`, `pwsh`, `python`, `node`, or a command with `{0}` for the file of the script, found the text "cmd"; for another shell write its command, such as `cmd /c {0}`',
    ],
    [
      'max-age: 7 days',
      'VALUE_INVALID max-age: expected a time such as `30m`, `12h`, `7d` or `2w`, found the text "7 days"',
    ],
    [
      'timeout-minutes: 0',
      'VALUE_INVALID timeout-minutes: expected a number of minutes above 0 and up to 4320, found the number 0',
    ],
    [
      'env: {X: [1]}',
      'VALUE_INVALID env.X: expected text, a number, `true`, `false`, or nothing (taken from the caller), found a list',
    ],
    [
      'env: {1X: a}',
      'NAME_INVALID env: `1X`: expected a variable name of A-Z, a-z, 0-9 and `_`, not beginning with a digit',
    ],
    [
      'secrets: [A-B]',
      'VALUE_INVALID secrets: expected a variable name of A-Z, a-z, 0-9 and `_`, not beginning with a digit, found the text "A-B"',
    ],
    ['tools: ["rm -rf"]', 'VALUE_INVALID tools: expected the name of a program, found the text "rm -rf"'],
    [
      'output: {score: a.b}',
      'VALUE_INVALID output.score: expected a JSON pointer such as `/validationResult/score`, found the text "a.b"; write `/a/b`',
    ],
    [
      'output: {score: "$.a"}',
      'VALUE_INVALID output.score: expected a JSON pointer such as `/validationResult/score`, found the text "$.a"; write `/a`',
    ],
    [
      'output: {exports: ["#/a"]}',
      'VALUE_INVALID output.exports: expected a JSON pointer such as `/validationResult/score`, found the text "#/a"; leave the `#` out',
    ],
    [
      'output: {exports: ["/a~2"]}',
      'VALUE_INVALID output.exports: expected a JSON pointer such as `/validationResult/score`, found the text "/a~2"',
    ],
    ['strategy: {}', 'KEY_MISSING strategy.matrix: this key is missing: expected a map of names to lists of values'],
    [
      'strategy: {matrix: {a: 1}}',
      'VALUE_INVALID strategy.matrix.a: expected a list of 1 to 256 values, found the number 1',
    ],
  ])('%s', (keys, expected) => {
    expect(gate(keys)).toEqual([expected]);
  });

  it.each([
    [
      'gates: []',
      '1:8 VALUE_INVALID gates: expected a map of 1 to 1000 gates, keyed by gate id, found an empty list; write each gate as a key, as GitHub has `jobs`: `design:` and its keys below it',
    ],
    ['gates: {}', '1:1 GATES_COUNT gates: there is no gate; a pipeline needs at least one gate'],
    ['pipeline: x', '1:1 KEY_MISSING gates: this key is missing: expected a map of 1 to 1000 gates, keyed by gate id'],
    ['hello', '1:1 VALUE_INVALID file: expected a map with the key `gates`, found the text "hello"'],
    [
      'gates: {a: {}}\nsubject: 42',
      '2:10 VALUE_INVALID subject: expected text, found the number 42; put it in quotes: "42"',
    ],
  ])('%s', (text, expected) => {
    expect(said(text)).toEqual([expected]);
  });

  it('refuses a 1,001st gate', () => {
    const gates = Array.from({ length: 1_001 }, (_, i) => `g${i}: {}`);
    expect(said(`gates: {${gates.join(', ')}}`)).toEqual([
      '1:1 GATES_COUNT gates: 1001 gates are more than 1000; make several pipelines',
    ]);
  });
});

describe('a key that is not known', () => {
  it.each([
    ['runs-on: ubuntu-latest', 'keep `runs-on` in the workflow'],
    ['uses: actions/x@v1', 'use `begin` and `complete` in the workflow'],
    ['steps: []', 'a gate has one command'],
    ['depends_on: x', 'write `needs`'],
    ['depends-on: x', 'write `needs`'],
    ['timeout: 5', 'write `timeout-minutes`'],
    ['timeout_minutes: 5', 'write `timeout-minutes`'],
    ['matrix: {}', 'write it under `strategy`'],
    ['threshold: 5', 'write it under `output`'],
    ['retrys: 5', 'did you mean `retries`?'],
    ['max_age: 5d', 'did you mean `max-age`?'],
    ['Run: x', 'did you mean `run`?'],
    ['output: {treshold: 5}', 'did you mean `threshold`?'],
    ['strategy: {matrix: {a: [1]}, failfast: true}', 'did you mean `fail-fast`?'],
    ['constructor: x', 'known here: number, agent'],
  ])('%s', (keys, hint) => {
    const problems = gate(keys);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^KEY_UNKNOWN /);
    expect(problems[0]).toContain(hint);
  });

  it.each([
    ['on: push', 'a pipeline has no triggers'],
    ['jobs: {}', 'write `gates`'],
    ['gate: {}', 'did you mean `gates`?'],
    ['defaults: {shell: sh}', 'known here: run'],
    ['defaults: {run: {shel: sh}}', 'did you mean `shell`?'],
  ])('%s', (line, hint) => {
    expect(said(`gates: {a: {}}\n${line}`)).toEqual([expect.stringContaining(hint)]);
  });
});

describe('what gates refer to', () => {
  it.each([
    ['needs: a', 'NEED_SELF needs: `a`: a gate cannot need itself'],
    ['needs: [b, b]', 'NEED_DUPLICATE needs: `b`: named twice'],
    ['needs: nowhere', 'NEED_UNKNOWN needs: `nowhere`: no such gate'],
    [
      'number: 0',
      'NUMBER_DUPLICATE number: its number, 0, is the number of `b` already; give every gate a `number` of its own, or none',
    ],
  ])('%s', (keys, expected) => {
    expect(gate(keys)).toEqual([expected]);
  });

  it('a number that a later place takes', () => {
    expect(said('gates: {a: {number: 1}, b: {}}')).toEqual([
      '1:25 NUMBER_DUPLICATE number: its place in the file, 1, is the number of `a` already; give every gate a `number` of its own, or none',
    ]);
  });

  it('a circle is shown as its path, once, at the need that begins it', () => {
    expect(said('gates:\n  x: {needs: c}\n  a: {needs: [x2, b]}\n  x2: {}\n  b: {needs: c}\n  c: {needs: a}')).toEqual([
      '3:19 NEEDS_CYCLE needs: these gates wait for each other: a → b → c → a; each needs the next; take one of these needs out',
    ]);
  });

  it('every circle, each by its shortest path', () => {
    const text =
      'gates: {a: {needs: b}, b: {needs: [c, d]}, c: {needs: a}, d: {needs: b}, p: {needs: q}, q: {needs: p}}';
    expect(said(text).map((line) => line.split('other: ')[1])).toEqual([
      'b → d → b (4 gates hang together in circles; this is the shortest); each needs the next; take one of these needs out',
      'p → q → p; each needs the next; take one of these needs out',
    ]);
  });

  it('groups', () => {
    expect(said('groups: {a: [b], g: [a, a, bb], h: [a], i: []}\ngates: {a: {}, b: {}}')).toEqual([
      '1:10 GROUP_ID_TAKEN groups: `a` is the id of a gate',
      '1:25 GROUP_GATE_DUPLICATE groups: `a`: named twice',
      '1:28 GROUP_GATE_UNKNOWN groups: `bb`: no such gate; did you mean `b`?',
      '1:37 GROUP_GATE_DUPLICATE groups: `a`: is in the group `g` already',
      '1:44 VALUE_INVALID groups.i: expected a list of gate ids, found an empty list',
    ]);
  });
});

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
    ['inputs: ["a/{b,../../c}"]', 'GLOB_INVALID inputs: `a/{b,../../c}` climbs out with `..`'],
    ['inputs: ["**/../x"]', 'GLOB_INVALID inputs: `**/../x` climbs out'],
    ['inputs: ["a\\\\b"]', 'GLOB_INVALID inputs: `a\\b` has a backslash'],
    ['inputs: ["src/[a"]', 'GLOB_INVALID inputs: `src/[a` is no glob'],
    ['inputs: ["src/{a"]', 'GLOB_INVALID inputs: `src/{a` is no glob'],
    ['inputs: ["!a", "!b"]', 'GLOBS_ONLY_EXCLUDE inputs: every glob excludes'],
    ['files: ["../x"]', 'GLOB_INVALID files: `../x` climbs out'],
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
      '2:23 SECRET_IN_ENV secrets: `X` is in the `env` of the pipeline too, where its value would be kept; take it out of `env`',
    ]);
  });
});

describe('${{ }} is for conditions only', () => {
  it.each([
    ['run: "echo ${{ x }}"', 'run'],
    ['env: {A: "${{ secrets.X }}"}', 'env.A'],
    ['with: {deep: [{p: "a ${{ b"}]}', 'with.deep.p'],
    ['working-directory: "${{ x }}"', 'working-directory'],
    ['inputs: "${{ x }}"', 'inputs'],
  ])('%s', (keys, label) => {
    expect(gate(keys)).toEqual([
      expect.stringContaining(`EXPRESSION_NOT_ALLOWED ${label}: nothing is put in the place of`),
    ]);
  });

  it('points at the place inside the text where it can', () => {
    expect(
      codes('gates:\n  a:\n    run: echo ${{ x }}\n  b:\n    run: "echo ${{ x }}"\n  c:\n    run: |\n      ${{ x }}'),
    ).toEqual(['3:15 EXPRESSION_NOT_ALLOWED', '5:16 EXPRESSION_NOT_ALLOWED', '7:10 EXPRESSION_NOT_ALLOWED']);
  });

  it('an inline schema may hold it', () => {
    expect(gate('output: {schema: {pattern: "${{"}}')).toEqual([]);
  });
});

describe('the contract', () => {
  it.each([
    ['output: {threshold: 80}', 'SCORE_MISSING output.threshold: there is no `score` to compare it with'],
    ['output: {partial: pause}', 'warning SCORE_MISSING output.partial: there is no `score`'],
    ['output: {checks: score > 5}', 'SCORE_MISSING output.checks: there is no `score` in this contract'],
    ['output: {exports: [/a, /b, /a]}', 'EXPORT_DUPLICATE output.exports: `/a`: named twice'],
    ['output: {exports: [/a/b, /a]}', 'EXPORT_DUPLICATE output.exports: `/a/b`: is part of `/a`'],
    [
      'output: {exports: ["", /a]}',
      'EXPORT_DUPLICATE output.exports: `/a`: is part of the empty pointer (the whole output)',
    ],
    ['reuse: never, max-age: 7d', 'warning MAX_AGE_UNUSED max-age'],
  ])('%s', (keys, expected) => {
    expect(gate(keys)).toEqual([expect.stringContaining(expected)]);
  });

  it('pointers that only begin alike are two', () => {
    expect(gate('output: {exports: [/a, /ab]}')).toEqual([]);
  });
});

describe('conditions', () => {
  it.each([
    ['if: "metadata.x =="', 'EXPRESSION_INVALID if: unexpected end of expression'],
    ['if: ""', 'VALUE_INVALID if: expected a condition'],
    ['if: "${{ }}"', 'EXPRESSION_INVALID if: the expression is empty'],
    ['if: "(subject"', 'EXPRESSION_INVALID if: '],
    ['if: "subject == \'x"', 'EXPRESSION_INVALID if: the text in single quotes does not end'],
    ['if: \'subject == "x"\'', 'EXPRESSION_INVALID if: unexpected symbol: `"x"` (texts stand in single quotes)'],
    ['if: "${{ subject }} == 1"', 'EXPRESSION_MIXED if: text around'],
    ['if: "x${{ subject }}"', 'EXPRESSION_MIXED if: text around'],
    ['if: github.ref', 'EXPRESSION_NAME if: there is no `github` here; known here: subject, metadata, needs'],
    ['if: metdata.x', 'EXPRESSION_NAME if: there is no `metdata` here; did you mean `metadata`?'],
    ['if: subject.x', 'EXPRESSION_NAME if: `subject` is a text'],
    ['if: output.x', 'EXPRESSION_NAME if: there is no `output` here'],
    ['if: failure() || subject', 'EXPRESSION_FUNCTION if: `failure()` says nothing here'],
    ['if: Success()', 'EXPRESSION_FUNCTION if: `Success()` says nothing here'],
    ['if: "hashFiles(\'x\')"', 'EXPRESSION_FUNCTION if: `hashFiles()` is not known here'],
    [
      'if: "contain(subject, \'x\')"',
      'EXPRESSION_FUNCTION if: there is no function `contain`; did you mean `contains`?',
    ],
    ['if: constructor(1)', 'EXPRESSION_FUNCTION if: there is no function `constructor`'],
    ['if: "has(subject, \'/x\')"', 'EXPRESSION_FUNCTION if: there is no function `has`'],
    ['if: contains(subject)', 'EXPRESSION_INVALID if: too few parameters supplied: `contains`'],
    ['if: needs.b.status', "EXPRESSION_NEED if: `b` is not one of this gate's `needs`; add `b` to `needs`"],
    ['if: needs.c.status, needs: b', 'EXPRESSION_NEED if: `c`: no such gate; did you mean `b`?'],
    ['if: needs.b, needs: b', 'EXPRESSION_NEED if: `needs.b` is no value; it has'],
    [
      'if: needs.b.result, needs: b',
      'EXPRESSION_NEED if: a gate has no `result`; it has `.status`, `.score` and `.output`',
    ],
    ['if: needs.*.status, needs: b', 'EXPRESSION_NEED if: `needs` must be followed by the id of a gate'],
    ['if: "needs[metadata.x].status", needs: b', 'EXPRESSION_NEED if: `needs` must be followed by the id of a gate'],
    ['if: toJSON(needs), needs: b', 'EXPRESSION_NEED if: `needs` must be followed by the id of a gate'],
    [
      'if: "\'success\' == needs.b.status", needs: b',
      'warning EXPRESSION_STATUS if: no gate is ever `success`; a status is one of passed',
    ],
    [
      'output: {checks: [output.x, outputs.y]}',
      'EXPRESSION_NAME output.checks: there is no `outputs` here; did you mean `output`?',
    ],
    ['output: {checks: needs.b.output}', 'EXPRESSION_NAME output.checks: there is no `needs` here'],
    ['output: {checks: has(output)}', 'EXPRESSION_INVALID output.checks: too few parameters supplied: `has`'],
  ])('%s', (keys, expected) => {
    expect(gate(keys)).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    ["if: \"needs.b.status == 'passed' && NEEDS['b'].Score >= 80\", needs: b"],
    ['if: "${{ contains(metadata.tags, \'x}}\') || !needs.b.output.list[0].*.y }}", needs: [b]'],
    ["if: \"subject != '${{' && startsWith(subject, 'pr-')\""],
    ['output: {score: /s, checks: ["has(output, \'/x\') && score >= 5", "fromJSON(\'[1]\')[0] == output.a"]}'],
  ])('but not %s', (keys) => {
    expect(gate(keys)).toEqual([]);
  });

  it('point at the character in question', () => {
    expect(
      codes('gates:\n  a:\n    if: subject && githup.x\n  b:\n    if: "${{ subject == needs.a.status }}"'),
    ).toEqual(['3:20 EXPRESSION_NAME', '5:25 EXPRESSION_NEED']);
  });
});

describe('a matrix', () => {
  it.each([
    ['{a: [1], exclude: [{b: 1}]}', 'strategy.matrix.exclude.b: the matrix has no key `b`'],
    ['{a: [1], exclude: [{a: 1}]}', 'strategy.matrix: no leg is left'],
    ['{}', 'strategy.matrix: no leg is left'],
    ['{a: [1], include: [{}]}', 'strategy.matrix.include: this map is empty'],
    ['{a: [x, x]}', 'strategy.matrix: two legs are the same: {"a":"x"}'],
    ['{a: [[1]]}', 'strategy.matrix.a: a matrix value is text, a number, true, false or a map, not a list'],
  ])('%s', (matrix, expected) => {
    expect(gate(`strategy: {matrix: ${matrix}}`)).toEqual([`MATRIX_INVALID ${expected}`]);
  });

  it('has at most 256 legs, and is not worked out when it has far more', () => {
    const list = (length: number): string => `[${Array.from({ length }, (_, i) => i).join(', ')}]`;
    expect(gate(`strategy: {matrix: {a: ${list(16)}, b: ${list(16)}}}`)).toEqual([]);
    expect(gate(`strategy: {matrix: {a: ${list(16)}, b: ${list(17)}}}`)).toEqual([
      'MATRIX_INVALID strategy.matrix: 272 legs are more than 256',
    ]);
    const keys = Array.from({ length: 12 }, (_, i) => `k${i}: ${list(10)}`);
    expect(gate(`strategy: {matrix: {${keys.join(', ')}}}`)).toEqual([
      'MATRIX_INVALID strategy.matrix: 1000000000000 combinations are more than 1024',
    ]);
  });
});
