import { basename, join } from 'node:path';
import { inParallel } from '../../in-parallel.ts';
import type { Digest } from '../../json/digest.ts';
import type { ReadProblem } from '../../run/records/reading.ts';
import type { GatelineRecord } from '../../run/records/record.ts';
import { contentsNamedBy } from '../../run/state/named-contents.ts';
import { contentPath } from '../../store/filesystem/contents/content-files.ts';
import { openFilesystemStore, type FilesystemRecordStore } from '../../store/filesystem/filesystem-store.ts';
import { parseRecordFileName, recordFileName } from '../../store/record-names.ts';
import { finding, FINDINGS, type Finding, type Repair } from './finding.ts';
import type { Looking } from './looking.ts';

/** Contents that are read at the same time. */
const PARALLEL = 4;

/** Message about an empty file: it has nothing to keep, and its name stays taken. */
const EMPTY = 'empty';

/** Every record, every content, and the index of one folder with records. */
export async function checkFolder(root: string, looking: Looking): Promise<Finding[]> {
  const store = await openFilesystemStore({ root, workspace: looking.workspace, readOnly: true });
  const { findings, records } = await checkRecords(store, root, looking);
  const index = await store.checkpoints.index.check();
  const repair: Repair = { action: 'rebuild-index', root };
  return [
    ...findings,
    ...(index === undefined ? [] : [finding('INDEX_DAMAGED', index.path, index.message, { repair })]),
    ...(await checkContents(store, root, records, looking)),
  ];
}

/**
 * By listing each subject, as every command does: a listing compares a record with its name and folder. What no listing
 * has is in the folder of another subject.
 */
async function checkRecords(
  store: FilesystemRecordStore,
  root: string,
  looking: Looking,
): Promise<{ findings: Finding[]; records: readonly GatelineRecord[] }> {
  const { records, problems } = await store.everything();
  const found = new Map<string, Finding>();
  const unlisted: Finding[] = [];
  const keep = (one: Finding): unknown => found.has(one.path) || found.set(one.path, one);
  const pipelines = new Set(records.map(({ pipeline }) => pipeline));
  for (const { where } of problems) pipelines.add(parseRecordFileName(basename(where))?.pipeline ?? '');
  pipelines.delete('');
  for (const pipeline of pipelines) {
    const listed = new Set<string>();
    for (const subject of await store.subjects(pipeline)) {
      const listing = await store.list(pipeline, subject);
      for (const problem of listing.problems)
        keep(ofProblem(problem, { action: 'quarantine-record', root, pipeline, subject }));
      for (const record of listing.records) listed.add(idOf(record));
    }
    for (const record of records) {
      if (record.pipeline !== pipeline || listed.has(idOf(record))) continue;
      const path = looking.show(join(root, 'runs'));
      const message = `${recordFileName(record)} is not in the folder of its subject, ${record.subject}`;
      unlisted.push(finding('RECORD_UNREADABLE', path, message, { advice: 'Give the folder its name back.' }));
    }
  }
  for (const problem of problems) keep(ofProblem(problem));
  return { findings: [...found.values(), ...unlisted], records };
}

function idOf(record: GatelineRecord): string {
  return JSON.stringify([record.pipeline, record.subject, recordFileName(record)]);
}

/** @param repair for what goes to quarantine: see docs/reference/state-files.md */
function ofProblem({ code, where, message, quarantine }: ReadProblem, repair?: Repair): Finding {
  if (quarantine !== undefined)
    return finding('RECORD_QUARANTINED', where, `${message}; its bytes are in ${quarantine}`);
  if (code === 'UNKNOWN_VERSION') return finding('RECORD_TOO_NEW', where, message);
  if (code === 'UNREADABLE' || code === 'LISTING_LIMIT')
    return finding('RECORD_UNREADABLE', where, message, { advice: FINDINGS.CONTENT_UNREADABLE.advice });
  const isMovable = code === 'CORRUPT' || code === 'FOREIGN' || (code === 'TRUNCATED' && message !== EMPTY);
  return finding('RECORD_UNREADABLE', where, message, { ...(isMovable && repair !== undefined && { repair }) });
}

/** Contents that are not what their names say, and contents that records name and that are not there. */
async function checkContents(
  store: FilesystemRecordStore,
  root: string,
  records: readonly GatelineRecord[],
  { show, progress }: Looking,
): Promise<Finding[]> {
  const { digests, others } = await store.contents();
  const findings = others.map((path) => finding('CONTENT_NAME', path, 'its name is not the digest of a content'));
  const namedBy = new Map<Digest, GatelineRecord[]>();
  for (const record of records)
    for (const digest of contentsNamedBy(record)) namedBy.set(digest, [...(namedBy.get(digest) ?? []), record]);
  const pathOf = (digest: Digest): string => show(contentPath(root, digest));
  let done = 0;
  await inParallel(PARALLEL, digests, async (digest) => {
    progress('contents', (done += 1), digests.length);
    const read = await store.check(digest);
    if (read.state !== 'unknown') return;
    const { code, message, quarantine } = read.problem;
    const repair: Repair = { action: 'quarantine-content', root, digest };
    findings.push(
      code === 'CONTENT_ALTERED'
        ? finding('CONTENT_ALTERED', pathOf(digest), message, quarantine === undefined ? { repair } : {})
        : finding('CONTENT_UNREADABLE', pathOf(digest), message),
    );
  });
  const there = new Set(digests);
  for (const [digest, [first, ...more]] of namedBy) {
    if (there.has(digest)) continue;
    const others = more.length === 0 ? '' : `, and ${more.length} more`;
    findings.push(finding('CONTENT_MISSING', pathOf(digest), `named by ${recordFileName(first!)}${others}`));
  }
  return findings;
}
