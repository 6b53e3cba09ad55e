import { z } from 'zod';
import { ARTIFACT_METHODS } from './artifact-service.ts';
import { CACHE_METHODS } from './cache-service.ts';
import type { World } from './model.ts';
import { Refusal, parseBody, type Operation, type ServiceRequest } from './protocol.ts';
import { readToken, type RuntimeToken } from './runtime-token.ts';

const ROOT = '/twirp/github.actions.results.api.v1.';
const METHODS = { ArtifactService: ARTIFACT_METHODS, CacheService: CACHE_METHODS };

/** What the log calls a request by, wherever the body has it. */
const subjectSchema = z
  .looseObject({ name: z.string(), name_filter: z.string(), id_filter: z.string(), key: z.string() })
  .partial();

/** Twirp over JSON, as the clients of artifacts and caches speak it. */
export function routeTwirp(request: ServiceRequest, world: World): Operation | undefined {
  if (!request.url.pathname.startsWith(ROOT)) return undefined;
  const [service = '', method = ''] = request.url.pathname.slice(ROOT.length).split('/');
  const work = Object.hasOwn(METHODS, service) ? METHODS[service as keyof typeof METHODS][method] : undefined;
  if (work === undefined || request.method !== 'POST') return undefined;
  const token = tokenOf(request, world);
  return {
    name: method,
    protocol: 'twirp',
    caller: token instanceof Refusal ? undefined : token,
    subject: subjectOf(request),
    carryOut: (received) => {
      if (token instanceof Refusal) throw token;
      return work(world, token, received);
    },
  };
}

function tokenOf(request: ServiceRequest, world: World): RuntimeToken | Refusal {
  try {
    return readToken(world.signingKey, request.headers.authorization, world.now());
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function subjectOf(request: ServiceRequest): string | undefined {
  try {
    const { name, name_filter, id_filter, key } = parseBody(subjectSchema, request);
    return name ?? name_filter ?? id_filter ?? key;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
