import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpointMarkdown } from '../../src/report/markdown/checkpoint.ts';
import { runSummaryLines } from '../../src/report/terminal/run-summary.ts';
import { statusJson, statusJsonSchema } from '../../src/report/json/status-json.ts';
import { statusTable } from '../../src/report/terminal/status-table.ts';
import { VERDICT_TEXT_LIMIT, verdictText } from '../../src/report/terminal/verdict-text.ts';
import { jsonText } from '../../src/report/json/json-text.ts';
import { stateDocuments } from '../../src/formats/state-guide/state-documents.ts';
import { readGateState } from '../../src/formats/state-guide/gate-state.ts';
import { pipelineStateSchema } from '../../src/formats/state-guide/pipeline-state.ts';
import { VERDICT_KINDS } from '../../src/verdict/verdict.ts';
import { digestOf } from '../../src/json/digest.ts';
import { recordSchema, type GatelineRecord } from '../../src/run/records/record.ts';
import type { ReadProblem } from '../../src/run/records/reading.ts';
import { decided, ended, NOW, ran, reviewed, started, stateOf, webTests } from './fixtures.ts';
import { CONTROLS, HOSTILE, OBEYED_BY_TERMINALS } from './hostile.ts';
import { drawn } from '../support/samples.ts';
import { lost } from '../support/records.ts';

const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constant(''),
  fc.constant('漢'.repeat(400)),
);
const name = text.map((value) => value.slice(0, 80) || 'x');
const pipelines = fc.constantFrom(webTests, reviewed);
const few = fc.integer({ min: 0, max: 2 });
const run = fc.oneof({ weight: 40, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: few });
const when = fc.record({ run, call: few, n: few, minute: fc.integer({ min: 0, max: 59 }) });
const change = fc.record({
  path: name,
  before: fc.constant(null),
  after: fc.constant({ blob: 'b', mode: '100644' as const }),
});

const verdict = fc.record({
  status: fc.constantFrom('passed' as const, 'partial' as const, 'failed' as const, 'not-applicable' as const),
  kind: fc.constantFrom(...VERDICT_KINDS),
  score: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.double({ min: 0, max: 100, noNaN: true })),
  issues: fc.array(
    fc.record({
      severity: fc.constantFrom('error' as const, 'warning' as const),
      message: text,
      pointer: text,
      rule: text,
    }),
    { maxLength: 4 },
  ),
  advice: text,
});

/** Any records of a pipeline that the schema of records lets through, related or not. */
const soup = pipelines.chain((pipeline) => {
  const units = fc.constantFrom(
    ...pipeline.gates.flatMap((gate) => gate.legs.map((leg) => ({ gate: gate.id, leg: leg.id }))),
    { gate: 'unknown', leg: '' },
  );
  const record: fc.Arbitrary<GatelineRecord> = fc.tuple(units, when).chain(([{ gate, leg }, at]) => {
    const where = { pipeline, leg, ...at };
    return fc.oneof(
      fc
        .record({ holder: fc.constantFrom('process' as const, 'open' as const) })
        .map((over) => started(gate, where, over)),
      fc
        .record({
          verdict,
          how: fc.constantFrom('ran' as const, 'reused' as const),
          files: fc.array(change, { maxLength: 3 }),
          metrics: fc.record({
            model: name,
            mcps: fc.array(name, { maxLength: 3 }),
            costUsd: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
          }),
          startedAt: fc.constantFrom('2026-01-02T03:00:00.000Z', '2030-01-01T00:00:00.000Z'),
          exitCode: fc.integer({ min: -1, max: 255 }),
        })
        .map((over) => ended(gate, where, over)),
      fc
        .record({
          decision: fc.constantFrom(
            'approve' as const,
            'reject' as const,
            'skip' as const,
            'force' as const,
            'rollback' as const,
          ),
          actor: name,
          reason: text,
        })
        .map((over) => decided(gate, { ...where, n: 0 }, over)),
    );
  });
  const problem: fc.Arbitrary<ReadProblem> = fc.record({
    code: fc.constantFrom('CORRUPT' as const, 'OUTAGE' as const),
    where: text,
    message: text,
  });
  return fc.record({
    pipeline: fc.constant(pipeline),
    // Gates that went well before the soup, so that later ones come to something too.
    well: fc
      .integer({ min: 0, max: pipeline.gates.length })
      .map((many) =>
        pipeline.gates
          .slice(0, many)
          .flatMap((gate) => gate.legs.flatMap((leg) => ran(gate.id, { pipeline, leg: leg.id }))),
      ),
    soup: fc.array(record, { maxLength: 20 }),
    problems: fc.array(problem, { maxLength: 2 }),
    dead: fc.boolean(),
    missing: fc.boolean(),
    width: fc.integer({ min: 0, max: 200 }),
  });
});

describe('any state that records can make', () => {
  it('is rendered everywhere, within every limit, obeying nothing, and written so that it can be read back', () => {
    const statuses = new Set<string>();
    fc.assert(
      fc.property(soup, ({ pipeline, well, soup, problems, dead, missing, width }) => {
        const records = [...well, ...soup];
        for (const record of records) recordSchema.parse(record);
        const { state, graph } = stateOf(records, {
          pipeline,
          problems,
          ...(dead && { deadWriters: new Set(['host|boot|7|1']) }),
          ...(missing && { missingContent: lost(digestOf('value of data'), digestOf('value of build')) }),
        });
        const table = statusTable(state, pipeline, { width, now: NOW });
        expect(table).not.toMatch(OBEYED_BY_TERMINALS);
        expect(table.length).toBeLessThan(64 * 1_024);
        const lines = runSummaryLines(state);
        expect(lines.length).toBeLessThanOrEqual(3);
        expect(lines.join('\n')).not.toMatch(OBEYED_BY_TERMINALS);
        expect(lines.join('\n').length).toBeLessThan(8 * 1_024);
        const view = statusJson(state, graph, { groups: pipeline.groups });
        expect(statusJsonSchema.parse(JSON.parse(jsonText(view)))).toEqual(JSON.parse(JSON.stringify(view)));
        const documents = stateDocuments({
          graph,
          groups: pipeline.groups,
          metadata: pipeline.metadata,
          checkpoint: (of, unit) => checkpointMarkdown({ state: of, unit, graph }),
        });
        pipelineStateSchema.parse(JSON.parse(JSON.stringify(documents.pipeline(state).value)));
        for (const unit of state.units.values()) {
          statuses.add(unit.status);
          if (unit.ended !== undefined)
            expect(Buffer.byteLength(verdictText(unit.ended))).toBeLessThan(VERDICT_TEXT_LIMIT);
          const { output, checkpoint } = documents.gate(state, unit.key, { value: { score: 1 } })!;
          expect(output.value === undefined).toBe(checkpoint.text === undefined);
          if (output.value !== undefined) readGateState(JSON.parse(JSON.stringify(output.value)));
          const markdown = checkpointMarkdown({ state, unit: graph.get(unit.key)!, graph });
          expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(65_536);
          expect(markdown).not.toMatch(CONTROLS);
        }
      }),
      drawn(300),
    );
    expect([...statuses]).toEqual(
      expect.arrayContaining(['pending', 'ready', 'blocked', 'running', 'passed', 'skipped']),
    );
  });
});
