import { setTimeout as sleep } from 'node:timers/promises';

/** Runs steps of the product one after the other, each as if this process were its own: see hosts.ts. */

export interface HostedStep {
  /** Program of the step; what it imports stays loaded. */
  readonly url: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Line after the last one of the step, on both outputs. */
  readonly mark: string;
}

export interface HostedEnd {
  readonly code: number;
}

/** Milliseconds for what is under way when a step ends: a file that is closed, a module that is loaded. */
const QUIET_MS = 200;

type Listener = (...values: unknown[]) => void;

const exit = process.exit.bind(process);
const outputs = [process.stdout, process.stderr];
process.on('message', (step: HostedStep) => void run(step));
process.on('disconnect', () => exit(1));
const ownListeners = new Map(process.eventNames().map((name) => [name, new Set(listenersOf(name))]));
process.channel!.unref();
const ownResources = countResources();
process.channel!.ref();

async function run({ url, cwd, env, mark }: HostedStep): Promise<void> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exit = ((code?: number) => void endStep(mark, code)) as typeof process.exit;
  // A step that has nothing more to do ends its process.
  process.channel!.unref();
  await import(url);
}

/** A step that leaves work behind ends its process as well: nothing of it may reach the next one. */
async function endStep(mark: string, status?: number): Promise<void> {
  if (status !== undefined) process.exitCode = status;
  for (const listener of stepListeners('exit')) listener(process.exitCode ?? 0);
  const end: HostedEnd = { code: Number(process.exitCode ?? 0) };
  for (const name of process.eventNames())
    for (const listener of stepListeners(name)) process.removeListener(name, listener);
  const giveUp = () => exit(end.code);
  process.once('uncaughtException', giveUp);
  const deadline = performance.now() + QUIET_MS;
  while (hasOpenWork()) {
    if (performance.now() > deadline) giveUp();
    await sleep(1);
  }
  process.removeListener('uncaughtException', giveUp);
  process.exitCode = undefined;
  for (const output of outputs) output.write(`${mark}\n`);
  process.channel!.ref();
  process.send!(end);
}

function listenersOf(name: string | symbol): Listener[] {
  return process.rawListeners(name) as Listener[];
}

function stepListeners(name: string | symbol): Listener[] {
  return listenersOf(name).filter((listener) => ownListeners.get(name)?.has(listener) !== true);
}

function hasOpenWork(): boolean {
  return [...countResources()].some(([name, count]) => count > (ownResources.get(name) ?? 0));
}

/** Kinds of what keeps this process alive. */
function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) counts.set(name, 1 + (counts.get(name) ?? 0));
  return counts;
}
