import type { Assignment } from '../../engine/call/call.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import { startInJob } from '../../engine/set/subject-files.ts';
import { handsOnFiles } from '../../pipeline/subjects/subject-waves.ts';
import type { Subject } from '../../pipeline/subjects/subject-set.ts';
import { numbersOf } from '../event/job-identity.ts';
import { subjectInSet } from '../inputs/set-file.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { Definition } from './definition.ts';

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
