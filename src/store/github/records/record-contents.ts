import type { Digest } from '../../../json/digest.ts';
import type { GatelineRecord } from '../../../run/records/record.ts';

/** Content that a record refers to. */
export interface Mentioned {
  readonly digest: Digest;
  /** Not included for requests and contracts. */
  readonly bytes: number | undefined;
}

/** The most bytes of a content whose size no record includes. */
export const MAX_UNTOLD_BYTES = 64 * 1024 * 1024;

/** Every content that a record refers to, each once, in order of how often later gates and people need it. */
export function mentionedBy(record: GatelineRecord): Mentioned[] {
  const all = listOf(record);
  const byDigest = new Map<Digest, Mentioned>();
  for (const one of all) if (!byDigest.has(one.digest)) byDigest.set(one.digest, one);
  return [...byDigest.values()];
}

function listOf(record: GatelineRecord): Mentioned[] {
  switch (record.kind) {
    case 'started':
      return [untold(record.request), untold(record.contract)];
    case 'decided':
      return [...(record.exports ? [record.exports] : []), ...(record.request ? [untold(record.request)] : [])];
    case 'ended': {
      const { value, exports, learnings, files, logs } = record;
      const handedOn = files.map((file) => file.after?.content);
      // The contract is included: a result reused from elsewhere has no claim here that would include it.
      const contents = [value, exports, untold(record.contract), learnings, logs.stderr, logs.stdout, ...handedOn];
      return contents.filter((content) => content !== undefined);
    }
  }
}

function untold(digest: Digest): Mentioned {
  return { digest, bytes: undefined };
}
