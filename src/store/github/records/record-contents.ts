import type { Digest } from '../../../json/digest.ts';
import type { GatelineRecord } from '../../../run/records/record.ts';

/** Content that a record refers to. */
export interface Mentioned {
  readonly digest: Digest;
  /** Not told of requests and contracts. */
  readonly bytes: number | undefined;
}

/** The most that a content may have whose size no record tells, in bytes. */
export const MAX_UNTOLD_BYTES = 64 * 1024 * 1024;

/** Every content that a record refers to, each once: those first that later gates and people ask for most. */
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
      return record.exports === undefined ? [] : [record.exports];
    case 'ended': {
      const { value, exports, learnings, files, logs } = record;
      const handedOn = files.map((file) => file.after?.content);
      // The contract goes along: what is reused from elsewhere has no claim here that would have it.
      const contents = [value, exports, untold(record.contract), learnings, logs.stderr, logs.stdout, ...handedOn];
      return contents.filter((content) => content !== undefined);
    }
  }
}

function untold(digest: Digest): Mentioned {
  return { digest, bytes: undefined };
}
