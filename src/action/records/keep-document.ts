import { writeFile } from 'node:fs/promises';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { ArtifactService } from '../../store/github/artifacts/artifact-service.ts';

/** Whether a document was uploaded, or why not. `taken`: an artifact with that name exists. */
export type KeptDocument = 'kept' | 'taken' | { readonly problem: string };

/** Uploads documents as separate artifacts. Never throws if GitHub refuses or does not answer. */
export function documentKeeper(
  open: () => ArtifactService,
): (name: string, content: string | Uint8Array) => Promise<KeptDocument> {
  return async (name, content) => {
    try {
      const place = (path: string): Promise<void> => writeFile(path, content);
      const bytes = Buffer.byteLength(content);
      const uploaded = await open().upload({ name, form: 'raw', files: [{ name, place }], bytes });
      return uploaded.state === 'taken' && !uploaded.maybeOwn ? 'taken' : 'kept';
    } catch (error) {
      if (error instanceof GatelineError && error.fault === 'platform') return { problem: error.message };
      throw error;
    }
  };
}
