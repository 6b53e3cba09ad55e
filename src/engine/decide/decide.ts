import { GatelineError } from '../../errors.ts';
import type { JsonValue } from '../../json/json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { makerHow } from '../../run/checkpoint.ts';
import type { DecidedEntry, EndedEntry, Entry, StartedEntry } from '../../run/entry.ts';
import { attemptOf, isSameAttempt, originOf } from '../../run/entry.ts';
import { gateOf } from '../../run/units.ts';
import { judge } from '../../verdict/judge.ts';
import { verdictText, type Verdict } from '../../verdict/verdict.ts';
import { Call } from '../call.ts';
import { collectNeeds } from '../needs.ts';
import type { Decider, Order, Ports, UnitOutput } from '../ports.ts';
import { endLost } from '../attempt/recover.ts';
import { checkpointOf, judgeContexts, lookUp, unitOutputOf } from '../plan/checkpoints.ts';
import { attemptName } from '../../run/state.ts';
import { buildRequest, fingerprintOf } from '../plan/request.ts';
import { storeValue } from '../values.ts';

/** A decision that may be made beside a running engine. */
export type DecisionName = 'approve' | 'reject' | 'skip' | 'force' | 'pause' | 'resume' | 'close';

/**
 * Decisions that may be made beside a running engine, which reads them before each start.
 * @param choice with a unit, or a gate: all its units
 * @throws GatelineError `usage` if there is nothing to decide about
 */
export async function decide(
  ports: Ports,
  order: Order,
  choice: { readonly decision: DecisionName; readonly unit?: UnitKey },
  by: Decider,
): Promise<void> {
  const { decision, unit: key } = choice;
  const call = await Call.open(ports, order);
  call.restoreLegs();
  const head = decidedHead(call, by);
  const { graph } = call;
  // Legs that are not known yet run without that: they have no output.
  const isUnknown = decision === 'force' && key !== undefined && graph.gate(key) && graph.unitsOf(key) === undefined;
  const units = key === undefined ? [undefined] : isUnknown ? [] : graph.unitsNamed(key);
  const entries = units.map((unit) => entryFor(call, decision, head, unit?.key));
  if (entries.length > 0) await call.write(...entries);
  const rejected = entries.flatMap((entry) => (entry.decision === 'reject' ? [entry.attempt] : []));
  if (rejected.length > 0) await ports.checkpoints.forget(rejected);
}

/** The first fields of a decision. It is about what was done, so it opens no other run. */
export function decidedHead(call: Call, by: Decider) {
  return { ...call.head(), run: call.state.current?.run ?? 1, kind: 'decided', ...by } as const;
}

function entryFor(
  call: Call,
  decision: DecisionName,
  head: ReturnType<typeof decidedHead>,
  key: UnitKey | undefined,
): DecidedEntry {
  const run = call.state.current;
  if (decision === 'pause' || decision === 'close' || decision === 'resume') {
    if (run === undefined || run.finalStatus)
      throw new GatelineError('usage', `there is no open run of ${call.order.subject} to ${decision}`);
    if (decision === 'resume' && run.paused === undefined)
      throw new GatelineError('usage', `run ${run.run} is not paused`);
    return { ...head, decision };
  }
  if (key === undefined) throw new GatelineError('bug', `${decision} names no gate`);
  if (decision === 'skip' || decision === 'force') return { ...head, decision, unit: key };
  const ended = call.state.newestEnd.get(key);
  if (ended?.output === undefined)
    throw new GatelineError('usage', `${key} has no output to ${decision}`, {
      hint: '`gateline skip` goes on without an output; `gateline adopt` supplies one',
    });
  const { fingerprint, output } = ended;
  if (decision === 'reject')
    return {
      ...head,
      decision,
      unit: key,
      fingerprint,
      output: output.digest,
      attempt: originOf(ended),
    };
  if (ended.verdict.status === 'failed')
    throw new GatelineError(
      'usage',
      `the output of ${key} failed, so it cannot be approved: ${verdictText(ended.verdict)}`,
      {
        hint: '`gateline run` tries again; `gateline adopt` supplies another output; `gateline skip` goes on without one',
      },
    );
  return { ...head, decision, unit: key, fingerprint, output: output.digest };
}

/** Gives up attempts between `begin` and `complete`. The caller holds the lock. @returns their units */
export async function giveUpAttempts(
  ports: Ports,
  order: Order,
  by: Decider,
  key?: UnitKey,
): Promise<readonly UnitKey[]> {
  const call = await Call.open(ports, order);
  const claims = claimsOf(call, key);
  for (const started of claims) await endLost(call, started, by);
  return claims.map(({ unit }) => unit);
}

