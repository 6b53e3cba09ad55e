import { dirname } from 'node:path';
import { AGENT_VARIABLES, REQUESTS_AROUND, type Environment } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { InvalidStateError } from '../../errors/invalid-state-error.ts';
import { argumentsOf, setUpOrder } from '../../pipeline/entities/entities.ts';
import { entityKey, isValidAt } from '../../run/entity/entity-state.ts';
import {
  conflictWith,
  instancesFor,
  requiredState,
  type Asking,
  type OpenUse,
  type ResolvedUse,
} from '../../run/entity/resolve-use.ts';
import { whyNotValid } from '../../run/entity/why-not-valid.ts';
import type { StartedRecord } from '../../run/records/record.ts';
import type { Call } from '../call/call.ts';
import { noteWait, waitsForAround } from './circular-waits.ts';
import { resourcesOf, usedByOthers } from './view-entities.ts';

/** Most instances that a message lists. */
const MAX_LISTED = 5;
/** Characters of an instance in a message. */
const LONGEST_SHOWN = 80;

/** The commands that would make entities valid, in order, and the entities that no command can. */
export function setUpFor(
  call: Pick<Call, 'assignment'>,
  asking: Asking,
  missing: readonly string[],
): ReturnType<typeof setUpOrder> {
  const isValid = (name: string): boolean => !missing.includes(name) && validInstances(name, asking).length > 0;
  return setUpOrder(resourcesOf(call).commands, missing, isValid);
}

function validInstances(name: string, { entities, states, now }: Asking): string[] {
  const margin = entities.find((one) => one.name === name)?.margin ?? 0;
  const valid = [...states.values()].filter((one) => one.entity === name && isValidAt(one, now, margin));
  return valid.map(({ instance }) => instance);
}

/** A use that is refused. */
export interface Refusable {
  /** The gate or command. */
  readonly by: string;
  readonly resolved: ResolvedUse;
  /** Whether the caller tries again until nobody is in the way. */
  readonly waits?: boolean | undefined;
}

/**
 * Refuses what cannot start now.
 * @throws InvalidStateError; GatelineError `ENTITY_BUSY`, `ENTITY_HELD`
 */
export async function refuseUnusable(call: Call, { by, resolved, waits }: Refusable, asking: Asking): Promise<void> {
  const others = await usedByOthers(call);
  const around = others.filter(({ started }) => isAround(call, started));
  const maker = makerOf(resolved.missing, others, asking);
  const isMissing = resolved.missing.length > 0;
  if (isMissing && (maker === undefined || around.some(({ started }) => started === maker.started)))
    throw notValid(call, by, resolved.missing, asking);
  const blocking = maker ?? conflictWith(resolved, others, asking);
  if (waits) await noteWait(call, around, blocking?.started);
  if (blocking === undefined) return;
  if (around.some(({ started }) => started === blocking.started))
    throw new GatelineError('ENTITY_HELD', `${by} is called by ${blocking.by}, which itself uses ${blocking.entity}`);
  if (waits && (await waitsForAround(call, blocking.started, others, around))) {
    const why = `${by} would wait for ${blocking.by}, which uses ${blocking.entity} and waits for what called ${by}`;
    throw new GatelineError('ENTITY_HELD', why);
  }
  const verb = maker === undefined ? 'uses' : 'creates';
  throw await busy(call, blocking, `${by}: ${blocking.by} ${verb} ${blocking.entity} and has not ended`);
}

/**
 * Refuses to say that an entity exists, or does not, while somebody creates it: which of the two was last would be
 * chance, and nobody would end the processes that it is about to live in. A reset is what frees an entity if nobody can
 * say whether its creator still runs.
 * @throws GatelineError `ENTITY_BUSY`, `ENTITY_HELD`
 */
export async function refuseWhileCreated(call: Call, entity: string, action: 'create' | 'reset'): Promise<void> {
  const maker = (await usedByOthers(call)).find(({ uses }) => uses.creates.includes(entity));
  if (maker === undefined) return;
  if (isAround(call, maker.started))
    throw new GatelineError('ENTITY_HELD', `this is called by ${maker.by}, which itself creates ${entity}`);
  if (action === 'reset' && !(await isSeen(call, maker.started))) return;
  throw await busy(call, { ...maker, entity }, `${maker.by} creates ${entity} and has not ended`);
}

/** Whether the process of a claim is known to run. That of a job is taken to. */
async function isSeen({ ports: { processes } }: Call, { holder, by }: StartedRecord): Promise<boolean> {
  return holder !== 'process' || processes.isRunning(by);
}

/** Where it is unknown whether the other still runs, only a person can say that it does not. */
async function busy(
  call: Call,
  { started, entity }: { readonly started: StartedRecord; readonly entity: string },
  message: string,
): Promise<GatelineError> {
  const reset = `\`gateline entities reset ${entity} --reason TEXT\``;
  const hint = `It is process ${started.by.pid} on ${started.by.host}. Wait until it is done. If it no longer runs, ${reset} makes ${entity} free.`;
  return new GatelineError('ENTITY_BUSY', message, (await isSeen(call, started)) ? {} : { hint });
}

