import { digestOfJson } from '../../../json/canonical-json.ts';
import type { ReadProblem, RecordListing } from '../../../run/records/reading.ts';
import { gatesBefore, type GatelineRecord } from '../../../run/records/record.ts';
import type { JsonValue } from '../../../json/json.ts';
import type { Selection } from '../../record-store.ts';
import { MAX_DOCUMENT_BYTES, parseDocument, type ReadDocument } from './artifact-document.ts';
import {
  parseArtifactName,
  recordArtifactName,
  sameRecord,
  scopeOf,
  type RecordArtifactName,
} from './artifact-names.ts';
import type { Patience } from '../../../github/patient-calls.ts';
import type { ListedArtifact, Trouble } from '../artifacts/artifact-service.ts';
import type { NamedArtifact, StoreParts } from './run-artifacts.ts';
import { fileIn } from '../artifacts/zip-entries.ts';
import { inParallel } from '../../../in-parallel.ts';

/** Artifacts read in parallel. */
export const PARALLEL_READS = 16;

/**
 * Upstream is read level by level: records name the gates of the next level. After this many levels the pipeline is a
 * long chain, and a level also reads records that may be further up, as far as the parallel limit allows: otherwise
 * each gate would cost a round trip.
 */
const LEVELS_READ_ALONE = 8;

/** The result of reading one artifact. */
export type ReadRecord = { readonly document: ReadDocument } | { readonly problem: ReadProblem };

/** A record and its artifact, as they were read or written. */
interface Kept {
  readonly artifact: ListedArtifact;
  readonly document: ReadDocument;
}

/** The parts of a {@link RecordReader}. */
interface RecordReaderParts extends Pick<StoreParts, 'service' | 'view' | 'run' | 'readingMs'> {
  /** Called once with every valid document. */
  readonly onDocument: (document: ReadDocument) => Promise<void>;
}

/** The records of a run, read from its artifacts and remembered. */
export class RecordReader {
  readonly #parts: RecordReaderParts;
  readonly #kept = new Map<number, Kept>();

  constructor(parts: RecordReaderParts) {
    this.#parts = parts;
  }

  /** Lists again, and reads new artifacts. */
  async list(
    pipeline: string,
    subject: string,
    { only, upstream }: Selection = { only: () => true },
  ): Promise<RecordListing> {
    const { view, readingMs } = this.#parts;
    await view.refresh();
    const until = performance.now() + readingMs;
    const records = new Map<string, GatelineRecord>();
    const problems: ReadProblem[] = view.problem === undefined ? [] : [view.problem];
    const take = ({ artifact }: NamedArtifact, read: ReadRecord): void => {
      if ('problem' in read) problems.push(read.problem);
      else if (read.document.record.pipeline === pipeline && read.document.record.subject === subject) {
        // A record that had to be uploaded again exists twice.
        records.set(digestOfJson(read.document.record as JsonValue), structuredClone(read.document.record));
      } else
        problems.push(view.problemWith(artifact.name, { code: 'FOREIGN', message: 'a record of another subject' }));
    };
    const scope = scopeOf(pipeline, subject);
    const needed = new Set<string>();
    const tried = new Set<NamedArtifact>();
    let others = this.#records().filter(({ named }) => named.scope === scope);
    for (let level = 1; ; level += 1) {
      const isWanted = ({ named }: NamedArtifact): boolean => only(named) || needed.has(named.gate);
      const wanted = others.filter(isWanted);
      if (wanted.length === 0) break;
      others = others.filter((one) => !wanted.includes(one));
      const free = level > LEVELS_READ_ALONE ? Math.max(0, PARALLEL_READS - wanted.length) : 0;
      const ahead = others.filter((one) => !tried.has(one)).slice(0, free);
      for (const one of ahead) tried.add(one);
      await Promise.all([this.#readAll(wanted, until, take), this.#readAll(ahead, until, () => undefined)]);
      if (upstream) for (const record of records.values()) for (const gate of gatesBefore(record)) needed.add(gate);
    }
    return { records: [...records.values()], problems, unprovenDecisions: true };
  }

  /** Names of a pipeline's subject in the last listing. */
  names(pipeline: string, subject: string): RecordArtifactName[] {
    const scope = scopeOf(pipeline, subject);
    return this.#records().flatMap(({ named }) => (named.scope === scope ? [named] : []));
  }

  /** Subjects of a pipeline. Their names are only in the records: one record of each is read. */
  async subjects(pipeline: string): Promise<string[]> {
    await this.#parts.view.refresh();
    const scopes = Map.groupBy(this.#records(), ({ named }) => named.scope);
    const subjects = new Set<string>();
    await inParallel(PARALLEL_READS, [...scopes.values()], async (artifacts) => {
      for (const one of artifacts) {
        const read = await this.read(one);
        if ('problem' in read) continue;
        if (read.document.record.pipeline === pipeline) subjects.add(read.document.record.subject);
        return;
      }
    });
    return [...subjects].toSorted();
  }

  /**
   * The artifact with a record's name, after listing again: this record itself, another one, or none that is visible.
   * `unknown`: the listing or a listed artifact could not be read.
   */
  async stateOf(record: GatelineRecord, patience?: Patience): Promise<'same' | 'other' | 'unseen' | 'unknown'> {
    const { view } = this.#parts;
    await view.refresh(patience);
    const rivals = this.#rivalsOf(record);
    const own = digestOfJson(record as JsonValue);
    let isOut = view.problem?.code === 'OUTAGE';
    for (const rival of rivals) {
      const read = await this.read(rival, patience);
      if ('document' in read && digestOfJson(read.document.record as JsonValue) === own) return 'same';
      isOut ||= 'problem' in read && read.problem.code === 'OUTAGE';
    }
    if (isOut) return 'unknown';
    return rivals.length > 0 ? 'other' : 'unseen';
  }

  /** Whether a record of that name is already known, without a request. */
  knows(record: GatelineRecord): boolean {
    return this.#rivalsOf(record).length > 0;
  }

  /** The artifact of a record that was read or written. */
  artifactOf(record: GatelineRecord): ListedArtifact | undefined {
    const own = digestOfJson(record as JsonValue);
    return this.#rivalsOf(record).find(({ artifact }) => {
      const kept = this.#kept.get(artifact.id);
      return kept !== undefined && digestOfJson(kept.document.record as JsonValue) === own;
    })?.artifact;
  }

  /** Remembers a record that was uploaded. */
  remember(artifact: ListedArtifact, record: GatelineRecord): void {
    this.#parts.view.add(artifact);
    const document = { record: structuredClone(record), contents: new Map(), altered: [] };
    this.#kept.set(artifact.id, { artifact, document });
  }

  /** One record, from memory if it was read before and has not changed since. */
  async read(one: NamedArtifact<RecordArtifactName>, patience?: Patience): Promise<ReadRecord> {
    const kept = this.#kept.get(one.artifact.id);
    if (kept !== undefined && isSame(kept.artifact, one.artifact)) return { document: kept.document };
    const { view, onDocument } = this.#parts;
    if (one.named.kind === 'unknown') {
      const message = 'a kind of record that this version of Gateline does not know';
      // All versions write kinds in lower case: another name was written by none of them.
      const code = /[A-Z]/.test(one.named.of) ? 'CORRUPT' : 'UNKNOWN_VERSION';
      return { problem: view.problemWith(one.artifact.name, { code, message }) };
    }
    const bytes = await this.#bytesOf(one.artifact, patience);
    if ('code' in bytes) return { problem: view.problemWith(one.artifact.name, bytes) };
    const parsed = parseDocument(bytes.content);
    if ('fault' in parsed) return { problem: view.problemWith(one.artifact.name, parsed.fault) };
    const stranger = this.#strangeness(parsed.record, one);
    if (stranger !== undefined) {
      return { problem: view.problemWith(one.artifact.name, { code: 'FOREIGN', message: stranger }) };
    }
    // Contents are passed on and not kept twice.
    const document = { ...parsed, contents: new Map() };
    this.#kept.set(one.artifact.id, { artifact: one.artifact, document });
    await onDocument(parsed);
    return { document };
  }

  #records(): NamedArtifact<RecordArtifactName>[] {
    return this.#parts.view
      .all()
      .filter((one): one is NamedArtifact<RecordArtifactName> => one.named.holds === 'record');
  }

