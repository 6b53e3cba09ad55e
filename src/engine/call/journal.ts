import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Digest } from '../../json/digest.ts';
import { contentsOf } from '../../run/state/missing-output.ts';
import { createRunFold, type RunFold } from '../../run/state/fold.ts';
import { nextAttempt, numberCall, type CallNumbers } from '../../run/state/numbering.ts';
import type { ReadProblem, RecordListing } from '../../run/records/reading.ts';
import { RECORD_FORMAT, type DecidedRecord, type GatelineRecord, type Writer } from '../../run/records/record.ts';
import { addElsewhere, addToArchive, openArchive, type Archive } from '../../run/plan/archive.ts';
import { writerKey, type RunState, type ExternalFacts } from '../../run/state/run-state.ts';
import type { UnitGraph, Unit } from '../../run/records/unit.ts';
import type { Selection, Written } from '../../store/record-store.ts';
import type { MissingContents } from './content.ts';
import type { EnginePorts } from '../ports.ts';

/** The records of a subject as this call sees them: read once, then extended with the records that the call writes. */
export interface Journal {
  readonly call: CallNumbers;
  /** State of the call's run, computed from all records known now. */
  state(): RunState;
  /** Records of all runs, for finding checkpoints. */
  archive(): Archive;
  records(): readonly GatelineRecord[];
  /** Number of the unit's next attempt in this call. */
  nextAttempt(key: UnitKey): number;
  /** The properties that all records of this call about this unit share. */
  identity(unit: Named, n: number): RecordIdentity;
  write(record: GatelineRecord): Promise<Written>;
  /** Judges a unit by this fingerprint from now on. */
  setFingerprint(key: UnitKey, fingerprint: Digest): void;
  /** Sets contents that were found to be missing or altered. */
  setMissing(contents: MissingContents): void;
  /** Adds decisions from where no job can write, and those of them that exist but could not be read. */
  learn(decided: readonly DecidedRecord[], unread?: ReadProblem): void;
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
  /** The numbers are set from outside, as for a CI job: holders of claims of earlier run attempts are gone. */
  readonly numbers?: Pick<CallNumbers, 'runNumber' | 'runAttempt'>;
  /** The records, if the caller has already read them. */
  readonly listing?: RecordListing;
  /** Decisions that the call was given, about these records. */
  readonly given?: (listing: RecordListing) => Promise<readonly DecidedRecord[]>;
  /** Which units' records to read. Default: all. */
  readonly selection?: Selection;
}

/** Reads all records, finds out which of their writers are gone, and numbers the call. */
export async function openJournal(
  ports: Pick<EnginePorts, 'store' | 'now' | 'me' | 'isGone'>,
  scope: JournalScope,
): Promise<Journal> {
  const listed = scope.listing ?? (await ports.store.list(scope.pipeline, scope.subject, scope.selection));
  const given = (await scope.given?.(listed)) ?? [];
  const proven = new Set<GatelineRecord>(given);
  const problems = [...listed.problems];
  const listing = { ...listed, problems, proven };
  // Of two equal records the last one is kept: a copy that a job wrote must not take the place of the proven one.
  const records = [...listed.records, ...given];
  const deadWriters = await findDeadWriters(listing, ports.isGone);
  const fingerprints = new Map<UnitKey, Digest>();
  const missingContent = new Map<Digest, ReadProblem | null>();
  const fold = (runNumber?: number, supersededBefore?: CallNumbers): RunFold => {
    const facts: ExternalFacts = {
      get now() {
        return ports.now().toISOString();
      },
      deadWriters,
      fingerprints,
      missingContent,
      ...(supersededBefore && { supersededBefore }),
    };
    const identity = {
      pipeline: scope.pipeline,
      subject: scope.subject,
      ...(runNumber !== undefined && { runNumber }),
    };
    return createRunFold(scope.graph, { ...listing, records }, identity, facts);
  };
  const call = numbersOf(scope, fold);
  const foldOfCall = (): RunFold => fold(call.runNumber, scope.alone || scope.numbers !== undefined ? call : undefined);
  let run = foldOfCall();
  let archive = openArchive({ ...listing, records });
  return {
    call,
    state: () => run.state(),
    archive: () => archive,
    records: () => records,
    nextAttempt: (key) => nextAttempt({ records, problems }, call, key),
    identity: (unit, n) => identify(scope, unit, { ...call, n }, ports),
    write: async (record) => {
      const written = await ports.store.write(record);
      if (written === 'written') {
        records.push(record);
        addToArchive(archive, record);
        run.add(record);
        // The contents of a new record were stored or verified right before it was written.
        if (record.kind === 'ended') for (const { digest } of contentsOf(record)) missingContent.delete(digest);
      }
      return written;
    },
    setFingerprint: (key, fingerprint) => {
      if (fingerprints.get(key) === fingerprint) return;
      fingerprints.set(key, fingerprint);
      run.touch(key);
    },
    setMissing: (contents) => {
      if (contents.size === 0) return;
      for (const [digest, problem] of contents) missingContent.set(digest, problem);
      run.touchAll();
    },
    learn: (decided, unread) => {
      if (unread !== undefined) problems.push(unread);
      for (const record of decided) proven.add(record);
      records.push(...decided);
      run = foldOfCall();
      archive = openArchive({ ...listing, records: [...archive.records, ...decided] }, archive.elsewhere);
    },
    missing: () => missingContent,
    include: (key, checkpoints) => {
      const isOurs = ({ records: [first] }: RecordListing): boolean => first?.subject === scope.subject;
      const ours = checkpoints.filter(isOurs).flatMap((found) => found.records);
      if (ours.length > 0)
        archive = openArchive({ ...listing, records: [...archive.records, ...ours] }, archive.elsewhere);
      addElsewhere(
        archive,
        key,
        checkpoints.filter((found) => !isOurs(found)),
      );
    },
  };
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
async function findDeadWriters(
  listing: RecordListing,
  isGone: (writer: Writer) => Promise<boolean>,
): Promise<Set<string>> {
  const writers = new Map<string, Writer>();
  for (const record of listing.records) {
    if (record.kind === 'started') writers.set(writerKey(record.by), record.by);
  }
  const dead = new Set<string>();
  for (const [key, writer] of writers) if (await isGone(writer)) dead.add(key);
  return dead;
}
