import { GatelineError } from '../../errors.ts';
import type { JsonValue } from '../../json/json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { originHow } from '../../run/checkpoint.ts';
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
import { attemptKey } from '../../run/state.ts';
import { buildRequest, fingerprintOf } from '../plan/request.ts';
import { storeValue } from '../values.ts';

/** Decisions that may be made beside a running engine, which reads them before each start. */
export type DecisionName = 'approve' | 'reject' | 'skip' | 'force' | 'pause' | 'resume' | 'close';

/**
 * Records a decision.
 * @param choice `unit`: a unit, or a gate for all its units
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
  // Legs that are not known yet have no output, so they run without being forced.
  const isUnknown = decision === 'force' && key !== undefined && graph.gate(key) && graph.unitsOf(key) === undefined;
  const units = key === undefined ? [undefined] : isUnknown ? [] : graph.unitsNamed(key);
  if (units.length === 0 && !isUnknown) throw new GatelineError('usage', `${key} has no legs: nothing to ${decision}`);
  const entries = units.map((unit) => entryFor(call, decision, head, unit?.key));
  if (entries.length > 0) await call.write(...entries);
  const rejected = entries.flatMap((entry) => (entry.decision === 'reject' ? [entry.attempt] : []));
  if (rejected.length > 0) await ports.checkpoints.forget(rejected);
}

/** The fields that all decisions have. A decision belongs to the newest run and opens no other. */
export function decidedHead(call: Call, by: Decider) {
  return { ...call.entryHead(), run: call.state.current?.run ?? 1, kind: 'decided', ...by } as const;
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
  const begun = begunAttempts(call, key);
  for (const started of begun) await endLost(call, started, by);
  return begun.map(({ unit }) => unit);
}

/** Whether attempts between `begin` and `complete` are open. */
export async function hasBegunAttempts(ports: Ports, order: Order, key?: UnitKey): Promise<boolean> {
  return begunAttempts(await Call.open(ports, order), key).length > 0;
}

function begunAttempts({ state, order }: Call, key?: UnitKey): StartedEntry[] {
  return [...state.openAttempts.values()].filter(
    ({ process, unit, subject }) =>
      !process && subject === order.subject && (key === undefined || unit === key || gateOf(unit) === key),
  );
}

/** Judges a value by the contract of a unit. */
export async function judgeValue(ports: Ports, order: Order, key: UnitKey, value: JsonValue): Promise<Verdict> {
  const call = await Call.open(ports, order);
  const { gate } = call.graph.requireUnit(key);
  return judge(await call.contracts.compile(gate), order.redactor.json(value).value, judgeContexts(call));
}

/** Supplies the output of a unit, if it meets the contract: the next call of `run` ends the unit with it. */
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
 * Records that outputs hold for the folder as it is now, whatever was changed by hand. The caller holds the lock.
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
  for (const key of keys) if (call.graph.gate(key) === undefined) call.graph.requireUnit(key);
  const snapshot = await call.takeSnapshot();
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
    if (isNamed && maker && attempt && isKeepable(maker) && !call.state.rejections.has(attemptKey(attempt))) {
      const startedAt = new Date(Date.parse(maker.at) - maker.ms).toISOString();
      await ports.checkpoints.save(fingerprint, checkpointOf(maker, { attempt, how: originHow(maker.how), startedAt }));
      await call.write({ ...decidedHead(call, by), decision: 'keep', unit: unit.key, attempt, fingerprint });
      keptUnits.push(unit.key);
    }
    const lookup = await lookUp(call, unit, fingerprint);
    if ('checkpoint' in lookup) outputs.set(unit.key, unitOutputOf(lookup.checkpoint, needs));
  }
  return keptUnits;
}

/** The newest end of a unit, with time, duration and cost of the attempt that made its output, if the log still has it. */
function makerOf({ entries }: Call, ended: EndedEntry): EndedEntry {
  const isMaker = (entry: Entry): entry is EndedEntry =>
    entry.kind === 'ended' && entry.pipeline === ended.pipeline && isSameAttempt(attemptOf(entry), ended.source);
  const { how, at, ms, metrics } = entries.find(isMaker) ?? ended;
  return { ...ended, how, at, ms, metrics };
}

function isKeepable({ verdict, output, how }: EndedEntry): boolean {
  return verdict.status !== 'failed' && (output !== undefined || how === 'skipped');
}
