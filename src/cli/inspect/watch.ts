import type { EngineEvent } from '../../engine/ports.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { plannedUnit } from '../../run/plan/plan.ts';
import { recordName, type StartedRecord } from '../../run/records/record.ts';
import type { UnitState } from '../../run/state/run-state.ts';
import type { CommandInvocation } from '../command.ts';
import { execute as showStatus } from './status.ts';
import type { ExitCode } from '../exit-codes.ts';
import { attemptNumbered } from '../../local/report/attempt-numbered.ts';
import { followRun, isOpen, LOOK_MS, mayBeRetried, printedSoFar, type RunLook } from '../project/follow-run.ts';
import { openToLook } from '../project/open.ts';
import { progressFor } from '../project/run-progress.ts';
import { say } from '../output/say.ts';

/** The state that has already been shown. */
interface WatchedSoFar {
  /** Names of records. */
  readonly records: Set<string>;
  /** Gates that are done without an attempt of this run. */
  readonly settled: Set<UnitKey>;
  /** Bytes of what an agent printed, by the name of its claim. */
  readonly printed: Map<string, number>;
  /** The first look shows what works now, but not what was before. */
  isFirst: boolean;
}

/** `gateline watch`: a run of another process as `gateline run` shows it, then its status. Read-only. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const first = await openToLook(invocation);
  const shown: WatchedSoFar = { records: new Set(), settled: new Set(), printed: new Map(), isFirst: true };
  let run = first.call.journal.state().runNumber;
  const isFollowed = isOpen(first.call.journal.state());
  if (isFollowed) {
    using progress = progressFor(invocation, first, { checkpoints: false });
    if (run === 0) say(world.err, 'waiting for a run to begin');
    for await (const look of followRun(first, LOOK_MS)) {
      for (const event of await eventsSince(shown, look)) progress.follow(event);
      run = look.state.runNumber;
    }
  }
  if (isFollowed) say(world.out, '');
  return showStatus({
    ...invocation,
    options: { ...options, run: options['run'] ?? (run > 0 ? String(run) : undefined) },
  });
}

/** Changes since the previous look, as events of the engine that made them. */
async function eventsSince(shown: WatchedSoFar, look: RunLook): Promise<EngineEvent[]> {
  const { state } = look;
  const events: EngineEvent[] = state.runNumber === 0 ? [] : [{ type: 'state', state }];
  for (const unit of state.units.values()) {
    events.push(...settledEvents(shown, look, unit));
    for (let number = 1; number <= unit.numbered.length; number += 1)
      events.push(...(await attemptEvents(shown, look, unit, number)));
  }
  shown.isFirst = false;
  return events;
}

/** A gate that was reused, skipped or found not to apply. */
function settledEvents(
  shown: WatchedSoFar,
  { opened }: RunLook,
  { key, done, reason, reused, numbered }: UnitState,
): EngineEvent[] {
  const unit = opened.graph.get(key);
  if (!done || numbered.length > 0 || unit === undefined || shown.settled.has(key)) return [];
  shown.settled.add(key);
  return shown.isFirst ? [] : [{ type: 'planned', planned: plannedUnit(unit, reused ? 'reuse' : 'skip', reason) }];
}

/** Which attempt in a row a claim is, from 1: those of one call for one request. */
function numberInRow(call: RunLook['opened']['call'], unit: UnitState, number: number, claim: StartedRecord): number {
  let inRow = 1;
  for (let earlier = number - 1; earlier > 0; earlier -= 1) {
    const { claim: one } = attemptNumbered(call, unit, earlier);
    if (one?.runAttempt !== claim.runAttempt || one.fingerprint !== claim.fingerprint) break;
    inRow += 1;
  }
  return inRow;
}

async function attemptEvents(
  shown: WatchedSoFar,
  { opened, state }: RunLook,
  unit: UnitState,
  number: number,
): Promise<EngineEvent[]> {
  const { call, graph } = opened;
  const { key } = unit;
  const { claim, ended } = attemptNumbered(call, unit, number);
  const events: EngineEvent[] = [];
  const isNew = (name: string): boolean => !shown.records.has(name) && shown.records.add(name) !== undefined;
  if (claim !== undefined && isNew(recordName(claim)) && (!shown.isFirst || ended === undefined)) {
    const attempts = 1 + (graph.get(key)?.gate.retries ?? 0);
    const attempt = numberInRow(call, unit, number, claim);
    events.push({ type: 'started', unit: key, record: claim, attempt, attempts, state });
  }
  if (claim !== undefined && ended === undefined && unit.status === 'running') {
    const name = recordName(claim);
    const bytes = await printedSoFar({ call, key, claim });
    const whole = bytes.lastIndexOf('\n') + 1;
    const lines = bytes
      .subarray(shown.printed.get(name) ?? 0, whole)
      .toString()
      .split('\n')
      .slice(0, -1);
    events.push(...lines.map((line) => ({ type: 'line', unit: key, stream: 'stdout', line }) as const));
    shown.printed.set(name, whole);
  }
  if (ended !== undefined && isNew(recordName(ended)) && !shown.isFirst) {
    const retrying = number < unit.numbered.length || (await mayBeRetried({ call, key, claim, ended }));
    const { records } = call.journal.archive();
    events.push({ type: 'ended', unit: key, record: ended, state, records, retrying });
  }
  return events;
}
