/** What GitHub knows, as plain data: tests read it and forge it. */

/** A job of a run attempt, by its name as GitHub shows it. */
export interface JobIdentity {
  /** `owner/name`. */
  readonly repository: string;
  readonly runId: number;
  readonly runAttempt: number;
  readonly job: string;
}

export interface User {
  readonly login: string;
  readonly id: number;
  readonly type: 'User' | 'Bot' | 'Mannequin' | 'Organization';
  permission: 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';
}

/** The author of everything that `GITHUB_TOKEN` writes. */
export const ACTIONS_BOT: User = { login: 'github-actions[bot]', id: 41_898_282, type: 'Bot', permission: 'none' };

/** By name: `pull-requests` → `write`. */
export type Permissions = Readonly<Record<string, 'read' | 'write'>>;

/** A token for REST and GraphQL. */
export interface RestToken {
  readonly repository: string;
  readonly user: User;
  /** `all`: no request is refused. */
  readonly permissions: Permissions | 'all';
  readonly job: JobIdentity | undefined;
}

/** Stored bytes; undefined until they are uploaded. */
export interface Blob {
  content: Buffer | undefined;
  /** Staged blocks by id. */
  readonly blocks: Map<string, Buffer>;
}

export interface Artifact extends JobIdentity {
  readonly id: number;
  name: string;
  mimeType: string;
  createdAt: Date;
  expiresAt: Date;
  /** False until FinalizeArtifact: nobody sees it, but its name is taken. */
  finalized: boolean;
  /** `sha256:…`, as the uploader stated it. */
  digest: string;
  /** Bytes, as the uploader stated them. */
  size: number;
  readonly blob: Blob;
}

export interface CacheEntry {
  readonly id: number;
  key: string;
  version: string;
  /** The ref that it belongs to: `refs/heads/main`. */
  scope: string;
  createdAt: Date;
  finalized: boolean;
  readonly blob: Blob;
}

export interface Comment {
  readonly id: number;
  readonly issue: number;
  author: User;
  /** Slug of the GitHub App that wrote it in the name of its author. */
  app: string | undefined;
  body: string;
  createdAt: Date;
  updatedAt: Date;
  lastEditedAt: Date | undefined;
  createdViaEmail: boolean;
  isMinimized: boolean;
}

/** An event `comment_deleted` of an issue's timeline. */
export interface CommentDeletion {
  readonly issue: number;
  readonly author: User;
  readonly actor: User;
  readonly createdAt: Date;
}

export interface PullRequest {
  readonly number: number;
  state: 'open' | 'closed';
  title: string;
  author: User;
  /** `repository` is undefined if the fork was deleted. */
  head: { readonly ref: string; sha: string; repository: string | undefined };
  base: { readonly ref: string; sha: string };
}

export type Conclusion = 'success' | 'failure' | 'cancelled' | 'skipped';

export interface WorkflowJob {
  readonly id: number;
  readonly name: string;
  status: 'in_progress' | 'completed';
  conclusion: Conclusion | null;
  readonly startedAt: Date;
  completedAt: Date | null;
}

export interface RunAttempt {
  status: 'in_progress' | 'completed';
  conclusion: Conclusion | null;
  readonly actor: User;
  readonly startedAt: Date;
  updatedAt: Date;
  readonly jobs: WorkflowJob[];
}

export interface WorkflowRun {
  readonly id: number;
  readonly number: number;
  /** Path of the workflow file. */
  path: string;
  name: string;
  displayTitle: string;
  event: string;
  headBranch: string;
  headSha: string;
  /** `owner/name`: another one for a fork; undefined if that was deleted. */
  headRepository: string | undefined;
  actor: User;
  /** Numbers; empty for forks. */
  pullRequests: readonly number[];
  readonly createdAt: Date;
  readonly attempts: RunAttempt[];
}

/** What REST was asked to start; the runner carries it out if a test wants it to. */
export type Order =
  | { readonly kind: 'rerun'; readonly runId: number; readonly which: 'failed' | 'all'; readonly actor: User }
  | {
      readonly kind: 'dispatch';
      readonly path: string;
      readonly branch: string;
      readonly inputs: Readonly<Record<string, string>>;
      readonly actor: User;
    };

export interface Repository {
  /** `owner/name`. */
  readonly name: string;
  readonly id: number;
  defaultBranch: string;
  /** Commits by branch. */
  readonly branches: Map<string, string>;
  /** Bare repository with its commits; undefined: it has no files. */
  gitFolder?: string;
  /** Inputs of `workflow_dispatch` by path of the workflow file; undefined: it has no such trigger. */
  readonly workflows: Map<string, readonly string[] | undefined>;
  /** By login. */
  readonly users: Map<string, User>;
  readonly runs: WorkflowRun[];
  readonly artifacts: Artifact[];
  readonly caches: CacheEntry[];
  readonly comments: Comment[];
  readonly deletions: CommentDeletion[];
  readonly pulls: PullRequest[];
  readonly orders: Order[];
}
