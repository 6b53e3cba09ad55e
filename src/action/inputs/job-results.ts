import { digestSchema, type Digest } from '../../json/digest.ts';
import type { Needs } from './needs.ts';

/** Ids of jobs of this run attempt that have ended according to GitHub. */
export function endedJobs(needs: Needs | undefined): ReadonlySet<string> {
  return new Set(needs?.results?.keys());
}

/**
 * Digests of outputs by gate, as job outputs of the needed jobs:
 * `outputs: { digest: ${{ steps.<id>.outputs.digest }} }`, and `gate` if the job's id differs from its
 * gate's. The job of a wave has `digest-<n>` for the gate at that position of the wave. They do not pass through
 * artifacts.
 */
export function outputDigests(needs: Needs | undefined): ReadonlyMap<string, Digest> {
  return digestsNamed('digest', needs);
}

/** Digests of the files that gates handed on, likewise, from the job output `files-digest`. */
export function filesDigests(needs: Needs | undefined): ReadonlyMap<string, Digest> {
  return digestsNamed('files-digest', needs);
}

function digestsNamed(output: string, needs: Needs | undefined): ReadonlyMap<string, Digest> {
  const digests = new Map<string, Digest>();
  const note = (gate: string, text: string | undefined): void => {
    const digest = digestSchema.safeParse(text);
    if (digest.success) digests.set(gate, digest.data);
  };
  for (const [job, { outputs }] of needs?.results ?? []) {
    const wave = needs?.waves?.get(job);
    if (wave === undefined) note(outputs['gate'] || job, outputs[output]);
    else for (const [slot, gate] of wave.entries()) note(gate, outputs[`${output}-${slot}`]);
  }
  return digests;
}
