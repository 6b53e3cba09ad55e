import type { Patience } from '../../../github/patient-calls.ts';
import type { Digest } from '../../../json/digest.ts';
import type { HiddenBy, ReadProblem } from '../../../run/records/reading.ts';

/** An artifact of one run, as a listing tells it. What it tells is the uploader's word, but for the id. */
export interface ListedArtifact {
  readonly name: string;
  /** Tells artifacts apart, and nothing else: ids do not follow the order of uploads. */
  readonly id: number;
  /** Bytes as they are stored. */
  readonly size: number;
  /** Of the bytes as they are stored. Older artifacts have none. */
  readonly digest?: Digest;
  /** Still listed, but no longer available. */
  readonly expired: boolean;
  /** Whose it is, as the service's listing says; absent where only REST listed it. */
  readonly owner?: BackendIds;
}

/** Run and job as the results service knows them. Attempts of a run may have different ids: no job can know those of another. */
export interface BackendIds {
  readonly run: string;
  readonly job: string;
}

/** What a listing came to. With `problem` there may be more. */
export interface ArtifactListing {
  readonly artifacts: readonly ListedArtifact[];
  readonly problem?: Trouble;
  /** What kept REST from being asked for artifacts of earlier attempts, which may be hidden otherwise. */
  readonly hiddenBy?: HiddenBy;
}

/** Why something could not be had. `UNREADABLE`: the service refuses, and asking again would not help. */
export interface Trouble {
  readonly code: Extract<
    ReadProblem['code'],
    'OUTAGE' | 'LISTING_LIMIT' | 'UNREADABLE' | 'CONTENT_ALTERED' | 'CORRUPT'
  >;
  /** One sentence, of our own words. */
  readonly message: string;
}

/** What a call came to. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly trouble: Trouble };

/**
 * `taken`: an artifact of that name exists, or its upload was begun by somebody and never finished. `maybeOwn`: that
 * somebody may be this very call, whose earlier try succeeded without an answer.
 */
export type Uploaded =
  | { readonly state: 'created'; readonly artifact: ListedArtifact }
  | { readonly state: 'taken'; readonly maybeOwn: boolean };

/** An upload's patience. */
export interface UploadPatience {
  readonly patience?: Patience | undefined;
  /** Uploads of the same under other names, which broke off: with minutes to spare the pauses go on from theirs. */
  readonly earlier?: number;
}

/** What is to be uploaded. */
export interface Parcel {
  readonly name: string;
  /** `raw`: one file, stored as it is where the service allows it, and in a zip where not. */
  readonly form: 'raw' | 'zip';
  /** Names inside a zip; the name of a raw file does not count. */
  readonly files: readonly ParcelFile[];
  /** Of all files together. */
  readonly bytes: number;
}

/** One file of a {@link Parcel}. */
export interface ParcelFile {
  readonly name: string;
  /** Writes the file to this path, where there is none. */
  readonly place: (path: string) => Promise<void>;
}

/** Artifacts of one run. Every call has a time limit, and is tried as its patience says; nothing ever means "the latest". */
export interface ArtifactService {
  /** Every artifact of the run that can be seen from here, whoever uploaded it. */
  list(patience?: Patience): Promise<ArtifactListing>;
  /**
   * Uploads something new. Never changes or replaces anything.
   * @throws GatelineError `ARTIFACT_UPLOAD_FAILED`, `ARTIFACTS_OUTAGE`, `ARTIFACTS_UNAVAILABLE` (fault `platform`)
   */
  upload(parcel: Parcel, patience?: UploadPatience): Promise<Uploaded>;
  /** An artifact's bytes, which have the digest that the listing told; at most `limit` of them. */
  download(artifact: ListedArtifact, limit: number, patience?: Patience): Promise<Answer<Buffer>>;
  /** The same into a file that does not exist yet. What stands there afterwards means nothing unless the answer is good. */
  downloadTo(artifact: ListedArtifact, limit: number, path: string): Promise<Answer<undefined>>;
}
