import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { GatelineError } from '../../errors.ts';
import { digestSchema } from '../../json/digest.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { attemptOf, attemptRefSchema, isSameAttempt, type EndedEntry, type StartedEntry } from '../../run/entry.ts';
import type { Checkpoint } from '../../run/checkpoint.ts';
import type { Request } from '../../run/request.ts';
import { COST_HINT, describeUnits } from '../../run/unit-state.ts';
import { gateOf, type Unit } from '../../run/units.ts';
import { shellWord } from '../../untrusted/escape.ts';
import { contractSchema } from '../../verdict/contract.ts';
import { taskOf } from './agent-files.ts';
import { prepareAttempt, finishAttempt, nextAttempt, startedEntry } from './attempt.ts';
import { Call, type Outcome } from '../call.ts';
import { entityVariables, recoverEntities, takeForAttempt } from '../entities/gate-entities.ts';
import { planUnit, type UnitChoice } from '../plan/plan-unit.ts';
import { isDone, needsOf, prepareStandIns } from '../needs.ts';
import type { Order, Ports } from '../ports.ts';
import { endLost, recoverOpenAttempts } from './recover.ts';
import { handedOnTo, needsOfRequest } from '../plan/request.ts';
import { useNeeds } from '../plan/use-needs.ts';
import { carryOut } from '../plan/use-output.ts';
import { readValue } from '../values.ts';

/** The answer of `begin`: an output that holds, or the files of a new attempt. */
export type BeginResult =
  | {
      readonly choice: 'use';
      readonly unit: UnitKey;
      readonly reason: string;
      readonly checkpoint?: Checkpoint;
      /** Whether later gates may use it. */
      readonly result: Outcome['result'];
    }
  | {
      readonly choice: 'run';
      readonly unit: UnitKey;
      readonly reason: string;
      readonly token: string;
      readonly directory: string;
      /** The variables of the agent protocol. */
      readonly env: Readonly<Record<string, string>>;
    };

const tokenSchema = z.strictObject({
  v: z.literal(1),
  pipeline: z.string(),
  attempt: attemptRefSchema,
  fingerprint: digestSchema,
  contract: digestSchema,
});
type Token = z.infer<typeof tokenSchema>;

/**
 * Begins an attempt of an agent that works by itself. Its needs must be done. An attempt of the unit that was begun
 * before is given up.
 */
export async function beginAttempt(ports: Ports, order: Order, key: UnitKey): Promise<BeginResult> {
  const call = await Call.open(ports, order);
  for (const started of call.state.openAttempts.values())
    if (!started.process && started.unit === key && started.subject === order.subject) await endLost(call, started);
  await recoverOpenAttempts(call);
  const unit = await requireNeeds(call, key);
  if (unit.gate.repeat)
    throw new GatelineError('usage', `${key} has \`repeat\`: its attempts are judged together`, {
      hint: `\`gateline run --gate ${unit.gate.id}\` runs them`,
      place: unit.gate.place,
    });
  const plan = await planUnit(call, unit, needsOf(call, unit)!);
  if (plan.choice === 'run') return startAttempt(call, plan);
  await carryOut(call, unit, plan);
  if (call.hasUses && (order.run !== undefined || (call.state.current && !call.state.current.finalStatus)))
    await call.write();
  await completeIfDone(call);
  const { checkpoint, result } = call.outcomes.get(key)!;
  return { choice: 'use', unit: key, reason: plan.reason, checkpoint, result };
}

/** Logs the start of an attempt whose agent works by itself. */
async function startAttempt(
  call: Call,
  { work, reason }: Extract<UnitChoice, { readonly choice: 'run' }>,
): Promise<BeginResult> {
  const { unit, needs, fingerprint } = work;
  const obstacle = call.costObstacle();
  if (obstacle !== undefined)
    throw new GatelineError('failed', `${unit.key} does not begin: ${obstacle}`, { hint: COST_HINT });
  await call.contracts.compileAll();
  await recoverEntities(call, unit, new AbortController().signal);
  const attempt = nextAttempt(call, unit);
  const directory = await prepareAttempt(call, work, attempt);
  const started = { ...(await startedEntry(call, work, attempt)), handedOn: [...handedOnTo(needs)] };
  const id = randomUUID();
  // The aborted signal: an entity that somebody else changes is an error here, and not waited for.
  await takeForAttempt(call, unit, { ref: attempt, id, directory }, undefined, AbortSignal.abort());
  await call.write(started);
  const { pipeline } = call.order;
  const token: Token = { v: 1, pipeline: pipeline.id, attempt, fingerprint, contract: started.contract };
  const env = { ...taskOf(call, work, attempt, directory, false).env, ...entityVariables(call, unit, directory, id) };
  return {
    choice: 'run',
    unit: unit.key,
    reason,
    token: Buffer.from(JSON.stringify(token)).toString('base64url'),
    directory,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('GATELINE_'))),
  };
}

