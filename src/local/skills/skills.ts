import { resolve } from 'node:path';
import {
  decideEntities,
  effectsOfCommand,
  entityNamed,
  readEntities,
  type EntityChange,
} from '../../engine/commands/decide-entities.ts';
import { checkRequires, runCommand, type CommandAsked, type CommandRan } from '../../engine/commands/run-command.ts';
import { readValue } from '../../engine/entities/view-entities.ts';
import type { Assignment } from '../../engine/call/call.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { idFor, importSkills } from '../../formats/uasp/import-skills.ts';
import { uaspStatus, type UaspManifest, type UaspStatus } from '../../formats/uasp/status.ts';
import { digestOf, hexOf } from '../../json/digest.ts';
import type { JsonValue } from '../../json/json.ts';
import { isValidAt } from '../../run/entity/entity-state.ts';
import { definePipeline } from '../define-pipeline.ts';
import { checked } from '../library-arguments.ts';
import { argumentsShape, jsonShape } from '../library-shapes.ts';
import { readSkill } from './read-skill.ts';

/** Options of {@link StateManager} and {@link CommandExecutor}. */
export interface SkillOptions {
  /** Who changes entities, in records. Default `library`. */
  readonly actor?: string;
  /** Does work while no other command or change of entities begins. Default: `exclusively` of the ports. */
  readonly locked?: NonNullable<EnginePorts['exclusively']>;
}

/**
 * A pipeline's entities for one subject. Its methods are those of UASP's class; everything is in Gateline's records.
 */
export class StateManager {
  readonly #ports: EnginePorts;
  readonly #assignment: Assignment;
  readonly #options: SkillOptions;

  constructor(ports: EnginePorts, assignment: Assignment, options: SkillOptions = {}) {
    this.#ports = ports;
    this.#assignment = assignment;
    this.#options = options;
  }

  /** Makes an entity valid. @throws GatelineError `ENTITY_NOT_DEFINED`, `ENTITY_BUSY` */
  async create(name: string, value?: JsonValue): Promise<void> {
    if (value !== undefined) checked('create', 'value', jsonShape, value);
    return this.#change([{ action: 'create', entity: name, ...(value !== undefined && { value }) }], 'create');
  }

  /** Makes an entity invalid; its value stays. @throws GatelineError `ENTITY_NOT_DEFINED` */
  invalidate(name: string): Promise<void> {
    return this.#change([{ action: 'invalidate', entity: name }], 'invalidate');
  }

