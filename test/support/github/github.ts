import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createArtifact } from './artifacts.ts';
import { createBlob, type Grant } from './blobs.ts';
import type { Call, FaultRule, PlannedFault } from './faults.ts';
import { ACTIONS_BOT, type Artifact, type Repository, type RestToken, type User } from './model.ts';
import { mintRuntimeToken, type CacheScope, type RuntimeToken } from './runtime-token.ts';
import { answer } from './server.ts';

export interface GithubOptions {
  /** Artifacts that the internal service shows to a job: those of its `run`, or only those of its run `attempt`. */
  readonly mode?: 'run' | 'attempt';
  /** Milliseconds before each request takes effect, or a promise of the moment. */
  readonly delay?: Delay;
}

type Delay = number | ((call: Call) => number | Promise<void>);

/** GitHub's services on a free port of the loopback interface. `await using github = await startGithub()`. */
export async function startGithub(options: GithubOptions = {}): Promise<Github> {
  const github = new Github(options);
  await github.listen();
  return github;
}

/** Of stand-ins that have ended: GitHub's client keeps the first address that it is told. */
const freePorts: number[] = [];

export class Github implements AsyncDisposable {
  readonly mode: 'run' | 'attempt';
  /** May be changed at any time. */
  delay: Delay;
  /** `http://127.0.0.1:<port>`. */
  origin = '';
  readonly signingKey = randomBytes(32);
  /** By `owner/name`. */
  readonly repositories = new Map<string, Repository>();
  readonly tokens = new Map<string, RestToken>();
  /** By signature of the address. */
  readonly grants = new Map<string, Grant>();
  readonly calls: Call[] = [];
  readonly faults: PlannedFault[] = [];
  /** Errors of the stand-in itself, which clients see as 500; disposal throws them. */
  readonly errors: unknown[] = [];
  readonly #server: Server;
  #offset = 0;
  #number = 0;

  constructor({ mode = 'run', delay = 0 }: GithubOptions) {
    this.mode = mode;
    this.delay = delay;
    this.#server = createServer((incoming, response) => {
      answer(this, incoming, response).catch((error: unknown) => {
        // A client may go away while its request is read.
        if (incoming.complete) this.errors.push(error);
        response.destroy();
      });
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(freePorts.pop() ?? 0, '127.0.0.1');
    await once(this.#server, 'listening').catch(async () => {
      this.#server.listen(0, '127.0.0.1');
      await once(this.#server, 'listening');
    });
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  now(): Date {
    return new Date(Date.now() + this.#offset);
  }

  /** Moves the clock of the services on. */
  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  nextNumber(): number {
    this.#number += 1;
    return this.#number;
  }

  /** Plans a fault; its `hits` count. */
  fail(rule: FaultRule): PlannedFault {
    const planned = { rule, matches: 0, hits: 0 };
    this.faults.push(planned);
    return planned;
  }

  /** The calls of a route, or of all routes that match. */
  callsOf(route: string | RegExp): Call[] {
    return this.calls.filter((call) => (typeof route === 'string' ? call.route === route : route.test(call.route)));
  }

  addRepository(name = 'octo/gates', users: readonly Partial<User>[] = []): Repository {
    const place = { name, id: 1000 * (this.repositories.size + 1), defaultBranch: 'main' };
    const maps = { branches: new Map(), workflows: new Map(), users: new Map() };
    const lists = { runs: [], artifacts: [], caches: [], comments: [], deletions: [], pulls: [], orders: [] };
    const repository: Repository = { ...place, ...maps, ...lists };
    this.repositories.set(name, repository);
    for (const user of [{ login: 'octocat', permission: 'write' } as const, ...users]) {
      const defaults = { login: 'user', id: 100 + this.nextNumber(), type: 'User', permission: 'read' } as const;
      const entry: User = { ...defaults, ...user };
      repository.users.set(entry.login, entry);
    }
    return repository;
  }

  repository(name: string): Repository {
    const repository = this.repositories.get(name);
    if (repository === undefined) throw new Error(`there is no repository ${name}`);
    return repository;
  }

  /** A token for REST; default: the bot of Actions, without limits. */
  issueToken(options: Partial<RestToken> & Pick<RestToken, 'repository'>): string {
    const token = `ghs_${randomBytes(18).toString('hex')}`;
    this.tokens.set(token, { user: ACTIONS_BOT, permissions: 'all', job: undefined, ...options });
    return token;
  }

  /** `ACTIONS_RUNTIME_TOKEN` of a job; default: caches of `refs/heads/main` are readable and writable. */
  mintRuntimeToken(
    job: Omit<RuntimeToken, 'scopes'>,
    scopes: readonly CacheScope[] = [{ scope: 'refs/heads/main', permission: 3 }],
  ): string {
    return mintRuntimeToken(this, { ...job, scopes });
  }

  /** Adds a raw artifact, as any job of the run could under any name. */
  plantArtifact(
    repository: string,
    runId: number,
    name: string,
    content: string | Uint8Array,
    fields: Partial<Artifact> = {},
  ): Artifact {
    const bytes = Buffer.from(content);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const job = { repository, runId, runAttempt: 1, job: 'planted' };
    const blob = createBlob(bytes);
    const defaults = { name, mimeType: 'application/json', finalized: true, size: bytes.length, digest, blob };
    return createArtifact(this, job, { ...defaults, ...fields });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    freePorts.push(Number(new URL(this.origin).port));
    if (this.errors.length > 0)
      throw new AggregateError(this.errors, `errors of the stand-in: ${this.errors.join('; ')}`);
  }
}
