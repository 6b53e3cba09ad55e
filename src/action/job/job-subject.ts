import type { ActionInvocation } from '../invocation.ts';
import type { Assignment } from '../../engine/call/call.ts';
import type { Definition } from './definition.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import type { NamedSubject } from '../../engine/call/given-subject.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { Subject } from '../../pipeline/subjects/subject-set.ts';
import { handsOnFiles } from '../../pipeline/subjects/subject-waves.ts';
import { numbersOf } from '../event/job-identity.ts';
import { startInJob } from '../../engine/set/subject-files.ts';
import { subjectInSet } from '../inputs/set-file.ts';
import { subjectOfMetadata } from '../../run/records/subject.ts';

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

/** The subject of a job whose input `set` names the file of a set. */
export interface SetOfJob {
  readonly subject: Subject;
  /** Ports of the job, where gates find the files that the subjects upstream handed on. */
  portsFor(assignment: Pick<Assignment, 'pipeline'>): EnginePorts;
}

/**
 * `undefined` without the input.
 * @throws SetInvalidError, GatelineError `SET_UNREADABLE`, `SUBJECT_UNKNOWN`
 */
export async function setOfJob(
  { inputs, event }: ActionInvocation,
  { definition, ports }: { readonly definition: Definition; readonly ports: EnginePorts },
): Promise<SetOfJob | undefined> {
  const found = await subjectInSet(inputs, { ...definition, workspace: event.workspace });
  if (found === undefined) return undefined;
  const { subject, subjects } = found;
  const others = { numbers: numbersOf(event), digests: new Map(Object.entries(inputs.subjectFiles)) };
  return {
    subject,
    portsFor: ({ pipeline }) => {
      if (subject.needs.length === 0 || !handsOnFiles(pipeline)) return ports;
      return { ...ports, startVersion: () => startInJob(ports, { pipeline, subjects }, subject.id, others) };
    },
  };
}
