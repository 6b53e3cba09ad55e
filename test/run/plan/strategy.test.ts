import { describe, expect, it } from 'vitest';
import { strategySteps } from '../../../src/run/plan/strategy.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import { pipelineOf } from '../../support/pipelines.ts';

describe('from-checkpoint', () => {
  const legs = ['x', 'y'].map((id) => ({ id, matrix: { part: id } }));
  const graph = unitsOf(pipelineOf({ test: { legs }, after: { needs: ['test'] }, other: {} }));
  const again = (from: string): string[] =>
    strategySteps('from-checkpoint', graph, { units: new Map() }, [from]).map(({ unit }) => unit.key);

  it('begins with every leg of a gate, or with the one that is named', () => {
    expect(again('test')).toEqual(['test/x', 'test/y', 'after']);
    expect(again('test/y')).toEqual(['test/y', 'after']);
    expect(again('other')).toEqual(['other']);
  });
});
