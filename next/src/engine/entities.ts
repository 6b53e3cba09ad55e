import { identifyProcess } from '../agent/process-table.ts';
import { readEntityLocks } from '../environment.ts';
import { GatelineError, InvalidStateError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import type { EntityUse } from '../pipeline/pipeline.ts';
import type { EntityChange } from '../run/entity/change.ts';
import { EntityEffects, findConflict, setUpCommands } from '../run/entity/effects.ts';
import { EntityStates, type BeganEntry, type EntityEntry, type EntityUser } from '../run/entity/entity-log.ts';
import type { Names } from '../run/entity/instances.ts';
import { ENTRY_FORMAT, isSameAttempt, type ProcessId } from '../run/entry.ts';
import { shellWord } from '../untrusted/escape.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Order, Ports } from './ports.ts';

/** Entities as they are now: what has expired is invalid, and so is what a killed call would have changed. */
export interface CurrentEntities {
  readonly log: EntityStates;
  readonly effects: EntityEffects;
  /** Ends what was killed: for the next one who writes. */
  readonly recovered: readonly EntityEntry[];
}

/** A gate or command that wants to use entities. */
export interface EntityRequest {
  readonly id: string;
  readonly by: EntityUser;
  readonly use: EntityUse;
  readonly args: Names;
  /** Of what works, beside this one; undefined: an agent that works by itself, until it is ended. */
  readonly processes: readonly ProcessId[] | undefined;
}

/** Whether something may use entities now. `values`: of what it requires, by name. */
export type EntityGrant =
  | { readonly state: 'granted'; readonly values: JsonObject }
  | { readonly state: 'missing'; readonly error: InvalidStateError }
  | { readonly state: 'busy'; readonly error: GatelineError };

export async function readEntities(ports: Ports, order: Order): Promise<CurrentEntities> {
  for (;;) {
    const entries = await ports.entities.read();
    const current = await currentEntities(ports, order, entries);
    // A process that is gone may have ended its work in between.
    if (current.recovered.length === 0 || (await ports.entities.read()).length === entries.length) return current;
  }
}

async function currentEntities(
  { agents, clock }: Ports,
  { pipeline }: Order,
  entries: readonly EntityEntry[],
): Promise<CurrentEntities> {
  const at = clock.now().toISOString();
  const log = new EntityStates(pipeline.id, entries);
  const recovered: EntityEntry[] = [];
  for (const began of log.open.values()) {
    const { id, by, processes } = began;
    const alive = await Promise.all(processes.map((process) => agents.isAlive(process)));
    if (processes.length === 0 || alive.includes(true)) continue;
    const { changes } = killed(new EntityEffects(pipeline.entities, log.states, at), began);
    const entry: EntityEntry = { v: ENTRY_FORMAT, kind: 'changed', pipeline: pipeline.id, at, by, id, changes };
    log.apply(entry);
    recovered.push(entry);
  }
  return { log, recovered, effects: new EntityEffects(pipeline.entities, log.states, at) };
}

function killed(effects: EntityEffects, began: BeganEntry): EntityEffects {
  effects.kill(began, `${userText(began.by)} was killed`);
  return effects;
}

/** Looks at entities and writes what `decide` returns, while nobody else does. */
async function update(
  ports: Ports,
  order: Order,
  decide: (current: CurrentEntities) => Omit<EntityEntry, 'v' | 'pipeline' | 'at'> | undefined,
): Promise<void> {
  await ports.entities.update(async (entries) => {
    const current = await currentEntities(ports, order, entries);
    const entry = decide(current);
    const head = { v: ENTRY_FORMAT, pipeline: order.pipeline.id, at: ports.clock.now().toISOString() } as const;
    return entry ? [...current.recovered, { ...head, ...entry } as EntityEntry] : current.recovered;
  });
}

/** Takes what a gate or command names, if that is valid and nobody else changes it. */
export async function takeEntities(ports: Ports, order: Order, request: EntityRequest): Promise<EntityGrant> {
  const { id, by, use, args } = request;
  const held = new Set(readEntityLocks(ports.environment));
  const processes = request.processes ? [await identifyProcess(process.pid), ...request.processes] : [];
  let grant: EntityGrant | undefined;
  await update(ports, order, ({ log, effects }) => {
    const requires = use.requires.map((entity) => effects.target(entity, args));
    const changes = effects.targets(use, args);
    for (const began of log.open.values()) {
      if (held.has(began.id)) continue;
      const others = { requires: [], changes: began.targets };
      const entity = findConflict(order.pipeline.entities, { requires, changes }, others);
      if (entity === undefined) continue;
      grant = { state: 'busy', error: busyError(by, entity, began) };
      return undefined;
    }
    const missing = effects.missing(use.requires, args);
    if (missing.length > 0) {
      grant = {
        state: 'missing',
        error: new InvalidStateError(missing, { hint: wayOut(order, by, missing, effects) }),
      };
      return undefined;
    }
    const values = requires.map((target) => [target.entity, effects.find(target)!.value ?? null] as const);
    grant = { state: 'granted', values: Object.fromEntries(values) };
    if (changes.length === 0) return undefined;
    for (const entity of use.invalidates)
      effects.invalidate(effects.target(entity, args), `${userText(by)} made it invalid`);
    return { kind: 'began', id, by, targets: changes, processes, changes: effects.changes };
  });
  return grant!;
}

/** As {@link takeEntities}, but waits until nobody is in the way. `onWait` is called once, if it has to. */
export async function waitForEntities(
  ports: Ports,
  order: Order,
  request: EntityRequest,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (error: GatelineError) => void },
): Promise<EntityGrant> {
  for (let waits = 0; ; waits += 1) {
    const grant = await takeEntities(ports, order, request);
    if (grant.state !== 'busy' || signal.aborted) return grant;
    if (waits === 0) onWait(grant.error);
    await sleep(Math.min(1_000, 50 * 2 ** waits), undefined, { signal }).catch(() => undefined);
  }
}

