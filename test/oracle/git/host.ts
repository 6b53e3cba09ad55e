import { GatelineError } from '../../../src/errors.ts';
import { Folder } from '../../../src/local/folder/folder.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import { orderOf, type OrderOptions } from '../../support/pipelines.ts';
import { perform, watchPorts, type Command, type Hooks } from '../watched-ports.ts';

/** A command that this process is asked for. */
export interface Job {
  readonly root: string;
  readonly pipeline: Pipeline;
  readonly options: OrderOptions;
  readonly command: Command;
}

/** What this process says: before an operation it waits for the word; else it only tells what happened. */
export type Message =
  | { readonly point: number; readonly operation: string; readonly details: readonly unknown[] }
  | { readonly hook: string; readonly args: readonly unknown[] }
  | { readonly result: unknown }
  | { readonly fault: GatelineError['fault'] | undefined; readonly message: string };

/** Written before it returns: what was sent before a kill arrives. */
const send = (message: Message): void => void process.send!(message);
const points: (() => void)[] = [];
const hooks = new Proxy({} as Hooks, {
  get: (_, hook: string) =>
    hook === 'point'
      ? (operation: string, ...details: unknown[]) =>
          new Promise<void>((resolve) => {
            send({ point: points.push(resolve) - 1, operation, details });
          })
      : (...args: unknown[]) => send({ hook, args }),
});

async function work({ root, pipeline, options, command }: Job): Promise<unknown> {
  const observe = (event: unknown): void => send({ hook: 'observe', args: [event] });
  await using folder = await Folder.open({ root, pipeline, access: 'engine', environment: process.env, observe });
  return await perform(watchPorts(folder.ports, hooks), orderOf(pipeline, options), command);
}

process.on('message', (message: Job | { readonly go: number }) => {
  if ('go' in message) return points[message.go]!();
  work(message).then(
    (result) => send({ result }),
    (error: Error) =>
      send({
        fault: error instanceof GatelineError ? error.fault : undefined,
        message: error.stack ?? error.message,
      }),
  );
});
