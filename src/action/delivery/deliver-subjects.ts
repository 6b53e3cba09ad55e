import type { DeliveredFile } from '../../engine/delivery/deliver.ts';
import { branchOf, deliverPatch, filesForBranch } from '../../engine/set/deliver-set.ts';
import type { SetCall } from '../../engine/set/set-order.ts';
import { othersInRun } from '../../engine/set/subject-files.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { code } from '../../report/markdown/markdown.ts';
import { count, oneLine } from '../../report/text.ts';
import { sameFile } from '../../run/files/tree.ts';
import { ancestorsOf } from '../../run/records/unit.ts';
import { numbersOf } from '../event/job-identity.ts';
import { restOfStep } from '../event/rest-client.ts';
import { wavesInSet } from '../inputs/set-file.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { openSurroundings, type JobContext } from '../job/job.ts';
import { branchWith } from './commit-to-branch.ts';
import { planCommit } from './commit-files.ts';
import { prefixOf, targetOf, type DeliveryTarget } from './target.ts';

/** Options of a delivery, besides the subject. */
interface SubjectOrder {
  readonly set: SetCall;
  /** Path of the workspace in its repository. */
  readonly prefix: string;
  /** The commit from which branches start; `undefined`: files are delivered as patches. */
  readonly target: DeliveryTarget | undefined;
}

/**
 * `command: apply` with `set`: the files of each completed subject as a patch or a branch, in a job without an agent.
 * Completed is a subject whose report put out the digest of its files, so the report was green. One that cannot be
 * delivered does not keep the others from it.
 */
export async function deliverSubjects(invocation: ActionInvocation): Promise<StepResult> {
  const { inputs, event, world } = invocation;
  const target = inputs.deliver === 'branch' ? targetOf(event) : undefined;
  const around = await openSurroundings(invocation);
  const { pipeline, subjects, waves, files: digests } = await wavesInSet(invocation, around.definition);
  const prefix = prefixOf(invocation, around);
  const { tree } = await around.ports.workspace.snapshot([]);
  const order = { pipeline, subjects, allow: inputs.allow };
  const rows: string[] = [];
  let refused = 0;
  for (const id of waves.flat().filter((one) => digests.has(one))) {
    try {
      const others = { ids: [...ancestorsOf(subjects, id), id], numbers: numbersOf(event), digests };
      const set = await othersInRun(around.ports, order, tree, others);
      rows.push(`- ${code(id)}: ${await deliverOne(invocation, around, { set, prefix, target }, id)}`);
    } catch (error) {
      if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
      refused += 1;
      const why = `${error.code}: ${oneLine(error.message).replace(/\.$/, '')}`;
      world.runner.annotate('error', `${id}: ${why}. ${error.hint}`, { title: 'Not delivered' });
      rows.push(`- ${code(id)}: not delivered: ${code(why)}`);
    }
  }
  if (inputs.summary) await world.runner.appendSummary(`## Delivered\n\n${rows.join('\n')}\n`);
  const message = `${count(rows.length - refused, 'subject')} of ${pipeline.id}`;
  if (refused === 0) return { ok: true, title: 'Delivered', message };
  return { ok: false, title: 'Not delivered', message: `${message}, and ${refused} could not be delivered` };
}

/** Returns a sentence about it. */
function deliverOne(
  invocation: ActionInvocation,
  around: JobContext,
  { set, prefix, target }: SubjectOrder,
  id: string,
): Promise<string> {
  return target === undefined
    ? asPatch(invocation, around, { set, prefix }, id)
    : asBranch(invocation, around, { set, prefix, target }, id);
}

async function asPatch(
  { event }: ActionInvocation,
  { store }: JobContext,
  { set, prefix }: Pick<SubjectOrder, 'set' | 'prefix'>,
  id: string,
): Promise<string> {
  const { patch } = await deliverPatch(set, prefix, id);
  if (patch === undefined) return 'it handed on no files.';
  const name = `${set.order.pipeline.id}-${id}-${event.runNumber}-${event.runAttempt}.patch`;
  const kept = await store.keepDocument(name, patch);
  if (typeof kept === 'string') return `the artifact ${code(name)}.`;
  throw new GatelineError('STORE_WRITE_FAILED', `the patch was not uploaded: ${kept.problem}`);
}

/** One commit with the files of the subjects upstream and its own. */
async function asBranch(
  invocation: ActionInvocation,
  { store, ports }: JobContext,
  { set, prefix, target }: SubjectOrder & { readonly target: DeliveryTarget },
  id: string,
): Promise<string> {
  const rest = restOfStep(invocation);
  if (rest === undefined) throw new GatelineError('DELIVERY_REFUSED', 'nothing is delivered: `github-token` is empty');
  const handed = filesForBranch(set, id, prefix);
  const current = await ports.workspace.files(set.base);
  const files = handed
    .map(({ path, after }): DeliveredFile => ({ path, before: current.get(path) ?? null, after }))
    .filter(({ before, after }) => !sameFile(before, after));
  const plan = await planCommit(rest, store.records, target, { files, prefix });
  if (plan.tree === plan.parentTree) return 'the commit has its files already.';
  const { pipeline } = set.order;
  const what = { pipeline: pipeline.id, subject: id, gates: pipeline.gates.map((gate) => gate.id), files, prefix };
  const commit = await branchWith(invocation, rest, plan, branchOf(id), what);
  return `commit ${commit.slice(0, 7)} of the branch ${code(branchOf(id))}.`;
}
