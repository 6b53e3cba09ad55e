import { z } from 'zod';
import type { RestClient } from '../../github/rest/rest.ts';

const permissionSchema = z.object({
  permission: z.string(),
  user: z.object({ type: z.string() }).nullish(),
});

/** Whether an account is a person who may write to the repository. @throws GatelineError as {@link RestClient} */
export async function isPersonWhoMayWrite(rest: RestClient, login: string): Promise<boolean> {
  const path = `/repos/${rest.repository}/collaborators/${encodeURIComponent(login)}/permission`;
  const { permission, user } = await rest.call({ method: 'GET', path }, permissionSchema);
  return user?.type === 'User' && (permission === 'admin' || permission === 'write');
}
