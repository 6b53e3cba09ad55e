import { GatelineError } from '../../errors/gateline-error.ts';
import { isSubjectId, subjectGraph, type SubjectGraph } from '../../pipeline/subjects/subject-set.ts';
import { ancestorsOf } from '../../run/records/unit.ts';
import { versionsOf } from '../apply.ts';
import { openCall, type Call } from '../call/call.ts';
import { refuseOtherVersions, requireHead, type DeliverAs } from './deliver-set.ts';
import { assignmentIn, handedBy, noteHandedOn, type SetCall, type SetOrder } from './set-order.ts';

/**
 * One completed run as a set, to deliver its files: those of its subject, after those of the subjects upstream.
 * @param call of the run, opened; the caller holds the workspace's lock
 * @param order the set that the subject belongs to; `undefined`: it needs no others
 * @throws GatelineError `DELIVERY_NOT_DONE`, `DELIVERY_REFUSED`, `REPOSITORY_MISSING`, and git's errors if the version
 *   that the run began with is no longer stored
 */
export async function setOfRun(call: Call, as: DeliverAs, order: SetOrder = orderOf(call)): Promise<SetCall> {
  const { ports, journal } = call;
  const { subject } = journal.state();
  requireDone(call, subject);
  const base = as === 'branch' ? (await requireHead(ports.branches!)).tree : (await versionsOf(call)).from;
  // The version that the run began with has the files of the subjects upstream.
  const set: SetCall = {
    ports,
    order: as === 'branch' ? order : orderOf(call),
    base,
    known: new Map(),
    handed: new Map(),
  };
  for (const id of ancestorsOf(set.order.subjects, subject)) {
    const upstream = set.order.subjects.get(id)!;
    const other = await openCall(ports, assignmentIn(order, upstream), () => undefined, { runNumber: 0 });
    requireDone(other, id, `${subject} needs it`);
    noteHandedOn(set, id, other);
  }
  noteHandedOn(set, subject, call);
  // A run that only reused outputs began with no version of its own: then it is that of the folder.
  if (as === 'patch') await refuseOtherVersions(set, base, subject, handedBy(set, subject), 'your folder');
  return set;
}

/** A set of one subject. */
function orderOf({ journal, assignment }: Call): SetOrder {
  return { pipeline: assignment.pipeline, subjects: alone(journal.state().subject) };
}

/** @throws GatelineError `DELIVERY_REFUSED`: subjects outside of sets may be any text */
function alone(id: string): SubjectGraph {
  if (isSubjectId(id)) return subjectGraph([{ id, needs: [], metadata: {} }]);
  throw new GatelineError(
    'DELIVERY_REFUSED',
    `the subject ${JSON.stringify(id)} cannot be part of the name of a branch and of a file`,
    {
      hint: 'Run the pipeline with `--subject NAME`, or use `gateline apply` without `--deliver`.',
    },
  );
}

function requireDone({ journal }: Call, id: string, why?: string): void {
  const { status, runNumber } = journal.state();
  if (status === 'completed') return;
  const more = why === undefined ? '' : `, and ${why}`;
  const what = runNumber === 0 ? `${id} has no run` : `run ${runNumber} of ${id} is not completed`;
  throw new GatelineError('DELIVERY_NOT_DONE', `${what}${more}`, {
    hint: `\`gateline status --subject ${id}\` shows what is missing.`,
  });
}
