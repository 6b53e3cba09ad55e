import { z } from 'zod';
import type { World } from './model.ts';
import { Refusal, json, parseBody, type Operation, type Reply, type ServiceRequest } from './protocol.ts';
import { tokenOf } from './rest-access.ts';

const querySchema = z.looseObject({ query: z.string() });

/** Who a token is: `GET /user`, which apps and a job's own token may not ask, and GraphQL's `viewer`, which all may. */
export function routeAccount(request: ServiceRequest, world: World): Operation | undefined {
  const { method, url } = request;
  if (method === 'GET' && url.pathname === '/user') return operation('users/get-authenticated', request, world, user);
  if (method === 'POST' && url.pathname === '/graphql') return operation('graphql', request, world, viewer);
  return undefined;
}

function operation(
  name: string,
  request: ServiceRequest,
  world: World,
  work: (world: World, request: ServiceRequest) => Reply,
): Operation {
  const caller = tokenOf(world, request)?.caller;
  return { name, protocol: 'rest', caller, subject: undefined, carryOut: (received) => work(world, received) };
}

/** https://docs.github.com/rest/users/users#get-the-authenticated-user */
function user(world: World, request: ServiceRequest): Reply {
  const { identity } = knownToken(world, request);
  if (identity.type === 'Bot') throw new Refusal(403, 'Resource not accessible by integration');
  return json(200, identity);
}

/** The one query that is known. https://docs.github.com/graphql/reference/queries#viewer */
function viewer(world: World, request: ServiceRequest): Reply {
  const { identity } = knownToken(world, request);
  if (!/^\s*query\s*\{\s*viewer\s*\{\s*login\s*\}\s*\}\s*$/.test(parseBody(querySchema, request).query)) {
    return json(200, { errors: [{ type: 'undefinedField', message: 'The service of the tests knows no such query' }] });
  }
  return json(200, { data: { viewer: { login: identity.login } } });
}

function knownToken(world: World, request: ServiceRequest) {
  const token = tokenOf(world, request);
  if (token === undefined) throw new Refusal(401, 'Bad credentials');
  return token;
}
