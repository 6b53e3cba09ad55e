import { describe, expect, it } from 'vitest';
import { gateWord, pipelineWord } from '../../../src/formats/state-guide/guide-words.ts';
import {
  RUN_STATUSES,
  UNIT_STATUSES,
  type RunStatus,
  type UnitState,
  type UnitStatus,
} from '../../../src/run/state/run-state.ts';
import { stateOf } from '../../report/fixtures.ts';

function runOf(status: RunStatus, ...statuses: UnitStatus[]) {
  const [one] = stateOf([]).state.units.values();
  return {
    status,
    units: new Map(statuses.map((unit, at): [string, UnitState] => [String(at), { ...one!, status: unit }])),
  };
}

describe('the words of the state guide', () => {
  it('say every gate status', () => {
    expect(Object.fromEntries(UNIT_STATUSES.map((status) => [status, gateWord(status)]))).toEqual({
      pending: undefined,
      ready: undefined,
      blocked: undefined,
      running: undefined,
      paused: 'PARTIAL',
      passed: 'SUCCESS',
      partial: 'PARTIAL',
      failed: 'FAILED',
      lost: 'FAILED',
      skipped: 'PARTIAL',
      'not-applicable': 'SUCCESS',
    });
  });

  it('say every run status', () => {
    expect(Object.fromEntries(RUN_STATUSES.map((status) => [status, pipelineWord(runOf(status, 'passed'))]))).toEqual({
      initializing: 'IN_PROGRESS',
      executing: 'IN_PROGRESS',
      paused: 'IN_PROGRESS',
      error: 'FAILED',
      completed: 'SUCCESS',
      rollback: 'FAILED',
    });
  });

  it('call a completed run SUCCESS only when every gate is, and others never PARTIAL', () => {
    for (const status of UNIT_STATUSES) {
      expect(pipelineWord(runOf('completed', 'passed', status))).toBe(
        status === 'passed' || status === 'not-applicable' ? 'SUCCESS' : 'PARTIAL',
      );
      expect(pipelineWord(runOf('error', 'passed', status))).toBe('FAILED');
    }
  });
});
