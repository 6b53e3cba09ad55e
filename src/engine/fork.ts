import { GatelineError } from '../errors/gateline-error.ts';
import { strategySteps } from '../run/plan/strategy.ts';
import type { GatelineRecord } from '../run/records/record.ts';
import { recordDecision, recordRunDecision, type Decider } from './attempt/record-decision.ts';
import type { Call } from './call/call.ts';
import { listKnown } from './call/later-records.ts';
import { unitsNamed } from '../run/records/named-units.ts';

/** The run that a new run begins from. */
export interface ForkOrigin {
  readonly subject: string;
  readonly runNumber: number;
  /** This gate and everything downstream run again. Default: only what changed. */
  readonly gate?: string;
}

/**
 * Checks what a fork names, before anything is recorded for it.
 * @throws GatelineError `RUN_UNKNOWN`, `GATE_UNKNOWN`, `RECORD_TOO_NEW`
 */
export async function requireOrigin(call: Call, origin: ForkOrigin): Promise<void> {
  if (origin.gate !== undefined) unitsNamed(call.graph, [origin.gate]);
  const records = await recordsOf(call, origin.subject);
  if (!records.some((record) => record.runNumber === origin.runNumber)) {
    const numbers = [...new Set(records.map((record) => record.runNumber))].toSorted((a, b) => a - b);
    throw new GatelineError('RUN_UNKNOWN', `there is no run ${origin.runNumber} for ${origin.subject}`, {
      hint: numbers.length === 0 ? 'There are no runs of that subject.' : `Runs: ${numbers.slice(-20).join(', ')}.`,
    });
  }
}

/**
 * Begins the call's run as a fork: the decision is its first record.
 * @throws GatelineError `RUN_OPEN`
 */
export async function beginFork(call: Call, origin: ForkOrigin, { actor, reason }: Decider): Promise<void> {
  const { journal, assignment } = call;
  const { runNumber, continues } = journal.call;
  // The same call again, after a kill: it continues the run that it began.
  if (continues && isSameOrigin(journal.state().decided.forked?.origin, origin)) return;
  if (continues) throw new GatelineError('RUN_OPEN', `run ${runNumber} of ${assignment.subject} is open`);
  await recordRunDecision(call, { decision: 'fork', actor, reason, origin });
}

/**
 * Voids the earlier outputs of the gates that a forked run runs again. Also completes a fork that was interrupted after
 * its first record.
 * @returns keys of the units that this call decided about
 */
export async function voidForked(call: Call): Promise<ReadonlySet<string>> {
  const { journal, graph } = call;
  const { decided, units } = journal.state();
  const { origin, actor, reason } = decided.forked ?? {};
  const isBegun = [...units.values()].some(({ started, ended }) => started !== undefined || ended !== undefined);
  if (origin?.gate === undefined || isBegun) return new Set();
  const forced = new Set<string>();
  const { runNumber } = journal.call;
  for (const { unit } of strategySteps('from-checkpoint', graph, { units }, [origin.gate])) {
    const known = journal.archive().decisions.get(unit.key)?.decided ?? [];
    if (known.some((one) => one.runNumber === runNumber && one.decision === 'force')) continue;
    await recordDecision(call, unit, { decision: 'force', actor: actor!, reason: reason!, fingerprint: null });
    forced.add(unit.key);
  }
  return forced;
}

async function recordsOf({ journal, assignment, ports }: Call, subject: string): Promise<readonly GatelineRecord[]> {
  if (subject === assignment.subject) return journal.records();
  return (await listKnown(ports, { pipeline: assignment.pipeline, subject })).records;
}

/** Whether a run that was forked came from there. */
export function isSameOrigin(
  a: { readonly subject: string; readonly runNumber: number; readonly gate?: string | undefined } | undefined,
  b: ForkOrigin,
): boolean {
  return a !== undefined && a.subject === b.subject && a.runNumber === b.runNumber && a.gate === b.gate;
}
