import { requireCommand, runCommand, type CommandResult } from '../../engine/entities/commands.ts';
import { changeEntities, readEntities, userText } from '../../engine/entities/entities.ts';
import type { Decider, Order } from '../../engine/ports.ts';
import { JOB_LOCK, readEntityLocks } from '../../environment.ts';
import { GatelineError } from '../../errors.ts';
import { didYouMean } from '../../json/did-you-mean.ts';
import type { JsonValue } from '../../json/json.ts';
import type { EntityChange, EntityTarget } from '../../run/entity/change.ts';
import type { Names } from '../../run/entity/instances.ts';
import type { Folder } from '../folder/folder.ts';

/** An instance of an entity, as it is now. */
export interface EntityView {
  readonly entity: string;
  /** Empty: the entity itself. */
  readonly instance: string;
  readonly status: 'valid' | 'invalid' | 'absent';
  readonly value?: JsonValue;
  readonly expiresAt?: string;
  /** Why it is invalid. */
  readonly cause?: string;
  /** Who changed it last, and when. */
  readonly by?: string;
  readonly at?: string;
  /** Who is changing it now. */
  readonly user?: string;
}

/** How a command is run. */
export interface CommandOptions {
  readonly args?: Names;
  /** Wait while somebody else changes the entities that it names. Default: false, that is an error. */
  readonly wait?: boolean;
  readonly signal?: AbortSignal;
}

/** All entities of the definition, or one, each with its instances. */
export async function viewEntities(folder: Folder, order: Order, name?: string): Promise<readonly EntityView[]> {
  const { log, effects } = await readEntities(folder.ports, order);
  const names = name === undefined ? Object.keys(order.pipeline.entities) : [parseTarget(order, name).entity];
  return names.flatMap((entity): EntityView[] => {
    const using = [...log.open.values()].find(({ targets }) => targets.some((target) => target.entity === entity));
    const user = using && { user: userText(using.by) };
    const states = [...effects.states.values()].filter((state) => state.entity === entity && state.to !== 'absent');
    if (states.length === 0) return [{ entity, instance: '', status: 'absent', ...user }];
    return states.map(({ to: status, by, ...state }) => ({ ...state, status, by: userText(by), ...user }));
  });
}

/** Runs a command. @throws InvalidStateError; GatelineError `busy` (ENTITY_BUSY) */
export function runFolderCommand(
  folder: Folder,
  order: Order,
  command: string,
  { args = {}, wait, signal = new AbortController().signal }: CommandOptions,
): Promise<CommandResult> {
  assertOutsideJob(folder);
  return runCommand(folder.ports, order, { command, args, root: folder.options.root, waits: wait }, signal);
}

/** Sets an entity, or one of its instances. @param value only with `to: 'valid'` */
export function setEntity(
  folder: Folder,
  order: Order,
  { name, to, value }: { readonly name: string; readonly to: EntityChange['to']; readonly value?: JsonValue },
  by: Decider,
): Promise<readonly EntityChange[]> {
  const target = parseTarget(order, name);
  if (value !== undefined && to !== 'valid') throw new GatelineError('usage', 'only a valid entity gets a value');
  const clean = value === undefined ? undefined : order.redactor.json(value).value;
  return change(folder, order, by, (effects) => {
    if (to === 'valid') effects.create(target.entity, clean, { instance: target.instance });
    else if (to === 'invalid') effects.invalidate(target, `${by.actor} made it invalid: ${by.reason}`);
    else effects.reset(target);
  });
}

/** Records what a command that ran elsewhere has created and invalidated. */
export function applyCommand(
  folder: Folder,
  order: Order,
  { command, result, args = {} }: { readonly command: string; readonly result?: JsonValue; readonly args?: Names },
  by: Decider,
): Promise<readonly EntityChange[]> {
  const { invalidates, creates, returns } = requireCommand(order, command);
  const value = result === undefined ? undefined : order.redactor.json(result).value;
  return change(folder, order, by, (effects) => {
    for (const entity of invalidates) effects.invalidate(effects.target(entity, args), `${command} made it invalid`);
    for (const entity of creates) effects.create(entity, value, { args, returns });
  });
}

/** Forgets an entity, as if it had never existed. @param name undefined: all entities */
export function resetEntities(folder: Folder, order: Order, name: string | undefined, by: Decider) {
  const all = Object.keys(order.pipeline.entities).map((entity) => ({ entity }));
  const targets = name === undefined ? all : [parseTarget(order, name)];
  return change(folder, order, by, (effects) => targets.forEach((target) => effects.reset(target)));
}

function change(folder: Folder, order: Order, by: Decider, work: Parameters<typeof changeEntities>[3]) {
  assertOutsideJob(folder);
  return changeEntities(folder.ports, order, by, work);
}

/** `resource`, or `resource/resource_7`. */
function parseTarget({ pipeline: { entities } }: Order, name: string): EntityTarget {
  const at = name.indexOf('/');
  const entity = at < 0 ? name : name.slice(0, at);
  const names = Object.keys(entities);
  if (!names.includes(entity)) {
    const known = names.length === 0 ? 'Add it under `entities`.' : `It has ${names.join(', ')}.`;
    throw new GatelineError('usage', `the definition has no entity ${entity}`, {
      hint: didYouMean(entity, names) ?? known,
    });
  }
  return at < 0 ? { entity } : { entity, instance: name.slice(at + 1) };
}

/** In a job on GitHub, an agent would change entities of its checkout only, which no other job sees. */
function assertOutsideJob({ options }: Folder): void {
  if (!readEntityLocks(options.environment).includes(JOB_LOCK)) return;
  throw new GatelineError('usage', 'an agent in a job on GitHub cannot change entities by commands', {
    hint: 'Let its gate create them: `creates` in the definition.',
  });
}