  #rivalsOf(record: GatelineRecord): NamedArtifact<RecordArtifactName>[] {
    const own = parseArtifactName(recordArtifactName(record)) as RecordArtifactName;
    return this.#records().filter(({ named }) => sameRecord(named, own));
  }

  async #readAll(
    artifacts: readonly NamedArtifact<RecordArtifactName>[],
    until: number,
    take: (artifact: NamedArtifact<RecordArtifactName>, read: ReadRecord) => void,
  ): Promise<void> {
    await inParallel(PARALLEL_READS, artifacts, async (one) => {
      const late = performance.now() > until && !this.#kept.has(one.artifact.id);
      const trouble = { code: 'OUTAGE', message: 'no time was left to read it' } as const;
      take(one, late ? { problem: this.#parts.view.problemWith(one.artifact.name, trouble) } : await this.read(one));
    });
  }

  /** The bytes of a document; from a zip (if the service accepts nothing else), those of the entry with its name. */
  async #bytesOf(
    artifact: ListedArtifact,
    patience: Patience | undefined,
  ): Promise<{ readonly content: Buffer } | Trouble> {
    const answer = await this.#parts.service.download(artifact, MAX_DOCUMENT_BYTES, patience);
    if (!answer.ok) return answer.trouble;
    const content = await fileIn(answer.value, artifact.name, MAX_DOCUMENT_BYTES);
    return content === undefined
      ? { code: 'CORRUPT', message: 'a zip without the record, or a damaged one' }
      : { content };
  }

  /** Why a record does not match the name of its artifact. */
  #strangeness(record: GatelineRecord, { artifact, named }: NamedArtifact<RecordArtifactName>): string | undefined {
    const { run } = this.#parts;
    if (nameOf(record, named.upload) !== artifact.name) return 'not the record that its name describes';
    if (record.runNumber !== run.number) return `a record of run number ${record.runNumber}`;
    if ((record.by.runId ?? run.id) !== run.id) return `a record of the run ${record.by.runId}`;
    return undefined;
  }
}

function isSame(a: ListedArtifact, b: ListedArtifact): boolean {
  return a.name === b.name && a.digest === b.digest;
}

function nameOf(record: GatelineRecord, upload: number): string | undefined {
  try {
    return recordArtifactName(record, upload);
  } catch {
    // A leg or number that is not allowed in a name.
    return undefined;
  }
}
