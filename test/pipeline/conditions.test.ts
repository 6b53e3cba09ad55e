import { describe, expect, it } from 'vitest';
import { codes, gateSaid as gate } from './reading.ts';

describe('${{ }} is for conditions only', () => {
  it.each([
    ['run: "echo ${{ x }}"', 'run'],
    ['env: {A: "${{ secrets.X }}"}', 'env.A'],
    ['with: {deep: [{p: "a ${{ b"}]}', 'with.deep.p'],
    ['working-directory: "${{ x }}"', 'working-directory'],
    ['inputs: "${{ x }}"', 'inputs'],
  ])('%s', (keys, label) => {
    expect(gate(keys)).toEqual([
      expect.stringContaining(`EXPRESSION_NOT_ALLOWED ${label}: \`$\{{ }}\` is not evaluated here`),
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
    ['if: \'subject == "x"\'', 'EXPRESSION_INVALID if: unexpected symbol: `"x"` (write text in single quotes)'],
    ['if: "${{ subject }} == 1"', 'EXPRESSION_MIXED if: text around'],
    ['if: "x${{ subject }}"', 'EXPRESSION_MIXED if: text around'],
    ['if: github.ref', 'EXPRESSION_NAME if: there is no `github` here; known here: subject, metadata, needs'],
    ['if: metdata.x', 'EXPRESSION_NAME if: there is no `metdata` here; did you mean `metadata`?'],
    ['if: subject.x', 'EXPRESSION_NAME if: `subject` is a text'],
    ['if: output.x', 'EXPRESSION_NAME if: there is no `output` here'],
    ['if: failure() || subject', 'EXPRESSION_FUNCTION if: `failure()` has no meaning here'],
    ['if: Success()', 'EXPRESSION_FUNCTION if: `Success()` has no meaning here'],
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
    ['if: needs.b, needs: b', 'EXPRESSION_NEED if: `needs.b` is not a value; it has'],
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
