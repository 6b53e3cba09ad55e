import type { BlobStore } from './blob-store.ts';
import type { Caller } from './caller.ts';

/** What GitHub does in ways that are not documented, or that differ between plans. May be changed while the service runs. */
export interface Behaviour {
  /** Who still sees artifacts of earlier attempts of a run: jobs and REST, REST only, or nobody. */
  earlierAttempts: 'visible' | 'rest-only' | 'hidden';
  /** Whether the results service knows all attempts of a run by one id, or each by its own. */
  backendIds: 'per-run' | 'per-attempt';
  /** Milliseconds until the listings of other jobs show an artifact, over REST too. */
  shownAfter: number;
  /** What a later attempt gets for a name that an earlier one took. Within one attempt a taken name is always refused. */
  sameNameOnRerun: 'conflict' | 'allowed';
  /** What a second FinalizeArtifact of the same upload gets, after an answer that was lost. */
  finalizeAgain: 'not-found' | 'accepted';
  /** Most artifacts that one ListArtifacts answers; what is beyond is left out without a word. */
  listingLimit: number;
  /** Most artifacts of one job. */
  artifactsPerJob: number;
  /** Ids of artifacts against the order in which they were created. */
  artifactIds: 'rising' | 'falling' | 'shuffled';
  /** Whether an upload that is not a zip is refused, as by servers that do not know `mime_type`. */
  rawUploads: 'accepted' | 'refused';
  /** How REST says that a token may not do something. */
  deniedAs: 403 | 404;
  /** REST requests of one token, before it is told that the limit is reached. */
  restLimit: number;
}

/** Days until an artifact expires where its upload does not say. */
export const DEFAULT_RETENTION_DAYS = 90;

/** Behaviour where a test says nothing. */
export const DEFAULT_BEHAVIOUR: Readonly<Behaviour> = {
  earlierAttempts: 'visible',
  backendIds: 'per-run',
  shownAfter: 0,
  sameNameOnRerun: 'conflict',
  finalizeAgain: 'not-found',
  listingLimit: 1000,
  artifactsPerJob: 500,
  artifactIds: 'rising',
  rawUploads: 'accepted',
  deniedAs: 403,
  restLimit: 1000,
};

/** A job of one attempt, as REST tells it. */
export interface WorkflowJob {
  readonly id: number;
  readonly name: string;
  readonly attempt: number;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: 'success' | 'failure' | 'cancelled' | 'skipped' | 'timed_out' | null;
  readonly startedAt: Date;
  completedAt: Date | null;
}

/** A workflow run, as REST tells it. */
export interface WorkflowRun {
  readonly id: number;
  /** `owner/name`. */
  readonly repository: string;
  readonly number: number;
  /** The newest attempt, from 1. */
  attempt: number;
  /** Path of the workflow file in its repository. */
  readonly path: string;
  /** `name:` of the workflow. */
  readonly workflow: string;
  readonly event: string;
  readonly headBranch: string;
  readonly headSha: string;
  /** `owner/name` of where the commit comes from: another one for a fork; empty once that is deleted. */
  readonly headRepository: string;
  readonly actor: string;
  /** What `run-name` came to; default: as GitHub says it for an event without one. */
  readonly displayTitle: string;
  /** Numbers of pull requests, empty for forks. */
  readonly pullRequests: readonly number[];
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: 'success' | 'failure' | 'cancelled' | null;
  readonly createdAt: Date;
  /** When something of it last changed: for a run that has ended, its end. */
  updatedAt: Date;
  readonly jobs: WorkflowJob[];
}

/** A workflow file, as far as it can be started over REST. */
export interface StoredWorkflow {
  readonly path: string;
  /** Names of the inputs of its `workflow_dispatch`; undefined: it has no such trigger. */
  readonly inputs: readonly string[] | undefined;
  readonly titleOf: (inputs: Readonly<Record<string, string>>) => string;
}

/** A run that was started over REST. */
export interface StoredDispatch {
  readonly run: number;
  readonly ref: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly sender: Identity;
}

export interface StoredPull {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly title?: string;
  readonly body?: string;
  /** `repository` is empty once a fork is deleted. */
  readonly head: { readonly ref: string; readonly sha: string; readonly repository: string };
  readonly base: { readonly ref: string; readonly sha: string };
}

