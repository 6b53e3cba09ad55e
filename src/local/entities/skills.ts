import { readFile } from 'node:fs/promises';
import { checkCommand, runCommand, type CommandResult } from '../../engine/entities/commands.ts';
import type { Order } from '../../engine/ports.ts';
import { currentEnvironment, type Environment } from '../../environment.ts';
import { GatelineError } from '../../errors.ts';
import { readSkill, type EntityStatus, type Skill } from '../../formats/uasp.ts';
import type { JsonValue } from '../../json/json.ts';
import { parsePipeline } from '../../pipeline/parse-pipeline.ts';
import type { EntityChange } from '../../run/entity/change.ts';
import type { Names } from '../../run/entity/instances.ts';
import type { EngineEvent } from '../../run/events.ts';
import { createRedactor } from '../../untrusted/redact.ts';
import { applyCommand, resetEntities, setEntity, viewEntities } from './entities.ts';
import { Folder } from '../folder/folder.ts';
import { entityStatuses, parseSkill } from './uasp.ts';

/** Where the state of skills is kept, and who changes it. */
export interface SkillOptions {
  /** Folder of the state (`.state/`) and of commands. Default: the working directory. */
  readonly folder?: string;
  /** Default: the variables of this process. */
  readonly environment?: Environment;
  /** Who changes entities. Default: `library`. */
  readonly actor?: string;
  readonly observe?: (event: EngineEvent) => void;
}

/**
 * The state of a UASP skill's entities. It is on the disk: every process that uses the folder sees it.
 * Unknown names are GatelineErrors `usage`.
 */
export class StateManager {
  readonly skill: Skill;
  readonly #options: SkillOptions;

  /** @param skill the document of a skill. @throws GatelineError `usage` with every problem in it */
  constructor(skill: unknown, options: SkillOptions = {}) {
    this.skill = readSkill(skill);
    this.#options = options;
  }

  /** Makes an entity valid, or the instance that its value names. */
  async create(name: string, value?: JsonValue): Promise<void> {
    await this.#change((folder, order, by) => setEntity(folder, order, { name, to: 'valid', value }, by));
  }

  /** Makes an entity invalid. It keeps its value. */
  async invalidate(name: string): Promise<void> {
    await this.#change((folder, order, by) => setEntity(folder, order, { name, to: 'invalid' }, by));
  }

  /** Whether an entity, or one of its instances, is valid. */
  async isValid(name: string): Promise<boolean> {
    return (await this.#view(name)).some(({ status }) => status === 'valid');
  }

  /** The newest value of an entity, even if that is invalid; undefined: none. */
  async getValue(name: string): Promise<JsonValue | undefined> {
    return (await this.#view(name)).findLast(({ value }) => value !== undefined)?.value;
  }

  /** Names of required entities of a command that are not valid. */
  async checkRequires(command: string, args: Names = {}): Promise<readonly string[]> {
    return this.use(async ({ ports }, order) => (await checkCommand(ports, order, { command, args })).missing);
  }

  /** Records what a command that ran elsewhere has created and invalidated. */
  async applyEffects(command: string, result?: JsonValue, args: Names = {}): Promise<void> {
    await this.#change((folder, order, by) => applyCommand(folder, order, { command, result, args }, by));
  }

  async getStatus(): Promise<Readonly<Record<string, EntityStatus>>> {
    return entityStatuses(await this.#view());
  }

  /** Forgets all entities, as if they had never existed. */
  async reset(): Promise<void> {
    await this.#change((folder, order, by) => resetEntities(folder, order, undefined, by));
  }

  /** Opens the folder. For {@link CommandExecutor}. */
  async use<T>(work: (folder: Folder, order: Order) => Promise<T>): Promise<T> {
    const {
      folder: root = process.cwd(),
      environment = currentEnvironment(),
      observe = () => undefined,
    } = this.#options;
    const { name, entities, commands } = this.skill;
    const pipeline = { ...EMPTY, id: name, entities, commands };
    await using folder = await Folder.open({ root, pipeline, access: 'read', environment, observe });
    return await work(folder, { ...ORDER, pipeline });
  }

  #view(name?: string) {
    return this.use((folder, order) => viewEntities(folder, order, name));
  }

  #change(
    work: (folder: Folder, order: Order, by: { actor: string; reason: string }) => Promise<readonly EntityChange[]>,
  ) {
    const by = { actor: this.#options.actor ?? 'library', reason: 'StateManager' };
    return this.use((folder, order) => work(folder, order, by));
  }
}

const EMPTY = (() => {
  const parsed = parsePipeline('{"entities": {"none": null}}', 'skill');
  if (!parsed.ok) throw new GatelineError('bug', 'a pipeline of nothing is refused');
  return parsed.pipeline;
})();
const ORDER = {
  definitionFile: '',
  contracts: new Map(),
  redactor: createRedactor({}),
  subject: 'default',
  isSubjectGiven: false,
  metadata: {},
  input: null,
};

/** Runs the commands of a skill. */
export class CommandExecutor {
  readonly #commands: Skill['commands'];
  readonly #state: StateManager;

  constructor(skill: unknown, state: StateManager) {
    this.#commands = readSkill(skill).commands;
    this.#state = state;
  }

  /**
   * Runs a command and records what it creates and invalidates. Its result is its standard output.
   * @throws InvalidStateError with `details.missing`; GatelineError `busy` (ENTITY_BUSY)
   */
  execute(
    command: string,
    args: Names = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<CommandResult> {
    return this.#state.use(({ ports, options: { root } }, order) => {
      const pipeline = { ...order.pipeline, commands: this.#commands };
      return runCommand(ports, { ...order, pipeline }, { command, args, root }, signal);
    });
  }
}

/** Skills by name, each with a state of its own. */
export class SkillRuntime {
  readonly #options: SkillOptions;
  readonly #skills = new Map<string, { readonly state: StateManager; readonly executor: CommandExecutor }>();

  constructor(options: SkillOptions = {}) {
    this.#options = options;
  }

  /** Reads a skill from a YAML or JSON file. @returns its name: from the document, else from the path */
  async loadSkill(path: string): Promise<string> {
    const document = parseSkill(await readFile(path, 'utf8'), path);
    const state = new StateManager(document, this.#options);
    this.#skills.set(state.skill.name, { state, executor: new CommandExecutor(document, state) });
    return state.skill.name;
  }

  /** {@link CommandExecutor.execute} */
  async execute(skill: string, command: string, args?: Names): Promise<CommandResult> {
    return this.#named(skill).executor.execute(command, args);
  }

  getState(skill: string): StateManager {
    return this.#named(skill).state;
  }

  async resetState(skill: string): Promise<void> {
    await this.#named(skill).state.reset();
  }

  async getManifest() {
    const skills = [...this.#skills].map(async ([name, { state }]) => ({ name, state: await state.getStatus() }));
    return { loaded_skills: await Promise.all(skills) };
  }

  #named(name: string) {
    const skill = this.#skills.get(name);
    if (skill) return skill;
    const names = [...this.#skills.keys()].join(', ') || 'none';
    throw new GatelineError('usage', `no skill ${name} is loaded`, { hint: `Loaded: ${names}.` });
  }
}
