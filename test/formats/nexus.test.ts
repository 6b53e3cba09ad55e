import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nexus } from '../../src/formats/nexus/nexus.ts';
import { summarizeGates } from '../../src/history/statistics.ts';
import type { HistoryEntry } from '../../src/history/history-entry.ts';
import { summarizeDays } from '../../src/history/statistics.ts';
import type { JsonObject, JsonValue } from '../../src/json/json.ts';
import type { RunStatus, RunView, UnitStatus } from '../../src/report/view.ts';
import { fileOf, filesOf, unitOf, viewOf, valueIn } from './views.ts';

const [CURRENT, EXECUTIONS] = ['.current-workflow.json', 'executions.jsonl'];

const STARTED = '2025-10-29T12:34:56.000Z';
const attempt = (n: number, ended: string | undefined = '2025-10-29T12:40:00.000Z') => {
  const metrics = { plugins: ['superpowers'], mcps: ['supabase'] };
  return { n, how: 'ran', started: STARTED, ended, metrics } as const;
};
const phase = (number: number, status: UnitStatus, fields: object = {}) =>
  unitOf(number, { status, attempts: status === 'pending' ? [] : [attempt(1)], remarks: ['no'], ...fields });

function viewWith(status: RunStatus, units: RunView['units'], fields: Partial<RunView> = {}): RunView {
  return { ...viewOf(status, units, {}, 'main'), task: 'implement checkout', started: STARTED, ...fields };
}

const entryOf = (run: number, fields: Partial<HistoryEntry> = {}): HistoryEntry => ({
  ...{ v: 1, pipeline: 'p', subject: 'main', run, status: 'completed', started: STARTED },
  ...{ ended: '2025-10-29T13:34:56.000Z', ms: 60_000, task: 'implement checkout' },
  units: [
    { unit: 'gate_0', status: 'passed', attempts: 1, ms: 600_000 },
    { unit: 'gate_1', status: 'failed', attempts: 2, ms: 60_000 },
    { unit: 'gate_2', status: 'skipped', attempts: 0 },
  ],
  ...fields,
});

