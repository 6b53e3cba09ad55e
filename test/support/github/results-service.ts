import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBlobStore } from './blob-store.ts';
import type { LoggedCall } from './call-log.ts';
import type { DelayPlan } from './delays.ts';
import { createFaultPlan, type FaultPlan } from './faults.ts';
import { prepareJob, type JobEnvironment, type JobOptions } from './job-environment.ts';
import { DEFAULT_BEHAVIOUR, type Behaviour, type World } from './model.ts';
import { issueToken, type TokenOptions } from './rest-access.ts';
import { mintToken, type RuntimeToken } from './runtime-token.ts';
import { listener, type Serving } from './serve.ts';
import { addRun, type RunOptions } from './workflow-runs.ts';

/** What a test says of a service; everything has a default. */
export interface ServiceOptions extends Partial<Behaviour> {
  readonly delays?: DelayPlan;
}

/**
 * GitHub as an action sees it, on this machine: artifacts, caches, blobs and REST in one server, held to the published
 * clients by test/github/. Ends with `await using`; an error inside the service is thrown then.
 */
export interface ResultsService extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly origin: string;
  /** May be changed at any time. */
  readonly behaviour: Behaviour;
  /** Everything that is stored. May be looked at and changed. */
  readonly world: World;
  readonly faults: FaultPlan;
  /** May be changed at any time; undefined for none. */
  delays: DelayPlan | undefined;
  /** All calls in the order in which they arrived. */
  readonly calls: readonly LoggedCall[];
  /** Calls of an operation, or of any that fits. */
  callsOf(operation: string | RegExp): LoggedCall[];
  /** Adds a run, or sets what a test says of one that is there. `attempt` 2 and up make it a re-run. */
  addRun(options: RunOptions): void;
  /** A runtime token as `ACTIONS_RUNTIME_TOKEN` holds it. Scopes default to reading and writing `refs/heads/main`. */
  mintToken(content: Partial<RuntimeToken> & Pick<RuntimeToken, 'run' | 'job'>): string;
  /** A token for REST. */
  issueToken(options: TokenOptions): string;
  /** A job on a fresh runner: folders, and all variables that the runner gives to an action. Adds the run where there is none. */
  environmentFor(options: JobOptions): Promise<JobEnvironment>;
  /** Removes cache entries, all or those whose key fits. Returns how many. */
  evictCaches(key?: RegExp): number;
  /** Moves the service's clock on. */
  advance(milliseconds: number): void;
}

/** The repository where a test names none. */
export const REPOSITORY_NAME = 'octo/gates';

/** Starts a service on a free port of the loopback interface. */
export async function startResultsService({ delays, ...behaviour }: ServiceOptions = {}): Promise<ResultsService> {
  const world = createWorld({ ...DEFAULT_BEHAVIOUR, ...behaviour });
  const calls: LoggedCall[] = [];
  const serving: Serving = { world, faults: createFaultPlan(), calls, delays, errors: [] };
  const server = createServer(listener(serving));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  world.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: world.origin,
    behaviour: world.behaviour,
    world,
    faults: serving.faults,
    get delays() {
      return serving.delays;
    },
    set delays(plan) {
      serving.delays = plan;
    },
    calls,
    callsOf: (operation) =>
      calls.filter((call) =>
        typeof operation === 'string' ? call.operation === operation : operation.test(call.operation),
      ),
    addRun: (options) => void addRun(world, options),
    mintToken: (content) => mintToken(world, { ...DEFAULT_TOKEN, ...content }),
    issueToken: (options) => issueToken(world, options),
    environmentFor: (options) => prepareJob(world, options),
    evictCaches: (key) => evict(world, key),
    advance: (milliseconds) => world.advance(milliseconds),
    [Symbol.asyncDispose]: () => stop(server, serving),
  };
}

const DEFAULT_TOKEN = {
  attempt: 1,
  repository: REPOSITORY_NAME,
  scopes: [{ scope: 'refs/heads/main', permission: 3 }],
} as const;

function createWorld(behaviour: Behaviour): World {
  let offset = 0;
  let number = 0;
  return {
    behaviour,
    origin: '',
    serverUrl: 'https://github.com',
    signingKey: randomBytes(32),
    runs: new Map(),
    artifacts: [],
    caches: [],
    comments: [],
    checkRuns: [],
    collaborators: new Map(),
    authors: new Map(),
    reruns: [],
    git: undefined,
    heads: new Map(),
    workflows: new Map(),
    dispatches: [],
    pulls: [],
    statuses: [],
    tokens: new Map(),
    blobs: createBlobStore(),
    now: () => new Date(Date.now() + offset),
    advance: (milliseconds) => {
      offset += milliseconds;
    },
    nextNumber: () => {
      number += 1;
      return number;
    },
  };
}

function evict(world: World, key = /^/): number {
  const kept = world.caches.filter((entry) => !key.test(entry.key));
  const gone = world.caches.length - kept.length;
  world.caches.splice(0, Infinity, ...kept);
  return gone;
}

async function stop(server: Server, serving: Serving): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
  if (serving.errors.length > 0) throw new AggregateError(serving.errors, 'errors inside the results service');
}
