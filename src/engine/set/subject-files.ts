import { GatelineError } from '../../errors/gateline-error.ts';
import type { Digest } from '../../json/digest.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { ancestorsOf, unitsOf } from '../../run/records/unit.ts';
import { handedOn } from '../apply.ts';
import { namedGlobs, openCall } from '../call/call.ts';
import { filesDigest, refuseUnproven, type FilesDigests } from '../delivery/deliver.ts';
import { dryRunPorts } from '../plan/dry-run.ts';
import type { EnginePorts, StartVersion } from '../ports.ts';
import type { JobCall } from '../upstream/job-call.ts';
import { learnAll, type VerifiedRun } from '../verify-run.ts';
import { assignmentIn, handedBy, noteHandedOn, startOf, type SetCall, type SetOrder } from './set-order.ts';

/**
 * Digests of the files that completed subjects hand on, by id of the subject, that did not come from the records:
 * outputs of jobs without an agent.
 */
export type SubjectDigests = ReadonlyMap<string, Digest>;

/**
 * The digest of the files that all gates of a completed run hand on, each as its job reported it.
 * @throws GatelineError `DELIVERY_UNPROVEN`, `FILES_CONFLICT`
 */
export function subjectFilesDigest(
  pipeline: Pipeline,
  { state }: Pick<VerifiedRun, 'state'>,
  digests: FilesDigests,
): Digest {
  refuseUnproven(pipeline, state, { gates: pipeline.gates.map(({ id }) => id), digests });
  return filesDigest(handedOn(unitsOf(pipeline), state, undefined));
}

/** What other jobs of a CI run reported about the other subjects of the set. */
export interface OthersInRun {
  readonly numbers: JobCall['call']['numbers'];
  readonly digests: SubjectDigests;
}

/**
 * The version that a subject begins with in a job: the checkout, with the files that all subjects upstream handed on in
 * this run.
 * @throws GatelineError `SUBJECT_UNPROVEN`, `FILES_CONFLICT`, `CONTENT_MISSING`
 */
export async function startInJob(
  ports: EnginePorts,
  order: SetOrder,
  id: string,
  others: OthersInRun,
): Promise<StartVersion> {
  const snapshot = await ports.workspace.snapshot(namedGlobs(order.pipeline));
  const set = await othersInRun(ports, order, snapshot.tree, { ids: ancestorsOf(order.subjects, id), ...others });
  return { ...snapshot, tree: await startOf(set, id), checkedOut: snapshot.tree };
}

/**
 * The files that subjects handed on in this run, if their records match what other jobs reported.
 * @throws GatelineError `SUBJECT_UNPROVEN`
 */
export async function othersInRun(
  ports: EnginePorts,
  order: SetOrder,
  base: SetCall['base'],
  { ids, numbers, digests }: OthersInRun & { readonly ids: readonly string[] },
): Promise<SetCall> {
  const set: SetCall = { ports, order, base, known: new Map(), handed: new Map() };
  for (const id of ids) {
    const reported = digests.get(id);
    if (reported === undefined) throw unproven(id, 'no job of this run reported them');
    const assignment = assignmentIn(order, order.subjects.get(id)!);
    const call = await openCall(dryRunPorts(ports), assignment, () => undefined, { numbers, shows: true });
    await learnAll(call);
    noteHandedOn(set, id, call);
    const found = filesDigest(handedBy(set, id));
    if (found !== reported) throw unproven(id, `its jobs say that they are ${reported}, its records say ${found}`);
  }
  return set;
}

function unproven(id: string, why: string): GatelineError {
  return new GatelineError('SUBJECT_UNPROVEN', `the files of subject ${id} are not verified: ${why}`);
}