describe('writing', () => {
  it('shows the state of a run, with every field of the guide', () => {
    const change = { path: 'a', before: null, after: '100644 1234' };
    const units = [
      phase(0, 'passed', { changes: [change], attempts: [attempt(1), attempt(2)] }),
      phase(1, 'failed', { needs: ['gate_0'] }),
      phase(2, 'skipped', { done: true, attempts: [] }),
      phase(3, 'pending'),
    ];
    const decisions = ['pause', 'resume'].map((decision) => ({ decision, actor: 'a', reason: 'r', at: STARTED }));
    const view = viewWith('error', units, { decisions });
    const history = [entryOf(1), entryOf(2, { subject: 'other' })];
    const source = { view, values: new Map<string, JsonValue>([['gate_0', { ok: true }]]), history, documents: {} };
    const [start, end] = [Date.parse(STARTED), Date.parse('2025-10-29T12:40:00.000Z')];
    const state = valueIn(nexus.write(source), CURRENT);
    expect(state).toEqual({
      id: 'workflow-20251029-123456-2',
      workflowName: 'p',
      workflowFile: 'gateline.yml',
      userTask: 'implement checkout',
      status: 'ERROR',
      currentPhase: 'gate_1',
      currentPhaseStartTime: start,
      startTime: start,
      endTime: end,
      pausedAt: start,
      resumedAt: start,
      completedPhases: ['gate_0'],
      skippedPhases: ['gate_2'],
      failedPhases: ['gate_1'],
      results: { gate_0: { ok: true } },
      error: { phase: 'gate_1', message: 'no', timestamp: end, recoverable: true },
      retries: { gate_0: 1 },
      metadata: {
        nexusVersion: '2.0.0',
        pluginsUsed: ['superpowers'],
        mcpsUsed: ['supabase'],
        totalPhases: 4,
        // A gate that never ran has no time.
        estimatedDuration: 0,
      },
      checkpoints: [
        {
          id: `checkpoint-${end}`,
          phase: 'gate_0',
          timestamp: end,
          filesSnapshot: [{ path: 'a', status: 'A', contentHash: '1234', timestamp: end }],
          databaseSnapshot: null,
        },
      ],
      rollbackAvailable: true,
    });
    const kept = nexus.writeHistory!(source);
    expect(valueIn(kept, 'backups/workflow-20251029-123456-2.json')).toEqual(state);
    const known = valueIn(nexus.write({ ...source, view: viewWith('error', units.slice(0, 2)) }), CURRENT);
    expect(known).toMatchObject({ metadata: { estimatedDuration: 11 } });
  });

  it('keeps a line of twelve keys for each run, the oldest first, and the days', () => {
    const history = [
      entryOf(3, { status: 'error', failure: { unit: 'gate_1', kind: 'schema', message: 'no' }, plugins: ['x'] }),
      entryOf(2, { status: 'paused' }),
      entryOf(1),
    ];
    const view = viewWith('completed', [phase(0, 'passed')]);
    const written = nexus.writeHistory!({ view, values: new Map(), history, documents: {} });
    const lines = written[EXECUTIONS]!.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
    const base = { workflowName: 'p', userTask: 'implement checkout', pluginsUsed: [], mcpsUsed: [] };
    const counts = { phasesCompleted: 1, phasesFailed: 1, phasesSkipped: 1, timestamp: Date.parse(STARTED) };
    const lineOf = (id: string, fields: object) => ({ ...base, ...counts, id, error: null, ...fields });
    expect(lines).toEqual([
      lineOf('workflow-20251029-123456', { status: 'COMPLETED', duration: 3_600_000 }),
      lineOf('workflow-20251029-123456-2', { status: 'PAUSED', duration: null }),
      lineOf('workflow-20251029-123456-3', { status: 'ERROR', duration: 3_600_000, error: 'no', pluginsUsed: ['x'] }),
    ]);
    expect(JSON.parse(written['daily-summary.json']!)).toEqual([
      {
        ...summarizeDays(history)[0],
        date: '2025-10-29',
        totalDuration: 7_200_000,
        averageDuration: 2_400_000,
        workflowBreakdown: { p: 3 },
        successRate: 1 / 3,
      },
    ]);
  });
});

const valid = valueIn(
  nexus.write({
    view: viewWith('error', [phase(0, 'passed'), phase(1, 'failed')]),
    values: new Map<string, JsonValue>([['gate_0', { ok: true }]]),
    history: [],
    documents: {},
  }),
  CURRENT,
);

