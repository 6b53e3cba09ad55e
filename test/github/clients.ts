import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { plainEnvironment } from '../support/command-line.ts';

/** A call on its way to the process of the clients. */
export interface Call {
  readonly number: number;
  readonly path: string;
  readonly args: readonly unknown[];
  readonly env: Readonly<Record<string, string>>;
  /** What Octokit works with. */
  readonly token: string;
}

/** An error of the other process. */
export interface Described {
  readonly name: string;
  readonly message: string;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** What comes back: lines of the log, and then what the call came to. */
export type Message =
  | { readonly log: string }
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly error: Described };

type Outcome = Exclude<Message, { log: string }>;

/** A process with GitHub's published clients in it. */
class ClientProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #sent = 0;
  log = '';

  constructor() {
    this.#child = fork(new URL('./client-process.ts', import.meta.url), [], {
      env: plainEnvironment(),
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.on('message', (message: Message) => {
      if ('log' in message) this.log += message.log;
      else this.#waiting.get(message.number)?.(message);
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log += text;
    });
    this.#child.on('exit', (code, signal) => {
      const error = { name: 'Exit', message: `${code ?? signal}\n${this.log}`, status: undefined, headers: {} };
      for (const [number, settle] of this.#waiting) settle({ number, error });
    });
  }

  send(call: Omit<Call, 'number'>): Promise<Outcome> {
    this.#sent += 1;
    const number = this.#sent;
    const outcome = new Promise<Outcome>((resolve) => {
      this.#waiting.set(number, resolve);
    });
    this.#child.send({ ...call, number } satisfies Call);
    return outcome.finally(() => this.#waiting.delete(number));
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

let shared: ClientProcess | undefined;

/** Ends the process that the calls of a test file share. For `afterAll`. */
export async function endClients(): Promise<void> {
  await shared?.end();
  shared = undefined;
}

/** GitHub's published clients, as a step with this environment has them. */
export class Clients {
  readonly #process: () => ClientProcess;
  readonly #env: Readonly<Record<string, string>>;
  readonly #token: string;
  #begin = 0;

  /** `token` is what Octokit works with. Calls of one test file share a process, and wait for one another. */
  constructor(env: Readonly<Record<string, string>>, token = 'none', process = () => (shared ??= new ClientProcess())) {
    this.#env = { ...plainEnvironment(), ...env };
    this.#token = token;
    this.#process = process;
    this.#begin = this.#process().log.length;
  }

  /** In a process of their own, killed at the end: for calls that never settle. */
  static alone(env: Readonly<Record<string, string>>, token?: string): Clients & AsyncDisposable {
    const own = new ClientProcess();
    const clients = new Clients(env, token, () => own);
    return Object.assign(clients, { [Symbol.asyncDispose]: () => own.end() });
  }

  /** What the clients printed since this object was made. */
  get log(): string {
    return this.#process().log.slice(this.#begin);
  }

  /** Calls a method: `artifact.uploadArtifact`, `cache.saveCache`, `octokit.rest.issues.createComment`, `core.setOutput`. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async call<T = any>(path: string, ...args: readonly unknown[]): Promise<T> {
    const outcome = await this.#send(path, args);
    if ('error' in outcome) throw new ClientError(outcome.error);
    return outcome.value as T;
  }

  /** The error that a call throws. */
  async failure(path: string, ...args: readonly unknown[]): Promise<ClientError> {
    const outcome = await this.#send(path, args);
    if ('error' in outcome) return new ClientError(outcome.error);
    throw new Error(`${path} answered ${JSON.stringify(outcome.value)}`);
  }

  /** Makes a call that may never settle. */
  begin(path: string, ...args: readonly unknown[]): { readonly isSettled: () => boolean } {
    let isSettled = false;
    void this.#send(path, args).then(() => {
      isSettled = true;
    });
    return { isSettled: () => isSettled };
  }

  #send(path: string, args: readonly unknown[]): Promise<Outcome> {
    return this.#process().send({ path, args, env: this.#env, token: this.#token });
  }
}

/** An error as it was in the other process. */
export class ClientError extends Error {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;

  constructor({ name, message, status, headers }: Described) {
    super(message);
    this.name = name;
    this.status = status;
    this.headers = headers;
  }
}
