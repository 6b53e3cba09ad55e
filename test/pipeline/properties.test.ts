import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { formatProblem } from '../../src/pipeline/problem.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { pipelines, print } from './arbitrary-pipeline.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { drawn } from '../support/samples.ts';

/** A pipeline without where its contracts are written: a value that was never text has none. */
function withoutPlaces(pipeline: Pipeline): Pipeline {
  const { subjectReads: _reads, ...rest } = pipeline;
  return { ...rest, gates: pipeline.gates.map(({ place: _place, ...gate }) => gate) };
}

/** What must hold whatever the text is. */
function expectAnAnswer(text: string): void {
  const result = parsePipeline(text, 'gateline.yml');
  const told = result.ok ? result.warnings : result.problems;
  const lines = text.split('\n');
  if (result.ok) expect(result.pipeline.gates.length).toBeGreaterThan(0);
  else expect(told.some(({ severity }) => severity === 'error')).toBe(true);
  for (const problem of told) {
    const { line, column } = problem.place;
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
    expect(formatProblem(problem)).toMatch(/^gateline\.yml:\d+:\d+ (?:warning )?[A-Z_]+ [^\n\r]+$/);
  }
}

const KEYS = [
  'gates',
  'groups',
  'env',
  'defaults',
  'run',
  'shell',
  'needs',
  'if',
  'inputs',
  'files',
  'tools',
  'secrets',
  'output',
  'schema',
  'score',
  'threshold',
  'checks',
  'exports',
  'strategy',
  'matrix',
  'include',
  'exclude',
  'number',
  'max-age',
  'workspace',
  'link',
  'trees',
  'max-untracked',
  'on',
  'uses',
  'action',
  'with',
  'local',
  'runs-on',
  'container',
  'services',
  'environment',
  'permissions',
  'steps-before',
  'workflow',
  'a',
  'b',
  'constructor',
  'length',
  '',
];
const TEXTS = [
  'a',
  'b',
  'changed',
  '${{ x }}',
  'needs.a.status',
  "output.x == 'y'",
  '../x',
  '[',
  '/a',
  '/a/b',
  '7d',
  'constructor',
  'toString',
  '!',
  '{0}',
  'push',
  '${{ vars.A }}',
  "a ${{ '}}' ",
];
const anyFile = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom<JsonValue[]>(...TEXTS, null, true, 0, 1, -1, 1.5),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 6 }),
  ),
})).value;

describe('any text gets an answer with places inside it, and never an exception', () => {
  it('random characters', () => {
    const unit = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '-',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '&',
      '*',
      '!',
      '|',
      '>',
      '#',
      '?',
      '\t',
      '\r',
      '%',
      ',',
      '\u0000',
      '\ud800',
      '😀',
      'gates',
      '<<',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), (parts) => expectAnAnswer(parts.join(''))),
      drawn(150),
    );
    fc.assert(fc.property(fc.string({ unit: 'binary' }), expectAnAnswer), drawn(75));
  });

  it('every key with every kind of value', () => {
    const file = fc.tuple(
      fc.dictionary(fc.constantFrom(...KEYS), anyFile),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.dictionary(fc.constantFrom(...KEYS), anyFile)),
    );
    fc.assert(
      fc.property(file, fc.boolean(), ([top, gates], isFlow) => {
        expectAnAnswer(stringify({ ...top, gates }, isFlow ? { collectionStyle: 'flow' } : {}));
      }),
      drawn(150),
    );
  });

  it('a sound file, cut and pasted', () => {
    const text =
      "gates:\n  a: &x\n    run: |\n      y\n    env: {A: 1, B: }\n  b:\n    needs: [a]\n    if: needs.a.status == 'passed'\n    output: {score: /s, threshold: 3}\n    strategy: {matrix: {m: [1, 2]}}\n";
    const cut = fc.tuple(fc.nat(text.length), fc.nat(text.length), fc.nat(text.length));
    fc.assert(
      fc.property(cut, ([from, to, at]) => expectAnAnswer(text.slice(0, at) + text.slice(from, to) + text.slice(at))),
      drawn(300),
    );
  });
});

describe('a pipeline written as a file', () => {
  it('is read back as it was', () => {
    fc.assert(
      fc.property(pipelines, (pipeline) => {
        const result = parsePipeline(print(pipeline), 'f');
        expect(result.ok ? [] : result.problems.map(formatProblem)).toEqual([]);
        expect(result.ok && withoutPlaces(result.pipeline)).toEqual(pipeline);
      }),
      drawn(75),
    );
  });
});
