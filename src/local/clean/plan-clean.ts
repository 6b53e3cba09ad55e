import { processesLeft, processesText } from '../../engine/entities/left-processes.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import { runKey } from '../../run/retention/needs.ts';
import { unitOf } from '../../run/records/record.ts';
import { refuseLaterRecords } from '../../engine/call/later-records.ts';
import { HANDOFF } from '../../memory/documents.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { ReadProblem, RecordListing } from '../../run/records/reading.ts';
import { planRetention, type RetentionPlan, type RetentionRules } from '../../run/retention/retention.ts';
import type { FilesystemRecordStore } from '../../store/filesystem/filesystem-store.ts';

/** The result of {@link planClean}. */
export interface CleanPlan extends RetentionPlan {
  /** The records of all pipelines in the store. */
  readonly listing: RecordListing;
}

/**
 * Decides which runs of a pipeline are removed. Changes nothing in a store that is opened for reading.
 * @param when.signal rejects with its reason when it is aborted
 * @throws GatelineError `STORE_READ_FAILED`, `RECORD_TOO_NEW`
 */
export async function planClean(
  store: FilesystemRecordStore,
  ports: Pick<EnginePorts, 'isGone' | 'processes'>,
  { id, gates }: Pick<Pipeline, 'id' | 'gates'>,
  rules: Omit<RetentionRules, 'contracts'>,
  { now, signal }: { readonly now: Date; readonly signal?: AbortSignal | undefined },
): Promise<CleanPlan> {
  const listing = await store.everything(signal);
  refuseLaterRecords(listing.problems);
  const records = listing.records.filter(({ pipeline }) => pipeline === id);
  const unread = new Map<string, readonly ReadProblem[]>();
  // Only the listing of a subject says whose a file is that cannot be read.
  const subjects = listing.problems.length === 0 ? [] : await store.subjects(id);
  for (const subject of subjects) unread.set(subject, (await store.list(id, subject)).problems);
  const schemas = gates.flatMap(({ contract: { schema } }) =>
    schema !== undefined && 'path' in schema ? [schema.path] : [],
  );
  // The run before the newest is summarized in its requests: without it, its gates would run again.
  const isSummarized = gates.some(({ memory }) => memory.includes(HANDOFF));
  const keep = isSummarized ? Math.max(2, rules.keep) : rules.keep;
  const left = await processesLeft(ports, records);
  const living = new Map(left.map((one) => [runKey(one.record), `${processesText([one])}, of ${unitOf(one.record)}`]));
  const known = { records, unread, living, now: now.toISOString() };
  return { listing, ...planRetention(known, { ...rules, keep, contracts: new Set(schemas) }) };
}
