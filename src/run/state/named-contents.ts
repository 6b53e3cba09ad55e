import type { Digest } from '../../json/digest.ts';
import type { Content, GatelineRecord } from '../records/record.ts';
import { contentsOf } from './missing-output.ts';

/**
 * The digests of all contents that were stored before a record was written. Snapshots of a database are stored
 * elsewhere.
 */
export function contentsNamedBy(record: GatelineRecord): Digest[] {
  if (record.kind === 'started') return [record.request, record.contract];
  const requests = record.kind === 'decided' && record.request !== undefined ? [record.request] : [];
  const contents: (Content | undefined)[] = [];
  if (record.kind === 'ended') {
    const { effects, documents = {}, logs, learnings } = record;
    contents.push(...contentsOf(record), ...Object.values(documents), logs.stdout, logs.stderr, learnings);
    contents.push(...(effects?.creates ?? []).map(({ value }) => value));
  } else {
    const { exports, rework, entity } = record;
    contents.push(exports, entity?.value, ...(rework?.from ?? []).map(({ value }) => value));
  }
  return [...requests, ...contents.flatMap((content) => (content === undefined ? [] : [content.digest]))];
}
