import type { Assignment, Decider, Order } from '../engine/ports.ts';
import type { Environment } from '../environment.ts';
import { GatelineError } from '../errors.ts';
import type { SetSubject } from '../pipeline/set.ts';
import type { EngineEvent } from '../run/events.ts';
import { Folder, type FolderAccess } from './folder/folder.ts';
import { findActor } from './folder/git.ts';
import type { Definition } from './project/load-definition.ts';
import { assignmentFor, createOrder } from './runs/order.ts';

/** A definition, what a run of it is about, and its folder, which each verb opens for as long as it works. */
export class Session {
  readonly definition: Definition;
  readonly assignment: Assignment;
  readonly environment: Environment;
  readonly #observe: (event: EngineEvent, subject?: string) => void;

  constructor(
    definition: Definition,
    assignment: Assignment,
    environment: Environment,
    observe: (event: EngineEvent, subject?: string) => void,
  ) {
    this.definition = definition;
    this.assignment = assignment;
    this.environment = environment;
    this.#observe = observe;
  }

  async use<T>(access: FolderAccess, work: (folder: Folder, order: Order) => Promise<T>): Promise<T> {
    const { root, pipeline, named } = this.definition;
    const order = createOrder(this.definition, this.assignment, this.environment);
    await using folder = await Folder.open({
      root,
      pipeline,
      definition: named,
      access,
      environment: this.environment,
      observe: this.#observe,
    });
    return await work(folder, order);
  }

  /** The order of a subject of a set. A property, so that it can be handed on. */
  readonly orderFor = (
    { id, metadata, input = this.assignment.input }: SetSubject,
    task = this.assignment.task,
  ): Order => {
    const options = { subject: id, task, metadata: { ...this.assignment.metadata, ...metadata }, input };
    const assignment = assignmentFor(this.definition.pipeline, options, undefined);
    return createOrder(this.definition, assignment, this.environment);
  };

  /** Who decides, and why. @param reason default of `by.reason`; undefined: the caller must give one */
  async decider(by: Partial<Decider> | undefined, { redactor }: Order, reason?: string): Promise<Decider> {
    const text = by?.reason ?? reason;
    if (text === undefined || text.trim() === '')
      throw new GatelineError('usage', 'a decision needs a reason', {
        hint: '--reason says why; it is shown wherever the decision is',
      });
    const actor = by?.actor ?? (await findActor(this.definition.root, this.environment, reason !== undefined));
    if (text.length > 4_096 || actor.length > 255 || actor.trim() === '')
      throw new GatelineError('usage', 'a reason has at most 4,096 characters, and who decides 1 to 255');
    return { actor: redactor.text(actor), reason: redactor.text(text) };
  }
}
