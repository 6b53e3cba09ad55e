import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatelineError } from '../../../src/errors.ts';
import type { Digest } from '../../../src/json/digest.ts';
import type { Checkpoint } from '../../../src/run/checkpoint.ts';
import type { FileChange } from '../../../src/run/files.ts';
import type { Call, Running } from '../world.ts';
import type { GitWorld } from './git-world.ts';
import type { Job, Message } from './host.ts';

type Point = Extract<Message, { readonly point: number }>;

/** A command that a process works on. */
export class HostedCall implements Running {
  settled: Promise<unknown> | undefined;
  readonly #host: ChildProcess;
  readonly #hooks: Call['hooks'];
  readonly #world: GitWorld;
  /** Operations that wait for the word; how many have it; whether all get it at once. */
  readonly #held: Point[] = [];
  #granted = 0;
  #isFree = false;
  /** What may be half done if the process is killed. */
  readonly #puts = new Map<string, string | null>();
  readonly #saves = new Map<Digest, Checkpoint>();
  /** Of the world, when the engine began to look at the folder. */
  #activity = 0;

  constructor(host: ChildProcess, job: Job, hooks: Call['hooks'], world: GitWorld) {
    this.#host = host;
    this.#hooks = hooks;
    this.#world = world;
    host.on('message', this.#onMessage);
    host.send(job);
  }

  get isCalm(): boolean {
    return this.#granted === 0 && (this.#held.length > 0 || this.#world.isWorking);
  }

  release(): void {
    for (const message of this.#held.splice(0))
      void this.#hooks.point(message.operation).then(() => this.#grant(message));
  }

  /** At once, or some time after all that waits got the word. */
  async kill(): Promise<void> {
    const delay = this.#world.random.int(60) - 15;
    if (delay > 0) {
      this.#isFree = true;
      for (const message of this.#held.splice(0)) this.#grant(message);
      await sleep(delay);
    }
    const end = Promise.all([once(this.#host, 'exit'), once(this.#host, 'disconnect')]);
    this.#host.kill('SIGKILL');
    await end;
    for (const [fingerprint, checkpoint] of this.#saves)
      if (this.#world.state.hasCheckpoint(fingerprint, checkpoint)) this.#hooks.onSave(checkpoint, fingerprint);
    this.#notePuts();
    await this.#world.recover(this.#hooks);
  }

  readonly #onMessage = (message: Message): void => {
    if ('point' in message) {
      if (this.#isFree) this.#grant(message);
      else this.#held.push(message);
    } else if ('hook' in message) this.#onHook(message.hook as keyof Call['hooks'], message.args);
    else {
      this.#host.off('message', this.#onMessage);
      this.settled = 'result' in message ? Promise.resolve(message.result) : Promise.reject(errorOf(message));
      this.settled.catch(() => {});
    }
    this.#world.wake();
  };

  #grant({ point, operation, details }: Point): void {
    if (operation !== 'appended') this.#granted += 1;
    if (operation === 'save') this.#saves.set(details[0] as Digest, details[1] as Checkpoint);
    if (operation === 'put') this.#onPut(details[0] as readonly FileChange[]);
    if (operation === 'snapshot') this.#activity = this.#world.activity;
    this.#host.send({ go: point }, () => {});
  }

  #onPut(changes: readonly FileChange[]): void {
    const { folder } = this.#world;
    for (const { path, ...change } of changes) {
      const [before, after] = [folder.contentOf(change.before), folder.contentOf(change.after)];
      const current = folder.read(path);
      if (current === after || current !== before) continue;
      this.#hooks.onPut(path, before, after);
      this.#puts.set(path, after);
    }
  }

  #notePuts(): void {
    const { folder } = this.#world;
    for (const [path, after] of this.#puts) if (folder.read(path) === after) folder.writers.set(path, 'put');
    this.#puts.clear();
  }

  #onHook(hook: keyof Call['hooks'], args: readonly unknown[]): void {
    if (hook === 'onDone') this.#granted -= 1;
    if (hook === 'onDone' && args[0] === 'put') this.#notePuts();
    if (hook === 'onSave') this.#saves.delete(args[1] as Digest);
    if (hook === 'onSnapshot' && this.#activity === this.#world.activity) this.#world.compare(args[0] as string);
    (this.#hooks[hook] as ((...args: readonly unknown[]) => void) | undefined)?.(...args);
  }
}

function errorOf({ fault, message }: Extract<Message, { readonly message: string }>): Error {
  return fault ? new GatelineError(fault, message) : new Error(message);
}
