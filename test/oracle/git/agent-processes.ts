import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessId } from '../../../src/run/entry.ts';
import type { Crew, SimulatedAgent } from '../memory-agents.ts';

/** Does line by line what the test says, and ends when the test is gone. */
const script = (port: number): string => `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${port}
echo "$GATELINE_OUTPUT" >&3
while read -r line <&3; do eval "$line"; echo done >&3; done
`;

/** Agents as processes: a behavior decides in this process what one of them does there. */
export class AgentProcesses {
  crew!: Crew;
  /** Called when an agent may go on, or is gone. */
  onNews = (): void => {};
  /** Attempts that are in the log. */
  readonly started = new Set<string>();
  readonly #command: string;
  readonly #server: Server;
  /** By directory: those that wait for their first line; processes that the engine started. */
  readonly #arrivals = new Map<string, Socket>();
  readonly #ids = new Map<string, ProcessId>();
  readonly #sockets = new Map<SimulatedAgent, Socket>();
  readonly #writes = new Map<SimulatedAgent, () => void>();

  private constructor(command: string, server: Server) {
    this.#command = command;
    this.#server = server;
    server.on('connection', (socket) => this.#onConnection(socket));
  }

  /** @param command path of the script to write */
  static async open(command: string): Promise<AgentProcesses> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    writeFileSync(command, script((server.address() as AddressInfo).port), { mode: 0o755 });
    return new AgentProcesses(command, server);
  }

  /** Starts one that works by itself. */
  start(directory: string, cwd: string, env: NodeJS.ProcessEnv): void {
    this.started.add(directory);
    spawn(this.#command, { cwd, env, stdio: 'ignore' });
  }

  note(directory: string, id: ProcessId): void {
    this.#ids.set(directory, id);
  }

  /** Those of attempts that are in the log begin. */
  begin(): void {
    for (const [directory, socket] of this.#arrivals) {
      if (!this.started.has(directory)) continue;
      this.#arrivals.delete(directory);
      const agent = this.crew.agentIn(directory);
      this.#sockets.set(agent, socket);
      socket.on('close', () => this.#onClose(agent));
      void this.crew.work(agent).then(({ exitCode = 0 }) => socket.write(`exit ${exitCode}\n`));
      if (socket.destroyed) this.#onClose(agent);
    }
  }

  /** Settles when the agent has done what a line says, or is gone. */
  do(agent: SimulatedAgent, line: string): Promise<void> {
    return new Promise((resolve) => {
      this.#writes.set(agent, resolve);
      this.#sockets.get(agent)!.write(`${line}\n`);
    });
  }

  /** The engine is gone: agents that had got the word arrive, the others end. */
  async awaitArrivals(): Promise<void> {
    const hasArrived = (directory: string): boolean =>
      this.#arrivals.has(directory) || (this.started.has(directory) && this.#sockets.has(this.crew.agentIn(directory)));
    while ([...this.#ids].some(([directory, { pid }]) => !hasArrived(directory) && isAlive(pid))) await sleep(2);
    this.begin();
  }

  /** @returns the directory of its attempt */
  end({ pid }: ProcessId): void {
    const [directory] = [...this.#ids].find(([, id]) => id.pid === pid) ?? [];
    if (isAlive(pid)) throw new Error(`the agent in ${directory} still works`);
    if (directory !== undefined) this.crew.end(this.crew.agentIn(directory));
  }

  /** @returns directories of those that still live */
  close(): string[] {
    const left = [...this.#ids].filter(([, { pid }]) => isAlive(pid)).map(([directory]) => directory);
    for (const socket of [...this.#arrivals.values(), ...this.#sockets.values()]) socket.destroy();
    this.#server.close();
    return left;
  }

  #onConnection(socket: Socket): void {
    socket.on('error', () => {});
    let directory: string | undefined;
    createInterface(socket).on('line', (line) => {
      if (directory === undefined) this.#arrivals.set((directory = dirname(line)), socket);
      else for (const [agent, other] of this.#sockets) if (other === socket) this.#writes.get(agent)?.();
      this.onNews();
    });
  }

  #onClose(agent: SimulatedAgent): void {
    this.#writes.get(agent)?.();
    this.crew.end(agent);
    this.onNews();
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
