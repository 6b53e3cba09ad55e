import type { Assignment } from '../../engine/call/call.ts';
import { InvalidStateError } from '../../errors/invalid-state-error.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { RunResult } from '../../engine/run-pipeline.ts';
import type { RunState, UnitState } from '../../run/state/run-state.ts';
import { isAmong, type UnitGraph } from '../../run/records/unit.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { exitCodeOfError } from './report-error.ts';

/**
 * The exit code of a call that drove a run. With `--gate`, only the requested gates determine it; with `--max-gates`,
 * gates that it kept from starting do not.
 */
export function exitCodeOfRun(
  result: Omit<RunResult, 'call' | 'endedLeftovers'>,
  graph: UnitGraph,
  { only, maxGates }: Pick<Assignment, 'only' | 'maxGates'> = {},
): ExitCode {
  const { state, errors } = result;
  if (result.cancelled) return EXIT_CODES.interrupted;
  const { paused, unread } = state.decided;
  if ((paused ?? unread) !== undefined && state.status !== 'completed') return EXIT_CODES.paused;
  const units = [...state.units.values()];
  const asked = only === undefined ? units : units.filter((unit) => isAmong(only, unit));
  if (asked.every(isWell)) return EXIT_CODES.ok;
  const codes = errors.map(exitCodeOfError);
  const worst = [EXIT_CODES.busy, EXIT_CODES.usage, EXIT_CODES.platform].find((code) => codes.includes(code));
  if (worst !== undefined) return worst;
  if (asked.some((unit) => !unit.done && TROUBLE.has(unit.status))) return EXIT_CODES.gateFailed;
  const waits = units.some(
    (unit) =>
      unit.status === 'paused' || unit.status === 'running' || unit.blockedBy === 'budget' || isAwaited(unit, graph),
  );
  if (waits) return EXIT_CODES.paused;
  return errors.length === 0 && asked.every((unit) => isWell(unit) || isToCome(unit)) && hasStarted(result, maxGates)
    ? EXIT_CODES.ok
    : EXIT_CODES.gateFailed;
}

/** Whether a call has started as many gates as it was to. */
function hasStarted({ planned }: Pick<RunResult, 'planned'>, maxGates = Infinity): boolean {
  return new Set(planned.flatMap(({ choice, gate }) => (choice === 'run' ? [gate] : []))).size >= maxGates;
}

function isToCome({ status }: UnitState): boolean {
  return status === 'pending' || status === 'ready';
}

/**
 * The state at the end of a call, for people: a gate that an error keeps from starting is blocked, although nothing
 * that is recorded keeps it from starting.
 */
export function stateToShow({ state, planned, errors }: RunResult): RunState {
  const isByError = (reason: string): boolean => errors.some(({ code }) => reason.startsWith(`${code}: `));
  const blocked: { key: UnitKey; reason: string }[] = [
    ...planned.filter(({ choice, reason }) => choice === 'blocked' && isByError(reason)),
    // Its set-up commands were planned, and did not help.
    ...errors.flatMap((error) =>
      error instanceof InvalidStateError ? [{ key: error.details.command, reason: error.message }] : [],
    ),
  ];
  if (blocked.length === 0) return state;
  const units = new Map(state.units);
  for (const { key, reason } of blocked) {
    const unit = units.get(key);
    if (unit?.status === 'ready' || unit?.status === 'pending') units.set(key, { ...unit, status: 'blocked', reason });
  }
  return { ...state, units };
}

/** The exit code of one gate's new state. */
export function exitCodeOfUnit(unit: UnitState | undefined): ExitCode {
  if (unit !== undefined && isWell(unit)) return EXIT_CODES.ok;
  return unit?.status === 'paused' ? EXIT_CODES.paused : EXIT_CODES.gateFailed;
}

/** Done, or as far as possible: a gate that passed with input in place of its needs is not done until they are. */
function isWell(unit: UnitState): boolean {
  return unit.done || unit.status === 'passed';
}

const TROUBLE: ReadonlySet<UnitState['status']> = new Set(['failed', 'lost', 'partial']);

/** Its agent runs by itself and could begin now. */
function isAwaited(unit: UnitState, graph: UnitGraph): boolean {
  return unit.status === 'ready' && graph.get(unit.key)?.gate.run === undefined;
}
