import { randomBytes } from 'node:crypto';
import type { Caller } from './caller.ts';
import { ACTIONS_BOT, type Identity, type Permission, type Permissions, type RestToken, type World } from './model.ts';
import { Refusal, type ServiceRequest } from './protocol.ts';

/** What a test says of a token. */
export interface TokenOptions {
  /** `owner/name` of the only repository that the token is for. */
  readonly repository: string;
  readonly permissions: Permissions;
  /** Who it acts as; default: `github-actions[bot]`. */
  readonly identity?: Identity;
  readonly caller?: Caller;
}

/** A new token for REST, of the shape that GitHub's have. */
export function issueToken(world: World, { repository, permissions, identity, caller }: TokenOptions): string {
  const token = `ghs_${randomBytes(18).toString('hex')}`;
  world.tokens.set(token, { token, repository, permissions, identity: identity ?? ACTIONS_BOT, caller, used: 0 });
  return token;
}

/** The token that a request carries, known or not. */
export function tokenOf(world: World, { headers }: ServiceRequest): RestToken | undefined {
  const text = /^(?:token|bearer) (.+)$/i.exec(headers.authorization ?? '')?.[1];
  return text === undefined ? undefined : world.tokens.get(text);
}

/** Headers of every answer to a known token, once the request is counted. */
export function rateLimitHeaders(world: World, token: RestToken): Record<string, string> {
  const { restLimit } = world.behaviour;
  return {
    'x-ratelimit-limit': String(restLimit),
    'x-ratelimit-remaining': String(Math.max(0, restLimit - token.used)),
    'x-ratelimit-used': String(token.used),
    'x-ratelimit-reset': String(Math.floor(world.now().getTime() / 1000) + 3600),
    'x-ratelimit-resource': 'core',
  };
}

/** Throws a {@link Refusal} where the request may not do this to that repository. */
export function authorise(
  world: World,
  request: ServiceRequest,
  repository: string,
  anyOf: readonly Permission[],
  level: 'read' | 'write',
): RestToken {
  const token = tokenOf(world, request);
  if (token === undefined) {
    throw new Refusal(401, request.headers.authorization === undefined ? 'Requires authentication' : 'Bad credentials');
  }
  if (token.used > world.behaviour.restLimit) throw new Refusal(403, 'API rate limit exceeded for installation.');
  if (token.repository.toLowerCase() !== repository.toLowerCase()) throw new Refusal(404, 'Not Found');
  const allowed = anyOf.some((permission) => {
    const given = token.permissions[permission];
    return given === 'write' || given === level;
  });
  if (allowed) return token;
  if (world.behaviour.deniedAs === 404) throw new Refusal(404, 'Not Found');
  throw new Refusal(403, 'Resource not accessible by integration');
}
