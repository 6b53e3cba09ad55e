import { checkCommand, type CommandCheck, type CommandResult } from '../../engine/entities/commands.ts';
import type { Decider } from '../../engine/ports.ts';
import type { JsonValue } from '../../json/json.ts';
import type { EntityChange } from '../../run/entity/change.ts';
import type { Names } from '../../run/entity/instances.ts';
import {
  applyCommand,
  resetEntities,
  runFolderCommand,
  setEntity,
  viewEntities,
  type CommandOptions,
  type EntityView,
} from '../entities/entities.ts';
import type { Session } from '../session.ts';
import { exportSkill } from '../entities/uasp.ts';

/** Entities of a folder, and the commands that require, create and invalidate them. */
export class EntityVerbs {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Runs a command of the definition. @throws InvalidStateError; GatelineError `busy` (ENTITY_BUSY) */
  do(command: string, options: CommandOptions = {}): Promise<CommandResult> {
    return this.#session.use('read', (folder, order) => runFolderCommand(folder, order, command, options));
  }

  /** Checks what a command requires: what is not valid, and which commands would make it valid. */
  check(command: string, args: Names = {}): Promise<CommandCheck> {
    return this.#session.use('read', (folder, order) => checkCommand(folder.ports, order, { command, args }));
  }

  /** Entities as they are now. @param name only this one, or one of its instances */
  list(name?: string): Promise<readonly EntityView[]> {
    return this.#session.use('read', (folder, order) => viewEntities(folder, order, name));
  }

  /** Sets an entity, or one of its instances (`resource/resource_7`). */
  set(name: string, to: EntityChange['to'], value?: JsonValue, by: Partial<Decider> = {}) {
    return this.#session.use('read', async (folder, order) =>
      setEntity(folder, order, { name, to, value }, await this.#session.decider(by, order, 'gateline entities set')),
    );
  }

  /** Records what a command that ran elsewhere has created and invalidated. */
  apply(command: string, result?: JsonValue, args: Names = {}, by: Partial<Decider> = {}) {
    return this.#session.use('read', async (folder, order) =>
      applyCommand(
        folder,
        order,
        { command, result, args },
        await this.#session.decider(by, order, 'gateline entities apply'),
      ),
    );
  }

  /** Forgets an entity, as if it had never existed. @param name default: all */
  reset(name?: string, by: Partial<Decider> = {}): Promise<readonly EntityChange[]> {
    return this.#session.use('read', async (folder, order) =>
      resetEntities(folder, order, name, await this.#session.decider(by, order, 'gateline entities reset')),
    );
  }

  /** Writes the entities and commands as a skill of UASP, and their state. @param options.target folder. Default: `uasp` */
  exportSkill(options: { target?: string; isDry?: boolean } = {}): Promise<readonly string[]> {
    return this.#session.use(options.isDry ? 'read' : 'engine', (folder, order) => exportSkill(folder, order, options));
  }
}
