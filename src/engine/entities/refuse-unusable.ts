import { dirname } from 'node:path';
import { AGENT_VARIABLES, REQUESTS_AROUND, type Environment } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { InvalidStateError } from '../../errors/invalid-state-error.ts';
import { argumentsOf, setUpOrder } from '../../pipeline/entities/entities.ts';
import { isValidAt } from '../../run/entity/fold-entities.ts';
import {
  conflictWith,
  instancesFor,
  type Asking,
  type OpenUse,
  type ResolvedUse,
} from '../../run/entity/resolve-use.ts';
import type { StartedRecord } from '../../run/records/record.ts';
import type { Call } from '../call/call.ts';
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

/**
 * Refuses what cannot start now.
 * @param by the gate or command
 * @throws InvalidStateError; GatelineError `ENTITY_BUSY`, `ENTITY_HELD`
 */
export async function refuseUnusable(call: Call, by: string, resolved: ResolvedUse, asking: Asking): Promise<void> {
  const others = await usedByOthers(call);
  if (resolved.missing.length > 0) {
    const maker = makerOf(resolved.missing, others, asking);
    if (maker === undefined || isAround(call, maker.started)) throw notValid(call, by, resolved.missing, asking);
    throw await busy(call, maker, `${by}: ${maker.by} creates ${maker.entity} and has not ended`);
  }
  const conflict = conflictWith(resolved, others, asking);
  if (conflict === undefined) return;
  if (isAround(call, conflict.started))
    throw new GatelineError('ENTITY_HELD', `${by} is called by ${conflict.by}, which itself uses ${conflict.entity}`);
  throw await busy(call, conflict, `${by}: ${conflict.by} uses ${conflict.entity} and has not ended`);
}

/** Where it is unknown whether the other still runs, only a person can say that it does not. */
async function busy(
  { ports: { processes } }: Call,
  { started, entity }: { readonly started: StartedRecord; readonly entity: string },
  message: string,
): Promise<GatelineError> {
  const isSeen = started.holder !== 'process' || (await processes.isRunning(started.by));
  const reset = `\`gateline entities reset ${entity} --reason TEXT\``;
  const hint = `It is process ${started.by.pid} on ${started.by.host}. Wait until it is done. If it no longer runs, ${reset} makes ${entity} free.`;
  return new GatelineError('ENTITY_BUSY', message, isSeen ? {} : { hint });
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
  call: Pick<Call, 'assignment'>,
  by: string,
  missing: readonly string[],
  asking: Asking,
): InvalidStateError {
  const { order, unreachable } = setUpFor(call, asking, missing);
  const setup = unreachable.length > 0 ? [] : order.map(({ id }) => id);
  const hint = otherInstances(by, missing, asking) ?? (setup.length > 0 ? undefined : creatorsOf(call, missing));
  return new InvalidStateError({ missing, command: by, setup }, hint);
}

/** Where an argument names an instance, and others are valid. */
function otherInstances(by: string, missing: readonly string[], asking: Asking): string | undefined {
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

/** Agents and commands name instances: a line of its own could be a command for the runner of a CI job. */
function shownInstance(instance: string): string {
  return instance.replace(/\s+/g, ' ').slice(0, LONGEST_SHOWN);
}

/** What creates entities that no command can create by itself. */
function creatorsOf(call: Pick<Call, 'assignment'>, missing: readonly string[]): string {
  const { commands } = resourcesOf(call);
  const ways = missing.map((name) => {
    const made = commands
      .filter(({ creates }) => creates.includes(name))
      .map((command) => {
        const given = argumentsOf(command).map((argument) => ` --arg ${argument}=VALUE`);
        return `\`gateline do ${command.id}${given.join('')}\``;
      });
    const gates = call.assignment.pipeline.gates.filter(({ entities }) => entities?.creates.includes(name));
    const all = [...made, ...gates.map(({ id }) => `gate ${id}`)].slice(0, MAX_LISTED);
    return all.length > 0
      ? `${all.join(' or ')} creates ${name}.`
      : `Nothing creates ${name}: \`gateline entities create ${name} --reason TEXT\` records that it exists.`;
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
