import { GatelineError } from '../../errors/gateline-error.ts';
import { whyUnread, type ReadProblem, type RecordListing } from '../../run/records/reading.ts';
import type { EnginePorts } from '../ports.ts';

/** Which records are of a format that this version does not know; `undefined`: none. */
export function laterRecords(problems: readonly ReadProblem[]): string | undefined {
  const texts = problems.filter(({ code }) => code === 'UNKNOWN_VERSION').map(whyUnread);
  // Sorted, so that the text does not depend on their order.
  const [first, ...others] = texts.toSorted();
  return first === undefined || others.length === 0 ? first : `${first} (and ${others.length} more)`;
}

/**
 * Refuses to start or write anything if a newer version wrote records: they may contain unknown facts about any gate,
 * for example that the run is paused.
 * @throws GatelineError `RECORD_TOO_NEW`
 */
export function refuseLaterRecords(problems: readonly ReadProblem[]): void {
  const which = laterRecords(problems);
  if (which === undefined) return;
  throw new GatelineError('RECORD_TOO_NEW', which, {
    hint: 'Update Gateline. Until then nothing is started or changed.',
  });
}

/**
 * The records of a subject, for calls that change something before they open.
 * @throws GatelineError `RECORD_TOO_NEW`
 */
export async function listKnown(
  { store }: Pick<EnginePorts, 'store'>,
  { pipeline, subject }: { readonly pipeline: { readonly id: string }; readonly subject: string },
): Promise<RecordListing> {
  const listing = await store.list(pipeline.id, subject);
  refuseLaterRecords(listing.problems);
  return listing;
}
