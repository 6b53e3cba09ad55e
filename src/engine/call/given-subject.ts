import { GatelineError } from '../../errors/gateline-error.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';

/** The subject of an assignment. */
export interface NamedSubject {
  /** Names the run's records. Part of every request, unless {@link isDefaultSubject}. */
  readonly subject: string;
  /** The subject is the default one: agents, conditions and checks do not see it. */
  readonly isDefaultSubject?: boolean;
}

/** The subject that agents, conditions and checks see: only one that somebody gave. */
export function givenSubject({ subject, isDefaultSubject }: NamedSubject): string | undefined {
  return isDefaultSubject === true ? undefined : subject;
}

/**
 * Refuses a pipeline whose conditions read a default subject, before any agent starts.
 * @throws GatelineError `SUBJECT_NOT_GIVEN`
 */
export function refuseWithoutSubject(assignment: NamedSubject & { readonly pipeline: Pipeline }): void {
  const [first, ...others] = assignment.pipeline.subjectReads ?? [];
  if (first === undefined || givenSubject(assignment) !== undefined) return;
  const more = others.length === 0 ? '' : `; ${others.length} more of its conditions do`;
  throw new GatelineError('SUBJECT_NOT_GIVEN', `${first.message}${more}`, { place: first.place });
}
