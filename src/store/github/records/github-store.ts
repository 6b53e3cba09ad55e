import type { Digest } from '../../../json/digest.ts';
import { unreadIn, type HiddenBy } from '../../../run/records/reading.ts';
import type { Content, EndedRecord, GatelineRecord } from '../../../run/records/record.ts';
import { GatelineError } from '../../../errors/gateline-error.ts';
import { DEFAULT_LIMITS, type ServiceLimits } from '../../../github/limits.ts';
import type { PatienceOptions } from '../../../github/patient-calls.ts';
import type { Chunks } from '../../chunks.ts';
import { writeNewFile } from '../../new-file.ts';
import { checkedRecord } from '../../parse-record.ts';
import type { Read, RecordListing, RecordStore, Selection, Written } from '../../record-store.ts';
import { MAX_UPLOADS, valueArtifactName, type RecordArtifactName } from './artifact-names.ts';
import { openGithubArtifacts, type GithubArtifactsOptions } from '../artifacts/github-artifacts.ts';
import { ContentSources } from './content-sources.ts';
import { mentionedBy } from './record-contents.ts';
import { RecordReader } from './record-reader.ts';
import { RecordWriter } from './record-writer.ts';
import { RunArtifacts, type Spool, type WorkflowRun } from './run-artifacts.ts';

/** If one `ListArtifacts` returns this many artifacts, there may be more. */
const DEFAULT_LISTING_LIMIT = 1_000;

/** The run whose records are stored, and the connection to the service. */
export interface GithubStoreOptions extends Pick<
  GithubArtifactsOptions,
  'results' | 'rest' | 'temporaryFolder' | 'retentionDays' | 'uploader' | keyof PatienceOptions
> {
  readonly run: WorkflowRun;
  /**
   * Holds contents until their record is written, and contents that were downloaded: the filesystem store below
   * `RUNNER_TEMP`.
   */
  readonly spool: Spool;
  /** Whether to start the first listing at once. Nearly every step needs it first. Default false. */
  readonly listsAtOnce?: boolean;
  /** For another run: nothing is ever written. */
  readonly readOnly?: boolean;
  /**
   * Of a run that this one continues. Its records and problems join every listing; its contents are used if this run
   * has none.
   */
  readonly earlier?: RecordStore;
  /** Default 1,000. */
  readonly listingLimit?: number;
  readonly limits?: Partial<ServiceLimits>;
  /** Receives notices for people, one sentence each, no markup. */
  readonly notice?: (message: string) => void;
}

/** Ids of a record's artifacts, for links. */
export interface ArtifactIds {
  readonly record?: number;
  /** Of the separate output artifact. */
  readonly value?: number;
}

/**
 * A gate's status according to the name of one artifact. It is only for display, never for decisions: any job of a run
 * may upload any name.
 */
export interface NameStatus extends Pick<GatelineRecord, 'gate' | 'leg' | 'runAttempt' | 'n'> {
  /** `unknown`: written by another version. */
  readonly kind: GatelineRecord['kind'] | 'unknown';
  /** Of an ended record. */
  readonly status?: EndedRecord['verdict']['status'];
}

/** Result of {@link GithubStore.statuses}. */
export interface NameStatuses {
  readonly statuses: readonly NameStatus[];
  /** False if there may be more than what was listed. */
  readonly complete: boolean;
}

/**
 * A store that keeps each record as one immutable artifact of the run, with its contents inside, or next to it if they
 * are large. `list` sees only records of this run and of the earlier one; contents are found through the records that
 * were listed. Writing a record also copies the contents that it needs from the earlier run, so that later jobs need
 * only this one.
 *
 * Content that is `put` waits in the spool until a record that refers to it is written. A name is taken once. For
 * claims, the service ensures that. The names of other records include the outcome, so another record is detected only
 * by the service's 409 for the same outcome and by earlier listings.
 *
 * Writing throws `ARTIFACT_UPLOAD_FAILED`, `ARTIFACTS_OUTAGE`, `RECORD_TOO_LARGE`, `STORE_READ_ONLY`, and errors from
 * the spool.
 */
export class GithubStore implements RecordStore {
  readonly #options: GithubStoreOptions;
  readonly #view: RunArtifacts;
  readonly #sources: ContentSources;
  readonly #reader: RecordReader;
  readonly #writer: RecordWriter;

  /** @throws GatelineError `ARTIFACTS_UNAVAILABLE` when the runtime token is not as a runner provides it */
  constructor(options: GithubStoreOptions) {
    const { run, spool, temporaryFolder, listingLimit = DEFAULT_LISTING_LIMIT, notice = () => undefined } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const service = openGithubArtifacts({ ...options, limits, listingLimit, notice });
    const view = new RunArtifacts(service, run);
    const sources = new ContentSources({ service, view, spool, temporaryFolder });
    const onDocument = sources.add.bind(sources);
    const reader = new RecordReader({ service, view, run, readingMs: limits.readingMs, onDocument });
    this.#options = options;
    if (options.listsAtOnce === true) view.begin();
    this.#view = view;
    this.#sources = sources;
    this.#reader = reader;
    this.#writer = new RecordWriter({ service, view, reader, sources, spool, notice });
  }

