import type { NamedSubject } from '../../engine/call/given-subject.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { subjectOfMetadata } from '../../run/records/subject.ts';
import type { ActionInvocation } from '../invocation.ts';

/**
 * The subject of a job: from the input or the file, else a default, which no agent sees: `{domain}-{feature}` of the
 * file's metadata, `pr-<n>`, or the branch. The input `metadata` has no part in it: other jobs of the run may have
 * none.
 */
export function jobSubject(
  { inputs, event }: Pick<ActionInvocation, 'inputs' | 'event'>,
  pipeline: Pick<Pipeline, 'subject' | 'metadata'> | undefined,
): NamedSubject {
  const given = inputs.subject ?? pipeline?.subject;
  if (given !== undefined) return { subject: given };
  return { subject: subjectOfMetadata(pipeline?.metadata ?? {}) ?? event.subject, isDefaultSubject: true };
}
