import { z } from 'zod';
import { digestOf, hexOf, type Digest } from '../../../json/digest.ts';
import { unitKey } from '../../../pipeline/pipeline.ts';
import { comparePositions, unitOf, type EndedRecord, type GatelineRecord } from '../../../run/records/record.ts';
import { claimMatches } from '../../../run/records/unit-records.ts';
import { parseJson } from '../../../json/parse-json.ts';
import { formatOf, judgeRecord } from '../../parse-record.ts';
import { DOCUMENT_NAME } from './entry-name.ts';
import type { EntryFiles } from './read-archive.ts';
import { Unusable } from './unusable.ts';

/** The gate that a checkpoint belongs to. Its subject only names the records: equal requests have one fingerprint. */
export type CheckpointUnit = Pick<GatelineRecord, 'pipeline' | 'gate' | 'leg'>;

/**
 * A claim and its end; the claim may be unknown. For work that was done in several iterations also the ends of the
 * gates that sent it back, and approvals of those; or only the decisions that sent it back, in place of an entry that
 * must no longer be used.
 */
export type CheckpointRecords = readonly [GatelineRecord, ...GatelineRecord[]];

/** Version of the document in an entry. A reader ignores any other version. */
const CHECKPOINT_FORMAT = 'gateline-checkpoint/1';

const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
const MAX_DOCUMENT_DEPTH = 50;
/** A reader refuses more records in an entry. */
export const MAX_RECORDS = 64;

const documentSchema = z.strictObject({
  format: z.literal(CHECKPOINT_FORMAT),
  /** Records as stored, the claim first. */
  records: z.array(z.unknown()).min(1).max(MAX_RECORDS),
});

/** The document of an entry, as JSON. */
export function writeDocument(records: CheckpointRecords): string {
  return JSON.stringify({ format: CHECKPOINT_FORMAT, records });
}

/** A reference to content in a record: a claim does not include the size of its request. */
export interface ContentReference {
  readonly digest: Digest;
  readonly bytes?: number;
}

/**
 * All references in the records of the first one's gate, including repeated ones, except the contract: a reader judges
 * by the current contract.
 */
export function referencesIn(records: CheckpointRecords): ContentReference[] {
  const own = records.filter((record) => unitOf(record) === unitOf(records[0]));
  return own.flatMap((record) => {
    if (record.kind === 'decided') return [];
    if (record.kind === 'started') return [{ digest: record.request }];
    const { value, exports, logs, learnings, files, touched } = record;
    const changed = [...files, ...touched].map((file) => file.after?.content);
    return [value, exports, logs.stdout, logs.stderr, learnings, ...changed].filter((content) => content !== undefined);
  });
}

/**
 * The records of an entry, verified to match the request: they belong to this unit and fingerprint, each matches its
 * schema, and exactly the contents that they refer to are present with the right bytes.
 * @throws Unusable
 */
export function verifyEntry(files: EntryFiles, unit: CheckpointUnit, fingerprint: Digest): CheckpointRecords {
  const records = readDocument(files.get(DOCUMENT_NAME)!);
  const isOwn = (record: GatelineRecord): boolean => unitOf(record) === unitKey(unit.gate, unit.leg);
  const own = records.filter(isOwn);
  const ended = own.findLast((record) => record.kind === 'ended');
  const isOfUnit = own.length > 0 && records.every((record) => isOwn(record) || isCauseOf(record, ended));
  if (!isOfUnit) throw new Unusable('the entry belongs to another gate');
  verifyKinds(own);
  for (const record of own) verifyIdentity(record, unit, fingerprint);
  const [claim] = own;
  if (claim?.kind === 'started' && ended !== undefined) {
    const isOneAttempt =
      claim.subject === ended.subject && comparePositions(claim, ended) === 0 && claimMatches(ended, claim);
    if (!isOneAttempt) throw new Unusable('the claim and the result in the entry are of different attempts');
  }
  verifyContents(files, referencesIn([own[0]!, ...own.slice(1)]));
  return records;
}

function verifyKinds(own: readonly GatelineRecord[]): void {
  const kinds = own.map(({ kind }) => kind).join(' ');
  const isSentBack = own.every((record) => record.kind === 'decided' && record.rework !== undefined);
  if (kinds === 'ended' || kinds === 'started ended' || isSentBack) return;
  throw new Unusable('the entry contains records other than a claim and its result');
}

/**
 * Whether a record is the end of a gate that sent the work back and judged its last iteration, or an approval of that.
 */
function isCauseOf(record: GatelineRecord, work: EndedRecord | undefined): boolean {
  if (work === undefined || record.pipeline !== work.pipeline || record.subject !== work.subject) return false;
  const isApproval = record.kind === 'decided' && record.decision === 'approve';
  const isOfRun = record.kind === 'ended' ? record.runNumber === work.runNumber : isApproval;
  return isOfRun && work.rework?.causes?.includes(unitOf(record)) === true;
}

function readDocument(bytes: Uint8Array): CheckpointRecords {
  const json = parseJson(bytes, { maxBytes: MAX_DOCUMENT_BYTES, maxDepth: MAX_DOCUMENT_DEPTH });
  if (!json.ok) throw new Unusable(`the document in the entry is ${json.kind}`);
  if (formatOf(json.value) !== CHECKPOINT_FORMAT) throw new Unusable('the format of the entry is not supported');
  const document = documentSchema.safeParse(json.value);
  if (!document.success) throw new Unusable('the document in the entry is not valid');
  const records = document.data.records.map((value) => {
    const judged = judgeRecord(value);
    if ('fault' in judged) throw new Unusable(`a record in the entry is not valid (${judged.fault.code})`);
    return judged.record;
  });
  const [first, ...others] = records;
  return [first!, ...others];
}

function verifyIdentity(record: GatelineRecord, unit: CheckpointUnit, fingerprint: Digest): void {
  if (record.pipeline !== unit.pipeline) throw new Unusable('the entry belongs to another gate');
  const base = record.kind === 'decided' ? undefined : record.rework?.base;
  if (record.fingerprint !== fingerprint && base !== fingerprint)
    throw new Unusable('the entry has another fingerprint');
}

function verifyContents(files: EntryFiles, references: readonly ContentReference[]): void {
  const needed = new Set(references.map(({ digest }) => digest));
  for (const digest of needed) {
    const content = files.get(hexOf(digest));
    if (content === undefined) throw new Unusable('a content is missing in the entry');
    if (digestOf(content) !== digest) throw new Unusable('a content in the entry has the wrong digest');
  }
  for (const { digest, bytes } of references)
    if (bytes !== undefined && bytes !== files.get(hexOf(digest))!.length)
      throw new Unusable('a content in the entry has the wrong size');
  // Plus the document.
  if (files.size > needed.size + 1) throw new Unusable('the entry contains contents that its records do not name');
}
