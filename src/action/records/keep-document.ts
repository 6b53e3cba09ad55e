import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { ArtifactService, Parcel } from '../../store/github/artifacts/artifact-service.ts';

/** Whether something was uploaded, or why not. `taken`: an artifact with that name exists. */
export type KeptDocument = 'kept' | 'taken' | { readonly problem: string };

/** Uploads documents as separate artifacts. Never throws if GitHub refuses or does not answer. */
export interface DocumentKeeper {
  /** Uploads a document as a separate artifact, unless one of that name exists. */
  keepDocument(name: string, content: string | Uint8Array): Promise<KeptDocument>;
  /** The same for several files, in one zip. @param files by path in it, with `/` between folders */
  keepFolder(name: string, files: ReadonlyMap<string, Uint8Array>): Promise<KeptDocument>;
}

export function documentKeeper(open: () => ArtifactService): DocumentKeeper {
  const keep = async (
    name: string,
    form: Parcel['form'],
    contents: ReadonlyArray<readonly [string, string | Uint8Array]>,
  ): Promise<KeptDocument> => {
    const files = contents.map(([file, content]) => ({
      name: file,
      place: async (path: string): Promise<void> => {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
      },
    }));
    const bytes = contents.reduce((sum, [, content]) => sum + Buffer.byteLength(content), 0);
    try {
      const uploaded = await open().upload({ name, form, files, bytes });
      return uploaded.state === 'taken' && !uploaded.maybeOwn ? 'taken' : 'kept';
    } catch (error) {
      if (error instanceof GatelineError && error.fault === 'platform') return { problem: error.message };
      throw error;
    }
  };
  return {
    keepDocument: (name, content) => keep(name, 'raw', [[name, content]]),
    keepFolder: (name, files) => keep(name, 'zip', [...files]),
  };
}
