import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileFindings } from '../../../src/formats/findings.ts';
import { executionLines } from '../../../src/formats/nexus/executions.ts';
import { readNexus } from '../../../src/formats/nexus/read.ts';
import { workflowStateIn, workflowStateText, WORKFLOW_STATUSES } from '../../../src/formats/nexus/workflow-state.ts';
import { writeNexus } from '../../../src/formats/nexus/write.ts';
import type { JsonObject } from '../../../src/json/json.ts';
import { worstStatus } from '../../../src/run/state/run-state.ts';
import { drawn } from '../../support/samples.ts';
import { completed, exported, filesOf, outputsByGate, stories } from '../arbitrary-run.ts';
import { outputs, texts } from '../arbitrary-values.ts';

const GATES = ['plan', 'design', 'build', 'verify'];
const CURRENT = '.current-workflow.json';

const whole = fc.nat(1_000_000);
const word = texts.filter((text) => text.isWellFormed() && text !== '');
const words = fc.array(word, { maxLength: 3 });
const time = fc.nat(1_800_000_000_000);
const maybe = fc.option(time);

const checkpoint = fc.record({
  id: word,
  phase: word,
  timestamp: time,
  filesSnapshot: fc.array(
    fc.record({ path: word, status: fc.constantFrom('A', 'M', 'D'), contentHash: word, timestamp: time }),
    { maxLength: 2 },
  ),
  databaseSnapshot: outputs,
});

/** Workflow states that keep the nine rules. */
const workflowStates = fc
  .record({
    id: word,
    workflowName: word,
    workflowFile: word,
    userTask: word,
    status: fc.constantFrom(...WORKFLOW_STATUSES),
    currentPhase: word,
    currentPhaseStartTime: maybe,
    startTime: time,
    took: fc.option(whole),
    pausedAt: maybe,
    resumedAt: maybe,
    phases: fc.uniqueArray(fc.constantFrom(...GATES, 'a b', '0', '/', '~'), { maxLength: 6 }),
    failedFrom: fc.nat(6),
    skippedPhases: words,
    results: fc.dictionary(fc.constantFrom(...GATES, 'a b', '/', '~'), outputs, { maxKeys: 4 }),
    error: fc.record(
      { phase: word, message: word, stack: word, timestamp: time, recoverable: fc.boolean() },
      { requiredKeys: ['phase', 'message', 'timestamp', 'recoverable'] },
    ),
    retries: fc.dictionary(fc.constantFrom(...GATES), whole),
    metadata: fc.record({
      nexusVersion: word,
      pluginsUsed: words,
      mcpsUsed: words,
      totalPhases: whole,
      estimatedDuration: fc.double({ min: 0, max: 1e9, noNaN: true }).map(Math.abs),
    }),
    checkpoints: fc.array(checkpoint, { maxLength: 2 }),
    rollbackAvailable: fc.boolean(),
  })
  .map(({ phases, failedFrom, took, error, currentPhase, ...state }): JsonObject => {
    const hasEnded = state.status === 'COMPLETED' || took !== null;
    return {
      id: state.id,
      workflowName: state.workflowName,
      workflowFile: state.workflowFile,
      userTask: state.userTask,
      status: state.status,
      currentPhase: state.status === 'COMPLETED' ? null : currentPhase,
      currentPhaseStartTime: state.currentPhaseStartTime,
      startTime: state.startTime,
      endTime: hasEnded ? state.startTime + (took ?? 0) + 1 : null,
      pausedAt: state.pausedAt,
      resumedAt: state.resumedAt,
      completedPhases: phases.slice(0, failedFrom),
      skippedPhases: state.skippedPhases,
      failedPhases: phases.slice(failedFrom),
      results: { ...state.results },
      error: state.status === 'ERROR' ? { ...error } : null,
      retries: { ...state.retries },
      metadata: state.metadata,
      checkpoints: state.checkpoints,
      rollbackAvailable: state.rollbackAvailable,
    };
  });

describe('a workflow state', () => {
  it('is written as it was read, byte for byte, and gives the results of its completed phases', () => {
    fc.assert(
      fc.property(workflowStates, (state) => {
        const text = JSON.stringify(state, null, 2);
        const findings = new FileFindings();
        const read = workflowStateIn(findings.json({ path: CURRENT, bytes: Buffer.from(text) }), CURRENT, findings);
        expect(findings.problems).toEqual([]);
        expect(workflowStateText(read!)).toBe(text);
        const { run, problems } = readNexus(filesOf([{ path: CURRENT, text }]));
        expect(problems).toEqual([]);
        expect(run).toMatchObject({ pipeline: state['workflowName'], subject: state['id'] });
        expect(run.keys).toEqual({ task: state['userTask'] });
        const results = state['results'] as JsonObject;
        const phases = state['status'] === 'ROLLBACK' ? [] : (state['completedPhases'] as string[]);
        expect(completed(run.gates)).toEqual(new Map(phases.map((phase) => [phase, results[phase] ?? null])));
      }),
      drawn(500),
    );
  });
});

describe('a run that is exported to nexus', () => {
  it('is read with the same statuses and outputs', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(stories({ ids: GATES }), async (story) => {
        const run = await exported(story);
        const { problems, run: read, notMoved } = readNexus(filesOf(writeNexus(run)));
        expect(problems).toEqual([]);
        const { units, status } = run.state;
        const byGate = outputsByGate(run);
        const isDone = (gate: string): boolean => {
          const own = [...units.values()].filter((unit) => unit.gate === gate);
          return own.every(({ done }) => done) && worstStatus(own.map((unit) => unit.status)) !== 'skipped';
        };
        const phases = status === 'rollback' ? [] : GATES.slice(0, run.pipeline.gates.length).filter(isDone);
        expect(completed(read.gates)).toEqual(new Map(phases.map((gate) => [gate, byGate.get(gate) ?? null])));
        // An execution that is not over is named, and has no entry.
        const isOver = status === 'completed' || status === 'error' || status === 'rollback';
        expect(notMoved.some(({ file }) => file === 'executions.jsonl')).toBe(!isOver);
        const [entry] = run.history;
        const { passed, failed, skipped } = entry!;
        expect(read.history).toMatchObject(isOver ? [{ status, passed, failed, skipped }] : []);
        const lines = executionLines(read.history);
        expect(readNexus(filesOf([{ path: 'executions.jsonl', text: lines }])).run.history).toEqual(read.history);
        seen.add(status);
      }),
      drawn(1_000),
    );
    expect([...seen].toSorted()).toEqual(['completed', 'error', 'executing', 'initializing', 'rollback']);
  });
});
