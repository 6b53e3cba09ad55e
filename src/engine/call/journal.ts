import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Digest } from '../../json/digest.ts';
import { contentsOf } from '../../run/state/missing-output.ts';
import { createRunFold, type RunFold } from '../../run/state/fold.ts';
import { nextAttempt, numberCall, type CallNumbers } from '../../run/state/numbering.ts';
import type { ReadProblem, RecordListing } from '../../run/records/reading.ts';
import {
  isEntityRecord,
  recordName,
  RECORD_FORMAT,
  type DecidedRecord,
  type GatelineRecord,
} from '../../run/records/record.ts';
import { addElsewhere, addToArchive, openArchive, type Archive } from '../../run/plan/archive.ts';
import { writerKey, type RunState, type ExternalFacts } from '../../run/state/run-state.ts';
import type { UnitGraph, Unit } from '../../run/records/unit.ts';
import type { Selection, Written } from '../../store/record-store.ts';
import type { MissingContents } from './content.ts';
import type { EnginePorts } from '../ports.ts';
import { refuseLaterRecords } from './later-records.ts';

/** The records of a subject as this call sees them: read once, then extended with the records that the call writes. */
export interface Journal {
  readonly call: CallNumbers;
  /** State of the call's run, computed from all records known now. */
  state(): RunState;
  /** Records of all runs, for finding checkpoints. */
  archive(): Archive;
  /** Records of gates and decisions, of all runs. */
  records(): readonly GatelineRecord[];
  /** Everything that is known, what is only about entities included. */
  listing(): RecordListing;
  /** Number of the unit's next attempt in this call. */
  nextAttempt(key: UnitKey): number;
  /** The properties that all records of this call about this unit share. */
  identity(unit: Named, n: number): RecordIdentity;
  write(record: GatelineRecord): Promise<Written>;
  /** Computes the state again: the graph has changed. */
  refold(): void;
  /** Numbers the call again, if it numbers itself: the graph has changed, so that a run may be over. */
  renumber(): void;
  /** Judges a unit by this fingerprint from now on. */
  setFingerprint(key: UnitKey, fingerprint: Digest): void;
  /** Sets what changed in a unit's request since its output was approved: a clause. */
  setChange(key: UnitKey, what: string): void;
  /** Sets contents that were found to be missing or altered. */
  setMissing(contents: MissingContents): void;
  /** Adds decisions from where no job can write, and those of them that exist but could not be read. */
  learn(decided: readonly DecidedRecord[], unread?: ReadProblem): void;
  /** Adds what other processes have recorded meanwhile, and what is about entities alone: it is part of no run. */
  addCommands(listing: RecordListing): void;
  /** The contents passed to {@link setMissing}. */
  missing(): MissingContents;
  /**
   * Adds checkpoints of a unit from elsewhere, one listing for each subject. They are used to find reusable outputs,
   * not for the state of this run.
   */
  include(key: UnitKey, checkpoints: readonly RecordListing[]): void;
}

/** The ids of a unit, or of the run as a whole. */
interface Named {
  readonly gate: Pick<Unit['gate'], 'id'>;
  readonly leg: Pick<Unit['leg'], 'id'>;
}

type RecordIdentity = Pick<
  GatelineRecord,
  'format' | 'pipeline' | 'subject' | 'gate' | 'leg' | 'runNumber' | 'runAttempt' | 'n' | 'at' | 'by'
>;

/** Which records a journal reads, and how it numbers the call. */
export interface JournalScope {
  readonly pipeline: string;
  readonly subject: string;
  readonly graph: UnitGraph;
  /** Read this run as it is, without opening a new call; for `complete` and for read-only commands. 0: the newest. */
  readonly runNumber?: number;
  /** Begin a new run, even if the newest one is open. */
  readonly fresh?: boolean;
  /**
   * No other engine works in this workspace: claims that any process held before this call are over, on whatever
   * machine.
   */
  readonly alone?: boolean;
  /** The numbers are set by the caller, as in a CI job. Claims of earlier run attempts have no running process. */
  readonly numbers?: Pick<CallNumbers, 'runNumber' | 'runAttempt'>;
  /** The call only shows records: those of a later format are problems. Otherwise they are refused. */
  readonly shows?: boolean;
  /** The records, if the caller has already read them. */
  readonly listing?: RecordListing;
  /** Decisions that the call was given, about these records. */
  readonly given?: (listing: RecordListing) => Promise<readonly DecidedRecord[]>;
  /** Which units' records to read. Default: all. */
  readonly selection?: Selection;
}