/** What became of something that used entities. */
export interface EntityResult {
  readonly outcome: 'passed' | 'failed' | 'killed';
  readonly value?: JsonValue;
  /** Name of a value that is no object. */
  readonly returns?: string;
}

/** Ends what {@link takeEntities} began. @returns all that it changed, what was invalid from its start included */
export async function endEntities(
  ports: Ports,
  order: Order,
  { id, by, use, args }: Omit<EntityRequest, 'id' | 'processes'> & { readonly id?: string },
  { outcome, value, returns }: EntityResult,
): Promise<readonly EntityChange[]> {
  let changes: readonly EntityChange[] = [];
  await update(ports, order, ({ log, effects }) => {
    const isOurs = (began: BeganEntry) =>
      began.id === id || ('attempt' in by && 'attempt' in began.by && isSameAttempt(by.attempt, began.by.attempt));
    const began = [...log.open.values()].find(isOurs);
    if (began === undefined) return undefined;
    if (outcome === 'killed') killed(effects, began);
    if (outcome === 'passed') for (const entity of use.creates) effects.create(entity, value, { args, returns });
    changes = [...began.changes, ...effects.changes];
    return { kind: 'changed', id: began.id, by, changes: effects.changes };
  });
  for (const { entity, value: part } of changes.filter(({ to }) => to === 'valid')) {
    const absent = order.pipeline.entities[entity]?.properties.filter((name) => !hasProperty(part, name)) ?? [];
    if (part === undefined || absent.length === 0) continue;
    const message = `${entity}, created by ${userText(by)}: its value has no ${absent.join(', ')}`;
    ports.observe({ type: 'notice', message: order.redactor.text(message) });
  }
  return changes;
}

function hasProperty(value: JsonValue | undefined, name: string): boolean {
  return isJsonObject(value) && Object.hasOwn(value, name);
}

/** Changes entities as a person decides, whoever uses them. @param change names what changes */
export async function changeEntities(
  ports: Ports,
  order: Order,
  by: EntityUser,
  change: (effects: EntityEffects) => void,
): Promise<readonly EntityChange[]> {
  let changes: readonly EntityChange[] = [];
  await update(ports, order, ({ effects }) => {
    change(effects);
    changes = effects.changes;
    return changes.length === 0 ? undefined : { kind: 'changed', by, changes: effects.changes };
  });
  return changes;
}

/** `click`, `gate checkout`, or who decided. */
export function userText(by: EntityUser): string {
  if ('command' in by) return by.command;
  return 'attempt' in by ? `gate ${by.attempt.unit}` : by.actor;
}

function busyError(by: EntityUser, entity: string, began: BeganEntry): GatelineError {
  const user = userText(began.by);
  const processes = began.processes.map(({ pid }) => pid).join(', ');
  const hint = processes ? `It is process ${processes}. Wait until it is done.` : 'It ends with `gateline complete`.';
  return new GatelineError('busy', `${userText(by)}: ${user} changes ${entity} since ${began.at}`, {
    hint,
    code: 'ENTITY_BUSY',
  });
}

/** What makes entities valid, and why they are not. */
export function wayOut(
  { pipeline }: Order,
  by: EntityUser,
  missing: readonly string[],
  effects: EntityEffects,
): string {
  const { commands, gates } = pipeline;
  const causes = missing.flatMap((name) => {
    const state = [...effects.states.values()].findLast(({ entity, to }) => entity === name && to === 'invalid');
    return state?.cause ? [`${name}: ${state.cause}.`] : [];
  });
  const setUp = setUpCommands(commands, missing, (entity) => effects.find({ entity }) !== undefined);
  const lines = setUp?.map((id) => `\`gateline do ${id}\``);
  if (lines) return [...causes, `${lines.join(', then ')} makes it valid for ${userText(by)}.`].join(' ');
  const makers = missing.map((name) => {
    const ids = Object.keys(commands).filter((id) => commands[id]!.creates.includes(name));
    const creators = gates.filter(({ entities }) => entities.creates.includes(name)).map(({ id }) => `gate ${id}`);
    const all = [...ids.map((id) => `\`${doLine(id, commands[id]!.syntax)}\``), ...creators];
    return `${all.join(' or ') || `\`gateline entities set ${shellWord(name)} valid\``} makes ${name} valid.`;
  });
  return [...causes, ...makers].join(' ');
}

function doLine(id: string, syntax: string): string {
  const args = [...syntax.matchAll(/<([\w-]+)>/g)].map(([, name]) => ` --arg ${name}=VALUE`);
  return `gateline do ${id}${args.join('')}`;
}
