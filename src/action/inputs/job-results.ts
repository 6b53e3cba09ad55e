import { digestSchema, type Digest } from '../../json/digest.ts';
import type { Needs } from './needs.ts';

/** Ids of jobs of this run attempt that have ended according to GitHub. */
export function endedJobs(needs: Needs | undefined): ReadonlySet<string> {
  return new Set(needs?.results?.keys());
}

/**
 * Digests of outputs by gate, as job outputs of the needed jobs:
 * `outputs: { digest: ${{ steps.<id>.outputs.digest }} }`, and `gate` if the job's id differs from its
 * gate's. They do not pass through artifacts.
 */
export function outputDigests(needs: Needs | undefined): ReadonlyMap<string, Digest> {
  const digests = new Map<string, Digest>();
  for (const [job, { outputs }] of needs?.results ?? []) {
    const digest = digestSchema.safeParse(outputs['digest']);
    if (digest.success) digests.set(outputs['gate'] || job, digest.data);
  }
  return digests;
}
