import type { Content, GatelineRecord } from '../../run/records/record.ts';
import type { Digest } from '../../json/digest.ts';
import type { Chunks } from '../chunks.ts';
import type { Read, RecordListing, RecordStore, Written } from '../record-store.ts';
import { CheckpointFiles } from './checkpoint-files.ts';
import { ContentFiles, type StoredContents } from './contents/content-files.ts';
import type { CompressedContents } from './contents/packed-content.ts';
import { RecordFiles } from './record-files.ts';
import { RemovedRuns } from './removed-runs.ts';
import { StateFolder, type StateFolderOptions } from './state-folder.ts';

export type { StateFolderOptions } from './state-folder.ts';

/**
 * Records and contents as files; docs/reference/state-files.md has the layout. Safe for any number of processes at
 * once: a record's name is taken at most once, and readers see whole files or none.
 *
 * @throws GatelineError `STATE_ESCAPES` (fault `user`) when the folder leaves the workspace
 * @throws GatelineError `STORE_WRITE_FAILED`, `STORE_READ_FAILED` (fault `platform`) when the system refuses access
 */
export async function openFilesystemStore(options: StateFolderOptions): Promise<FilesystemRecordStore> {
  return new FilesystemStore(await StateFolder.open(options));
}

/** A store of files, and what it knows of outputs by fingerprint, over all subjects. */
export interface FilesystemRecordStore extends RecordStore {
  readonly checkpoints: Pick<CheckpointFiles, 'find' | 'index'>;
  /** The records of all pipelines and subjects. @param signal rejects with its reason when it is aborted */
  everything(signal?: AbortSignal): Promise<RecordListing>;
  /** The digests of all contents, by the names of their files, and the paths of files with other names. */
  contents(): Promise<StoredContents>;
  /**
   * Compresses contents that nobody stored since a time. They are read as before.
   * @param signal aborted to stop
   * @throws GatelineError `STORE_READ_FAILED`, `STORE_WRITE_FAILED`
   */
  packContents(before: Date, signal?: AbortSignal): Promise<CompressedContents>;
  readonly removedRuns: Pick<RemovedRuns, 'remove' | 'removeContents' | 'records' | 'forget'>;
  /** The decisions among the records of a run: no other record is read. */
  decisionsIn(pipeline: string, subject: string, runNumber: number): Promise<RecordListing>;
}

class FilesystemStore implements FilesystemRecordStore {
  readonly checkpoints: CheckpointFiles;
  readonly removedRuns: RemovedRuns;
  readonly #records: RecordFiles;
  readonly #contents: ContentFiles;

  constructor(state: StateFolder) {
    this.#records = new RecordFiles(state);
    this.checkpoints = new CheckpointFiles(state, this.#records);
    this.#contents = new ContentFiles(state);
    this.removedRuns = new RemovedRuns(state, this.#records, this.#contents);
  }

  async write(record: GatelineRecord): Promise<Written> {
    await this.checkpoints.beforeWrite(record);
    return this.#records.write(record);
  }

  list(pipeline: string, subject: string): Promise<RecordListing> {
    return this.#records.list(pipeline, subject);
  }

  everything(signal?: AbortSignal): Promise<RecordListing> {
    return this.#records.everything(() => true, { signal });
  }

  decisionsIn(pipeline: string, subject: string, runNumber: number): Promise<RecordListing> {
    return this.#records.ofRun(pipeline, subject, runNumber, ({ kind }) => kind.startsWith('decided'));
  }

  subjects(pipeline: string): Promise<string[]> {
    return this.#records.subjects(pipeline);
  }

  put(content: Uint8Array | string): Promise<Content> {
    return this.#contents.put(content);
  }

  putStream(chunks: Chunks): Promise<Content> {
    return this.#contents.putStream(chunks);
  }

  get(digest: Digest): Promise<Read<Uint8Array>> {
    return this.#contents.get(digest);
  }

  contents(): Promise<StoredContents> {
    return this.#contents.all();
  }

  packContents(before: Date, signal?: AbortSignal): Promise<CompressedContents> {
    return this.#contents.pack(before, signal);
  }

  check(digest: Digest): Promise<Read<Content>> {
    return this.#contents.check(digest);
  }

  copyTo(digest: Digest, path: string, mode: number): Promise<Read<Content>> {
    return this.#contents.copyTo(digest, path, mode);
  }
}