/**
 * Uses the outputs of all that a unit needs; a gate with `stand-in` gets a value for a need that is not done.
 * @throws GatelineError `failed` naming the first gate that is not done
 */
async function requireNeeds(call: Call, key: UnitKey): Promise<Unit> {
  const target = call.graph.requireUnit(key);
  const missing = await useNeeds(call, [target.gate]);
  if (missing) await prepareStandIns(call, (gate) => !isDone(call, gate));
  // Its legs may come from an output that was just used.
  const unit = call.graph.requireUnit(key);
  if (needsOf(call, unit) !== undefined) return unit;
  throw new GatelineError('failed', missing?.message ?? `what ${key} needs is not done`, { hint: missing?.hint });
}

/**
 * Ends an attempt that {@link beginAttempt} began, with what the agent wrote.
 * @param text its token, or its unit
 * @param exitCode of the agent; any but 0 means that it failed, whatever it wrote
 */
export async function completeAttempt(ports: Ports, order: Order, text: string, exitCode = 0): Promise<EndedEntry> {
  const call = await Call.open(ports, order);
  const started = findBegunAttempt(call, text.trim());
  call.restoreLegs();
  const request = (await readValue(call, started.fingerprint)) as unknown as Request | undefined;
  const unit = begunUnit(call, started, request);
  const contract = await readValue(call, started.contract);
  if (contract !== undefined) call.contracts.replace(unit.gate, contractSchema.parse(contract));
  const needs = request ? needsOfRequest(request, started.handedOn) : new Map();
  const directory = ports.attempts.pathOf(attemptOf(started));
  const result = {
    outcome: 'exited',
    exitCode,
    stdout: '',
    stderr: '',
    ms: Math.max(0, ports.clock.now().getTime() - Date.parse(started.at)),
  } as const;
  const ended = await finishAttempt(call, { started, directory, needs, unit }, result);
  await completeIfDone(call);
  return ended;
}

/** Ends a run if the log says that all units are done: no call of `run` has to follow the last gate. */
async function completeIfDone(call: Call): Promise<void> {
  const { order, state } = call;
  const { current } = state;
  if (current === undefined || current.finalStatus || current.paused) return;
  const units = [...describeUnits(order.pipeline, state, current, () => true).values()];
  if (units.every(({ done }) => done)) await call.completeRun();
}

/** The unit of a begun attempt: a leg is completed even if the list of legs has changed meanwhile. */
function begunUnit({ graph }: Call, { unit: key }: StartedEntry, request?: Request): Unit {
  const unit = graph.unit(key);
  if (unit) return unit;
  const gate = graph.gate(gateOf(key));
  if (gate?.matrix && 'from' in gate.matrix && request)
    return { key, gate, leg: { id: request.leg, matrix: request.matrix } };
  throw new GatelineError('usage', `the pipeline has no gate ${key} any more`);
}

/** The open attempt that a token or a unit names. */
function findBegunAttempt({ state, graph, order }: Call, text: string): StartedEntry {
  const token = graph.gate(gateOf(text)) ? undefined : readToken(text);
  const begun = [...state.openAttempts.values()].find((started) => {
    if (started.process || started.pipeline !== order.pipeline.id) return false;
    if (token === undefined) return started.unit === text && started.subject === order.subject;
    const { attempt, fingerprint, contract } = token;
    const isSame = started.fingerprint === fingerprint && started.contract === contract;
    return isSame && isSameAttempt(attemptOf(started), attempt);
  });
  if (begun && begun.subject !== order.subject)
    throw new GatelineError('usage', `the attempt is one of the subject ${begun.subject}, not of ${order.subject}`, {
      hint: `\`gateline complete --subject ${shellWord(begun.subject)}\``,
    });
  if (begun) return begun;
  throw new GatelineError('usage', `the attempt of ${token?.attempt.unit ?? text} is not open`, {
    hint: 'It was completed, given up, begun again or never begun. `gateline status` shows the attempts.',
  });
}

function readToken(text: string): Token {
  try {
    return tokenSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch (error) {
    throw new GatelineError('usage', 'this is no gate, and not a token of `gateline begin`', { cause: error });
  }
}
