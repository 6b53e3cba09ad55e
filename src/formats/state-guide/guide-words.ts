import type { RunState, RunStatus, UnitState, UnitStatus } from '../../run/state/run-state.ts';

/** The state guide's words for the result of a gate. */
export const GATE_WORDS = ['SUCCESS', 'PARTIAL', 'FAILED'] as const;
export type GateWord = (typeof GATE_WORDS)[number];

/** The state guide's words for a whole pipeline. */
export const PIPELINE_WORDS = ['IN_PROGRESS', ...GATE_WORDS] as const;
export type PipelineWord = (typeof PIPELINE_WORDS)[number];

/**
 * Gate status → the guide's word; `undefined`: no result yet, for which the guide has no word.
 *
 * - `not-applicable` is SUCCESS: later gates continue as if it had passed.
 * - `skipped` is PARTIAL: later gates continue, but nothing was shown to be good.
 * - `paused` is PARTIAL: the output exists but is below its threshold; `validation.passed` is false.
 */
const GATE_WORD: Readonly<Record<UnitStatus, GateWord | undefined>> = {
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
};

/**
 * Run status → the guide's word. A paused run waits for a person, so it is still in progress; one that was rolled back
 * gave no result. `completed` is SUCCESS, except PARTIAL if {@link pipelineWord} finds a gate that is PARTIAL.
 */
const PIPELINE_WORD: Readonly<Record<RunStatus, PipelineWord>> = {
  initializing: 'IN_PROGRESS',
  executing: 'IN_PROGRESS',
  paused: 'IN_PROGRESS',
  error: 'FAILED',
  completed: 'SUCCESS',
  rollback: 'FAILED',
};

/** The guide's word for a gate's status; `undefined` while it has no result. */
export function gateWord(status: UnitStatus): GateWord | undefined {
  return GATE_WORD[status];
}

/** The guide's word for a run: PARTIAL for a completed one with a gate that is partial or was skipped. */
export function pipelineWord(state: Pick<RunState, 'status' | 'units'>): PipelineWord {
  const word = PIPELINE_WORD[state.status];
  if (word !== 'SUCCESS') return word;
  return [...state.units.values()].every((unit) => isWhole(unit)) ? 'SUCCESS' : 'PARTIAL';
}

function isWhole(unit: UnitState): boolean {
  return GATE_WORD[unit.status] === 'SUCCESS';
}
