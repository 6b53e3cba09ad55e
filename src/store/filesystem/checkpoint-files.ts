import { performance } from 'node:perf_hooks';
import { messageOf } from '../../errors/gateline-error.ts';
import type { Digest } from '../../json/digest.ts';
import type { RecordListing } from '../../run/records/reading.ts';
import { RUN_GATE, type GatelineRecord } from '../../run/records/record.ts';
import { CheckpointIndex, isOutput, type IndexEntry } from './checkpoint-index.ts';
import type { RecordFiles, SubjectNames } from './record-files.ts';
import type { StateFolder } from './state-folder.ts';

/** How many subjects are looked at for one output; if the newest are of no use, the agent runs. */
const MOST_SUBJECTS = 5;

/** How long the names of a subject's records are used: other processes may add decisions to them. */
const NAMES_VALID_MS = 1_000;

/** Outputs of other subjects by fingerprint, found through an index. Each is read from the records of its subject. */
export class CheckpointFiles {
  readonly #state: StateFolder;
  readonly #records: RecordFiles;
  readonly #index: CheckpointIndex;
  readonly #names = new Map<string, { readonly at: number; readonly names: Promise<SubjectNames> }>();

  constructor(state: StateFolder, records: RecordFiles) {
    this.#state = state;
    this.#records = records;
    this.#index = new CheckpointIndex(state, records);
  }

  get index(): Pick<CheckpointIndex, 'check' | 'remake'> {
    return this.#index;
  }

  /** To be called before a record is written: the index must never lack an output that has a record. */
  async beforeWrite(record: GatelineRecord): Promise<void> {
    this.#names.delete(keyOf(record));
    if (isOutput(record) && !this.#state.readOnly) await this.#index.add(record);
  }

  /**
   * Outputs of this unit with this fingerprint, of other subjects: for each subject the records of the unit in the runs
   * that left one, and all decisions about the unit. Never throws.
   */
  async find(
    unit: Pick<GatelineRecord, 'pipeline' | 'subject' | 'gate' | 'leg'>,
    fingerprint: Digest,
  ): Promise<{ readonly listings: readonly RecordListing[]; readonly notices: readonly string[] }> {
    try {
      const entries = (await this.#index.find(fingerprint)).filter(
        ({ pipeline, subject, gate, leg }) =>
          pipeline === unit.pipeline && subject !== unit.subject && gate === unit.gate && leg === unit.leg,
      );
      const bySubject = [...Map.groupBy(entries, ({ subject }) => subject).values()].slice(0, MOST_SUBJECTS);
      const found = await Promise.all(bySubject.map((one) => this.#recordsAt(one)));
      return { listings: found.filter(({ records }) => records.some(isOutput)), notices: [] };
    } catch (error) {
      return { listings: [], notices: [`Outputs of other subjects could not be searched: ${messageOf(error)}`] };
    }
  }

  async #recordsAt(entries: readonly IndexEntry[]): Promise<RecordListing> {
    const [{ pipeline, subject, gate, leg }] = entries as [IndexEntry];
    const runs = new Set(entries.map(({ runNumber }) => runNumber));
    // Whether a loop ended well depends on the gates that sent the work back, and on approvals of their outputs.
    const loops = new Set(entries.flatMap(({ base, runNumber }) => (base === undefined ? [] : [runNumber])));
    return (await this.#namesOf(pipeline, subject)).read((name) => {
      const isDecision = name.kind.startsWith('decided');
      if (name.gate === RUN_GATE) return isDecision;
      if (loops.has(name.runNumber) || (isDecision && loops.size > 0)) return true;
      return name.gate === gate && name.leg === leg && (isDecision || runs.has(name.runNumber));
    });
  }

  #namesOf(pipeline: string, subject: string): Promise<SubjectNames> {
    const key = keyOf({ pipeline, subject });
    const known = this.#names.get(key);
    const at = performance.now();
    if (known !== undefined && at - known.at < NAMES_VALID_MS) return known.names;
    const names = this.#records.names(pipeline, subject);
    this.#names.set(key, { at, names });
    return names;
  }
}

function keyOf({ pipeline, subject }: Pick<GatelineRecord, 'pipeline' | 'subject'>): string {
  return JSON.stringify([pipeline, subject]);
}
