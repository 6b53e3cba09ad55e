import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { Refusal } from './protocol.ts';
import type { Caller } from './caller.ts';
import type { Behaviour, World } from './model.ts';

/** A ref whose cache entries a job may read (1), write (2) or both (3). */
export interface CacheScope {
  readonly scope: string;
  readonly permission: 1 | 2 | 3;
}

/** What `ACTIONS_RUNTIME_TOKEN` says. */
export interface RuntimeToken extends Caller {
  readonly repository: string;
  /** In the order in which they are searched. New entries go to the first that may be written. */
  readonly scopes: readonly CacheScope[];
}

/** Seconds that a token counts. */
const LIFETIME = 6 * 60 * 60;

const claimsSchema = z.looseObject({
  scp: z.string(),
  ac: z.string(),
  exp: z.number(),
  run_id: z.string(),
  run_attempt: z.string(),
  job_id: z.string(),
  repository: z.string(),
});
const accessSchema = z.array(
  z.object({ Scope: z.string(), Permission: z.union([z.literal(1), z.literal(2), z.literal(3)]) }),
);

/** Whether attempts of a run share an id. */
export type BackendIdMode = Behaviour['backendIds'];

/** The ids by which the results service knows a run and a job of an attempt. Not the run's number: nothing may depend on it. */
export function backendIds(
  { run, attempt, job }: Caller,
  mode: BackendIdMode = 'per-run',
): { readonly run: string; readonly job: string } {
  const ofRun = mode === 'per-run' ? `run ${run}` : `run ${run} ${attempt}`;
  return { run: uuidOf(ofRun), job: uuidOf(`job ${run} ${attempt} ${job}`) };
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

/** A signed token: base64url without padding, HS256, issued now. */
export function mintToken(
  { signingKey, behaviour, now }: Pick<World, 'signingKey' | 'behaviour' | 'now'>,
  content: RuntimeToken,
): string {
  const ids = backendIds(content, behaviour.backendIds);
  const issued = Math.floor(now().getTime() / 1000);
  const claims = {
    scp: `Actions.GenericRead:00000000-0000-0000-0000-000000000000 Actions.Results:${ids.run}:${ids.job}`,
    ac: JSON.stringify(content.scopes.map(({ scope, permission }) => ({ Scope: scope, Permission: permission }))),
    iat: issued,
    exp: issued + LIFETIME,
    run_id: String(content.run),
    run_attempt: String(content.attempt),
    job_id: content.job,
    repository: content.repository,
  };
  const text = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}`;
  return `${text}.${signatureOf(signingKey, text)}`;
}

/** Reads and verifies an `Authorization` header. Throws a {@link Refusal} of 401. */
export function readToken(key: Buffer, authorization: string | undefined, now: Date): RuntimeToken {
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '';
  const [header = '', payload = '', signature = ''] = token.split('.');
  const expected = Buffer.from(signatureOf(key, `${header}.${payload}`));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new Refusal(401, 'authentication required: the token is not one of this service');
  }
  const claims = claimsSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  if (claims.exp * 1000 < now.getTime()) throw new Refusal(401, 'authentication required: the token has expired');
  return {
    run: Number(claims.run_id),
    attempt: Number(claims.run_attempt),
    job: claims.job_id,
    repository: claims.repository,
    scopes: accessSchema
      .parse(JSON.parse(claims.ac))
      .map(({ Scope, Permission }) => ({ scope: Scope, permission: Permission })),
  };
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function signatureOf(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
