import type { Patience } from '../../../github/patient-calls.ts';
import type { Digest } from '../../../json/digest.ts';
import type { HiddenBy, ReadProblem } from '../../../run/records/reading.ts';

/** An artifact of one run, as listed. Everything except the id was chosen by the uploader. */
export interface ListedArtifact {
  readonly name: string;
  /** Identifies the artifact, nothing else: ids do not follow the order of uploads. */
  readonly id: number;
  /** Stored bytes. */
  readonly size: number;
  /** Digest of the stored bytes. Older artifacts have none. */
  readonly digest?: Digest;
  /** Still listed, but no longer available. */
  readonly expired: boolean;
  /** Its owner, from the service's listing; absent if only REST listed it. */
  readonly owner?: BackendIds;
}

/**
 * Run and job as identified by the results service. Attempts of a run may have different ids: a job cannot know those
 * of another.
 */
export interface BackendIds {
  readonly run: string;
  readonly job: string;
}

/** The result of a listing. If `problem` is set, there may be more. */
export interface ArtifactListing {
  readonly artifacts: readonly ListedArtifact[];
  readonly problem?: Trouble;
  /** Why REST could not be asked for artifacts of earlier attempts, which may otherwise be hidden. */
  readonly hiddenBy?: HiddenBy;
}

/** Why something is not available. `UNREADABLE`: the service refuses, and retrying would not help. */
export interface Trouble {
  readonly code: Extract<
    ReadProblem['code'],
    'OUTAGE' | 'LISTING_LIMIT' | 'UNREADABLE' | 'CONTENT_ALTERED' | 'CORRUPT'
  >;
  /** One sentence in our own words. */
  readonly message: string;
}

/** The result of a call. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly trouble: Trouble };

/**
 * `taken`: an artifact with that name exists, or an upload of it was started and never finished. `maybeOwn`: that
 * upload may be from this very call, if an earlier try succeeded without a response.
 */
export type Uploaded =
  | { readonly state: 'created'; readonly artifact: ListedArtifact }
  | { readonly state: 'taken'; readonly maybeOwn: boolean };

/** How long an upload is tried. */
export interface UploadPatience {
  readonly patience?: Patience | undefined;
  /**
   * Interrupted earlier uploads of the same content under other names. With `minutes` of patience, the pauses continue
   * from theirs.
   */
  readonly earlier?: number;
}

/** The artifact to upload. */
export interface Parcel {
  readonly name: string;
  /** `raw`: one file, stored as is if the service allows it, otherwise in a zip. */
  readonly form: 'raw' | 'zip';
  /** Paths inside a zip; the name of a raw file is ignored. */
  readonly files: readonly ParcelFile[];
  /** Total of all files. */
  readonly bytes: number;
}

/** One file of a {@link Parcel}. */
export interface ParcelFile {
  readonly name: string;
  /** Writes the file to this path, which must not exist. */
  readonly place: (path: string) => Promise<void>;
}

/**
 * Artifacts of one run. Every call has a time limit, and is retried according to its patience. Nothing ever means "the
 * latest".
 */
export interface ArtifactService {
  /** Every artifact of the run that is visible here, from any uploader. */
  list(patience?: Patience): Promise<ArtifactListing>;
  /**
   * Uploads something new. Never changes or replaces anything.
   * @throws GatelineError `ARTIFACT_UPLOAD_FAILED`, `ARTIFACTS_OUTAGE`, `ARTIFACTS_UNAVAILABLE` (fault `platform`)
   */
  upload(parcel: Parcel, patience?: UploadPatience): Promise<Uploaded>;
  /** An artifact's bytes, verified against the listed digest; at most `limit` of them. */
  download(artifact: ListedArtifact, limit: number, patience?: Patience): Promise<Answer<Buffer>>;
  /** The same into a file that does not exist yet. The file is meaningless unless the call succeeds. */
  downloadTo(artifact: ListedArtifact, limit: number, path: string): Promise<Answer<undefined>>;
}