  async write(record: GatelineRecord): Promise<Written> {
    const { readOnly, run } = this.#options;
    if (readOnly) {
      throw new GatelineError('STORE_READ_ONLY', `The artifacts of run ${run.id} are read-only`);
    }
    const checked = checkedRecord(record);
    if (checked.runNumber !== run.number) {
      const message = `A record of run number ${checked.runNumber} cannot be an artifact of run number ${run.number}`;
      throw new GatelineError('RECORD_INVALID', message, {
        hint: 'This is a bug in Gateline. Please report it with this message.',
      });
    }
    await Promise.all(mentionedBy(checked).map(({ digest }) => this.#takeAlong(digest)));
    return this.#writer.write(checked);
  }

  async list(pipeline: string, subject: string, selection?: Selection): Promise<RecordListing> {
    const { earlier } = this.#options;
    const own = this.#reader.list(pipeline, subject, selection);
    if (earlier === undefined) return own;
    // A gate may be upstream in this run only: earlier decisions on it are requested too.
    const wanted = selection?.upstream === true ? withGatesOf(selection, await own) : selection;
    const [{ records, problems }, before] = await Promise.all([own, earlier.list(pipeline, subject, wanted)]);
    return {
      records: [...records, ...before.records],
      problems: [...problems, ...before.problems],
      unprovenDecisions: true,
    };
  }

  async subjects(pipeline: string): Promise<string[]> {
    const { earlier } = this.#options;
    const stores = [this.#reader, ...(earlier === undefined ? [] : [earlier])];
    const found = await Promise.all(stores.map((store) => store.subjects(pipeline)));
    return [...new Set(found.flat())].toSorted();
  }

  /** Statuses from names alone, with one listing, however many gates there are. */
  async statuses(pipeline: string, subject: string): Promise<NameStatuses> {
    await this.#view.refresh();
    return this.listedStatuses(pipeline, subject);
  }

  /** The same from the last listing. */
  listedStatuses(pipeline: string, subject: string): NameStatuses {
    const names = this.#reader.names(pipeline, subject);
    return { statuses: names.map(statusOf), complete: this.#view.problem === undefined };
  }

  /** Artifacts of a record that this process wrote or listed. */
  artifactOf(record: GatelineRecord): ArtifactIds {
    const own = this.#reader.artifactOf(record);
    const uploads = Array.from({ length: MAX_UPLOADS }, (_, index) => index + 1);
    const value = uploads.flatMap((upload) => this.#view.of(valueArtifactName(record, upload)))[0];
    return { ...(own && { record: own.id }), ...(value && { value: value.id }) };
  }

  /** Reasons why records of earlier attempts may be invisible to this job, according to its listings so far. */
  hiddenBy(): HiddenBy | undefined {
    return this.#view.hiddenBy;
  }

  put(content: Uint8Array | string): Promise<Content> {
    return this.#options.spool.put(content);
  }

  putStream(chunks: Chunks): Promise<Content> {
    return this.#options.spool.putStream(chunks);
  }

  get(digest: Digest): Promise<Read<Uint8Array>> {
    return this.#find(
      digest,
      (store) => store.get(digest),
      async (bytes) => bytes,
    );
  }

  check(digest: Digest): Promise<Read<Content>> {
    return this.#find(
      digest,
      (store) => store.check(digest),
      async (bytes) => ({ digest, bytes: bytes.length }),
    );
  }

  copyTo(digest: Digest, path: string, mode: number): Promise<Read<Content>> {
    return this.#find(
      digest,
      (store) => store.copyTo(digest, path, mode),
      async (bytes) => {
        await writeNewFile(path, mode, [bytes]);
        return { digest, bytes: bytes.length };
      },
    );
  }

  /**
   * From the spool, then from the records that were read, then from other artifacts, by way of the spool, and last from
   * the earlier run. If none has it, a result that is unknown to one of them is not absent.
   */
  async #find<T>(
    digest: Digest,
    from: (store: Spool) => Promise<Read<T>>,
    fromRecord: (bytes: Uint8Array) => Promise<T>,
  ): Promise<Read<T>> {
    const { spool, earlier } = this.#options;
    const spooled = await from(spool);
    if (spooled.state === 'present') return spooled;
    const carried = this.#sources.carried(digest);
    if (carried !== undefined) return { state: 'present', value: await fromRecord(Buffer.from(carried)) };
    const trouble = await this.#sources.bring(digest);
    const brought = await from(spool);
    if (brought.state === 'present') return brought;
    const own: Read<T> = trouble === undefined ? brought : { state: 'unknown', problem: { ...trouble, where: digest } };
    const before = earlier && (await from(earlier));
    return before !== undefined && (before.state === 'present' || own.state === 'absent') ? before : own;
  }

  /** Copies content that only the earlier run has. */
  async #takeAlong(digest: Digest): Promise<void> {
    const { spool, earlier } = this.#options;
    if (earlier === undefined || this.#sources.knows(digest)) return;
    // Check first: that needs no memory.
    if ((await spool.check(digest)).state === 'present' || (await earlier.check(digest)).state !== 'present') return;
    const read = await earlier.get(digest);
    if (read.state === 'present') await spool.put(read.value);
  }
}

/** A selection extended by every gate in a listing, including those of unreadable records. */
function withGatesOf(selection: Selection, { records, problems }: RecordListing): Selection {
  const gates = new Set([...records, ...unreadIn(problems)].map(({ gate }) => gate));
  return { ...selection, only: (unit) => selection.only(unit) || gates.has(unit.gate) };
}

function statusOf(name: RecordArtifactName): NameStatus {
  const { gate, leg, runAttempt, n, kind } = name;
  return { gate, leg, runAttempt, n, kind, ...(name.kind === 'ended' && { status: name.status }) };
}