export interface StoredStatus {
  readonly sha: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly context: string;
  readonly description: string;
  readonly url: string;
}

export interface StoredArtifact extends Caller {
  readonly id: number;
  readonly name: string;
  readonly mimeType: string;
  /** Name of its blob. */
  readonly blob: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** False until FinalizeArtifact: nobody sees it, and its name is taken. */
  finalized: boolean;
  size: number;
  /** `sha256:` and hex, as the uploader told it. */
  digest: string;
}

export interface CacheEntry {
  readonly id: number;
  readonly repository: string;
  readonly key: string;
  readonly version: string;
  /** Ref that it belongs to. */
  readonly scope: string;
  readonly blob: string;
  readonly createdAt: Date;
  usedAt: Date;
  finalized: boolean;
}

/** A comment on an issue or pull request. */
export interface StoredComment {
  readonly id: number;
  readonly repository: string;
  readonly issue: number;
  readonly author: Identity;
  /** Slug of the GitHub App that wrote it in the name of its author. */
  readonly viaApp?: string;
  readonly createdAt: Date;
  updatedAt: Date;
  body: string;
  /** What reactions to it are, in order. They do not change `updatedAt`. */
  readonly reactions: string[];
}

/** Who a token acts as. */
export interface Identity {
  readonly login: string;
  readonly id: number;
  readonly type: 'Bot' | 'User';
}

/** A check run that an app wrote on a commit. */
export interface StoredCheckRun {
  readonly id: number;
  readonly repository: string;
  readonly name: string;
  readonly headSha: string;
  readonly externalId: string;
  readonly conclusion: string;
  readonly output: { readonly title: string; readonly summary: string };
  /** Slug of the app. */
  readonly app: string;
}

/** Who `GITHUB_TOKEN` acts as. */
export const ACTIONS_BOT: Identity = { login: 'github-actions[bot]', id: 41_898_282, type: 'Bot' };

export type Permission = 'actions' | 'checks' | 'contents' | 'issues' | 'pull-requests' | 'statuses';
export type Permissions = Readonly<Partial<Record<Permission, 'read' | 'write'>>>;

/** A token for REST. */
export interface RestToken {
  readonly token: string;
  readonly repository: string;
  readonly identity: Identity;
  readonly permissions: Permissions;
  readonly caller: Caller | undefined;
  /** Requests so far. */
  used: number;
}

/** Everything that the service knows. Tests may look at it and change it. */
export interface World {
  readonly behaviour: Behaviour;
  /** Where the service listens: `http://127.0.0.1:<port>`. */
  origin: string;
  /** `GITHUB_SERVER_URL`: where git's server is, and pages are. */
  serverUrl: string;
  /** Key that runtime tokens are signed with. */
  readonly signingKey: Buffer;
  readonly runs: Map<number, WorkflowRun>;
  readonly artifacts: StoredArtifact[];
  readonly caches: CacheEntry[];
  readonly comments: StoredComment[];
  readonly checkRuns: StoredCheckRun[];
  /** What people may do in the repository, by login; nobody else may do anything. */
  readonly collaborators: Map<string, 'admin' | 'write' | 'read'>;
  /** Login of the author of each commit; a commit that is not here has none that GitHub knows. */
  readonly authors: Map<string, string>;
  /** Re-runs that were asked for over REST, which tests carry out. */
  readonly reruns: { readonly run: number; readonly which: 'failed' | 'all' }[];
  /** Folder of the git repository whose objects REST reads and writes; undefined: there is none. */
  git: string | undefined;
  /** Commits of branches. */
  readonly heads: Map<string, string>;
  /** By path. */
  readonly workflows: Map<string, StoredWorkflow>;
  readonly dispatches: StoredDispatch[];
  readonly pulls: StoredPull[];
  readonly statuses: StoredStatus[];
  readonly tokens: Map<string, RestToken>;
  readonly blobs: BlobStore;
  /** The service's clock; it may be moved. */
  now(): Date;
  /** Moves the clock on. */
  advance(milliseconds: number): void;
  /** A number that was never given before. */
  nextNumber(): number;
}
