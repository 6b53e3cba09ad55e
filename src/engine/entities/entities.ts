import { identifyProcess } from '../../agent/process-table.ts';
import { readEntityLocks } from '../../environment.ts';
import { GatelineError, InvalidStateError } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { EntityUse } from '../../pipeline/pipeline.ts';
import type { EntityChange } from '../../run/entity/change.ts';
import { EntityEffects, findConflict, findSetupCommands } from '../../run/entity/effects.ts';
import { EntityStates, type BeganEntry, type EntityEntry, type EntityUser } from '../../run/entity/entity-log.ts';
import type { Names } from '../../run/entity/instances.ts';
import { ENTRY_FORMAT, isSameAttempt, type ProcessId } from '../../run/entry.ts';
import { shellWord } from '../../untrusted/escape.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Order, Ports } from '../ports.ts';

/** Entities as they are now: those that have expired or that a killed call was changing are invalid. */
export interface CurrentEntities {
  readonly log: EntityStates;
  readonly effects: EntityEffects;
  /** Entries that end killed calls: the next writer appends them. */
  readonly recovered: readonly EntityEntry[];
}

/** A gate or command that wants to use entities. */
export interface EntityRequest {
  readonly id: string;
  readonly by: EntityUser;
  readonly use: EntityUse;
  readonly args: Names;
  /** Processes that use them, beside this one; undefined: an agent that works by itself, until `complete`. */
  readonly processes: readonly ProcessId[] | undefined;
}

export async function readEntities(ports: Ports, order: Order): Promise<CurrentEntities> {
  for (;;) {
    const entries = await ports.entities.read();
    const current = await currentEntities(ports, order, entries);
    // A process that is gone may have written its end just before it went: then read again.
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
  effects.kill(began, `${userText(began.by)} was ${began.processes.length > 0 ? 'killed' : 'given up'}`);
  return effects;
}

/** Writes the entry that `decide` returns for the current entities. Updates run one at a time. */
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

/**
 * Reserves the entities of a gate or command, if the required ones are valid and nobody else changes them.
 * @param wait wait until nobody does, and call `onWait` once if that is necessary. Default: that is an error
 * @returns the values of what it requires, by name
 * @throws InvalidStateError; GatelineError `busy` (ENTITY_BUSY)
 */
export async function takeEntities(
  ports: Ports,
  order: Order,
  request: EntityRequest,
  wait?: { readonly signal: AbortSignal; readonly onWait: (error: GatelineError) => void },
): Promise<JsonObject> {
  const processes = request.processes ? [await identifyProcess(process.pid), ...request.processes] : [];
  for (let waits = 0; ; waits += 1) {
    try {
      return await takeNow(ports, order, { ...request, processes });
    } catch (error) {
      const isBusy = error instanceof GatelineError && error.code === 'ENTITY_BUSY';
      if (!isBusy || wait === undefined || wait.signal.aborted) throw error;
      if (waits === 0) wait.onWait(error);
      await sleep(Math.min(1_000, 50 * 2 ** waits), undefined, { signal: wait.signal }).catch(() => undefined);
    }
  }
}

async function takeNow(ports: Ports, order: Order, request: EntityRequest): Promise<JsonObject> {
  const { id, by, use, args, processes = [] } = request;
  const held = readEntityLocks(ports.environment);
  let values: JsonObject = {};
  await update(ports, order, ({ log, effects }) => {
    const requires = use.requires.map((entity) => effects.target(entity, args));
    const targets = effects.targets(use, args);
    for (const began of log.open.values()) {
      const other = { requires: [], changes: began.targets };
      const entity = findConflict(order.pipeline.entities, { requires, changes: targets }, other);
      if (entity !== undefined && !held.includes(began.id)) throw busyError(by, entity, began);
    }
    const missing = effects.missing(use.requires, args);
    if (missing.length > 0) throw new InvalidStateError(missing, { hint: explainMissing(order, by, missing, effects) });
    values = Object.fromEntries(requires.map((target) => [target.entity, effects.find(target)!.value ?? null]));
    if (targets.length === 0) return undefined;
    for (const entity of use.invalidates)
      effects.invalidate(effects.target(entity, args), `${userText(by)} made it invalid`);
    return { kind: 'began', id, by, targets, processes: [...processes], changes: effects.changes };
  });
  return values;
}

/** How a gate or command that used entities ended. */
export interface EntityResult {
  readonly outcome: 'passed' | 'failed' | 'killed';
  readonly value?: JsonValue;
  /** Name of a value that is no object. */
  readonly returns?: string;
}

/** Ends what {@link takeEntities} began. @returns all changes, also those of its start */
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
  for (const { entity, value: part } of changes.filter(({ value: part }) => part !== undefined)) {
    const keys = isJsonObject(part) ? Object.keys(part) : [];
    const absent = order.pipeline.entities[entity]?.properties.filter((name) => !keys.includes(name)) ?? [];
    if (absent.length > 0)
      ports.observe({ type: 'notice', message: `the value of ${entity} has no ${absent.join(', ')}` });
  }
  return changes;
}

/** Changes entities as a person decides, even if somebody uses them. @param change calls the methods of `effects` */
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

/** The name of a user of entities: `click` (a command), `gate checkout`, or a person. */
export function userText(by: EntityUser): string {
  if ('command' in by) return by.command;
  return 'attempt' in by ? `gate ${by.attempt.unit}` : by.actor;
}

function busyError(by: EntityUser, entity: string, began: BeganEntry): GatelineError {
  const pids = began.processes.map(({ pid }) => pid).join(', ');
  const hint = pids ? `Wait until process ${pids} is done.` : 'It ends with `gateline complete`.';
  const message = `${userText(by)}: ${userText(began.by)} changes ${entity} since ${began.at}`;
  return new GatelineError('busy', message, { hint, code: 'ENTITY_BUSY' });
}

/** The commands that make entities valid, in order; undefined: commands without arguments cannot. */
export function findSetUp({ pipeline: { commands } }: Order, effects: EntityEffects, missing: readonly string[]) {
  return findSetupCommands(commands, missing, (entity) => effects.find({ entity }) !== undefined);
}

/** Why entities are not valid, and what makes them valid. */
function explainMissing(order: Order, by: EntityUser, missing: readonly string[], effects: EntityEffects): string {
  const { commands, gates } = order.pipeline;
  const states = [...effects.states.values()];
  const causes = missing.flatMap((name) => {
    const cause = states.findLast(({ entity, to }) => entity === name && to === 'invalid')?.cause;
    return cause ? [`${name}: ${cause}.`] : [];
  });
  const doLine = (id: string) => `\`gateline do ${id}\``;
  const setUp = findSetUp(order, effects, missing);
  if (setUp) return [...causes, `${setUp.map(doLine).join(', then ')} makes it valid for ${userText(by)}.`].join(' ');
  const makers = missing.map((name) => {
    const ids = Object.keys(commands).filter((id) => commands[id]!.creates.includes(name));
    const creators = gates.filter(({ entities }) => entities.creates.includes(name)).map(({ id }) => `gate ${id}`);
    const all = [...ids.map(doLine), ...creators].join(' or ') || `\`gateline entities set ${shellWord(name)} valid\``;
    return `${all} makes ${name} valid.`;
  });
  return [...causes, ...makers].join(' ');
}
