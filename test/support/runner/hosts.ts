import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileCache } from './bundle.ts';
import type { HostedEnd, HostedStep } from './host.ts';
import { drain, readLines, StepProcess, type StepCommand } from './process.ts';

const PROGRAM = fileURLToPath(new URL('host.ts', import.meta.url));
/** What steps read counts against a limit of 64 MiB otherwise: V8 would collect garbage each few steps. */
const FLAGS = ['--external-memory-accounted-in-global-limit', '--initial-heap-size=512'];

/** Hosts without a step. */
const idle = new Set<Host>();
let steps = 0;

/**
 * Runs a program of the product in a process that has run others before, if one is free: to start Node and to load the
 * program would take most of the step's time. The process serves again unless it was sent a signal, or the step left
 * something open.
 */
export function startHostedStep(command: StepCommand, onLine: (line: string) => void): StepProcess {
  // GitHub's client keeps the first address that it is told.
  const address = command.env['GITHUB_API_URL'];
  for (const host of idle) if (host.address !== address) host.end();
  const [host = new Host(address)] = idle;
  return host.start(command, onLine);
}

class Host {
  readonly address: string | undefined;
  readonly #child;
  readonly #exited: Promise<number | null>;
  readonly #closed: Promise<unknown>;
  #onLine: (line: string) => void = () => undefined;

  constructor(address: string | undefined) {
    const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache() };
    const child = fork(PROGRAM, { env, execArgv: FLAGS, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true });
    this.address = address;
    this.#child = child;
    this.#exited = new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
    const forget = () => idle.delete(this);
    this.#exited.then(forget, forget);
    this.#closed = readLines(child, (line) => this.#onLine(line));
    // They end with this process.
    for (const output of [child.stdout, child.stderr]) (output as Socket).unref();
    child.channel!.unref();
  }

  start({ args: [path = ''], cwd, env }: StepCommand, onLine: (line: string) => void): StepProcess {
    const child = this.#child;
    const mark = randomUUID();
    const printed = new Promise<void>((resolve) => {
      let open = 2;
      this.#onLine = (line) => {
        if (!line.endsWith(mark)) return onLine(line);
        if (line !== mark) onLine(line.slice(0, -mark.length));
        open -= 1;
        if (open === 0) resolve();
      };
    });
    const answered = new Promise<number>((resolve) => child.once('message', ({ code }: HostedEnd) => resolve(code)));
    const exited = Promise.race([answered, this.#exited]);
    const ended = exited.then(async (code) => {
      const isAlive = child.exitCode === null && child.signalCode === null;
      await (isAlive ? Promise.race([printed, this.#closed]) : drain(child, this.#closed));
      if (isAlive && !step.isSignalled) idle.add(this);
      else this.end();
      child.unref();
      return code;
    });
    const step = new StepProcess(child, exited, ended);
    idle.delete(this);
    child.ref();
    const order: HostedStep = { url: `${pathToFileURL(path).href}?${(steps += 1)}`, cwd, env, mark };
    child.send(order);
    return step;
  }

  end(): void {
    idle.delete(this);
    this.#child.kill('SIGKILL');
  }
}