/** Whether there are attempts that {@link giveUpAttempts} would give up. */
export async function hasClaims(ports: Ports, order: Order, key?: UnitKey): Promise<boolean> {
  return claimsOf(await Call.open(ports, order), key).length > 0;
}

function claimsOf({ state, order }: Call, key?: UnitKey): StartedEntry[] {
  return [...state.open.values()].filter(
    ({ process, unit, subject }) =>
      !process && subject === order.subject && (key === undefined || unit === key || gateOf(unit) === key),
  );
}

/** What the contract of a unit says about a value. */
export async function judgeValue(ports: Ports, order: Order, key: UnitKey, value: JsonValue): Promise<Verdict> {
  const call = await Call.open(ports, order);
  const { gate } = call.graph.requireUnit(key);
  return judge(await call.compiledContract(gate), order.redactor.json(value).value, judgeContexts(call));
}

/** Supplies the output of a unit: its next turn takes it for the request of that moment, if it meets the contract. */
export async function adoptOutput(
  ports: Ports,
  order: Order,
  { unit, value }: { readonly unit: UnitKey; readonly value: JsonValue },
  by: Decider,
): Promise<void> {
  const verdict = await judgeValue(ports, order, unit, value);
  if (verdict.status === 'failed')
    throw new GatelineError('failed', `the output does not meet the contract of ${unit}: ${verdictText(verdict)}`, {
      hint: verdict.advice,
    });
  const call = await Call.open(ports, order);
  const output = await storeValue(call, order.redactor.json(value).value);
  await call.write({ ...decidedHead(call, by), decision: 'adopt', unit, output });
}

/**
 * Says that outputs hold for the folder as it is now, whatever was changed by hand. The caller holds the lock.
 * @param keys units; none: all that have an output
 * @returns the units that were kept
 */
export async function keepOutputs(
  ports: Ports,
  order: Order,
  keys: readonly UnitKey[],
  by: Decider,
): Promise<readonly UnitKey[]> {
  const call = await Call.open(ports, order);
  call.restoreLegs();
  for (const key of keys) call.graph.requireGate(gateOf(key));
  const snapshot = await call.look();
  const keptUnits: UnitKey[] = [];
  const outputs = new Map<UnitKey, UnitOutput>();
  for (const unit of call.graph.units) {
    const needs = collectNeeds(call.graph, unit.gate, (key) => outputs.get(key));
    const isNamed = keys.length === 0 || keys.includes(unit.key) || keys.includes(unit.gate.id);
    const ended = call.state.newestEnd.get(unit.key);
    if (needs === undefined) {
      if (isNamed && keys.length > 0)
        throw new GatelineError('usage', `${unit.key} cannot be kept: ${unit.gate.needs.join(', ')} must hold first`, {
          hint: `name them too: \`gateline keep ${[...unit.gate.needs, unit.gate.id].join(' ')}\``,
        });
      continue;
    }
    const fingerprint = fingerprintOf(await buildRequest(call, unit, snapshot, needs));
    const maker = ended && makerOf(call, ended);
    const attempt = ended && originOf(ended);
    if (isNamed && maker && attempt && isKeepable(maker) && !call.state.rejected.has(attemptName(attempt))) {
      const startedAt = new Date(Date.parse(maker.at) - maker.ms).toISOString();
      await ports.checkpoints.save(fingerprint, checkpointOf(maker, { attempt, how: makerHow(maker.how), startedAt }));
      await call.write({ ...decidedHead(call, by), decision: 'keep', unit: unit.key, attempt, fingerprint });
      keptUnits.push(unit.key);
    }
    const lookup = await lookUp(call, unit, fingerprint);
    if ('checkpoint' in lookup) outputs.set(unit.key, unitOutputOf(lookup.checkpoint, needs));
  }
  return keptUnits;
}

/** An output as it is judged and used now, with what its attempt says about its making if that is still in the log. */
function makerOf({ entries }: Call, ended: EndedEntry): EndedEntry {
  const isMaker = (entry: Entry): entry is EndedEntry =>
    entry.kind === 'ended' && entry.pipeline === ended.pipeline && isSameAttempt(attemptOf(entry), ended.source);
  const { how, at, ms, metrics } = entries.find(isMaker) ?? ended;
  return { ...ended, how, at, ms, metrics };
}

function isKeepable({ verdict, output, how }: EndedEntry): boolean {
  return verdict.status !== 'failed' && (output !== undefined || how === 'skipped');
}
