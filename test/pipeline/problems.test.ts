import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { gateSaid as gate, said } from './reading.ts';

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
      "6:9 EXPRESSION_FUNCTION if: `always()` has no meaning here: a gate's condition is evaluated only when all its needs are satisfied; compare `needs.<gate>.status`, or leave it out",
      '7:13 GLOB_INVALID inputs: `../x` leaves the workspace with `..`; write it relative to the workspace',
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
      'VALUE_INVALID retries: expected a whole number from 0 to 10, found the text "2"; remove the quotes if you mean a number',
    ],
    [
      'inputs: ',
      'VALUE_INVALID inputs: expected a glob or a list of globs; `[]` for no files, found nothing; write a value, or remove the key',
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
    [
      'strategy: {}',
      'KEY_MISSING strategy.matrix: this key is missing: expected a map of names to lists of values, or `${{ needs.… }}`',
    ],
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
      '1:8 VALUE_INVALID gates: expected a map of 1 to 1000 gates, keyed by gate id, found an empty list; write each gate as a key, like `jobs` on GitHub: `design:` and its keys below it',
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
      '1:1 GATES_COUNT gates: 1001 gates are more than 1000; split it into several pipelines',
    ]);
  });
});

describe('a key that is not known', () => {
  it.each([
    ['on: push', 'write it at the top of the file'],
    ['concurrency: x', '`gateline compile` writes it'],
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
    ['true: push', 'write `on`'],
    ['environment: production', 'write it at a gate'],
    ['permissions: {}', 'write `permissions` at the gates'],
    ['jobs: {}', 'write `gates`'],
    ['gate: {}', 'did you mean `gates`?'],
    ['defaults: {shell: sh}', 'known here: run'],
    ['defaults: {run: {shel: sh}}', 'did you mean `shell`?'],
    ['budget: {week: 1}', 'known here: gate, run, day, on-unknown, prices'],
    ['groups: {g: {gates: [a], x: 1}}', 'known here: gates, mode, available, on-fail'],
    ['retention: {x: 1}', 'known here: older, keep, every'],
    ['on: {pusch: {}, push: {}}', 'did you mean `push`?'],
  ])('%s', (line, hint) => {
    expect(said(`gates: {a: {}}\n${line}`)).toEqual([expect.stringContaining(hint)]);
  });
});

it('names the keys of the shape that a value almost has', () => {
  const problems = said('gates: {a: {}}\nbudget: {run: {euros: 1}}');
  expect(problems[1]).toMatch(/ KEY_UNKNOWN budget\.run\.euros: .*; known here: dollars, tokens, minutes$/);
});

describe('what gates refer to', () => {
  it.each([
    ['needs: a', 'NEED_SELF needs: `a`: a gate cannot need itself'],
    ['needs: [b, b]', 'NEED_DUPLICATE needs: `b`: named twice'],
    ['needs: nowhere', 'NEED_UNKNOWN needs: `nowhere`: no such gate'],
    [
      'number: 0',
      'NUMBER_DUPLICATE number: its number, 0, is already the number of `b`; give every gate a `number` of its own, or none',
    ],
  ])('%s', (keys, expected) => {
    expect(gate(keys)).toEqual([expected]);
  });

  it('a number that a later place takes', () => {
    expect(said('gates: {a: {number: 1}, b: {}}')).toEqual([
      '1:25 NUMBER_DUPLICATE number: its place in the file, 1, is already the number of `a`; give every gate a `number` of its own, or none',
    ]);
  });

  it('a circle is shown as its path, once, at the need that begins it', () => {
    expect(said('gates:\n  x: {needs: c}\n  a: {needs: [x2, b]}\n  x2: {}\n  b: {needs: c}\n  c: {needs: a}')).toEqual([
      '3:19 NEEDS_CYCLE needs: these gates wait for each other: a → b → c → a; each needs the next; remove one of these needs',
    ]);
  });

  it('every circle, each by its shortest path', () => {
    const text =
      'gates: {a: {needs: b}, b: {needs: [c, d]}, c: {needs: a}, d: {needs: b}, p: {needs: q}, q: {needs: p}}';
    expect(said(text).map((line) => line.split('other: ')[1])).toEqual([
      'b → d → b (4 gates form cycles; this is the shortest); each needs the next; remove one of these needs',
      'p → q → p; each needs the next; remove one of these needs',
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

describe('what starts the workflow', () => {
  const inputsOf = (number: number): object =>
    Object.fromEntries(Array.from({ length: number }, (_, at) => [`input${at}`, {}]));

  const problemsOf = (on: unknown): string[] =>
    said(JSON.stringify({ pipeline: 'p', on, gates: { a: { run: 'x' } } })).map((line) =>
      line.replace(/^\d+:\d+ /, ''),
    );

  it.each([
    ['schedule', 'VALUE_INVALID on: expected a map of events: `schedule` needs `cron`'],
    [['push', 'workflow_run'], 'VALUE_INVALID on: expected a map of events: `schedule` needs `cron`'],
    [{ schedule: null }, 'VALUE_INVALID on.schedule: expected a list of maps with the key `cron`'],
    [{ schedule: [{ crom: '0 4 * * 1' }] }, 'KEY_UNKNOWN on.schedule.crom: there is no such key'],
    [{ workflow_run: null }, 'VALUE_INVALID on.workflow_run: expected a map with the key `workflows`'],
    [{ pusj: null }, 'KEY_UNKNOWN on.pusj: there is no such key under `on`; did you mean `push`?'],
    [{ workflow_dispatch: { inputs: { subject: {} } } }, 'NAME_INVALID on.workflow_dispatch.inputs: `subject`: '],
    [
      { workflow_dispatch: { inputs: inputsOf(16) } },
      'VALUE_INVALID on.workflow_dispatch.inputs: expected at most 15 inputs of your own',
    ],
  ])('is not what GitHub refuses: %j', (on, message) => {
    expect(problemsOf(on)).toContainEqual(expect.stringContaining(message));
  });

  it.each([
    ['push'],
    [['push', 'workflow_dispatch']],
    [{ schedule: [{ cron: '0 4 * * 1' }], workflow_run: { workflows: ['Build'], types: ['completed'] } }],
    [{ workflow_dispatch: { inputs: inputsOf(15) } }],
  ])('is what GitHub takes: %j', (on) => {
    expect(problemsOf(on)).toEqual([]);
  });
});
