import type { Ports } from '../../../src/engine/ports.ts';
import { orderOf } from '../../support/pipelines.ts';
import type { Crew, SimulatedAgent } from '../memory-agents.ts';
import { perform, watchPorts, type Command } from '../watched-ports.ts';
import type { Call, Running, World } from '../world.ts';
import { createStores, MemoryState } from './stores.ts';
import { MemoryFolder, MemoryWorkspace } from './workspace.ts';

/** All in this process: an operation happens at once, or never if the call died before it. */
export class MemoryWorld implements World {
  readonly folder = new MemoryFolder();
  readonly state = new MemoryState();
  readonly breakPorts: ((ports: Ports) => Ports) | undefined;
  crew?: Crew;
  #time = Date.UTC(2030, 0, 1);

  /** @param breakPorts takes a rule away */
  constructor(breakPorts?: (ports: Ports) => Ports) {
    this.breakPorts = breakPorts;
  }

  write({ unit }: SimulatedAgent, path: string, content: string | null): undefined {
    this.folder.write(path, content, unit);
  }

  start(call: Call, command: Command): Running {
    const promise = perform(this.#ports(call), orderOf(call.pipeline, call.options), command);
    const running: Running & { settled?: Promise<unknown> } = {
      isCalm: true,
      release: () => undefined,
      kill: () => Promise.resolve(),
    };
    const settle = () => void (running.settled = promise);
    promise.then(settle, settle);
    return running;
  }

  turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  quietly<Result>(call: Call, _: boolean, work: (ports: Ports) => Promise<Result>): Promise<Result> {
    return work(this.#ports(call));
  }

  startAgent(directory: string): void {
    void this.crew!.work(this.crew!.agentIn(directory));
  }

  #ports({ hooks }: Call): Ports {
    const ports = watchPorts(
      {
        ...createStores(this.state),
        workspace: new MemoryWorkspace(this.folder, hooks),
        agents: this.crew!.port(),
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