/**
 * Reads all records, determines which of their writers no longer run, and numbers the call.
 * @throws GatelineError `RECORD_TOO_NEW`
 */
export async function openJournal(ports: JournalPorts, scope: JournalScope): Promise<Journal> {
  const listed = scope.listing ?? (await ports.store.list(scope.pipeline, scope.subject, scope.selection));
  if (scope.shows !== true) refuseLaterRecords(listed.problems);
  const given = (await scope.given?.(listed)) ?? [];
  const proven = new Set<GatelineRecord>(given);
  // Of two equal records the last one is kept: a copy that a job wrote must not take the place of the proven one.
  const listing = { ...listed, problems: [...listed.problems], proven, records: [...listed.records, ...given] };
  return new CallJournal(ports, scope, listing, await findDeadWriters(listing, ports.isGone));
}

type JournalPorts = Pick<EnginePorts, 'store' | 'now' | 'me' | 'isGone'>;

/** The contents of a journal. During the call, entries are only added. */
interface KnownRecords extends RecordListing {
  readonly records: GatelineRecord[];
  readonly problems: ReadProblem[];
  readonly proven: Set<GatelineRecord>;
}

class CallJournal implements Journal {
  call: CallNumbers;
  readonly #ports: JournalPorts;
  readonly #scope: JournalScope;
  readonly #known: KnownRecords;
  readonly #records: GatelineRecord[];
  readonly #names = new Set<string>();
  readonly #deadWriters: ReadonlySet<string>;
  readonly #fingerprints = new Map<UnitKey, Digest>();
  readonly #changes = new Map<UnitKey, string>();
  readonly #missingContent = new Map<Digest, ReadProblem | null>();
  #run: RunFold;
  #archive: Archive;

