/** A process that may be killed: from then on nothing that it asks for happens, and nothing is answered. */
export class Mortal {
  /** Rejects when the process is killed. */
  readonly died: Promise<never>;
  #kill: (error: Error) => void = () => undefined;
  #isDead = false;
  #left: number;

  /** @param operations how many operations of its ports it lives for */
  constructor(operations = Infinity) {
    this.#left = operations;
    this.died = new Promise((_, reject) => (this.#kill = reject));
    this.died.catch(() => undefined);
  }

  kill(error: Error): void {
    this.#isDead = true;
    this.#kill(error);
  }

  /** A port of this process. What its methods return is a port too, if it has methods. */
  port<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...args: unknown[]) => unknown;
        return SYNCHRONOUS.has(name) ? method : (...args: unknown[]) => this.#ask(() => method(...args));
      },
    });
  }

  async #ask(operation: () => unknown): Promise<unknown> {
    this.#left -= 1;
    if (this.#left < 0) this.kill(new Killed('it did all that it lives for'));
    if (this.#isDead) return forever();
    let answer: unknown;
    try {
      answer = await operation();
    } catch (error) {
      if (this.#isDead) return forever();
      throw error;
    }
    if (this.#isDead) return forever();
    return isPort(answer) ? this.port(answer) : answer;
  }
}

/** The engine's process is killed. Thrown by an agent's script: it happens while that agent works. */
export class Killed extends Error {}

const SYNCHRONOUS: ReadonlySet<string | symbol> = new Set(['matches', 'pathOf', 'at']);

function forever(): Promise<never> {
  return new Promise(() => undefined);
}

function isPort(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => typeof one === 'function');
}
