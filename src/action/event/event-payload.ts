import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { GITHUB_VARIABLES, type Environment } from '../../environment.ts';
import { GatelineError, messageOf } from '../../errors/gateline-error.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { PullRequest } from './trust.ts';

/** Maximum size of a payload to read: GitHub's own limit is 25 MB. */
const MAX_PAYLOAD_BYTES = 32 * 1024 * 1024;

/*
 * The few fields of a webhook's payload that are used. GitHub leaves out missing data: a deleted repository is null,
 * and a schedule has almost no fields.
 * https://docs.github.com/webhooks/webhook-events-and-payloads
 */

const text = z.string().min(1).max(1_024).nullish().catch(undefined);
const commit = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .nullish();
const number = z.int().min(1).max(1_000_000_000_000);
const repository = z.object({ full_name: text, default_branch: text }).nullish();
const side = z.object({ sha: commit, ref: text, repo: repository }).nullish();

const payloadSchema = z.object({
  action: text,
  repository,
  comment: z.object({ id: number }).nullish(),
  pull_request: z.object({ number, head: side, base: side, user: z.object({ login: text }).nullish() }).nullish(),
  issue: z.object({ number, pull_request: z.looseObject({}).nullish() }).nullish(),
  workflow_run: z
    .object({
      id: number.nullish().catch(undefined),
      head_repository: repository,
      pull_requests: z.array(z.object({ number, head: side, base: side })).nullish(),
    })
    .nullish(),
});

/** The facts used from the payload. */
export interface PayloadFacts {
  readonly defaultBranch: string | undefined;
  readonly pullRequest: PullRequest | undefined;
  /** Repository of the run that triggered a `workflow_run`. */
  readonly headRepository: string | undefined;
  /** Id of the comment that was just written on a pull request. */
  readonly newComment: number | undefined;
  /** Id of the run that triggered a `workflow_run`. */
  readonly triggeringRun: number | undefined;
}

type Side = z.infer<typeof side>;

/**
 * Reads a payload. Missing fields are `undefined`; a field that is not what GitHub documents makes the whole payload
 * invalid.
 * @throws GatelineError `EVENT_INVALID`
 */
export function readPayload(payload: unknown): PayloadFacts {
  const parsed = payloadSchema.safeParse(payload);
  if (!parsed.success) {
    const where = parsed.error.issues.map(({ path }) => path.join('.') || 'the whole').slice(0, 5);
    throw new GatelineError('EVENT_INVALID', `the event's payload is not valid: ${where.join(', ')}`, {
      hint: 'Check that the file in GITHUB_EVENT_PATH is the payload of this run.',
    });
  }
  const { repository: own, workflow_run: run, issue, comment, action } = parsed.data;
  const isNew = action === 'created' && Boolean(issue?.pull_request);
  return {
    defaultBranch: own?.default_branch ?? undefined,
    pullRequest: pullRequestIn(parsed.data),
    headRepository: run?.head_repository?.full_name ?? undefined,
    newComment: isNew ? comment?.id : undefined,
    triggeringRun: run?.id ?? undefined,
  };
}

/** The pull request of the event: its own, the one that a comment belongs to, or the only one of the triggering run. */
function pullRequestIn({
  pull_request: own,
  issue,
  workflow_run: run,
}: z.infer<typeof payloadSchema>): PullRequest | undefined {
  if (own) return { ...pullRequest(own.number, own.head, own.base), author: own.user?.login ?? undefined };
  // The payload of a comment names no repository: the author of the comment need not be the author of the pull request.
  if (issue?.pull_request) return pullRequest(issue.number, undefined, undefined);
  const [first, ...more] = run?.pull_requests ?? [];
  return first === undefined || more.length > 0
    ? undefined
    : pullRequest(first.number, first.head, first.base, run?.head_repository?.full_name);
}

/** @param headRepository used if the sides do not name it in full, as for a `workflow_run` */
function pullRequest(number: number, head: Side, base: Side, headRepository?: string | null): PullRequest {
  return {
    number,
    headRepository: head?.repo?.full_name ?? headRepository ?? undefined,
    headSha: head?.sha ?? undefined,
    headBranch: head?.ref ?? undefined,
    baseBranch: base?.ref ?? undefined,
    baseSha: base?.sha ?? undefined,
  };
}

/** The payload of the event, parsed. @throws GatelineError `EVENT_INVALID` */
export async function readPayloadFile(environment: Environment): Promise<unknown> {
  const path = environment[GITHUB_VARIABLES.eventPath] ?? '';
  if (path === '') throw unreadable('GITHUB_EVENT_PATH is not set');
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw unreadable(`the payload of the event cannot be read: ${messageOf(cause)}`, cause);
  }
  const parsed = parseJson(bytes, { maxBytes: MAX_PAYLOAD_BYTES });
  if (parsed.ok) return parsed.value;
  throw unreadable(`the payload of the event cannot be read: ${parsed.issue.message}`);
}

function unreadable(message: string, cause?: unknown): GatelineError {
  return new GatelineError('EVENT_INVALID', message, {
    hint: 'The action needs the files that the GitHub Actions runner creates for every step.',
    ...(cause === undefined ? {} : { cause }),
  });
}
