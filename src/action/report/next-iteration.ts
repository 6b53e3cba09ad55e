import { messageOf } from '../../errors.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { sumOf } from '../../run/figures.ts';
import { sendsWorkBack } from '../../run/state.ts';
import { gateOf } from '../../run/units.ts';
import { formatReference } from '../../store/github/document.ts';
import type { CollectedRun } from './collect-run.ts';
import { parseRework, type DispatchedRework } from '../rework.ts';
import type { Job } from '../job.ts';
import type { Services } from '../services.ts';

/** The next iteration of a loop, or why there is none. */
export type NextIteration =
  | { readonly choice: 'dispatch'; readonly rework: DispatchedRework; readonly reason: string }
  | { readonly choice: 'end'; readonly reason: string };

/**
 * Plans the rework of a run: for the first target of its failed gates, with these as causes, and the next iteration.
 * @param earlier the rework of this run itself
 */
export function planNextIteration(
  { pipeline, documents }: Pick<CollectedRun, 'pipeline' | 'documents'>,
  runId: number,
  earlier: DispatchedRework | undefined,
): NextIteration {
  const gateFor = (key: UnitKey) => pipeline.gates.find(({ id }) => id === gateOf(key));
  const failed = [...documents].filter(([key, { document }]) => {
    const { verdict, output } = document.entry;
    const gate = gateFor(key);
    const isApproved = document.decision?.entry.decision === 'approve';
    return gate !== undefined && output !== undefined && sendsWorkBack(verdict, gate) && !isApproved;
  });
  const gates = failed.map(([key]) => gateFor(key)!);
  const [first] = gates;
  if (first?.onFail === undefined) return { choice: 'end', reason: 'no gate that failed sends work back' };
  const { goto, maxIterations } = first.onFail;
  const iteration = earlier?.gate === goto ? earlier.iteration + 1 : 2;
  if (iteration > maxIterations)
    return { choice: 'end', reason: `${goto} has worked ${maxIterations} times, as often as ${first.id} allows` };
  const senders = new Set(gates.filter(({ onFail }) => onFail?.goto === goto).map(({ id }) => id));
  const causes = failed
    .filter(([key]) => senders.has(gateOf(key)))
    .map(([unit, { reference }]) => ({ unit, attempt: formatReference(reference) }));
  const reason = `${causes.map(({ unit }) => unit).join(', ')} sends the work back to ${goto}: iteration ${iteration}`;
  const spentUsd = (earlier?.spentUsd ?? 0) + costOf(documents);
  return { choice: 'dispatch', reason, rework: { gate: goto, iteration, runId, causes, spentUsd } };
}

/** What agents have cost in a run, in US dollars: documents of several gates count the same gates before them. */
function costOf(documents: CollectedRun['documents']): number {
  const costs = new Map([...documents.values()].flatMap(({ document }) => Object.entries(document.costSoFar)));
  return sumOf([...costs.values()].map(({ costUsd }) => costUsd)) ?? 0;
}

/** Dispatches the next iteration of a loop, if the run is on a branch. */
export async function sendBack(job: Job, { github, runner }: Services, run: CollectedRun): Promise<void> {
  const plan = planNextIteration(run, job.runId, parseRework(job.dispatch.rework));
  if (plan.choice === 'end') return runner.info(`No further iteration: ${plan.reason}.`);
  if (!job.ref.startsWith('refs/heads/') || job.pullRequest)
    return runner.annotate(
      'notice',
      'Loops across jobs need a branch; on pull requests they run inside one job (pipeline.yml).',
    );
  const inputs = { ...job.ownInputs, rework: JSON.stringify(plan.rework), resume: String(job.runId) };
  try {
    const workflow_id = job.workflow.split('/').at(-1)!;
    const { rest } = await github.octokit();
    await rest.actions.createWorkflowDispatch({ ...github.place, workflow_id, ref: job.ref, inputs });
    runner.annotate('notice', plan.reason, { title: 'The next iteration was started' });
  } catch (error) {
    const permissions =
      'The job of the report needs `actions: write`, and the workflow the dispatch inputs `rework` and `resume`.';
    runner.annotate('error', `${plan.reason}, and it cannot be started: ${messageOf(error)}\n${permissions}`);
  }
}
