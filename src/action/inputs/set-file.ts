import { posix, relative } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import { SetInvalidError } from '../../local/pipeline-invalid.ts';
import type { Digest } from '../../json/digest.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { subjectsOfSet } from '../../pipeline/subjects/chosen.ts';
import { subjectWaves } from '../../pipeline/subjects/subject-waves.ts';
import { subjectDigests } from './job-results.ts';
import { readSet } from '../../pipeline/subjects/read-set.ts';
import type { Subject, SubjectGraph } from '../../pipeline/subjects/subject-set.ts';
import type { ActionInputs } from './inputs.ts';

/** Where the file of a set is read: the commit of the definition, not the work tree, which agents write to. */
export interface SetPlace {
  /** The folder that the definition applies to, absolute. */
  readonly root: string;
  /** Files of the commit, relative to `root`. */
  readonly files: { readText(path: string): Promise<string | undefined> };
  /** The workspace of the job, absolute. */
  readonly workspace: string;
}

/**
 * Reads the file of a set.
 * @param path relative to the workspace
 * @throws SetInvalidError, GatelineError `SET_UNREADABLE`
 */
export async function readSetFile(path: string, { root, files, workspace }: SetPlace): Promise<SubjectGraph> {
  const folder = relative(workspace, root).replaceAll('\\', '/');
  const text = await files.readText(posix.relative(folder, posix.normalize(path)));
  if (text === undefined) throw new GatelineError('SET_UNREADABLE', `the commit of the definition has no file ${path}`);
  const read = readSet(Buffer.from(text), path);
  if (read.ok) return read.subjects;
  throw new SetInvalidError(read.problems);
}

/** A set as the jobs of `set.yml` run it. */
export interface WavesInSet {
  readonly pipeline: Pipeline;
  readonly subjects: SubjectGraph;
  /** Ids of the chosen subjects. Default: all. */
  readonly only: ReadonlySet<string> | undefined;
  /** Ids of chosen subjects. */
  readonly waves: readonly (readonly string[])[];
  /** Digests of the files that subjects handed on, as their jobs reported them. */
  readonly files: ReadonlyMap<string, Digest>;
}

/** @throws SetInvalidError, GatelineError `PIPELINE_MISSING`, `SET_UNREADABLE`, `SET_UNKNOWN`, `SET_UNSUPPORTED` */
export async function wavesInSet(
  { inputs, event }: { readonly inputs: ActionInputs; readonly event: Pick<SetPlace, 'workspace'> },
  definition: Omit<SetPlace, 'workspace'> & { readonly pipeline: Pipeline | undefined; readonly missing?: Error },
): Promise<WavesInSet> {
  const { pipeline, missing } = definition;
  if (pipeline === undefined) throw missing ?? new GatelineError('PIPELINE_MISSING', 'there is no gateline.yml');
  const subjects = await readSetFile(inputs.set!, { ...definition, workspace: event.workspace });
  const only = inputs.onlySet === undefined ? undefined : subjectsOfSet(subjects, inputs.onlySet);
  const waves = subjectWaves(subjects, only);
  return { pipeline, subjects, only, waves, files: subjectDigests(inputs.needs, waves) };
}

/** A subject, and the set that it belongs to. */
export interface SubjectInSet {
  readonly subject: Subject;
  readonly subjects: SubjectGraph;
}

/**
 * The subject of this job in the file that the input `set` names; `undefined` without the input.
 * @throws SetInvalidError, GatelineError `SET_UNREADABLE`, `SUBJECT_UNKNOWN`
 */
export async function subjectInSet(
  { set, subject }: Pick<ActionInputs, 'set' | 'subject'>,
  place: SetPlace,
): Promise<SubjectInSet | undefined> {
  if (set === undefined) return undefined;
  const subjects = await readSetFile(set, place);
  const found = subjects.get(subject ?? '');
  if (found !== undefined) return { subject: found, subjects };
  const what =
    subject === undefined ? 'the input `subject` is not set' : `${set} has no subject ${JSON.stringify(subject)}`;
  throw new GatelineError('SUBJECT_UNKNOWN', what);
}
