import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Digest } from '../../json/digest.ts';
import { contentsOf } from '../../run/state/fold-unit.ts';
import { createRunFold, type RunFold } from '../../run/state/fold.ts';
import { nextAttempt, numberCall, type CallNumbers } from '../../run/state/numbering.ts';
import type { ReadProblem, RecordListing } from '../../run/records/reading.ts';
import { RECORD_FORMAT, type GatelineRecord, type Writer } from '../../run/records/record.ts';
import { addToArchive, openArchive, type Archive } from '../../run/plan/reuse.ts';
import { writerKey, type RunState, type Told } from '../../run/state/run-state.ts';
import type { UnitGraph, Unit } from '../../run/records/unit.ts';
import type { Selection, Written } from '../../store/record-store.ts';
import type { MissingContents } from './content.ts';
import type { EnginePorts } from '../ports.ts';

/** The records of a subject as this call sees them: read once, then kept up with what it writes itself. */
export interface Journal {
  readonly call: CallNumbers;
  /** State of the call's run, folded from everything known now. */
  state(): RunState;
  /** Records of all runs, for looking up checkpoints. */
  archive(): Archive;
  records(): readonly GatelineRecord[];
  /** Number of the unit's next attempt in this call. */
  nextAttempt(key: UnitKey): number;
  /** What every record of this call about this unit has in common. */
  identity(unit: Unit, n: number): Identity;
  write(record: GatelineRecord): Promise<Written>;
  /** From now on a unit is judged by this fingerprint. */
  setFingerprint(key: UnitKey, fingerprint: Digest): void;
  /** Content that was looked for and is not there as it should be. */
  setMissing(contents: MissingContents): void;
  /** What {@link setMissing} was told. */
  missing(): MissingContents;
  /** Checkpoints that were found elsewhere: for looking up what may be reused, not for what is true of this run. */
  include(checkpoints: readonly GatelineRecord[]): void;
}

type Identity = Pick<
  GatelineRecord,
  'format' | 'pipeline' | 'subject' | 'gate' | 'leg' | 'runNumber' | 'runAttempt' | 'n' | 'at' | 'by'
>;

/** Whose journal. */
export interface JournalScope {
  readonly pipeline: string;
  readonly subject: string;
  readonly graph: UnitGraph;
  /** Look at this run as it is, without opening a new call; for `complete` and for looking only. 0: the newest. */
  readonly runNumber?: number;
  /** No other engine works in this workspace: claims that a process held before this call are over, wherever it was. */
  readonly alone?: boolean;
  /** The numbers are given from outside, as a CI job's are: whoever held a claim in an earlier run attempt is gone. */
  readonly numbers?: Pick<CallNumbers, 'runNumber' | 'runAttempt'>;
  /** The records, where the caller has read them already. */
  readonly listing?: RecordListing;
  /** Which units' records are needed. Default: all. */
  readonly selection?: Selection;
}

/** Reads all records, finds out which of their writers are gone, and numbers the call. */
export async function openJournal(
  ports: Pick<EnginePorts, 'store' | 'now' | 'me' | 'isGone'>,
  scope: JournalScope,
): Promise<Journal> {
  const listing = scope.listing ?? (await ports.store.list(scope.pipeline, scope.subject, scope.selection));
  const records = [...listing.records];
  const deadWriters = await findDeadWriters(listing, ports.isGone);
  const fingerprints = new Map<UnitKey, Digest>();
  const missingContent = new Map<Digest, ReadProblem | null>();
  const fold = (runNumber?: number, supersededBefore?: CallNumbers): RunFold => {
    const told: Told = {
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
    return createRunFold(scope.graph, { ...listing, records }, identity, told);
  };
  const call = numbersOf(scope, fold);
  const run = fold(call.runNumber, scope.alone || scope.numbers !== undefined ? call : undefined);
  let archive = openArchive({ ...listing, records });
  return {
    call,
    state: () => run.state(),
    archive: () => archive,
    records: () => records,
    nextAttempt: (key) => nextAttempt({ records, problems: listing.problems }, call, key),
    identity: (unit, n) => identify(scope, unit, { ...call, n }, ports),
    write: async (record) => {
      const written = await ports.store.write(record);
      if (written === 'written') {
        records.push(record);
        addToArchive(archive, record);
        run.add(record);
        // What a record just written refers to was kept, or verified, right before.
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
    missing: () => missingContent,
    include: (checkpoints) => {
      archive = openArchive({ ...listing, records: [...archive.records, ...checkpoints] });
    },
  };
}

function numbersOf(scope: JournalScope, fold: (runNumber?: number) => RunFold): CallNumbers {
  if (scope.numbers !== undefined) return { ...scope.numbers, continues: scope.numbers.runAttempt > 1 };
  const latest = fold(scope.runNumber === 0 ? undefined : scope.runNumber).state();
  if (scope.runNumber === undefined) return numberCall(latest);
  return { runNumber: latest.runNumber, runAttempt: latest.runAttempt, continues: true };
}

function identify(
  scope: JournalScope,
  unit: Unit,
  position: { runNumber: number; runAttempt: number; n: number },
  ports: Pick<EnginePorts, 'now' | 'me'>,
): Identity {
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

/** Writers of claims whose process is certainly gone. */
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
