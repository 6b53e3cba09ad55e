import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { gateProblems, problemsOf } from './support.ts';

describe('a problem', () => {
  it('has its path, its place as line, column and pointer, and a hint', () => {
    const parsed = parsePipeline('gates:\n  design: {}\n  x:\n    needs: [y, desing]', 'dir/gateline.yml');
    expect(parsed.ok ? [] : parsed.problems).toContainEqual({
      level: 'error',
      path: ['gates', 'x', 'needs', 1],
      message: 'there is no gate `desing`',
      hint: 'did you mean `design`?',
      place: { file: 'dir/gateline.yml', line: 4, column: 16, pointer: '/gates/x/needs/1' },
    });
  });

  it('is reported with all others at once, in the order of the file', () => {
    const text = `
version: 2
gates:
  design:
    retries: "two"
    if: always()
    inputs: ../x
    output: {treshold: 80}
  runTests:
    needs: [desing]
  review:
    agnet: x
    run: \${{ github.event.comment.body }}
`;
    expect(problemsOf(text)).toEqual([
      '2:10 version: expected 1, found the number 2',
      '5:14 gates.design.retries: expected a whole number from 0 to 10, found the text "two"',
      '6:9 gates.design.if: there is no function `always` here; a gate is asked only when its needs are done: compare `needs.<gate>.status`',
      '7:13 gates.design.inputs: `../x` leaves the workspace; write it relative to the workspace',
      '8:14 gates.design.output.treshold: there is no such key; did you mean `threshold`?',
      '9:3 gates.runTests: this key is not valid: expected an id of 1 to 40 characters: a-z, 0-9, `_` and `-`, not beginning with a digit or `-`',
      '12:5 gates.review.agnet: there is no such key; did you mean `agent`?',
      '13:10 gates.review.run: `${{ }}` is not evaluated here; read the file that `GATELINE_REQUEST` names, or set a variable under `env`',
    ]);
  });

  it('is one line without hidden characters, whatever the file holds', () => {
    expect(problemsOf('gates: {a: {needs: "x\\n::error::y\\e[31m\\u202e"}, b: {"c\\nd": 1}}')).toEqual([
      expect.stringMatching(/^1:54 gates\.b\."c\\nd": there is no such key; known here: /),
    ]);
    const [problem] = problemsOf('gates: {a: {needs: "x\\n::error::y\\e[31m\\u202e"}}');
    expect(problem).toBe('1:20 gates.a.needs: there is no gate `x\\n::error::y\\u{1b}[31m\\u{202e}`');
  });
});

/** The lines of a section of problems.txt: what is written ⇒ what is reported. `⏎` is a line break. */
function table(section: string): string[][] {
  const sections = readFileSync(new URL('problems.txt', import.meta.url), 'utf8').split(/^## /m);
  const [, ...lines] = sections
    .find((text) => text.startsWith(`${section}\n`))!
    .trim()
    .split('\n');
  return lines.map((line) => line.replaceAll('⏎', '\n').split(/ ?⇒ /));
}

it.each(table('structure of a gate'))('a gate: %s', (keys, expected) => {
  expect(gateProblems(keys)).toEqual([expected]);
});

it.each(table('keys that do not exist'))('an unknown key: %s', (keys, hint) => {
  expect(gateProblems(keys)).toEqual([expect.stringContaining(`there is no such key; ${hint}`)]);
});

it.each(table('references of a gate'))('a reference: %s', (keys, expected) => {
  expect(gateProblems(keys)).toEqual([expected]);
});

it.each([...table('the whole file'), ...table('YAML')])('a file: %s', (text, expected) => {
  expect(problemsOf(text).join('\n')).toBe(expected);
});

const level = (name: string, index: number): string => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}]`;

it.each([
  ['brackets', `x: ${'['.repeat(100_000)}`],
  ['maps', `x: ${'{a: '.repeat(65)}1${'}'.repeat(65)}`],
  ['lines', Array.from({ length: 70 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ['aliases', `a: &a [1,1,1,1,1,1,1,1,1]\n${[...'bcdefgh'].map(level).join('\n')}`],
  ['characters', `x: ${'y'.repeat(1_100_000)}`],
])('a file of too many %s ends with one problem', (_title, text) => {
  const limits = ['maps and lists are nested more than 64 deep, or hold more than 100000 values'];
  const size = 'the file is larger than 1048576 characters; keep prompts and schemas in separate files';
  expect([...limits, size].map((limit) => `1:1 ${limit}`)).toContain(problemsOf(text).join('\n'));
});

it('any text gives a pipeline or problems, and never throws', () => {
  const word = fc.constantFrom(
    ...'[]{}:,-?*&!|>\'"#%@ \n\t'.split(''),
    'gates',
    'run',
    'needs',
    'a',
    '1.10',
    '${{ x }}',
  );
  const text = fc.oneof(
    fc.array(word, { maxLength: 40 }).map((words) => words.join('')),
    fc.string(),
    fc.json(),
  );
  fc.assert(fc.property(text, (written) => problemsOf(written).every((line) => /^\d+:\d+ \S.*$/.test(line))));
});
