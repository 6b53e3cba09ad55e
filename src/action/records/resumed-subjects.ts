import type { CheckpointSource, FoundCheckpoints } from '../../engine/ports.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RecordListing } from '../../run/records/reading.ts';
import { comparePositions, type EndedRecord, type GatelineRecord } from '../../run/records/record.ts';
import type { RecordStore } from '../../store/record-store.ts';

/**
 * Outputs that a resumed run has for subjects other than that of this run, such as those of its base branch. Records of
 * the same subject are part of every listing.
 */
export function resumedSubjects(earlier: EarlierRecords): CheckpointSource {
  return {
    find: (unit, fingerprint) =>
      search(earlier, unit, (ended, subject) => subject !== unit.subject && ended.fingerprint === fingerprint),
    ...namedOutputs(earlier),
  };
}

/**
 * Outputs of a run that are used only where a person named them: those of another branch. Of its records, nothing but
 * the attempts that ended with such an output is passed on.
 */
export function namedOutputs(earlier: EarlierRecords): Required<Pick<CheckpointSource, 'findOutput'>> {
  return {
    findOutput: async (unit, output) => {
      const isNamed = ({ value }: EndedRecord): boolean => value?.digest === output;
      const { listings, notices } = await search(earlier, unit, isNamed);
      const named = listings.map(({ records }) => {
        const ended = records.filter((record) => record.kind === 'ended' && isNamed(record));
        const isOfThem = (record: GatelineRecord): boolean =>
          record.kind !== 'decided' && ended.some((one) => comparePositions(one, record) === 0);
        return { records: records.filter(isOfThem), problems: [] };
      });
      return { listings: named, notices };
    },
  };
}

type EarlierRecords = Pick<RecordStore, 'subjects' | 'list'>;

/** The listings, one of each subject, with an attempt of a unit that is wanted. */
async function search(
  earlier: EarlierRecords,
  { pipeline, gate, leg }: Parameters<CheckpointSource['find']>[0],
  isWanted: (ended: EndedRecord, subject: string) => boolean,
): Promise<FoundCheckpoints> {
  try {
    const subjects = await earlier.subjects(pipeline);
    const only = (unit: { readonly gate: string; readonly leg: string }): boolean =>
      unit.gate === gate && unit.leg === leg;
    const listings = await Promise.all(subjects.map((subject) => earlier.list(pipeline, subject, { only })));
    const isFound = ({ records }: RecordListing): boolean =>
      records.some((record) => record.kind === 'ended' && isWanted(record, record.subject));
    return { listings: listings.filter(isFound), notices: [] };
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    return { listings: [], notices: [`Records of the resumed run could not be searched: ${error.message}`] };
  }
}

/** Asks every source. */
export function allSources(sources: readonly Partial<CheckpointSource>[]): CheckpointSource {
  const joined = async (asked: readonly (Promise<FoundCheckpoints> | undefined)[]): Promise<FoundCheckpoints> => {
    const found = await Promise.all(asked.filter((one) => one !== undefined));
    return {
      listings: found.flatMap(({ listings }) => listings),
      notices: found.flatMap(({ notices }) => notices),
    };
  };
  return {
    find: (unit, fingerprint) => joined(sources.map((source) => source.find?.(unit, fingerprint))),
    findOutput: (unit, output) => joined(sources.map((source) => source.findOutput?.(unit, output))),
  };
}
