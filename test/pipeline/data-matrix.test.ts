import { describe, expect, it } from 'vitest';
import { legsOfOutput, legSourceOf } from '../../src/pipeline/data-legs.ts';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { formatProblem } from '../../src/pipeline/problem.ts';

const LIST = '${{ needs.plan.output.packages }}';

function problemsOf(build: object, top: object = {}, plan: object = {}): string[] {
  const gates = {
    plan: { run: 'x', ...plan },
    build: { needs: 'plan', run: 'x', strategy: { matrix: LIST }, ...build },
  };
  const parsed = parsePipeline(JSON.stringify({ ...top, gates }, null, 1), 'gateline.yml');
  return parsed.ok ? parsed.warnings.map(formatProblem) : parsed.problems.map(formatProblem);
}

describe('the list that a matrix takes its legs from', () => {
  it.each([
    [LIST, { gate: 'plan', path: ['packages'] }],
    ["${{needs.plan.output['a b'].list}}", { gate: 'plan', path: ['a b', 'list'] }],
    ['${{ needs.plan.output }}', { gate: 'plan', path: [] }],
    ['${{ needs.plan.outputs.legs }}', undefined],
    ['needs.plan.output.packages', undefined],
    ['${{ needs.plan.output.packages }} ', { gate: 'plan', path: ['packages'] }],
    ['a${{ needs.plan.output.packages }}', undefined],
    ['${{ fromJSON(needs.plan.output.packages) }}', undefined],
    ['${{ needs.plan.output[needs.plan.output.key] }}', undefined],
    ['${{ matrix.output.packages }}', undefined],
  ])('%s', (text, expected) => {
    expect(legSourceOf(text)).toEqual(expected);
  });

  it('names a gate that is needed and has no matrix', () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({ needs: [] }).join()).toContain("`plan` is not one of this gate's `needs`");
    expect(problemsOf({ strategy: { matrix: '${{ needs.plam.output.x }}' } }).join()).toContain('no such gate');
    expect(problemsOf({}, {}, { strategy: { matrix: { a: [1] } } }).join()).toContain('has a matrix itself');
    expect(problemsOf({ strategy: { matrix: 'packages' } }).join()).toContain('MATRIX_INVALID');
  });
});

describe('values that come from an output', () => {
  const value = '${{ matrix.runner }}';

  it.each([
    ['runs-on', { 'runs-on': value }],
    ['the id of the leg in runs-on', { 'runs-on': '${{ matrix.leg }}' }],
    ['environment', { environment: { name: value } }],
    ['container', { container: { image: `x:${value}` } }],
    ['services', { services: { db: { image: value } } }],
    ['steps', { 'steps-before': [{ uses: 'a/b@v1', with: { version: value } }] }],
    ['a condition', { 'steps-before': [{ if: "matrix.runner == 'x'", run: 'x' }] }],
    ['all of them', { 'steps-before': [{ uses: 'a/b@v1', with: { all: '${{ toJSON(matrix) }}' } }] }],
    ['an action', { run: undefined, uses: { action: 'a/b@v1', with: { prompt: value } } }],
  ])('cannot be read by a job: %s', (_, gate) => {
    expect(problemsOf(gate).join()).toContain('MATRIX_FROM_OUTPUT');
  });

  it('cannot be read through a setting for all gates, either', () => {
    expect(problemsOf({}, { 'runs-on': value }).join()).toContain('MATRIX_FROM_OUTPUT');
    expect(problemsOf({ 'runs-on': 'ubuntu-latest' }, { 'runs-on': value }).join()).not.toContain('MATRIX_FROM_OUTPUT');
  });

  it.each([
    ['permissions', { permissions: { contents: '${{ needs.plan.output.rights }}' } }],
    ['secrets', { secrets: ['${{ needs.plan.output.name }}'] }],
    ['runs-on', { 'runs-on': '${{ needs.plan.output.runner }}' }],
    ['container', { container: '${{ needs.plan.outputs.image }}' }],
  ])('are no part of %s', (_, gate) => {
    const gates = { plan: { run: 'x' }, build: { needs: 'plan', run: 'x', strategy: { matrix: LIST }, ...gate } };
    expect(parsePipeline(JSON.stringify({ gates }), 'gateline.yml').ok).toBe(false);
  });

  it('leave the id of the leg to steps', () => {
    const steps = [{ uses: 'a/b@v1', with: { name: 'log-${{ matrix.leg }}' } }];
    expect(problemsOf({ 'steps-before': steps }).join()).not.toContain('MATRIX_FROM_OUTPUT');
  });
});

describe('legs of an output', () => {
  const source = { gate: 'plan', path: ['a', 'list'] };

  it('are its items in order', () => {
    const legs = legsOfOutput({ a: { list: [{ x: 1 }, 'y', null] } }, source);
    expect(legs).toEqual([
      { id: 'leg-0', matrix: { x: 1 } },
      { id: 'leg-1', matrix: { value: 'y' } },
      { id: 'leg-2', matrix: { value: null } },
    ]);
    expect(legsOfOutput({ a: { list: [] } }, source)).toEqual([{ id: 'none', matrix: {} }]);
  });

  it.each([
    ['a missing key', { a: {} }],
    ['an inherited key', { a: [] }],
    ['a map', { a: { list: { x: 1 } } }],
    ['more than 256', { a: { list: Array.from({ length: 257 }, () => 1) } }],
  ])('do not exist for %s', (_, output) => {
    expect(legsOfOutput(output, source)).toEqual(expect.any(String));
  });
});
