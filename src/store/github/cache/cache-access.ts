import { Unusable } from './unusable.ts';

/** A job's access to its cache. */
export interface CacheAccess {
  /** `ACTIONS_RESULTS_URL`. */
  readonly resultsUrl: string | undefined;
  /** `ACTIONS_RUNTIME_TOKEN`. */
  readonly runtimeToken: string | undefined;
  /** `ACTIONS_CACHE_MODE`. */
  readonly cacheMode: string | undefined;
  /** `GITHUB_SERVER_URL`. */
  readonly serverUrl: string | undefined;
}

/** The parts that every request needs. */
export interface GivenAccess extends CacheAccess {
  readonly resultsUrl: string;
  readonly runtimeToken: string;
}

/**
 * The access that `cache-mode` of a workflow or job permits. If it is not set or unknown, everything is permitted, as
 * in the toolkit.
 */
const MODES: Readonly<Record<string, { readonly read: boolean; readonly write: boolean }>> = {
  none: { read: false, write: false },
  read: { read: true, write: false },
  write: { read: true, write: true },
  'write-only': { read: false, write: true },
};

/** The connection for reading or writing. */
export function accessFor(use: 'read' | 'write', access: CacheAccess): GivenAccess {
  const { resultsUrl, runtimeToken, serverUrl } = access;
  const mode = (access.cacheMode ?? '').trim().toLowerCase();
  if (Object.hasOwn(MODES, mode) && !MODES[mode]![use]) throw new Unusable(`cache-mode is ${mode}`);
  if (!resultsUrl || !runtimeToken || !URL.canParse(resultsUrl))
    throw new Unusable('the runner gives no access to it here');
  if (isEnterpriseServer(serverUrl)) throw new Unusable('the cache of an Enterprise Server is not supported');
  return { ...access, resultsUrl, runtimeToken };
}

/** As the toolkit decides it: any other host has the previous generation of the cache service. */
function isEnterpriseServer(serverUrl: string | undefined): boolean {
  const host = URL.parse(serverUrl || 'https://github.com')?.hostname.toLowerCase() ?? '';
  return host !== 'github.com' && !host.endsWith('.ghe.com') && !host.endsWith('.localhost');
}