describe('reading', () => {
  it('imports results of completed phases, and names what it leaves out', () => {
    const run = nexus.read([fileOf(CURRENT, { ...valid, retries: { gate_0: 1 } })]);
    expect(run).toMatchObject({ pipeline: 'p', subject: 'workflow-20251029-123456', task: 'implement checkout' });
    expect(run.gates.map(({ gate, output, issues }) => [gate, output, issues])).toEqual([
      ['gate_0', { ok: true }, []],
      ['gate_1', undefined, ['no']],
    ]);
    expect(run.notes).toContain('retries are left out: attempts are counted in the log');
    const taken = nexus.read([fileOf(CURRENT, { ...valid, status: 'ROLLBACK' })]);
    expect(taken.gates[0]!.output).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['id', { id: '' }, "/id: Missing 'id'"],
    ['name', { workflowName: null }, "Missing 'workflowName'"],
    ['task', { userTask: '' }, "Missing 'userTask'"],
    ['status', { status: undefined }, "Missing 'status'"],
    ['end', { status: 'COMPLETED', endTime: null }, "/endTime: COMPLETED status requires 'endTime'"],
    ['error', { error: null }, "/error: ERROR status requires 'error' object"],
    ['phase', { status: 'EXECUTING', currentPhase: null }, "EXECUTING status requires 'currentPhase'"],
    ['both', { failedPhases: ['gate_0'] }, 'Phase cannot be both completed and failed'],
    ['times', { endTime: 1 }, 'endTime cannot be before startTime'],
    ['twice', { completedPhases: ['gate_0', 'gate_0'] }, 'a phase is completed twice'],
    ['type', { retries: { a: -1 } }, '/retries/a: '],
  ])('refuses a state by the rules of the guide: %s', (_, change, message) =>
    expect(() => nexus.read([fileOf(CURRENT, { ...valid, ...change })])).toThrow(message),
  );

  it("takes over the guide's executions, the last line of each, and leaves out what is damaged or not over", () => {
    const lines = [
      '{"id":"workflow-20251029-123456","workflowName":"feature-full","userTask":"implement checkout","status":"EXECUTING","duration":null,"phasesCompleted":2,"timestamp":1730207096000}',
      '{"id":"workflow-20251029-123456","workflowName":"feature-full","userTask":"implement checkout","status":"COMPLETED","duration":4500000,"phasesCompleted":10,"timestamp":1730207096000}',
      '{"id":"workflow-20251029-163018","workflowName":"feature-quick","userTask":"add wishlist","status":"ERROR","duration":1800000,"phasesCompleted":4,"timestamp":1730218218000,"error":"tests failed"}',
      '{"id":"workflow-20251029-170000","workflowName":"bugfix","userTask":"x","status":"EXECUTING","duration":null,"timestamp":1730218219000}',
      '{"id":"workflow-2025',
    ];
    const { history, notes, gates } = nexus.read([fileOf(EXECUTIONS, lines.join('\n'))]);
    expect(gates).toEqual([]);
    expect(history).toMatchObject([
      { subject: 'workflow-20251029-123456', status: 'completed', ms: 4_500_000, started: '2024-10-29T13:04:56.000Z' },
      { subject: 'workflow-20251029-163018', status: 'error', failure: { message: 'tests failed' } },
    ]);
    expect(history[0]!.units).toHaveLength(10);
    // Its lines count phases, and name none.
    expect(summarizeGates(history)).toEqual([]);
    expect(notes).toEqual([
      'executions.jsonl: no executions, left out: line 5',
      'executions.jsonl: not over, left out: workflow-20251029-170000',
    ]);
  });

  it('takes a single backup, and of a damaged state names the backups', () => {
    const backup = fileOf('backups/workflow-20251029-123456.json', valid);
    expect(nexus.read([backup]).gates).toHaveLength(2);
    expect(() => nexus.read([fileOf(CURRENT, '{'), backup])).toThrow(/takes a backup: backups\/workflow-/);
    expect(nexus.read([backup, { ...backup, path: 'backups/x.json' }]).notes[0]).toContain('no workflow is active');
  });

  it('gives back what was written, for any run', () => {
    const statuses = 'passed partial failed lost skipped not-applicable running pending paused'.split(
      ' ',
    ) as UnitStatus[];
    const gate = fc.record({ status: fc.constantFrom(...statuses), value: fc.jsonValue({ maxDepth: 3 }) });
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((name) => name.trim() !== '');
    fc.assert(
      fc.property(
        fc.array(gate, { minLength: 1, maxLength: 6 }),
        text,
        fc.integer({ min: 0, max: 3 }),
        (gates, task, runs) => {
          const units = gates.map(({ status }, number) => phase(number, status));
          const values = new Map(units.map(({ key }, index) => [key, gates[index]!.value as JsonValue]));
          const history = Array.from({ length: runs }, (_, index) => entryOf(runs - index));
          const view = viewWith('paused', units, { task, run: runs + 1 });
          const source = { view, values, history, documents: {} };
          const run = nexus.read([...filesOf(nexus.write(source)), ...filesOf(nexus.writeHistory!(source))]);
          expect(run.task).toBe(task);
          const skipped = (status: string) => status === 'skipped' || status === 'not-applicable';
          const done = units.filter((unit) => unit.done && !skipped(unit.status));
          expect(run.gates.flatMap(({ gate: id, output }) => (output === undefined ? [] : [[id, output]]))).toEqual(
            done.map(({ key }) => [key, JSON.parse(JSON.stringify(values.get(key)))]),
          );
          expect(run.history.map(({ subject, ms }) => [subject, ms])).toEqual(
            history.map((_, index) => [`workflow-20251029-123456${index === 0 ? '' : `-${index + 1}`}`, 3_600_000]),
          );
        },
      ),
      { numRuns: 50 },
    );
  });
});