  /** Whether an instance of an entity is valid now. @throws GatelineError `ENTITY_NOT_DEFINED` */
  async isValid(name: string): Promise<boolean> {
    const { margin } = entityNamed({ assignment: this.#assignment }, name);
    const { view } = await readEntities(this.#ports, this.#assignment);
    return [...view.states.values()].some((state) => state.entity === name && isValidAt(state, view.now, margin));
  }

  /**
   * The value of the newest instance of an entity, also of one that is no longer valid; `undefined`: there is none.
   * @throws GatelineError `ENTITY_NOT_DEFINED`
   */
  async getValue(name: string): Promise<JsonValue | undefined> {
    entityNamed({ assignment: this.#assignment }, name);
    const { call, view } = await readEntities(this.#ports, this.#assignment);
    const state = [...view.states.values()].findLast((one) => one.entity === name && one.value !== undefined);
    return state?.value && readValue(call, state.value);
  }

  /**
   * Names of the entities that a command requires and that are not valid.
   * @param args its arguments, which may name instances; without any, each instance will do
   * @throws GatelineError `COMMAND_NOT_DEFINED`, `COMMAND_ARGUMENT_REFUSED`
   */
  async checkRequires(command: string, args: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
    const given = checked('checkRequires', 'args', argumentsShape, args);
    return (await checkRequires(this.#ports, this.#assignment, command, given)).missing;
  }

  /**
   * Records what a command that ran elsewhere creates and invalidates.
   * @param args its arguments, which may name instances; without any, it is about all of them
   * @throws GatelineError `COMMAND_NOT_DEFINED`, `COMMAND_ARGUMENT_REFUSED`, `ENTITY_BUSY`
   */
  async applyEffects(command: string, result?: JsonValue, args: Readonly<Record<string, string>> = {}): Promise<void> {
    const given = checked('applyEffects', 'args', argumentsShape, args);
    if (result !== undefined) checked('applyEffects', 'result', jsonShape, result);
    const effects = effectsOfCommand({ assignment: this.#assignment }, command, result, given);
    return this.#change(effects, `apply ${command}`);
  }

  /** Whether each entity is valid, and has a value. */
  async getStatus(): Promise<UaspStatus> {
    const { view } = await readEntities(this.#ports, this.#assignment);
    return uaspStatus(view.entities, view.states, view.now);
  }

  /** As if no entity had ever existed. @throws GatelineError `ENTITY_BUSY` */
  reset(): Promise<void> {
    const { entities = [] } = this.#assignment.pipeline.resources ?? {};
    return this.#change(
      entities.map(({ name }) => ({ action: 'reset', entity: name })),
      'reset',
    );
  }

  async #change(changes: readonly EntityChange[], reason: string): Promise<void> {
    const decider = { actor: this.#options.actor ?? 'library', reason };
    await decideEntities(portsWith(this.#ports, this.#options), this.#assignment, changes, decider);
  }
}

/** Runs the commands of a pipeline. */
export class CommandExecutor {
  readonly #ports: EnginePorts;
  readonly #assignment: Assignment;
  readonly #options: SkillOptions;

  constructor(ports: EnginePorts, assignment: Assignment, options: SkillOptions = {}) {
    this.#ports = ports;
    this.#assignment = assignment;
    this.#options = options;
  }

  /**
   * Runs a command to its end, and records it.
   * @throws InvalidStateError; GatelineError `COMMAND_NOT_DEFINED`, `COMMAND_ARGUMENT_REFUSED`, `ENTITY_BUSY`,
   *   `ENGINE_BUSY`
   */
  async execute(
    command: string,
    args: Readonly<Record<string, string>> = {},
    how: Partial<Pick<CommandAsked, 'observe' | 'signal'>> = {},
  ): Promise<CommandRan> {
    return runCommand(portsWith(this.#ports, this.#options), this.#assignment, {
      command,
      arguments: checked('execute', 'args', argumentsShape, args),
      observe: how.observe ?? (() => undefined),
      signal: how.signal ?? new AbortController().signal,
    });
  }
}

function portsWith(ports: EnginePorts, { locked }: SkillOptions): EnginePorts {
  return locked === undefined ? ports : { ...ports, exclusively: locked };
}

/** Each skill has a state of its own, also if two names differ in characters alone that an id cannot have. */
function pipelineIdFor(skill: string): string {
  const id = idFor(skill);
  return id === skill ? id : `${id.slice(0, 33)}-${hexOf(digestOf(skill)).slice(0, 6)}`;
}

/** A loaded skill. */
interface LoadedSkill {
  readonly state: StateManager;
  readonly executor: CommandExecutor;
}

/** Skills of UASP on one machine, each as a pipeline of its own. */
export class SkillRuntime {
  readonly #portsFor: (pipeline: Assignment['pipeline']) => Promise<EnginePorts>;
  readonly #subject: string;
  readonly #options: SkillOptions;
  readonly #skills = new Map<string, LoadedSkill>();

  /**
   * @param portsFor the ports for the pipeline of a skill, such as `(pipeline) => localPorts({place: {root, pipeline,
   *   isDefault: false}, environment})`
   * @param subject whose state it is. Default `default`
   */
  constructor(
    portsFor: (pipeline: Assignment['pipeline']) => Promise<EnginePorts>,
    subject = 'default',
    options: SkillOptions = {},
  ) {
    this.#portsFor = portsFor;
    this.#subject = subject;
    this.#options = options;
  }

  /**
   * Loads a skill from a file, and starts nothing.
   * @returns its name, and what a person should look at
   * @throws GatelineError `INPUT_INVALID`, `SKILL_INVALID`; PipelineInvalidError
   */
  async loadSkill(path: string): Promise<{ readonly name: string; readonly warnings: readonly string[] }> {
    const skill = await readSkill(resolve(path), path);
    const { entities, commands, warnings } = importSkills([skill]);
    const pipeline = definePipeline({ pipeline: pipelineIdFor(skill.name), entities, commands });
    const assignment = { pipeline, subject: this.#subject, metadata: {}, input: null };
    const ports = await this.#portsFor(pipeline);
    const state = new StateManager(ports, assignment, this.#options);
    this.#skills.set(skill.name, { state, executor: new CommandExecutor(ports, assignment, this.#options) });
    return { name: skill.name, warnings };
  }

  /** {@link CommandExecutor.execute}. @throws GatelineError `SKILL_NOT_LOADED` too */
  execute(skill: string, command: string, args?: Readonly<Record<string, string>>): Promise<CommandRan> {
    return this.#named(skill).executor.execute(command, args);
  }

  /** @throws GatelineError `SKILL_NOT_LOADED` */
  getState(skill: string): StateManager {
    return this.#named(skill).state;
  }

  /** {@link StateManager.reset}. @throws GatelineError `SKILL_NOT_LOADED` too */
  resetState(skill: string): Promise<void> {
    return this.#named(skill).state.reset();
  }

  /** The loaded skills with their state. */
  async getManifest(): Promise<UaspManifest> {
    const loaded = [...this.#skills].map(async ([name, { state }]) => ({ name, state: await state.getStatus() }));
    return { loaded_skills: await Promise.all(loaded) };
  }

  #named(name: string): LoadedSkill {
    const skill = this.#skills.get(name);
    if (skill !== undefined) return skill;
    throw new GatelineError('SKILL_NOT_LOADED', `there is no skill ${name}`, {
      hint: `Loaded skills: ${[...this.#skills.keys()].join(', ') || 'none'}.`,
    });
  }
}
