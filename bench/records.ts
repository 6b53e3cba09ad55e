import { digestOf } from '../src/json/digest.ts';
import { RECORD_FORMAT, type GatelineRecord } from '../src/run/records/record.ts';
import { unitsOf, type UnitGraph } from '../src/run/records/unit.ts';
import { gateOf, pipelineOf } from '../test/support/pipelines.ts';
import type { Pipeline } from '../src/pipeline/pipeline.ts';

/** A pipeline of layers of ten gates; each gate needs two of the layer above. */
export function layeredPipeline(gates: number): Pipeline {
  const id = (index: number): string => `gate${index}`;
  const definitions = Array.from({ length: gates }, (_, index) => {
    const above = index - (index % 10) - 10;
    const needs = above < 0 ? [] : [id(above + (index % 10)), id(above + ((index + 1) % 10))];
    return [id(index), gateOf(id(index), { number: index, needs })] as const;
  });
  return pipelineOf(Object.fromEntries(definitions), { id: 'bench', maxParallel: 8 });
}

/** A run of 100 gates that needed one call after another until there are `count` records: starts, failures, ends. */
export function manyRecords(count: number): { graph: UnitGraph; records: GatelineRecord[] } {
  const pipeline = layeredPipeline(100);
  const graph = unitsOf(pipeline);
  const records: GatelineRecord[] = [];
  for (let call = 1; records.length < count; call += 1) {
    for (const unit of graph.values()) {
      const work = {
        fingerprint: digestOf(unit.key),
        contract: digestOf('contract'),
        needs: Object.fromEntries(unit.needs.map((key) => [key, digestOf(`exports of ${key}`)])),
      };
      const identity = {
        format: RECORD_FORMAT,
        pipeline: pipeline.id,
        subject: 'bench',
        gate: unit.gate.id,
        leg: '',
        runNumber: 1,
        runAttempt: call,
        n: 1,
        at: '2026-01-02T03:04:05.678Z',
        by: { host: 'host', boot: 'boot', pid: 1, pidStart: '1' },
      } as const;
      const passed = call > 1 || unit.gate.number % 3 !== 0;
      const exports = { digest: digestOf(`exports of ${unit.key}`), bytes: 20 };
      records.push(
        { kind: 'started', ...identity, ...work, request: digestOf('request'), holder: 'process' },
        {
          kind: 'ended',
          ...identity,
          ...work,
          how: 'ran',
          verdict: passed
            ? { status: 'passed', kind: 'passed', score: 95, issues: [], advice: '' }
            : { status: 'failed', kind: 'schema', score: 0, issues: [], advice: 'Make the output meet the schema.' },
          startedAt: identity.at,
          ...(passed && { value: exports, exports }),
          files: [],
          touched: [],
          logs: {},
        },
      );
    }
  }
  return { graph, records: records.slice(0, count) };
}
