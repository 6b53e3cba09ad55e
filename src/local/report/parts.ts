import type { Digest } from '../../json/digest.ts';
import type { EndedRecord, StartedRecord } from '../../run/records/record.ts';

/** The parts of a gate that `gateline show` can show. */
export const PARTS = [
  'verdict',
  'request',
  'output',
  'exports',
  'record',
  'stdout',
  'stderr',
  'learnings',
  'contract',
] as const;
export type ShownPart = (typeof PARTS)[number];

/** Parts that are text; the others are JSON. */
export const TEXT_PARTS: ReadonlySet<ShownPart> = new Set(['stdout', 'stderr', 'learnings']);

/** Claim and end of one attempt, as far as they are known. */
export interface AttemptRecords {
  /** Absent if an output was adopted: no agent was started. */
  readonly claim: StartedRecord | undefined;
  /** Absent if it runs, or was interrupted. */
  readonly ended: EndedRecord | undefined;
}

/** Digest of a part; `undefined` if it does not exist. */
export function contentOf(
  { claim, ended }: AttemptRecords,
  part: Exclude<ShownPart, 'verdict' | 'record'>,
): Digest | undefined {
  switch (part) {
    case 'request':
      return claim?.request;
    case 'contract':
      return ended?.contract ?? claim?.contract;
    case 'output':
      return ended?.value?.digest;
    case 'exports':
      return ended?.exports?.digest;
    case 'stdout':
    case 'stderr':
      return ended?.logs[part]?.digest;
    case 'learnings':
      return ended?.learnings?.digest;
  }
}
