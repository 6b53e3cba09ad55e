import type { Ports } from '../../../src/engine/ports.ts';
import { recoverFolder } from '../../../src/engine/attempt/recover.ts';
import { applyChanges } from '../../../src/local/runs/isolated.ts';
import { orderOf } from '../../support/pipelines.ts';
import type { Crew, SimulatedAgent } from '../memory-agents.ts';
import { perform, watchPorts, type Command } from '../watched-ports.ts';
import type { Call, Running, Tree, World } from '../world.ts';
import { createStores, MemoryState } from './stores.ts';
import { MemoryFolder, MemoryWorkspace } from './workspace.ts';

/** All in this process: an operation happens at once, or never if the call died before it. */
export class MemoryWorld implements World {
  readonly folder = new MemoryFolder();
  place = this.folder;
  /** By subject, from which snapshot to which its isolated run led. */
  readonly #results = new Map<string, readonly [base: string, result: string]>();
  readonly state = new MemoryState();
  readonly breakPorts: ((ports: Ports) => Ports) | undefined;
  crew?: Crew;
  #time = Date.UTC(2030, 0, 1);

  /** @param breakPorts takes a rule away */
  constructor(breakPorts?: (ports: Ports) => Ports) {
    this.breakPorts = breakPorts;
  }

  write({ unit, folder }: SimulatedAgent, path: string, content: string | null): undefined {
    folder.write(path, content, unit);
  }

  start(call: Call, command: Command): Running {
    this.place = this.folder;
    const isIsolated = command.kind === 'run' && command.isIsolated === true;
    const work = isIsolated ? this.#runIsolated(call) : this.#work(call, command);
    const running: Running & { settled?: Promise<unknown> } = {
      isCalm: true,
      release: () => undefined,
      kill: () => Promise.resolve(),
    };
    const settle = () => void (running.settled = work);
    work.then(settle, settle);
    return running;
  }

  #work(call: Call, command: Command): Promise<unknown> {
    return perform(this.#ports(call), orderOf(call.pipeline, call.options), command);
  }

  /** As the engine does with git: in a clone that has the files of the folder. */
  async #runIsolated(call: Call): Promise<unknown> {
    const order = { ...orderOf(call.pipeline, call.options), isIsolated: true };
    const { subject } = order;
    this.#results.delete(subject);
    await recoverFolder(this.#ports(call), order);
    const place = new MemoryFolder(this.folder);
    this.place = place;
    const base = place.store(place.files);
    const result = await perform(this.#ports(call), order, { kind: 'run' });
    this.#results.set(subject, [base, place.store(place.files)]);
    return result;
  }

  async apply(call: Call): Promise<readonly [base: Tree, result: Tree] | undefined> {
    const trees = this.#results.get(orderOf(call.pipeline, call.options).subject);
    this.place = this.folder;
    if (trees === undefined) return undefined;
    const ports = this.#ports(call);
    await recoverFolder(ports, orderOf(call.pipeline, call.options));
    const [base, result] = trees.map((tree) => ({ tree, unstored: {} }));
    await applyChanges(ports.workspace, await ports.workspace.diff(base!, result!));
    return [this.folder.tree(trees[0]), this.folder.tree(trees[1])];
  }

  turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  quietly<Result>(call: Call, isAlone: boolean, work: (ports: Ports) => Promise<Result>): Promise<Result> {
    if (isAlone) this.place = this.folder;
    return work(this.#ports(call));
  }

  startAgent(directory: string): void {
    void this.crew!.work(this.crew!.agentIn(directory));
  }

  #ports({ hooks }: Call): Ports {
    const ports = watchPorts(
      {
        ...createStores(this.state),
        workspace: new MemoryWorkspace(this.place, hooks),
        agents: this.crew!.port(),
        documents: { read: async () => undefined },
        clock: { now: () => new Date((this.#time += 1_000)) },
        environment: {},
        platform: { os: 'linux', arch: 'x64' },
        toolVersion: () => Promise.reject(new Error('no gate names a tool')),
        observe: hooks.observe,
      },
      hooks,
    );
    return this.breakPorts?.(ports) ?? ports;
  }
}
