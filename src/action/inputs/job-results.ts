import { digestSchema, type Digest } from '../../json/digest.ts';
import type { Needs } from './needs.ts';

/** Ids of jobs of this run attempt that GitHub says have ended. */
export function endedJobs(needs: Needs | undefined): ReadonlySet<string> {
  return new Set(needs?.results?.keys());
}

/**
 * Digests of outputs by gate, as the needed jobs handed them on: `outputs: { digest: ${{ steps.<id>.outputs.digest }} }`,
 * and `gate` beside it where the job has another id than its gate. They do not go through artifacts.
 */
export function outputDigests(needs: Needs | undefined): ReadonlyMap<string, Digest> {
  const digests = new Map<string, Digest>();
  for (const [job, { outputs }] of needs?.results ?? []) {
    const digest = digestSchema.safeParse(outputs['digest']);
    if (digest.success) digests.set(outputs['gate'] || job, digest.data);
  }
  return digests;
}