/** Who is creating what is missing. A leg uses only its own instances, and others do not create those. */
function makerOf(
  missing: readonly string[],
  others: readonly OpenUse[],
  { leg = '' }: Asking,
): (OpenUse & { readonly entity: string }) | undefined {
  if (leg !== '') return undefined;
  const found = others.flatMap((one) => {
    const entity = one.uses.creates.find((name) => missing.includes(name));
    return entity === undefined ? [] : [{ ...one, entity }];
  });
  return found[0];
}

/** What a gate or command lacks, with the way out. @param missing names of entities */
export function notValid(
  call: Pick<Call, 'assignment' | 'holder' | 'graph' | 'recovery'>,
  by: string,
  missing: readonly string[],
  asking: Asking,
): InvalidStateError {
  const { order, unreachable } = setUpFor(call, asking, missing);
  const setup = unreachable.length > 0 ? [] : order.map(({ id }) => id);
  const others = otherInstances(by, missing, asking);
  const inJob = `With \`on-invalid: recover\`, ${setup.join(', then ')} makes it valid for ${by} in its job.`;
  const ran = hasRecovered(call, by, setup) ? `${setup.join(', ')} ran first, and did not make it valid.` : undefined;
  const bySetup = ran ?? (call.holder === 'job' ? inJob : undefined);
  const wayOut = others ?? (setup.length > 0 ? bySetup : creatorsOf(call, missing));
  return new InvalidStateError(
    { missing, command: by, setup },
    { why: whyMissing(missing, asking), ...(wayOut !== undefined && { wayOut }) },
  );
}

/** Whether all these set-up commands have run for a gate or command that recovers. */
function hasRecovered(
  call: Pick<Call, 'assignment' | 'graph' | 'recovery'>,
  by: string,
  setup: readonly string[],
): boolean {
  const command = resourcesOf(call).commands.find(({ id }) => id === by);
  const { onInvalid } = command ?? call.graph.get(by)?.gate.entities ?? {};
  return onInvalid === 'recover' && setup.every((id) => call.recovery.ran.has(id));
}

/** Why entities that existed are not valid, a sentence each: otherwise somebody would create them again and again. */
export function whyMissing(missing: readonly string[], asking: Asking): string {
  const sentences = missing.flatMap((name) => {
    const state = requiredState(name, asking, false);
    const why = state && whyNotValid(state, asking);
    return why ? [`${shownInstance(entityKey(state))}: ${inOneLine(why).replace(/\.$/, '')}.`] : [];
  });
  return sentences.slice(0, MAX_LISTED).join(' ');
}

/** Where an argument names an instance, and others are valid. */
export function otherInstances(by: string, missing: readonly string[], asking: Asking): string | undefined {
  for (const name of missing) {
    const valid = validInstances(name, asking);
    const wanted = instancesFor(name, asking).find((instance) => !valid.includes(instance));
    if (wanted === undefined || valid.length === 0) continue;
    const listed = valid.slice(-MAX_LISTED).map(shownInstance).join(', ');
    const more = valid.length > MAX_LISTED ? ', and others' : '';
    return `${by} needs ${name}/${shownInstance(wanted)}. Valid: ${listed}${more}.`;
  }
  return undefined;
}

function shownInstance(instance: string): string {
  return inOneLine(instance).slice(0, LONGEST_SHOWN);
}

/** Agents and people name instances and reasons: a line of its own could be a command for the runner of a CI job. */
function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** What creates entities that no command can create by itself. In a job, nobody can call a command. */
function creatorsOf(call: Pick<Call, 'assignment' | 'holder'>, missing: readonly string[]): string {
  const { commands } = resourcesOf(call);
  const ways = missing.map((name) => {
    const made = (call.holder === 'job' ? [] : commands)
      .filter(({ creates }) => creates.includes(name))
      .map((command) => {
        const given = argumentsOf(command).map((argument) => ` --arg ${argument}=VALUE`);
        return `\`gateline do ${command.id}${given.join('')}\``;
      });
    const gates = call.assignment.pipeline.gates.filter(({ entities }) => entities?.creates.includes(name));
    const all = [...made, ...gates.map(({ id }) => `gate ${id}`)].slice(0, MAX_LISTED);
    // A re-run of failed jobs leaves the job that is done as it is.
    const again = call.holder === 'job' && gates.length > 0 ? ', if all jobs run again' : '';
    if (all.length > 0) return `${all.join(' or ')} creates ${name}${again}.`;
    if (call.holder === 'job')
      return `No gate before it creates ${name}, and no command can that needs no arguments: add one of the two.`;
    return `Nothing creates ${name}: \`gateline entities create ${name} --reason TEXT\` records that it exists.`;
  });
  return ways.join(' ');
}

/** Whether this process was started by the agent of that attempt, or by what that agent started. */
function isAround({ ports: { environment, attempts, commands = attempts } }: Call, claim: StartedRecord): boolean {
  const directory = (claim.command === true ? commands : attempts).pathOf(claim);
  return requestsAround(environment).some((request) => dirname(request) === directory);
}

/** The requests of the agents that called this process, the innermost first. */
export function requestsAround(environment: Environment): string[] {
  const inner = environment[AGENT_VARIABLES.request];
  const others = environment[REQUESTS_AROUND]?.split('\n') ?? [];
  return [...(inner === undefined ? [] : [inner]), ...others];
}
