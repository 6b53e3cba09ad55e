import { digestOf } from '../../../src/json/digest.ts';
import type { StoredArtifact } from './model.ts';
import type { ResultsService } from './results-service.ts';

/** Puts an artifact among those of a run, as any of its jobs could under any name. */
export function plantArtifact(
  { world }: Pick<ResultsService, 'world'>,
  {
    run,
    name,
    bytes,
    mimeType = 'application/json',
  }: {
    readonly run: number;
    readonly name: string;
    readonly bytes: Uint8Array;
    readonly mimeType?: string;
  },
): StoredArtifact {
  const { artifacts, blobs } = world;
  const id = 9_000_000 + artifacts.length;
  const artifact: StoredArtifact = {
    run,
    attempt: 1,
    job: 'gate',
    id,
    name,
    mimeType,
    blob: `artifacts/planted-${id}`,
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + 1_000_000),
    finalized: true,
    size: bytes.length,
    digest: digestOf(bytes),
  };
  blobs.put(artifact.blob, Buffer.from(bytes), mimeType, new Date());
  artifacts.push(artifact);
  return artifact;
}
