import type { FilesDigests } from '../../engine/delivery/deliver.ts';
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
  return new Map([...digestsNamed('digest', needs)].map(([gate, found]) => [gate, found.at(-1)!]));
}

/** Digests of the files that gates handed on, likewise, from the job output `files-digest`. */
export function filesDigests(needs: Needs | undefined): FilesDigests {
  return new Map([...digestsNamed('files-digest', needs)].map(([gate, found]) => [gate, new Set(found)]));
}

/**
 * Digests of the files that subjects of a set handed on: the job of a wave of subjects has `files-<n>` for the subject
 * at that position of the wave.
 * @param waves ids of subjects
 */
export function subjectDigests(
  needs: Needs | undefined,
  waves: readonly (readonly string[])[],
): ReadonlyMap<string, Digest> {
  const digests = waves.flatMap((ids, wave) => {
    const outputs = needs?.results?.get(`wave-${wave}`)?.outputs ?? {};
    return ids.flatMap((id, slot) => {
      const digest = digestSchema.safeParse(outputs[`files-${slot}`]);
      return digest.success ? [[id, digest.data] as const] : [];
    });
  });
  return new Map(digests);
}

function digestsNamed(output: string, needs: Needs | undefined): ReadonlyMap<string, Digest[]> {
  const digests = new Map<string, Digest[]>();
  const note = (gate: string, text: string | undefined): void => {
    const digest = digestSchema.safeParse(text);
    if (digest.success) digests.set(gate, [...(digests.get(gate) ?? []), digest.data]);
  };
  for (const [job, { outputs }] of needs?.results ?? []) {
    const wave = needs?.waves?.get(job);
    if (wave === undefined) note(outputs['gate'] || job, outputs[output]);
    else for (const [slot, gate] of wave.entries()) note(gate, outputs[`${output}-${slot}`]);
  }
  return digests;
}
