import { GatelineError } from '../../errors/gateline-error.ts';
import { RUN_GATE, type DecidedRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import { giveUpPlaces } from './place.ts';

/** The person who decided, and the reason. */
export interface Decider {
  readonly actor: string;
  readonly reason: string;
}

/** The parts of a decision's record that differ from one decision to another. */
type Recorded = Decider &
  Pick<DecidedRecord, 'decision' | 'fingerprint'> &
  Partial<Pick<DecidedRecord, 'until' | 'output' | 'request' | 'origin' | 'commit' | 'keepsIterations' | 'startsNext'>>;

/**
 * Records a decision about a unit in the call that made it.
 * @param at `runAttempt` of a call that only reads the run, and so has no number of its own; `n` of the attempt that
 *   the decision follows, if the call decides more than once
 * @throws GatelineError `GATE_CLAIMED`
 */
export async function recordDecision(
  call: Call,
  unit: Unit,
  decided: Recorded,
  { n = 0, runAttempt = call.journal.call.runAttempt }: { readonly n?: number; readonly runAttempt?: number } = {},
): Promise<void> {
  await writeDecision(call, { ...call.journal.identity(unit, n), runAttempt, ...contentOf(call, decided) });
  if (decided.decision === 'force' || decided.decision === 'rollback') await giveUpPlaces(call, unit);
}

/** Records a decision about the run, after everything that the run has recorded. */
export async function recordRunDecision(
  call: Call,
  decided: Decider & Pick<DecidedRecord, 'decision' | 'origin' | 'startsNext'>,
): Promise<void> {
  const identity = call.journal.identity({ gate: { id: RUN_GATE }, leg: { id: '' } }, 0);
  const runAttempt = Math.max(call.journal.call.runAttempt, call.journal.state().runAttempt + 1);
  await writeDecision(call, { ...identity, runAttempt, ...contentOf(call, { ...decided, fingerprint: null }) });
}

/** Records what a person did to an entity. @param at its position; several of one call have numbers of their own */
export async function recordEntityDecision(
  call: Call,
  { entity, ...decider }: Decider & Required<Pick<DecidedRecord, 'entity'>>,
  at: Pick<DecidedRecord, 'runAttempt' | 'n'>,
): Promise<void> {
  const identity = { ...call.journal.identity({ gate: { id: RUN_GATE }, leg: { id: '' } }, at.n), ...at };
  const content = contentOf(call, { ...decider, decision: 'entity', fingerprint: null });
  await writeDecision(call, { ...identity, ...content, entity });
}

function contentOf(
  call: Call,
  {
    decision,
    actor,
    reason,
    fingerprint,
    until,
    output,
    request,
    origin,
    commit,
    keepsIterations,
    startsNext,
  }: Recorded,
): Omit<DecidedRecord, keyof ReturnType<Call['journal']['identity']>> {
  return {
    kind: 'decided',
    decision,
    actor,
    reason: call.redactor.redactText(reason),
    fingerprint,
    ...(until !== undefined && { until }),
    ...(output !== undefined && { output }),
    ...(request !== undefined && { request }),
    ...(commit !== undefined && { commit }),
    ...(keepsIterations && { keepsIterations }),
    ...(startsNext && { startsNext }),
    ...(origin !== undefined && { origin: { ...origin } }),
  };
}

async function writeDecision(call: Call, decided: DecidedRecord): Promise<void> {
  if ((await call.journal.write(decided)) !== 'taken') return;
  const what = decided.gate === RUN_GATE ? 'the run' : `gate ${decided.gate}`;
  throw new GatelineError('GATE_CLAIMED', `${what}: somebody else made a decision about it at the same time`, {
    hint: 'Check `gateline status`, and decide again if it is still needed.',
  });
}