  constructor(ports: JournalPorts, scope: JournalScope, known: KnownRecords, deadWriters: ReadonlySet<string>) {
    this.#ports = ports;
    this.#scope = scope;
    this.#known = known;
    this.#records = known.records.filter((record) => !isEntityRecord(record));
    this.#deadWriters = deadWriters;
    this.call = numbersOf(scope, (runNumber) => this.#fold(runNumber));
    this.#run = this.#foldOfCall();
    this.#archive = openArchive(known);
  }

  state(): RunState {
    return this.#run.state();
  }

  archive(): Archive {
    return this.#archive;
  }

  records(): readonly GatelineRecord[] {
    return this.#records;
  }

  listing(): RecordListing {
    return this.#known;
  }

  nextAttempt(key: UnitKey): number {
    return nextAttempt(this.#known, this.call, key);
  }

  identity(unit: Named, n: number): RecordIdentity {
    return identify(this.#scope, unit, { ...this.call, n }, this.#ports);
  }

  async write(record: GatelineRecord): Promise<Written> {
    const written = await this.#ports.store.write(record);
    if (written !== 'written') return written;
    this.#known.records.push(record);
    if (!isEntityRecord(record)) this.#records.push(record);
    addToArchive(this.#archive, record);
    this.#run.add(record);
    // The contents of a new record were stored or verified right before it was written.
    if (record.kind === 'ended') for (const { digest } of contentsOf(record)) this.#missingContent.delete(digest);
    return written;
  }

  refold(): void {
    this.#run = this.#foldOfCall();
  }

  renumber(): void {
    this.call = numbersOf(this.#scope, (runNumber) => this.#fold(runNumber));
    this.refold();
  }

  setFingerprint(key: UnitKey, fingerprint: Digest): void {
    if (this.#fingerprints.get(key) === fingerprint) return;
    this.#fingerprints.set(key, fingerprint);
    this.#run.touch(key);
  }

  setChange(key: UnitKey, what: string): void {
    this.#changes.set(key, what);
    this.#run.touch(key);
  }

  setMissing(contents: MissingContents): void {
    if (contents.size === 0) return;
    for (const [digest, problem] of contents) this.#missingContent.set(digest, problem);
    this.#run.touchAll();
  }

  missing(): MissingContents {
    return this.#missingContent;
  }

  learn(decided: readonly DecidedRecord[], unread?: ReadProblem): void {
    if (unread !== undefined) this.#known.problems.push(unread);
    for (const record of decided) this.#known.proven.add(record);
    this.#known.records.push(...decided);
    this.#records.push(...decided.filter((record) => !isEntityRecord(record)));
    this.refold();
    this.#addToFound(decided);
  }

  addCommands({ records, problems }: RecordListing): void {
    for (const one of this.#known.records.slice(this.#names.size)) this.#names.add(recordName(one));
    this.#known.records.push(...records.filter((one) => isEntityRecord(one) && !this.#names.has(recordName(one))));
    const places = new Set(this.#known.problems.map(({ where }) => where));
    this.#known.problems.push(...problems.filter(({ where }) => !places.has(where)));
  }

  include(key: UnitKey, checkpoints: readonly RecordListing[]): void {
    const isOurs = ({ records: [first] }: RecordListing): boolean => first?.subject === this.#scope.subject;
    const ours = checkpoints.filter(isOurs).flatMap((found) => found.records);
    if (ours.length > 0) this.#addToFound(ours);
    const others = checkpoints.filter((found) => !isOurs(found));
    addElsewhere(this.#archive, key, others);
  }

  #addToFound(records: readonly GatelineRecord[]): void {
    const { records: before, elsewhere } = this.#archive;
    this.#archive = openArchive({ ...this.#known, records: [...before, ...records] }, elsewhere);
  }

  /** The state of the call's run. Claims of earlier calls are over if no other engine can be working. */
  #foldOfCall(): RunFold {
    const { alone, numbers } = this.#scope;
    return this.#fold(this.call.runNumber, alone || numbers !== undefined ? this.call : undefined);
  }

  #fold(runNumber?: number, supersededBefore?: CallNumbers): RunFold {
    const { graph, pipeline, subject } = this.#scope;
    const ports = this.#ports;
    const facts: ExternalFacts = {
      get now() {
        return ports.now().toISOString();
      },
      deadWriters: this.#deadWriters,
      fingerprints: this.#fingerprints,
      changes: this.#changes,
      missingContent: this.#missingContent,
      ...(supersededBefore && { supersededBefore }),
    };
    const identity = { pipeline, subject, ...(runNumber !== undefined && { runNumber }) };
    return createRunFold(graph, this.#known, identity, facts);
  }
}

function numbersOf(scope: JournalScope, fold: (runNumber?: number) => RunFold): CallNumbers {
  if (scope.numbers !== undefined) return { ...scope.numbers, continues: scope.numbers.runAttempt > 1 };
  const latest = fold(scope.runNumber === 0 ? undefined : scope.runNumber).state();
  if (scope.fresh) return { runNumber: latest.runNumber + 1, runAttempt: 1, continues: false };
  if (scope.runNumber === undefined) return numberCall(latest);
  return { runNumber: latest.runNumber, runAttempt: latest.runAttempt, continues: true };
}

function identify(
  scope: JournalScope,
  unit: Named,
  position: { runNumber: number; runAttempt: number; n: number },
  ports: Pick<EnginePorts, 'now' | 'me'>,
): RecordIdentity {
  return {
    format: RECORD_FORMAT,
    pipeline: scope.pipeline,
    subject: scope.subject,
    gate: unit.gate.id,
    leg: unit.leg.id,
    runNumber: position.runNumber,
    runAttempt: position.runAttempt,
    n: position.n,
    at: ports.now().toISOString(),
    by: ports.me,
  };
}

/** Writers of claims whose process has certainly ended. */
async function findDeadWriters({ records }: RecordListing, isGone: JournalPorts['isGone']): Promise<Set<string>> {
  const claims = records.filter((record) => record.kind === 'started');
  const writers = new Map(claims.map(({ by }) => [writerKey(by), by]));
  const dead = new Set<string>();
  for (const [key, writer] of writers) if (await isGone(writer)) dead.add(key);
  return dead;
}
