import type { JsonObject } from '../json/json.ts';

/** Whether a person started the run to approve or to reject an output of another one: only `decide` runs then. */
const IS_DECISION = "(inputs.decision == 'approve' || inputs.decision == 'reject')";

/** The condition of jobs that do not run for such a decision. */
export const NO_DECISION = "inputs.decision != 'approve' && inputs.decision != 'reject'";

/** The condition of the job that writes it down. */
export const ONLY_DECISION = "inputs.decision == 'approve' || inputs.decision == 'reject'";

const REWORK = "format('Rework {0}#{1}', inputs.resume, fromJSON(inputs.rework).count)";
const DECISION =
  "format('gateline {0} {1} of run {2}: {3}', inputs.decision, inputs.gate, inputs.resume, inputs.digest)";
const RESUME = "format('Resume {0}', inputs.resume)";

/**
 * The name of a run says what it was started to do. No job can change it afterwards, so it proves a decision, and a
 * report finds by it the run that it has started. All other runs keep the name that GitHub gives them.
 */
export const RUN_NAME = `\${{ inputs.rework && ${REWORK} || inputs.decision && ${DECISION} || inputs.resume && ${RESUME} || '' }}`;

const SUBJECT = "github.event.pull_request && format('pr-{0}', github.event.pull_request.number) || github.ref";
const OF_REWORK = "inputs.rework && format('-{0}-{1}', inputs.resume, fromJSON(inputs.rework).count)";
const OF_DECISION = `${IS_DECISION} && format('-decide-{0}', github.run_id)`;

/**
 * One run at a time for a pull request or a branch, and none is cancelled. A run that does work again begins before the
 * one that started it has ended, and a decision must not wait behind other runs: each has a group of its own.
 */
export function concurrencyOf(pipeline: string, isDispatched: boolean, decides: boolean): JsonObject {
  const own = [OF_REWORK, ...(decides ? [OF_DECISION] : []), "''"].join(' || ');
  const group = isDispatched ? `\${{ inputs.subject || ${SUBJECT} }}\${{ ${own} }}` : `\${{ ${SUBJECT} }}`;
  return { group: `${pipeline}-${group}`, 'cancel-in-progress': false };
}
