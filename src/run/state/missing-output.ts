import type { EndedRecord, Content } from '../records/record.ts';
import type { ExternalFacts } from './run-state.ts';

/** All contents that an ended record refers to and that later gates may receive. */
export function contentsOf(ended: Pick<EndedRecord, 'files' | 'value' | 'exports'>): Content[] {
  const files = ended.files.flatMap((file) => (file.after?.content ? [file.after.content] : []));
  return [...(ended.value ? [ended.value] : []), ...(ended.exports ? [ended.exports] : []), ...files];
}

/** A problem with a stored output, for messages. */
export interface MissingOutput {
  /** `is missing`, `was altered`, or `could not be read: …`. */
  readonly text: string;
  /** It may exist all the same. */
  readonly unread: boolean;
}

/** The problem with an attempt's contents; of several, a permanent one before one that may be temporary. */
export function missingOutput(
  ended: Pick<EndedRecord, 'files' | 'value' | 'exports'>,
  missing: ExternalFacts['missingContent'],
): MissingOutput | undefined {
  const problems = contentsOf(ended)
    .map(({ digest }) => missing?.get(digest))
    .filter((one) => one !== undefined);
  if (problems.length === 0) return undefined;
  if (problems.includes(null)) return { text: 'is missing', unread: false };
  if (problems.some((one) => one?.code === 'CONTENT_ALTERED')) return { text: 'was altered', unread: false };
  return { text: `could not be read: ${problems[0]!.message}`, unread: true };
}
