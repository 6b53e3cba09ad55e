import { GatelineError } from '../../errors/gateline-error.ts';
import type { SubjectGraph } from '../../pipeline/subjects/subject-set.ts';
import { combined } from '../files/files.ts';
import type { FileChange } from '../records/record.ts';
import { ancestorsOf } from '../records/unit.ts';

/** A list of names of conflicting paths ends after so many. */
const SHOWN = 10;

/**
 * Files that a subject finds besides the user's version: those of all subjects upstream, by the rules for gates.
 * @param handed what completed subjects hand on, by id
 * @throws GatelineError `FILES_CONFLICT` if two subjects that do not need each other left a path differently
 */
export function filesFor(
  subjects: SubjectGraph,
  id: string,
  handed: ReadonlyMap<string, readonly FileChange[]>,
): readonly FileChange[] {
  const upstream = ancestorsOf(subjects, id).map((by) => ({ by, files: handed.get(by) ?? [] }));
  const { files, conflicts } = combined(subjects, upstream);
  if (conflicts.length === 0) return files;
  const list = conflicts.slice(0, SHOWN).map(({ path, gates }) => `${path} (${gates.join(' and ')})`);
  const more = conflicts.length > SHOWN ? `, and ${conflicts.length - SHOWN} more` : '';
  const message = `subject ${id}: subjects that do not need each other changed the same path differently: ${list.join(', ')}${more}`;
  throw new GatelineError('FILES_CONFLICT', message, { hint: 'Let one subject need the other.' });
}
