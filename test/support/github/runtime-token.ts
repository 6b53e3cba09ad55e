import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Github } from './github.ts';
import type { Request } from './http.ts';
import type { JobIdentity } from './model.ts';

/** A ref whose cache entries a job may read (1), write (2) or both (3). */
export interface CacheScope {
  readonly scope: string;
  readonly permission: 1 | 2 | 3;
}

/** The claims of `ACTIONS_RUNTIME_TOKEN`. */
export interface RuntimeToken extends JobIdentity {
  /** In the order of lookups; new entries go to the first that is writable. */
  readonly scopes: readonly CacheScope[];
}

const claimsSchema = z.looseObject({
  scp: z.string(),
  ac: z.string(),
  exp: z.number(),
  job: z.object({ repository: z.string(), runId: z.int(), runAttempt: z.int(), job: z.string() }),
});
const accessSchema = z.array(z.object({ Scope: z.string(), Permission: z.literal([1, 2, 3]) }));

/** The ids of a run and a job inside the results service: not those of REST. */
export function backendIds(
  { mode }: Github,
  { runId, runAttempt, job }: JobIdentity,
): { readonly workflow_run_backend_id: string; readonly workflow_job_run_backend_id: string } {
  return {
    workflow_run_backend_id: uuidOf(mode === 'run' ? `run ${runId}` : `run ${runId} ${runAttempt}`),
    workflow_job_run_backend_id: uuidOf(`job ${runId} ${runAttempt} ${job}`),
  };
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

/** A signed token: base64url without padding, HS256, valid for six hours. */
export function mintRuntimeToken(github: Github, { scopes, ...job }: RuntimeToken): string {
  const ids = backendIds(github, job);
  const now = Math.floor(github.now().getTime() / 1000);
  const claims = {
    scp: `Actions.GenericRead:0 Actions.Results:${ids.workflow_run_backend_id}:${ids.workflow_job_run_backend_id}`,
    ac: JSON.stringify(scopes.map(({ scope, permission }) => ({ Scope: scope, Permission: permission }))),
    iat: now,
    exp: now + 6 * 60 * 60,
    job,
  };
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${signatureOf(github, text)}`;
}

/** The claims of a request's token; undefined: it is not ours, or has expired. */
export function readRuntimeToken(github: Github, { headers }: Request): RuntimeToken | undefined {
  const [header = '', payload = '', signature] = (headers.authorization ?? '').replace(/^Bearer /i, '').split('.');
  if (signature !== signatureOf(github, `${header}.${payload}`)) return undefined;
  const { ac, exp, job } = claimsSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  if (exp * 1000 < github.now().getTime()) return undefined;
  const access = accessSchema.parse(JSON.parse(ac));
  return { ...job, scopes: access.map(({ Scope, Permission }) => ({ scope: Scope, permission: Permission })) };
}

function signatureOf({ signingKey }: Github, text: string): string {
  return createHmac('sha256', signingKey).update(text).digest('base64url');
}
